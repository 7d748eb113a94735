import type { Kysely, Selectable } from 'kysely'
import type { EvaluationTables } from '../tables.ts'

/** Finds the trials whose outcome is read again: to be exported, graded once more, or vandalised. */
export const trialQueries = (db: Kysely<EvaluationTables>) => ({
  /** Every trial of a run with all that is kept of it. */
  wholeTrials: (jobId: string): Promise<Selectable<EvaluationTables['eval_trials']>[]> =>
    db.selectFrom('eval_trials').selectAll().where('job_id', '=', jobId).orderBy('position').execute(),

  lastPassing: async (organizationId: string, taskId: string): Promise<string | undefined> => {
    const row = await db
      .selectFrom('eval_trials')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('task_id', '=', taskId)
      .where('passed', '=', true)
      .where('world_sha256', 'is not', null)
      .orderBy('finished_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.id
  },

  /** The trials of a run that left something to grade. */
  gradableIds: async (jobId: string): Promise<string[]> => {
    const rows = await db
      .selectFrom('eval_trials')
      .select('id')
      .where('job_id', '=', jobId)
      .where('status', 'in', ['succeeded', 'failed', 'errored'])
      .where('trace_id', 'is not', null)
      .orderBy('position')
      .execute()
    return rows.map(({ id }) => id)
  },
})
