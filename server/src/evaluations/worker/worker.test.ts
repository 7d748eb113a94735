import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it, mock } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { eventually } from '../../../../test/eventually.ts'
import { silentLog } from '../../storage/log.ts'
import type { Database } from '../../storage/schema.ts'
import { testStorage } from '../../storage/testing.ts'
import type { TrialRow } from '../store.ts'
import { openRows } from '../testing-rows.ts'
import { openWorker, trialsWaiting } from './worker.ts'

it('a trial that begins while the leases of others are renewed goes on', async () => {
  await using test = await testStorage()
  const { store, db, job, read } = await openRows(test)
  mock.timers.enable({ apis: ['setInterval'] })
  const begun = new EventTarget()
  const aborted: string[] = []
  const open = Promise.withResolvers<void>()
  const worker = openWorker({
    store,
    wake: test.storage.wake,
    holder: 'worker',
    slots: 4,
    health: { isFit: async () => true, doubt: () => {} },
    log: silentLog,
    run: async (trial: TrialRow, signal: AbortSignal) => {
      signal.addEventListener('abort', () => aborted.push(trial.id))
      begun.dispatchEvent(new Event('begun'))
      await open.promise
      await store.finish(trial, 'worker', { status: 'succeeded' })
    },
    failed: async () => {},
  })
  try {
    const patience = { signal: AbortSignal.timeout(60_000) }
    const first = once(begun, 'begun', patience)
    const early = await job(1, 1)
    await test.storage.wake.send(trialsWaiting)
    await first
    const second = once(begun, 'begun', patience)
    let late = ''
    await db.transaction().execute(async (trx) => {
      // The renewal waits for this row.
      await trx.selectFrom('eval_trials').select('id').where('job_id', '=', early).forUpdate().execute()
      mock.timers.tick(5_000)
      late = await job(1, 1)
      await test.storage.wake.send(trialsWaiting)
      await second
    })
    open.resolve()
    for (const id of [early, late]) await eventually(async () => (await read(id)).finished_at !== null)
    assert.deepEqual(aborted, [])
    assert.deepEqual([(await read(early)).status, (await read(late)).status], ['succeeded', 'succeeded'])
  } finally {
    open.resolve()
    await worker.close()
    mock.timers.reset()
  }
})

it('a trial whose outcome is written while its lease is renewed is not aborted, and one that lost its lease is', async () => {
  await using test = await testStorage()
  const { store, db, job, read } = await openRows(test)
  const limits = { maxTrials: 2, leaseMs: 60_000, maxAttempts: 3 }
  await job(2, 2)
  const [ended, lost] = await store.claim('worker', limits)
  assert.ok(ended && lost)
  let renewing: Promise<{ id: string; attempt: number }[]> | undefined
  await db.transaction().execute(async (trx) => {
    // The renewal waits for these rows, and finds them as the transaction leaves them.
    await sql`select finish_trial(${ended.job_id}, ${ended.id}, 1, 'worker', '{"status": "succeeded"}')`.execute(
      trx,
    )
    await trx
      .updateTable('eval_trials')
      .set({ lease_holder: 'other', attempt: 2 })
      .where('id', '=', lost.id)
      .execute()
    renewing = store.renew('worker', [ended, lost], 60_000)
    await waitingForLock(db)
  })
  assert.deepEqual(
    (await renewing)?.map(({ id }) => id),
    [lost.id],
  )
  assert.equal((await read(ended.job_id)).trials.find(({ id }) => id === ended.id)?.status, 'succeeded')
})

it('a second attempt that is claimed before the first one is put away is renewed and given back like any other', async () => {
  await using test = await testStorage()
  const { store, job, read } = await openRows(test)
  const begun = new EventTarget()
  const firstEnds = Promise.withResolvers<void>()
  const worker = openWorker({
    store,
    wake: test.storage.wake,
    holder: 'worker',
    slots: 4,
    health: { isFit: async () => true, doubt: () => {} },
    log: silentLog,
    run: async (trial: TrialRow, signal: AbortSignal) => {
      if (trial.attempt === 1) {
        await store.finish(trial, 'worker', { status: 'queued' })
        await test.storage.wake.send(trialsWaiting)
        return firstEnds.promise
      }
      begun.dispatchEvent(new Event('second'))
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw signal.reason
    },
    failed: async () => {},
  })
  const second = once(begun, 'second', { signal: AbortSignal.timeout(60_000) })
  const id = await job(1, 1)
  await test.storage.wake.send(trialsWaiting)
  await second
  firstEnds.resolve()
  await worker.close()
  const [trial] = (await read(id)).trials
  assert.deepEqual([trial?.status, trial?.lease_holder], ['queued', null])
})

const waitingForLock = (db: Kysely<Database>): Promise<true> =>
  eventually(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length > 0
  }, 'no statement waits for a lock')
