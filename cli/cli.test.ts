import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { allRoutes } from '@diorama/contract'
import { type Client, createClient } from '@diorama/sdk/index.ts'
import { type TestService, testService } from '../server/src/testing.ts'
import { operations } from './commands/operation.ts'

const launcher = fileURLToPath(new URL('./diorama.mjs', import.meta.url))
const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const cache = fileURLToPath(new URL('../node_modules/.cache/diorama-compile', import.meta.url))

interface Ran {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

describe('the command line', () => {
  let service: TestService
  let client: Client
  let folder = ''
  before(async () => {
    service = await testService()
    client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
    folder = mkdtempSync(join(tmpdir(), 'diorama-cli-'))
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = (words: readonly string[], env: Record<string, string> = {}, program = main) =>
    spawn(process.execPath, [program, ...words], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: cache,
        DIORAMA_BASE_URL: service.baseUrl,
        DIORAMA_API_KEY: service.key,
        ...env,
      },
    })
  const diorama = (words: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
    new Promise((resolve, reject) => {
      const child = start(words, env)
      let out = ''
      let err = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text
      })
      child.on('error', reject)
      child.on('close', (status) => resolve({ status, out, err }))
    })
  const json = async (...words: string[]) => {
    const { status, out, err } = await diorama([...words, '--json'])
    assert.equal(status, 0, err)
    return JSON.parse(out)
  }

  it('can call every operation of the service', async () => {
    assert.deepEqual(operations.map(({ route }) => route).toSorted(), Object.keys(allRoutes).toSorted())
    const [me, models] = await Promise.all([
      json('api', 'me.get'),
      json('api', 'twins.listModels', '--input', '{}'),
    ])
    assert.equal(me.organization.name, 'default')
    assert.equal(models.items.length, 5)
  })

  it('writes a blueprint, finds it valid, and says what is wrong with another', async () => {
    assert.equal((await diorama(['blueprint', 'new', 'mine.json', '--name', 'Mine'])).status, 0)
    assert.equal(JSON.parse(readFileSync(join(folder, 'mine.json'), 'utf8')).name, 'Mine')
    writeFileSync(join(folder, 'bad.json'), '{"name": "x"}')
    const [again, valid, bad] = await Promise.all([
      diorama(['blueprint', 'new', 'mine.json']),
      diorama(['blueprint', 'validate', 'mine.json']),
      diorama(['blueprint', 'validate', 'bad.json']),
    ])
    assert.match(again.err, /already exists/)
    assert.match(valid.out, /is valid/)
    assert.equal(bad.status, 1)
    assert.match(bad.out, /\/identities/)
  })

  it('says exactly what went wrong, and ends with 3', async () => {
    const [missing, unknown, refused, unreachable] = await Promise.all([
      diorama(['world', 'show', 'wld_none']),
      diorama(['world', 'fly']),
      diorama(['world', 'list', '--json', '--key', `dk_${'x'.repeat(40)}`]),
      diorama(['status', '--url', 'http://127.0.0.1:1']),
    ])
    assert.match(
      missing.err,
      /error: There is no such world\.\n\s+code not_found · status 404 · request req_/,
    )
    assert.match(unknown.err, /unknown command 'fly'/)
    assert.equal(JSON.parse(refused.err).code, 'unauthorized')
    assert.match(unreachable.err, /could not be reached[\s\S]*diorama up/)
    assert.deepEqual(
      [missing, unknown, refused, unreachable].map(({ status }) => status),
      [3, 3, 3, 3],
    )
  })

  it('finds the key in the data folder of a service on the same machine, and colours only on demand', async () => {
    writeFileSync(join(folder, 'api-key'), `${service.key}\n`, { mode: 0o600 })
    const env = { DIORAMA_API_KEY: '', DIORAMA_DATA_DIR: folder }
    const [plain, coloured, unwanted] = await Promise.all([
      diorama(['status'], env),
      diorama(['status'], { ...env, FORCE_COLOR: '1' }),
      diorama(['status'], { ...env, FORCE_COLOR: '1', NO_COLOR: '1' }),
    ])
    assert.match(plain.out, /organization\s+default/)
    assert.ok(coloured.out.includes('\u001b['))
    assert.ok(!plain.out.includes('\u001b[') && !unwanted.out.includes('\u001b['))
  })

  it('prints events as they arrive until it is stopped', async () => {
    const words = ['events', 'tail', '--source', 'tailed', '--since', 'last_1h', '--json']
    const tail = start(words, {}, launcher)
    const line = new Promise<string>((resolve) => {
      tail.stdout.setEncoding('utf8').once('data', resolve)
    })
    await client.events.create({ source: 'tailed', topic: 't', eventType: 'seen' })
    assert.equal(JSON.parse(await line).eventType, 'seen')
    const ended = new Promise((resolve) => tail.on('close', resolve))
    tail.kill('SIGTERM')
    assert.equal(await ended, 130)
  })

  it('follows the requests to a twin, oldest first, until it is stopped', async () => {
    const made = await client.twins.create({ service: 'chat' })
    const twin = await client.twins.waitUntilRunning(made.id)
    const call = (method: string) =>
      fetch(`${twin.baseUrl}/api/${method}`, { headers: { authorization: `Bearer ${twin.token}` } })
    await call('auth.test')
    const follow = start(['twin', 'activity', twin.id, '--follow', '--json'])
    const lines: string[] = []
    const three = new Promise<void>((resolve) => {
      follow.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (lines.length === 0) void call('team.info').then(() => call('users.list'))
        lines.push(...text.trim().split('\n'))
        if (lines.length >= 3) resolve()
      })
    })
    await three
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).operation),
      ['auth.test', 'team.info', 'users.list'],
    )
    const ended = new Promise((resolve) => follow.on('close', resolve))
    follow.kill('SIGINT')
    assert.equal(await ended, 130)
  })

  it('ends when its output is no longer read, and keeps the status of what it has to say', async () => {
    await client.events.create({ source: 'unread', topic: 't', eventType: 'seen' })
    const tail = start(['events', 'tail', '--source', 'unread', '--since', 'last_1h'])
    const ended = new Promise((resolve) => tail.on('close', resolve))
    tail.stdout.destroy()
    let err = ''
    tail.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    assert.deepEqual([await ended, err], [0, ''])
    writeFileSync(join(folder, 'unread.json'), '{"name": 1}')
    const judge = start(['blueprint', 'validate', 'unread.json'])
    const judged = new Promise((resolve) => judge.on('close', resolve))
    judge.stdout.destroy()
    judge.stderr.resume()
    assert.equal(await judged, 1, 'a verdict against it is not lost with its reader')
  })

  it('shows a trace as a tree', async () => {
    await client.traces.track({
      traceId: 'tree',
      name: 'an evaluation',
      spans: [
        { spanId: 'a', name: 'root' },
        { spanId: 'b', name: 'first', parentSpanId: 'a' },
        { spanId: 'c', name: 'below', parentSpanId: 'b' },
        { spanId: 'd', name: 'second', parentSpanId: 'a', status: 'error' },
      ],
    })
    const { out } = await diorama(['trace', 'show', 'tree'])
    const names = out
      .split('\n')
      .slice(2, 6)
      .map((text) => /^[\s│├└─]*\w+/.exec(text)?.[0])
    assert.deepEqual(names, ['└─ root', '   ├─ first', '   │  └─ below', '   └─ second'])
  })

  it('completes commands and options in a shell', async () => {
    const { out } = await diorama(['completion', 'bash'])
    writeFileSync(join(folder, 'complete.bash'), out)
    const script =
      'source complete.bash; COMP_WORDS=(diorama eval run --mo); COMP_CWORD=3; _diorama; echo "$COMPREPLY"'
    const shell = spawn('bash', ['-c', script], { cwd: folder })
    const said = await new Promise((resolve) => shell.stdout.setEncoding('utf8').once('data', resolve))
    assert.equal(said, '--mode\n')
  })
})
