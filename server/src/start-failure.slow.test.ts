import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../test/eventually.ts'
import { describeCrash } from './start-failure.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const key = `dk_${'k'.repeat(40)}`
let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'diorama-start-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

const start = (program: string, words: readonly string[], env: Record<string, string>, uid?: number) => {
  const child = spawn(program, words, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DIORAMA_API_KEY: key,
      DIORAMA_LOG: 'none',
      DIORAMA_EMBEDDINGS: 'off',
      DIORAMA_DATA_DIR: join(folder, 'data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(uid === undefined ? {} : { uid }),
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  return { child, printed: () => printed, ended: once(child, 'close') }
}
const service = (env: Record<string, string> = {}, uid?: number) =>
  start(process.execPath, ['--no-warnings', 'server/src/main.ts'], env, uid)

/** What a service that cannot start says, in its one line. */
const refusal = async (env: Record<string, string>, uid?: number): Promise<string> => {
  const { printed, ended } = service(env, uid)
  const [status] = await ended
  assert.equal(status, 1, printed())
  assert.equal(printed().trimEnd().split('\n').length, 1, printed())
  return printed()
}
const ready = (running: ReturnType<typeof service>) =>
  eventually(
    () => running.child.exitCode !== null || /ready at \S+/.test(running.printed()),
    'it did not start',
    30_000,
  ).then(() => assert.match(running.printed(), /ready at/))

describe('a service that cannot start says why in one line, and what to do', () => {
  it('where another program has the port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const dataDir = join(folder, 'unused')
    const said = await refusal({ PORT: String(port), DIORAMA_LOG: 'all', DIORAMA_DATA_DIR: dataDir })
    other.close()
    assert.deepEqual(readdirSync(dataDir), [], 'no database was started for it')
    assert.equal(
      said,
      `diorama: The address 127.0.0.1:${port} is already in use. Stop the program that uses it, or set PORT to a free port (PORT=0 chooses one).\n`,
    )
  })

  it('where the data folder cannot be made or written', async (context) => {
    writeFileSync(join(folder, 'file'), '')
    const said = await refusal({ DIORAMA_DATA_DIR: join(folder, 'file', 'data') })
    assert.match(said, /The data folder \S+ cannot be written \(ENOTDIR .* Set DIORAMA_DATA_DIR to a folder/)
    const nowhere = await refusal({ DIORAMA_DATA_DIR: '/proc/diorama/data' })
    assert.match(nowhere, /The data folder \/proc\/diorama\/data cannot be written \(ENOENT/)
    if (process.getuid?.() !== 0) return context.diagnostic('only root can start it as another user')
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const denied = await refusal({ DIORAMA_DATA_DIR: join(closed, 'data') }, 65_534)
    assert.match(denied, /cannot be written \(EACCES .* change its owner/)
  })

  it('where another instance has the data folder, and Ctrl-C ends that one quietly', async () => {
    const first = service()
    await ready(first)
    const said = await refusal({})
    assert.match(
      said,
      /The data folder \S+ is in use by process \d+\. Stop that process, choose another folder/,
    )
    const before = first.printed()
    process.kill(-(first.child.pid ?? 0), 'SIGINT')
    const [status] = await first.ended
    assert.equal(status, 0)
    assert.equal(first.printed(), before, 'nothing is printed on the way out')
  })

  it('a crash names its cause in the first line', () => {
    const error = new Error('the disk\nis gone', { cause: new Error('EIO') })
    assert.match(describeCrash(error), /^The service crashed: the disk is gone, because EIO\n {4}at /)
  })
})

describe('without python3', () => {
  it('the start says what to install, and so does the first evaluation', async () => {
    const [none, others] = [join(folder, 'none'), join(folder, 'others')]
    for (const place of [none, others]) mkdirSync(place)
    for (const place of ['/usr/sbin', '/usr/bin'].filter((path) => existsSync(path)))
      for (const name of readdirSync(place).filter((one) => !/^(python|bwrap)/.test(one)))
        if (!existsSync(join(others, name))) symlinkSync(join(place, name), join(others, name))
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, ['sandbox/install.mjs'], { cwd: root, env: { PATH: none } }, (_, out) =>
        resolve(out),
      ),
    )
    assert.match(said, /missing bubblewrap and python3[^\n]*Install bubblewrap and python3 with your system/)
    const env = { PATH: others, DIORAMA_DATA_DIR: join(folder, 'bare') }
    const running = service(env)
    try {
      await ready(running)
      const baseUrl = /ready at (\S+)/.exec(running.printed())?.[1]
      const call = async (path: string, body: object) => {
        const reply = await fetch(`${baseUrl}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        return (await reply.json()) as Record<string, string>
      }
      const suite = await call('/v1/task-suites', { name: 'One' })
      await call(`/v1/task-suites/${suite.id}/tasks`, { title: 'One', instruction: 'Nothing.' })
      await call('/v1/agents/register', { name: 'a', version: '1', run: { command: 'true' } })
      const refused = await call('/v1/backtests/jobs', { task_suite_id: suite.id, agents: ['a@1'] })
      assert.equal(refused.code, 'sandbox_unavailable')
      assert.match(refused.error ?? '', /apt-get install bubblewrap python3/)
    } finally {
      running.child.kill('SIGTERM')
      await running.ended
    }
  })
})

describe('npm start', () => {
  it('ends quietly when it is interrupted at the terminal', async () => {
    const running = start('npm', ['start'], { DIORAMA_DATA_DIR: join(folder, 'npm') })
    let before = ''
    try {
      await ready(running)
      before = running.printed()
    } finally {
      process.kill(-(running.child.pid ?? 0), 'SIGINT')
      await running.ended
    }
    assert.equal(running.printed().slice(before.length).trim(), '')
  })
})
