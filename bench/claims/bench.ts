import { sql } from 'kysely'
import type { TrialRow } from '../../server/src/evaluations/store.ts'
import { openRows } from '../../server/src/evaluations/testing-rows.ts'
import { testStorage } from '../../server/src/storage/testing.ts'

// How fast trials are claimed: 10,000 wait, and 16 workers claim and finish one after the other, as workers with one free
// slot do. Sharded by run, against the one lock over all claims that version 0.1 had, in the same run.

const queued = 10_000
const workers = 16
const leaseMs = 60_000
const maxAttempts = 5
const roundMs = 8_000

type Claim = (holder: string) => Promise<readonly TrialRow[]>

const measure = async (runs: number, way: 'sharded' | 'one lock'): Promise<number> => {
  await using test = await testStorage()
  const { store, db, job } = await openRows(test, { concurrent_trials: 1_000_000 })
  for (let n = 0; n < runs; n++) await job(queued / runs, workers)
  await sql`analyze`.execute(db)
  const sharded: Claim = (holder) => store.claim(holder, { maxTrials: 1, leaseMs, maxAttempts })
  const oneLock: Claim = async (holder) => {
    const { rows } = await sql<TrialRow>`
      select * from lease_trials(${holder}, 1, ${leaseMs}, ${maxAttempts})`.execute(db)
    return rows
  }
  const claim = way === 'sharded' ? sharded : oneLock
  const seen = new Set<string>()
  let claims = 0
  const start = performance.now()
  const work = async (holder: string) => {
    while (performance.now() - start < roundMs) {
      for (const trial of await claim(holder)) {
        if (seen.has(trial.id)) throw new Error(`trial ${trial.id} was claimed twice`)
        seen.add(trial.id)
        claims++
        await store.finish(trial, holder, { status: 'succeeded' })
      }
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, n) => work(`worker ${n}`)))
  return (claims * 1_000) / (performance.now() - start)
}

for (const runs of [4, 16, 100]) {
  const before = await measure(runs, 'one lock')
  const now = await measure(runs, 'sharded')
  process.stdout.write(
    `${queued} trials in ${runs} runs, ${workers} workers: ${Math.round(now)} trials claimed and finished a second, ` +
      `${Math.round(before)} with one lock over all claims (${(now / before).toFixed(2)} of it)\n`,
  )
}
