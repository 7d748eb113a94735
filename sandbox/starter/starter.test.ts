import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { buffer, text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../test/eventually.ts'
import { openSandbox } from '../open.ts'
import { SandboxFault } from '../sandbox.ts'
import { findInterpreters } from '../stage/interpreters.ts'
import { jobOf, survivors, untilGone } from '../testing/conformance.ts'
import { Starter, type StartOrder } from './starter.ts'

const searchPath = process.env.PATH ?? ''
const { python } = await findInterpreters(searchPath)
const parts = {
  python: python?.executable ?? 'python3',
  script: fileURLToPath(new URL('./starter.py', import.meta.url)),
  enter: () => [],
}
const openStarter = () => new Starter(parts)
const orderOf = (argv: readonly string[], rest: Partial<StartOrder> = {}): StartOrder => ({
  argv,
  user: undefined,
  session: false,
  mark: {},
  groups: [],
  niceness: 0,
  descriptors: [['null'], ['connect', 0], ['connect', 1]],
  blobs: [],
  ...rest,
})

describe('The starter', () => {
  test('connects what a job prints, and says how it ended', async () => {
    await using starter = openStarter()
    const job = await starter.start(orderOf(['/bin/sh', '-c', 'echo out; echo err >&2; exit 5']))
    const [out, err] = job.connections
    assert.ok(out && err)
    assert.deepEqual([await text(out), await text(err)], ['out\n', 'err\n'])
    const { peakBytes, ...ended } = await job.ended
    assert.deepEqual(ended, { code: 5, signal: null, status: '' })
    assert.ok(peakBytes > 0)
  })

  test('hands over bytes as files, and reads what is written as status', async () => {
    await using starter = openStarter()
    const large = Buffer.alloc(3_000_000, 'x')
    const job = await starter.start(
      orderOf(['/bin/sh', '-c', 'echo state >&3; cat <&4'], {
        descriptors: [['blob', 0], ['connect', 0], ['connect', 1], ['status'], ['blob', 1]],
        blobs: [Buffer.alloc(0), large],
      }),
    )
    const [out] = job.connections
    assert.ok(out)
    assert.ok((await buffer(out)).equals(large))
    assert.equal((await job.ended).status, 'state\n')
  })

  test('a job holds nothing but what its order names', async () => {
    await using starter = openStarter()
    const job = await starter.start(
      orderOf([
        '/bin/sh',
        '-c',
        'for f in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$f ] && readlink /proc/$$/fd/$f; done; echo none',
      ]),
    )
    const [out] = job.connections
    assert.ok(out)
    assert.equal(await text(out), 'none\n')
  })

  test('a missing program is reported on standard error', async () => {
    await using starter = openStarter()
    const job = await starter.start(orderOf(['/no/such/program']))
    const [, err] = job.connections
    assert.ok(err)
    assert.match(await text(err), /No such file/)
    assert.equal((await job.ended).code, 127)
  })

  test('a job that is killed leaves no process, not even one that started its own session', async () => {
    await using starter = openStarter()
    const nap = `sleep 600.${process.pid}`
    const job = await starter.start(
      orderOf(['/bin/sh', '-c', `setsid ${nap} & wait`], {
        session: true,
        descriptors: [['null'], ['connect', 0], ['connect', 1], ['status']],
      }),
    )
    await untilFound(() => survivors(nap).filter((line) => line.trim().endsWith(`Ss   ${nap}`)))
    job.kill()
    await job.ended
    await untilGone(nap)
  })

  test('hundreds of short jobs at once all come back', async () => {
    await using starter = openStarter()
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const { connections } = await starter.start(orderOf(['/bin/echo', String(n)]))
        return connections[0] ? Number(await text(connections[0])) : -1
      }),
    )
    assert.deepEqual(
      answers,
      answers.map((_, n) => n),
    )
  })
})

describe('When the starter is lost', () => {
  test('its jobs end as the platform’s fault, and the next job finds a new one', async () => {
    const opened = await openSandbox({ choice: 'bubblewrap', stateDir: tmpdir(), searchPath })
    assert.ok('sandbox' in opened)
    await using sandbox = opened.sandbox
    const mark = `orphan${process.pid}`
    const nap = `sleep 60.${process.pid}`
    const running = sandbox.run(jobOf(`${nap}; : ${mark}`))
    const lost = assert.rejects(running, SandboxFault)
    const [starter] = await untilFound(() => survivors(`diorama-starter-${process.pid}-`))
    // The command itself runs: what is on its way to become it may still be about to tie itself to its parent.
    await untilFound(() => survivors(nap).filter((line) => line.trim().endsWith(` ${nap}`)))
    process.kill(Number(starter?.trim().split(/\s+/)[0]), 'SIGKILL')
    await lost
    await eventually(() => survivors(mark).length === 0, 'the job is still running')
    assert.equal((await sandbox.run(jobOf('echo again'))).stdout.text, 'again\n')
  })

  test('one that is stuck is replaced rather than waited for', async () => {
    await using starter = new Starter({ ...parts, silenceMs: 1_000 })
    const { ended } = await starter.start(orderOf(['/bin/true']))
    await ended
    const [stuck] = await untilFound(() => survivors(`diorama-starter-${process.pid}-`))
    process.kill(Number(stuck?.trim().split(/\s+/)[0]), 'SIGSTOP')
    await assert.rejects(starter.start(orderOf(['/bin/true'])), SandboxFault)
    const again = await starter.start(orderOf(['/bin/true']))
    assert.equal((await again.ended).code, 0)
  })

  test('no job outlives a service that was killed', async () => {
    const mark = `widow${process.pid}`
    const program = `
      import { openSandbox } from ${JSON.stringify(new URL('../open.ts', import.meta.url).href)}
      const opened = await openSandbox({ choice: 'bubblewrap', stateDir: ${JSON.stringify(tmpdir())}, searchPath: process.env.PATH })
      const limits = { wallMs: 60_000, memoryBytes: 2 ** 29, processes: 16, fileBytes: 2 ** 20, outputBytes: 2 ** 16, workBytes: 2 ** 20, workFiles: 100 }
      await opened.sandbox.run({ command: 'sleep 60; : ${mark}', limits, network: 'none', collect: { maxFiles: 1, maxBytes: 1 } })`
    const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
    const ended = once(service, 'exit')
    await untilFound(() => survivors(`sh -c sleep 60; : ${mark}`))
    service.kill('SIGKILL')
    await ended
    await eventually(() => survivors(mark).length === 0, 'the job is still running')
  })
})

/** The processes that `look` lists, once there are any. */
const untilFound = (look: () => string[]): Promise<string[]> =>
  eventually(() => {
    const found = look()
    return found.length > 0 && found
  }, 'no such process was found')
