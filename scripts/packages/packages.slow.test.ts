import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from '../../test/eventually.ts'
import { packages } from './table.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const tools = { publint: 'publint@0.3.25', attw: '@arethetypeswrong/cli@0.18.5' }

let folder = ''
let tarballs: string[] = []
let env: Record<string, string | undefined> = {}

const named = (name: string): string =>
  tarballs.find((path) => path.includes(`diorama-dev-${name}-`)) ?? assert.fail(`${name} was not packed`)

/** Whether the registry answers; what needs it is left out where it does not. */
const registryAnswers = (): Promise<boolean> =>
  run('npm', ['view', 'zod', 'version'], { env, timeout: 30_000 }).then(
    () => true,
    () => false,
  )

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'diorama packages '))
  // An older Node of the machine goes first, so that the packages meet the oldest that they promise.
  const [own] = ['/usr/local/bin', '/usr/bin'].filter((path) => existsSync(join(path, 'node')))
  const path = [own, dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter)
  env = { ...process.env, PATH: path, DIORAMA_EMBEDDINGS: 'off', NODE_COMPILE_CACHE: undefined }
  await run(process.execPath, [join(root, 'console', 'build.mjs'), '--required'])
  const built = join(folder, 'built')
  await run(process.execPath, ['--no-warnings', join(root, 'scripts/packages/build.mjs'), '--out', built])
  mkdirSync(join(folder, 'packed'))
  const names = readdirSync(built).filter((name) => !name.startsWith('.'))
  await run(
    'npm',
    ['pack', '--pack-destination', join(folder, 'packed'), ...names.map((name) => `./${name}`)],
    { env, cwd: built },
  )
  tarballs = readdirSync(join(folder, 'packed')).map((name) => join(folder, 'packed', name))
})
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the published packages', () => {
  it('are those of the table, without tests, TypeScript programs or the name of the workspace', async () => {
    assert.equal(tarballs.length, packages.length)
    for (const path of tarballs) {
      const { stdout } = await run('tar', ['-tzf', path], { maxBuffer: 16 * 1_048_576 })
      assert.doesNotMatch(stdout, /\.test\.|\/node_modules\/|\/testing\//, path)
      assert.match(stdout, /package\/LICENSE/)
      const { stdout: text } = await run('tar', ['-xzOf', path, '--wildcards', '*.js'], {
        maxBuffer: 256 * 1_048_576,
      })
      assert.doesNotMatch(text, /from ['"]@diorama\//, path)
    }
  })

  it('satisfy publint, and those with types are typed right', async (context) => {
    if (!(await registryAnswers())) return context.skip('the npm registry cannot be reached')
    for (const path of tarballs) await run('npx', ['--yes', tools.publint, path, '--strict'], { env })
    for (const { name } of packages.filter(({ kind }) => kind === 'library'))
      await run('npx', ['--yes', tools.attw, named(name), '--profile', 'esm-only'], { env })
  })

  it('start the service in an empty folder with spaces in its path, and hold an agent to a gate', async (context) => {
    if (!(await registryAnswers())) return context.skip('the npm registry cannot be reached')
    const place = join(folder, 'an empty folder')
    mkdirSync(place)
    const install = ['install', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', [...install, named('server'), named('cli')], { env, cwd: place })
    const service = spawn('npx', ['diorama', 'up', '--port', '0'], {
      cwd: place,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let said = ''
    for (const stream of [service.stdout, service.stderr])
      stream.on('data', (text) => {
        said += text
      })
    const ended = once(service, 'exit')
    try {
      await eventually(
        () => /ready at \S+/.test(said) || service.exitCode !== null,
        'the service did not start',
      )
      const baseUrl = /ready at (\S+)/.exec(said)?.[1] ?? assert.fail(said)
      assert.equal((await fetch(`${baseUrl}/`)).status, 200)
      assert.equal((await fetch(`${baseUrl}/docs/ci.md`)).status, 200)
      cpSync(join(root, 'examples/agents/careful'), join(place, 'careful'), { recursive: true })
      const words = ['diorama', '--url', baseUrl, 'gate', 'careful', '--sample', '--run', 'node agent.mjs']
      const { stdout } = await run('npx', words, { env, cwd: place })
      assert.match(stdout, /All 4 tasks passed/)
    } finally {
      process.kill(-(service.pid ?? 0), 'SIGTERM')
      await ended
    }
    const plan = 'world: {sample: true}\nagents: [{folder: careful, run: node agent.mjs}]\n'
    writeFileSync(join(place, 'diorama.yaml'), plan)
    const alone = await run('npx', ['diorama', 'run'], { env: { ...env, PORT: '0' }, cwd: place })
    assert.match(alone.stderr, /no service is running: starting one for this evaluation/)
    assert.match(alone.stderr, /results: http:\/\/127\.0\.0\.1:\d+\/evaluations\/job_/)
    assert.match(alone.stdout, /All 4 tasks passed/)
  })
})
