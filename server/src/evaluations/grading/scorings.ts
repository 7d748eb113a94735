import type { RunScoring, Score } from '@diorama/contract'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { storableValue } from '../storable.ts'
import type { TrialRow } from '../store.ts'
import type { EvaluationTables } from '../tables.ts'

type ScoringRow = Selectable<EvaluationTables['eval_scorings']>

/** What one trial is worth in a later grading. */
export interface ScoredTrial {
  readonly trialId: string
  readonly status: string
  readonly passed: boolean | null
  readonly cause: string | null
  readonly error: string | null
  readonly scores: readonly Score[]
}

export interface ScoringStore {
  readonly insert: (
    scoring: Insertable<EvaluationTables['eval_scorings']>,
    trials: readonly ScoredTrial[],
  ) => Promise<void>
  readonly ofJobs: (jobIds: readonly string[]) => Promise<Map<string, RunScoring[]>>
  readonly find: (jobId: string, id: string) => Promise<RunScoring | undefined>
  /** The trials of an evaluation as this grading sees them; those it did not grade stay as they are. */
  readonly applied: <Trial extends Pick<TrialRow, 'id' | 'scores' | 'passed' | 'status' | 'cause' | 'error'>>(
    scoringId: string,
    trials: readonly Trial[],
  ) => Promise<Trial[]>
}

/** The SQL of later gradings. A grading is whole or not there: it is written when all its trials are graded. */
export const scoringStore = (db: Kysely<EvaluationTables>): ScoringStore => ({
  insert: (
    scoring: Insertable<EvaluationTables['eval_scorings']>,
    trials: readonly ScoredTrial[],
  ): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await trx.insertInto('eval_scorings').values(scoring).execute()
      for (const { trialId, scores, error, ...rest } of trials)
        await trx
          .insertInto('eval_scored_trials')
          .values({
            ...rest,
            scoring_id: scoring.id,
            trial_id: trialId,
            error: error === null ? null : String(storableValue(error, limits)),
            scores: JSON.stringify(storableValue(scores, limits)),
          })
          .execute()
    }),

  ofJobs: async (jobIds: readonly string[]): Promise<Map<string, RunScoring[]>> => {
    const found = new Map<string, RunScoring[]>(jobIds.map((id) => [id, []]))
    if (jobIds.length === 0) return found
    const rows = await db
      .selectFrom('eval_scorings')
      .selectAll()
      .where('job_id', 'in', [...jobIds])
      .orderBy('created_at', 'desc')
      .execute()
    for (const row of rows) found.get(row.job_id)?.push(toScoring(row))
    return found
  },

  find: async (jobId: string, id: string): Promise<RunScoring | undefined> => {
    const row = await db
      .selectFrom('eval_scorings')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && toScoring(row)
  },

  applied: async <Trial extends Pick<TrialRow, 'id' | 'scores' | 'passed' | 'status' | 'cause' | 'error'>>(
    scoringId: string,
    trials: readonly Trial[],
  ): Promise<Trial[]> => {
    const rows = await db
      .selectFrom('eval_scored_trials')
      .selectAll()
      .where('scoring_id', '=', scoringId)
      .execute()
    const graded = new Map(rows.map(({ trial_id, scoring_id, ...row }) => [trial_id, row]))
    return trials.map((trial) => ({ ...trial, ...graded.get(trial.id) }))
  },
})

const limits = { maxCharacters: 100_000, maxItems: Number.POSITIVE_INFINITY }

const toScoring = (row: ScoringRow): RunScoring => ({
  id: row.id,
  label: row.label,
  scorers: row.scorers as RunScoring['scorers'],
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
})
