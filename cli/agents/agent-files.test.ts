import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { packAgent } from './agent-files.ts'

describe('the files of an agent', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-agent-'))
    mkdirSync(join(folder, 'agent', 'lib'), { recursive: true })
    writeFileSync(join(folder, 'agent', 'agent.mjs'), 'work()')
    writeFileSync(join(folder, 'agent', 'lib', 'größe.txt'), 'ä')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('travel in the request where they are few and text', async () => {
    const packed = await packAgent(join(folder, 'agent'), false)
    assert.deepEqual(packed.files, { 'agent.mjs': 'work()', 'lib/größe.txt': 'ä' })
    assert.equal(packed.bundle, undefined)
  })

  it('travel as a bundle that any tar unpacks, with what may be run and long paths kept', async () => {
    const deep = join('a'.repeat(80), 'b'.repeat(60))
    mkdirSync(join(folder, 'agent', deep), { recursive: true })
    writeFileSync(join(folder, 'agent', deep, 'data.bin'), Buffer.alloc(700, 7))
    chmodSync(join(folder, 'agent', 'agent.mjs'), 0o755)
    const packed = await packAgent(join(folder, 'agent'), false)
    assert.equal(packed.files, undefined)
    writeFileSync(join(folder, 'bundle.tgz'), packed.bundle?.bytes ?? '')
    mkdirSync(join(folder, 'out'))
    const ran = spawnSync('tar', ['-xzvf', '../bundle.tgz'], { cwd: join(folder, 'out'), encoding: 'utf8' })
    assert.equal(ran.status, 0, ran.stderr)
    assert.deepEqual(readFileSync(join(folder, 'out', deep, 'data.bin')), Buffer.alloc(700, 7))
    assert.equal(readFileSync(join(folder, 'out', 'lib', 'größe.txt'), 'utf8'), 'ä')
    assert.match(
      spawnSync('ls', ['-l', join(folder, 'out', 'agent.mjs')], { encoding: 'utf8' }).stdout,
      /^-rwx/,
    )
  })

  it('have the same digest each time they are packed, and another one when a byte changes', async () => {
    const first = await packAgent(join(folder, 'agent'), true)
    const second = await packAgent(join(folder, 'agent'), true)
    assert.equal(first.bundle?.sha256, second.bundle?.sha256)
    writeFileSync(join(folder, 'agent', 'agent.mjs'), 'work!()')
    assert.notEqual((await packAgent(join(folder, 'agent'), true)).digest, first.digest)
  })

  it('keep links that stay in the folder, such as those of package managers', async () => {
    mkdirSync(join(folder, 'linked', 'node_modules', '.bin'), { recursive: true })
    writeFileSync(join(folder, 'linked', 'tool.js'), 'tool')
    symlinkSync('../../tool.js', join(folder, 'linked', 'node_modules', '.bin', 'tool'))
    const { bundle } = await packAgent(join(folder, 'linked'), false)
    const tar = spawnSync('tar', ['-tvzf', '-'], { input: bundle?.bytes, encoding: 'utf8' })
    assert.match(tar.stdout, /node_modules\/\.bin\/tool -> \.\.\/\.\.\/tool\.js/)
  })

  it('keep virtual environments: the interpreter is that of the sandbox, other links become relative', async () => {
    const venv = join(folder, 'environment', 'venv')
    mkdirSync(join(venv, 'bin'), { recursive: true })
    mkdirSync(join(venv, 'lib'))
    writeFileSync(join(venv, 'lib', 'package.py'), 'x = 1')
    symlinkSync('/somewhere/else/python3.12', join(venv, 'bin', 'python'))
    symlinkSync('python', join(venv, 'bin', 'python3'))
    symlinkSync(join(venv, 'lib'), join(venv, 'lib64'))
    const { bundle } = await packAgent(join(folder, 'environment'), false)
    const tar = spawnSync('tar', ['-tvzf', '-'], { input: bundle?.bytes, encoding: 'utf8' })
    assert.match(tar.stdout, /venv\/bin\/python -> \/usr\/bin\/python3\n/)
    assert.match(tar.stdout, /venv\/bin\/python3 -> python\n/)
    assert.match(tar.stdout, /venv\/lib64 -> lib\n/)
  })

  it('are refused by name where a link leads out of the folder', async () => {
    symlinkSync('/etc/hostname', join(folder, 'agent', 'secret'))
    await assert.rejects(
      packAgent(join(folder, 'agent'), false),
      /secret links to \/etc\/hostname, which is outside/,
    )
  })
})
