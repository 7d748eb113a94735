import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { openBlobs } from '../storage/blobs.ts'
import { testStorage } from '../storage/testing.ts'
import type { TrialRow } from './store.ts'
import { openRows } from './testing-rows.ts'

const minute = 60_000
const limits = (maxTrials: number, leaseMs: number) => ({ maxTrials, leaseMs, maxAttempts: 3 })

const ofJobs = (trials: readonly TrialRow[]) =>
  Object.fromEntries([...Map.groupBy(trials, ({ job_id }) => job_id)].map(([id, all]) => [id, all.length]))

describe('claims of trials', () => {
  it('keep within the concurrency of each evaluation and of the organization, however many workers claim at once', async () => {
    await using test = await testStorage()
    const { store, job, read } = await openRows(test, { concurrent_trials: 10 })
    const [small, large] = [await job(20, 3), await job(20, 32)]
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) => store.claim(`worker ${n}`, limits(4, minute))),
    )
    const claimed = claims.flat()
    assert.deepEqual(ofJobs(claimed), { [small]: 3, [large]: 7 })
    assert.equal(new Set(claimed.map(({ id }) => id)).size, 10)
    assert.deepEqual(await store.claim('late', limits(32, minute)), [])
    const { status, started_at, events, trials } = await read(small)
    assert.deepEqual([status, started_at === null], ['running', false])
    assert.deepEqual(
      events.map(({ type, trial_id }) => [type, trial_id]),
      trials.slice(0, 3).map(({ id }) => ['trial_started', id]),
    )
  })

  it('let runs take turns, so that a small one does not wait for a large one', async () => {
    await using test = await testStorage()
    const { store, job } = await openRows(test)
    const [large, small] = [await job(30, 32), await job(2, 32)]
    assert.deepEqual(ofJobs(await store.claim('one', limits(4, minute))), { [large]: 2, [small]: 2 })
  })

  it('take over a trial whose worker is gone, as another attempt, and the first worker can write no more', async () => {
    await using test = await testStorage()
    const { store, job } = await openRows(test)
    await job(1, 1)
    const [first] = await store.claim('first', limits(1, -1))
    const [second] = await store.claim('second', limits(1, minute))
    assert.ok(first && second)
    assert.deepEqual([second.id, first.attempt, second.attempt], [first.id, 1, 2])
    assert.equal(await store.finish(first, 'first', { status: 'failed' }), 'lost')
    assert.equal(await store.finish(first, 'second', { status: 'failed' }), 'lost')
    assert.equal(await store.finish(second, 'second', { status: 'succeeded' }), 'ended')
    assert.equal(await store.finish(second, 'second', { status: 'failed' }), 'lost')
  })
})

describe('a service that crashes during a trial', () => {
  it('has the crash counted against the trial, which ends as errored when its attempts are used up', async () => {
    await using test = await testStorage()
    const { store, job, read } = await openRows(test)
    const id = await job(1, 1)
    for (const attempt of [1, 2, 3])
      assert.deepEqual(
        (await store.claim(`life ${attempt}`, limits(1, -1))).map((trial) => trial.attempt),
        [attempt],
      )
    assert.deepEqual(await store.claim('life 4', limits(1, -1)), [])
    const run = await read(id)
    const [trial] = run.trials
    assert.deepEqual([run.status, run.completed_trials, run.finished_at === null], ['succeeded', 1, false])
    assert.deepEqual([trial?.status, trial?.cause, trial?.passed], ['errored', 'platform', null])
    assert.match(trial?.error ?? '', /during each of the 3 attempts/)
    assert.deepEqual(
      trial?.voided_attempts.map((one) => (one as { attempt: number }).attempt),
      [1, 2, 3],
    )
    assert.deepEqual(
      run.events.slice(-2).map(({ type }) => type),
      ['trial_finished', 'run_finished'],
    )
  })

  it('never leases a trial of an evaluation that was cancelled meanwhile, and ends the evaluation', async () => {
    await using test = await testStorage()
    const { store, job, read } = await openRows(test)
    const id = await job(3, 1)
    assert.equal((await store.claim('first', limits(1, -1))).length, 1)
    assert.equal(await store.cancel(id), true)
    assert.deepEqual(await store.claim('second', limits(4, minute)), [])
    const run = await read(id)
    assert.deepEqual([run.status, run.finished_at === null], ['cancelled', false])
    assert.deepEqual(
      run.trials.map(({ status }) => status),
      ['cancelled', 'cancelled', 'cancelled'],
    )
  })

  it('waits before it retries where a delay was set', async () => {
    await using test = await testStorage()
    const { store, db, job, read } = await openRows(test)
    const id = await job(1, 1)
    const [trial] = await store.claim('worker', limits(1, minute))
    assert.ok(trial)
    const at = new Date().toISOString()
    const voided = { attempt: 1, cause: 'platform' as const, error: 'broken', at }
    const later = new Date(Date.now() + minute)
    await store.finish(trial, 'worker', { status: 'queued', voided, retry_at: later })
    assert.deepEqual(await store.claim('worker', limits(1, minute)), [])
    await db
      .updateTable('eval_trials')
      .set({ retry_at: new Date(0) })
      .where('job_id', '=', id)
      .execute()
    const [again] = await store.claim('worker', limits(1, minute))
    assert.deepEqual([again?.attempt, again?.voided_attempts], [2, [voided]])
    assert.equal((await read(id)).status, 'running')
  })
})

describe('the end of a trial', () => {
  it('ends the evaluation once, after every other event, when the last trials end at the same moment', async () => {
    await using test = await testStorage()
    const { store, job, read } = await openRows(test)
    for (let round = 0; round < 5; round++) {
      const id = await job(16, 32)
      const claimed = await store.claim('worker', limits(32, minute))
      const ends = await Promise.all(
        claimed.map((trial) => store.finish(trial, 'worker', { status: 'succeeded' })),
      )
      assert.equal(ends.filter((end) => end === 'ended').length, 1)
      const { status, completed_trials, finished_at, events } = await read(id)
      assert.deepEqual([status, completed_trials, finished_at === null], ['succeeded', 16, false])
      assert.equal(events.filter(({ type }) => type === 'trial_finished').length, 16)
      assert.deepEqual([events.length, events.at(-1)?.type], [33, 'run_finished'])
    }
  })

  it('keeps what is said of it, leaves the rest as it was, and owns the blobs it names', async () => {
    await using test = await testStorage()
    const { store, db, job, read } = await openRows(test)
    const blobs = openBlobs({ db, makeId: test.storage.makeId, now: Date.now })
    const [world, file] = [await blobs.keep(randomBytes(10)), await blobs.keep(randomBytes(20))]
    const id = await job(2, 2)
    const [one, two] = await store.claim('worker', limits(2, minute))
    assert.ok(one && two)
    const finished_at = new Date()
    await store.finish(one, 'worker', {
      status: 'failed',
      error: 'NUL \0 and \\u0000 and \\\0',
      cause: 'agent',
      passed: false,
      scores: [{ score: 0.5 }],
      steps: [{ kind: 'agent', detail: { stdout: 'a\0b' } }],
      usage: null,
      output: 'yes',
      artifacts: [{ name: 'output.txt', size: 20, sha256: file.sha256 }],
      world_sha256: world.sha256,
      finished_at,
      duration_ms: 12,
    })
    await store.finish(two, 'worker', { status: 'queued' })
    const { trials } = await read(id)
    const [done, back] = trials
    assert.ok(done && back)
    assert.equal(done.error, 'NUL \ufffd and \\u0000 and \\\ufffd')
    assert.deepEqual(
      [done.status, done.passed, done.scores, done.usage, done.output, done.lease_holder, done.duration_ms],
      ['failed', false, [{ score: 0.5 }], null, 'yes', null, 12],
    )
    assert.deepEqual(done.steps, [{ kind: 'agent', detail: { stdout: 'a\ufffdb' } }])
    assert.equal(done.finished_at?.getTime(), finished_at.getTime())
    assert.deepEqual([back.status, back.scores, back.finished_at, back.attempt], ['queued', [], null, 1])
    const owned = await db.selectFrom('blob_owners').selectAll().orderBy('sha256').execute()
    assert.deepEqual(
      owned,
      [world.sha256, file.sha256].sort().map((sha256) => ({ sha256, owner: `trial ${one.id}` })),
    )
  })

  it('cancels a trial that goes back to the queue of a cancelled evaluation, and ends the evaluation with it', async () => {
    await using test = await testStorage()
    const { store, job, read } = await openRows(test)
    const id = await job(3, 2)
    const [one, two] = await store.claim('worker', limits(2, minute))
    assert.ok(one && two)
    assert.equal(await store.cancel(id), true)
    assert.equal(await store.finish(one, 'worker', { status: 'succeeded' }), 'kept')
    assert.equal(await store.finish(two, 'worker', { status: 'queued' }), 'ended')
    const { status, trials, events } = await read(id)
    assert.deepEqual(
      [status, ...trials.map((trial) => trial.status)],
      ['cancelled', 'succeeded', 'cancelled', 'cancelled'],
    )
    assert.equal(events.at(-1)?.type, 'run_finished')
  })

  it('comes to every evaluation, whole and once, while runs are claimed, cancelled and put back at the same time', async () => {
    await using test = await testStorage()
    const { store, job, read } = await openRows(test)
    const ids = await Promise.all(Array.from({ length: 6 }, () => job(12, 4)))
    const work = async (holder: string) => {
      for (let round = 0; round < 200; round++) {
        const claimed = await store.claim(holder, limits(3, minute))
        await Promise.all(
          claimed.map((trial, n) =>
            store.finish(trial, holder, {
              status: trial.attempt === 1 && (trial.position + n) % 3 === 0 ? 'queued' : 'succeeded',
            }),
          ),
        )
        if (claimed.length === 0 && round > 20) return
      }
    }
    const cancelling = ids.slice(0, 3).map((id) => store.cancel(id))
    await Promise.all([...['a', 'b', 'c', 'd'].map(work), ...cancelling])
    await work('last')
    for (const id of ids) {
      const { finished_at, events, trials } = await read(id)
      assert.notEqual(finished_at, null)
      assert.equal(events.filter(({ type }) => type === 'run_finished').length, 1)
      assert.equal(events.at(-1)?.type, 'run_finished')
      assert.ok(trials.every(({ status }) => status === 'succeeded' || status === 'cancelled'))
    }
  })
})
