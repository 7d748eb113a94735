import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testService } from '../../server/src/testing.ts'

const script = fileURLToPath(new URL('./gate.py', import.meta.url))

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diorama-gate-'))
  await mkdir(join(folder, 'agent', 'node_modules', 'dep'), { recursive: true })
  await writeFile(join(folder, 'agent', 'agent.mjs'), 'console.log("hello")\n')
  await writeFile(join(folder, 'agent', 'node_modules', 'dep', 'large.bin'), Buffer.alloc(3_000_000, 0xff))
  await writeFile(join(folder, 'broken.json'), '{"not": "a blueprint"}')
})
after(() => rm(folder, { recursive: true }))

const gate = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const child = spawn('python3', [script, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  const [code] = await once(child, 'close')
  return { code, said }
}

const named = ['--name', 'gated', '--version', '1', '--run', 'node agent.mjs']

describe('the gate for CI', () => {
  it('ends with 3, never 1 or 2, when it is called wrongly or the service cannot be reached', async () => {
    assert.equal((await gate([])).code, 3)
    assert.equal((await gate([join(folder, 'broken.json'), join(folder, 'agent')])).code, 3)
    const env = { DIORAMA_BASE_URL: 'http://127.0.0.1:9', DIORAMA_API_KEY: `dk_${'0'.repeat(40)}` }
    const { code, said } = await gate([join(folder, 'broken.json'), join(folder, 'agent'), ...named], env)
    assert.equal(code, 3)
    assert.doesNotMatch(said, /Traceback/)
  })

  it('registers an agent with dependencies and binary files, and says what is wrong with a link', async () => {
    await using service = await testService()
    const env = { DIORAMA_BASE_URL: service.baseUrl, DIORAMA_API_KEY: service.key }
    const words = [join(folder, 'broken.json'), join(folder, 'agent'), ...named]
    const { code, said } = await gate(words, env)
    assert.equal(code, 3, said)
    assert.match(said, /blueprint/)
    const version = await service.call('GET', '/v1/agents/gated/versions/1')
    assert.equal(version.status, 200, said)
    assert.ok(version.body.bundle.size > 1_000, version.text)
    await symlink('/etc/hostname', join(folder, 'agent', 'link'))
    const linked = await gate(words, env)
    assert.equal(linked.code, 3)
    assert.match(linked.said, /link links to \/etc\/hostname, which is outside the agent's folder/)
  })

  it('ends with 3 when the command line crashes, as it does when it cannot be run at all', async () => {
    const crashing = join(folder, 'crashing.mjs')
    await writeFile(crashing, 'process.abort()\n')
    const env = { DIORAMA_CLI: crashing }
    assert.equal((await gate([join(folder, 'broken.json'), folder, ...named], env)).code, 3)
  })
})
