import { type Kysely, type Selectable, sql } from 'kysely'
import type { EvaluationTables } from '../tables.ts'

type TrialRow = Selectable<EvaluationTables['eval_trials']>

export interface ClaimLimits {
  readonly maxTrials: number
  readonly leaseMs: number
  readonly maxAttempts: number
}

/** A service without work runs no job to find out whether it is fit: `isFit` is asked where a trial waits. */
export const claimTrials = async (
  db: Kysely<EvaluationTables>,
  holder: string,
  { maxTrials, leaseMs, maxAttempts }: ClaimLimits,
  isFit: () => Promise<boolean> = async () => true,
): Promise<TrialRow[]> => {
  // In a separate transaction: it locks many runs, where a claim locks those that it takes from.
  await sql`select end_lapsed_trials(${maxAttempts})`.execute(db)
  const waiting = await sql`select from open_runs(${maxAttempts}) limit 1`.execute(db)
  if (waiting.rows.length === 0 || !(await isFit())) return []
  const claim = async (mayWait: boolean): Promise<TrialRow[]> => {
    const { rows } = await sql<TrialRow>`
      select * from claim_trials(${holder}, ${maxTrials}, ${leaseMs}, ${maxAttempts}, ${mayWait})`.execute(db)
    return rows
  }
  const claimed = await claim(false)
  return claimed.length > 0 ? claimed : claim(true)
}
