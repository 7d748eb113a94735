import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../', import.meta.url))
const run = promisify(execFile)

/** The machine's own Node where it is an older one, so that the package meets the oldest that it promises. */
const olderNode = (): string => {
  const own = ['/usr/local/bin/node', '/usr/bin/node'].find((path) => existsSync(path))
  const version = own ? spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout : ''
  return own && Number(/^v(\d+)/.exec(version)?.[1]) >= 20 ? own : process.execPath
}

describe('the built package', () => {
  let folder = ''
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-sdk-'))
    const build = join(root, 'scripts', 'packages', 'build.mjs')
    await run(process.execPath, ['--no-warnings', build, '--out', folder, 'sdk'])
    const dist = join(folder, 'sdk')
    const packed = await run('npm', ['pack', '--offline', '--pack-destination', folder, dist], {
      env: { ...process.env, npm_config_cache: join(folder, 'cache') },
    })
    const modules = join(folder, 'node_modules')
    mkdirSync(join(modules, '@diorama-dev', 'sdk'), { recursive: true })
    const unpack = ['-xzf', join(folder, packed.stdout.trim()), '--strip-components=1']
    await run('tar', [...unpack, '-C', join(modules, '@diorama-dev', 'sdk')])
    symlinkSync(join(root, 'node_modules', 'zod'), join(modules, 'zod'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is imported and works as plain JavaScript', async () => {
    const server = createServer((_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ items: [{ id: 'wld_1', created_at: 'x' }], next_cursor: null })),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const program = join(folder, 'program.mjs')
      writeFileSync(
        program,
        `import { createClient, DioramaError, passGate } from '@diorama-dev/sdk'
         const client = createClient({ baseUrl: 'http://127.0.0.1:${port}', apiKey: 'dk_x' })
         for await (const world of client.worlds.list()) console.log(world.id, world.createdAt, passGate.name, DioramaError.name)`,
      )
      const { stdout } = await run(olderNode(), [program])
      assert.equal(stdout, 'wld_1 x passGate DioramaError\n')
    } finally {
      server.close()
    }
  })

  it('asks for nothing that browsers, Deno and Bun do not have', async () => {
    const files = readdirSync(join(folder, 'sdk'), { recursive: true }).map(String)
    const code = files.filter((file) => file.endsWith('.js'))
    assert.ok(code.length > 20)
    for (const file of code) {
      const text = readFileSync(join(folder, 'sdk', file), 'utf8')
      assert.doesNotMatch(text, /from ['"]node:|\brequire\(|\bprocess\.|\bBuffer\./, file)
    }
  })

  it('brings its types along', async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(
      join(folder, 'program.ts'),
      `import { createClient, type Reply } from '@diorama-dev/sdk'
       const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
       export const read = async (): Promise<string> => (await client.worlds.get('w')).evaluation?.taskSuiteId ?? ''
       export const count = (job: Reply<'readJob'>): number => job.completedTrials
       export const launch = async () => client.worlds.launchAndWait({ blueprint: await client.worlds.sampleBlueprint() })
       // @ts-expect-error: a text is no number.
       client.twins.create({ service: 'chat', ttlHours: 'long' })
       // @ts-expect-error: there is no such field.
       export const wrong = (job: Reply<'readJob'>) => job.completed_trials`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom,dom.asynciterable',
    ]
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const { stdout } = await run(tsc, [...options, '--types', '', join(folder, 'program.ts')], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error)
    assert.equal(stdout, '')
  })
})
