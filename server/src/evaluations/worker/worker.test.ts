import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it, mock } from 'node:test'
import { silentLog } from '../../storage/log.ts'
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
    log: silentLog,
    run: async (trial: TrialRow, signal: AbortSignal) => {
      signal.addEventListener('abort', () => aborted.push(trial.id))
      begun.dispatchEvent(new Event('begun'))
      await open.promise
      await store.finish(trial, 'worker', { status: 'succeeded' })
    },
    giveUp: async () => {},
  })
  try {
    const patience = { signal: AbortSignal.timeout(10_000) }
    const first = once(begun, 'begun', patience)
    const early = await job(1, 1)
    await test.storage.wake.send(trialsWaiting)
    await first
    const second = once(begun, 'begun', patience)
    let late = ''
    await db.transaction().execute(async (trx) => {
      // Whoever renews waits for this row.
      await trx.selectFrom('eval_trials').select('id').where('job_id', '=', early).forUpdate().execute()
      mock.timers.tick(5_000)
      late = await job(1, 1)
      await test.storage.wake.send(trialsWaiting)
      await second
    })
    // The next renewal is over when the one before it is, since both wait for the same row.
    await store.renew('worker', [{ id: (await read(early)).trials[0]?.id ?? '', attempt: 1 }], 60_000)
    open.resolve()
    for (const id of [early, late])
      for (let n = 0; n < 400 && (await read(id)).finished_at === null; n++)
        await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(aborted, [])
    assert.deepEqual([(await read(early)).status, (await read(late)).status], ['succeeded', 'succeeded'])
  } finally {
    open.resolve()
    await worker.close()
    mock.timers.reset()
  }
})
