import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { openSandbox } from '../open.ts'
import { jobOf, limitsOf, survivors, untilGone } from '../testing/conformance.ts'
import { openControlGroups } from './control-groups.ts'

const mib = 2 ** 20
const opened = await openControlGroups('auto')
const skip = 'unavailable' in opened && `no control groups here: ${opened.unavailable}`

describe('Control groups', { skip }, () => {
  const groups = 'groups' in opened ? opened.groups : assert.fail()

  test('end all that was started in them, whatever it did to get away', async () => {
    const group = groups.take({ memoryBytes: 64 * mib, processes: 16 })
    const mark = `runaway${process.pid}`
    const runaway = `setsid env -i sh -c 'setsid sleep 60; : ${mark}' >/dev/null 2>&1 &`
    const script = `for entrance; do echo 0 > "$entrance"; done; ${runaway} ${runaway}`
    await once(spawn('/bin/sh', ['-c', script, 'sh', ...group.entrances], { stdio: 'ignore' }), 'exit')
    // Both must have become what they are started as: until then the shell's own line is seen too.
    await eventually(() => survivors(mark).length === 2)
    group.kill()
    await untilGone(mark)
    groups.give(group)
  })

  test('are used again, and are gone when the service ends', async () => {
    const limits = { memoryBytes: 64 * mib, processes: 16 }
    const first = groups.take(limits)
    const second = groups.take(limits)
    assert.notDeepEqual(first.entrances, second.entrances)
    groups.give(first)
    groups.give(second)
    const other = groups.take({ ...limits, memoryBytes: 32 * mib })
    assert.equal(groups.take(limits), first)
    assert.ok(![first, second].includes(other))
    groups.give(first)
    groups.give(other)
    await groups[Symbol.asyncDispose]()
    assert.deepEqual([first, second, other].flatMap(({ entrances }) => entrances).filter(existsSync), [])
  })

  test('of a service that was killed are removed by the next one', async () => {
    const group = groups.take({ memoryBytes: mib, processes: 1 })
    const { pid } = spawnSync('true')
    const left = dirname(group.entrances[0] ?? '').replace(`-${process.pid}-`, `-${pid}-`)
    mkdirSync(left)
    const next = await openControlGroups('auto')
    assert.ok(!existsSync(left))
    assert.ok('groups' in next)
    await next.groups[Symbol.asyncDispose]()
    await group.remove()
  })

  test('give a job a quarter of the weight that the service has', () => {
    const group = groups.take({ memoryBytes: mib, processes: 1 })
    const weights = group.entrances.flatMap((entrance) =>
      [
        { file: 'cpu.shares', expected: 256 },
        { file: 'cpu.weight', expected: 25 },
      ]
        .map(({ file, expected }) => ({ path: join(dirname(entrance), file), expected }))
        .filter(({ path }) => existsSync(path)),
    )
    assert.equal(weights.length, groups.controllers.includes('cpu') ? 1 : 0)
    for (const { path, expected } of weights) assert.equal(Number(readFileSync(path, 'utf8')), expected)
    groups.give(group)
  })

  for (const choice of ['bubblewrap', 'process'] as const) {
    test(`stop a job that takes memory faster than anybody can look (${choice})`, async () => {
      const stateDir = mkdtempSync(join(tmpdir(), 'groups-'))
      const sandbox = await openSandbox({ choice, stateDir, searchPath: process.env.PATH ?? '' })
      assert.ok('sandbox' in sandbox)
      {
        await using held = sandbox.sandbox
        const limits = limitsOf({ memoryBytes: 32 * mib, workBytes: mib, homeBytes: mib })
        // Each asks for less than its own limit; together they are far over the job's, and then they are gone.
        const hogs = `for i in 1 2 3 4; do python3 -c 'bytearray(200 << 20)' & done; wait; echo done`
        const outcome = await held.run(jobOf(hogs, { limits }))
        assert.equal(outcome.ended, 'memory')
        assert.ok(outcome.usage.peakMemoryBytes < 200 * mib, `${outcome.usage.peakMemoryBytes} bytes`)
      }
      rmSync(stateDir, { recursive: true })
    })
  }
})

test('A folder that the operator names must be a control group', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-group-'))
  const options = { choice: 'auto', stateDir: folder, searchPath: '', controlGroup: folder } as const
  const answer = await openSandbox(options)
  assert.deepEqual(answer, { unavailable: `DIORAMA_SANDBOX_CGROUP: ${folder} is not a control group.` })
  rmSync(folder, { recursive: true })
})

for (const choice of ['bubblewrap', 'process'] as const)
  test(`Without control groups a job has a lower priority than the service (${choice})`, async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'priority-'))
    const sandbox = await openSandbox({
      choice,
      stateDir,
      searchPath: process.env.PATH ?? '',
      controlGroup: 'off',
    })
    assert.ok('sandbox' in sandbox)
    {
      await using held = sandbox.sandbox
      for (const collect of [undefined, { maxFiles: 1, maxBytes: 1 }]) {
        const outcome = await held.run(jobOf(['nice'], collect ? { collect } : {}))
        assert.ok(Number(outcome.stdout.text) >= 15, outcome.stdout.text)
      }
    }
    rmSync(stateDir, { recursive: true })
  })
