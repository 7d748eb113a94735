import { type Kysely, type Selectable, sql } from 'kysely'
import type { EvaluationTables } from '../tables.ts'

export type MatrixRow = Pick<
  Selectable<EvaluationTables['eval_trials']>,
  'id' | 'task_id' | 'agent' | 'repetition' | 'status' | 'passed' | 'error' | 'scores' | 'duration_ms'
> & { readonly ended: string | null; readonly cost_usd: number | null }

export interface TrialQueries {
  /** Every trial of an evaluation with all that is kept of it. */
  readonly wholeTrials: (jobId: string) => Promise<Selectable<EvaluationTables['eval_trials']>[]>
  /** What a matrix shows of each trial: of its steps only how the agent's command ended. */
  readonly matrixTrials: (jobId: string, taskIds?: readonly string[]) => Promise<MatrixRow[]>
  /** The tasks that an evaluation has trials of. */
  readonly triedTasks: (jobId: string) => Promise<ReadonlySet<string>>
  readonly lastPassing: (organizationId: string, taskId: string) => Promise<string | undefined>
  /** The trials of an evaluation that left something to grade. */
  readonly gradableIds: (jobId: string) => Promise<string[]>
}

/** Finds the trials whose outcome is read again: to be exported, graded once more, or vandalised. */
export const trialQueries = (db: Kysely<EvaluationTables>): TrialQueries => ({
  wholeTrials: (jobId: string): Promise<Selectable<EvaluationTables['eval_trials']>[]> =>
    db.selectFrom('eval_trials').selectAll().where('job_id', '=', jobId).orderBy('position').execute(),

  matrixTrials: async (jobId: string, taskIds?: readonly string[]): Promise<MatrixRow[]> => {
    const some = taskIds ? sql`and task_id = any(${[...taskIds]}::text[])` : sql``
    const { rows } = await sql<MatrixRow>`
      select id, task_id, agent, repetition, status, passed, error, scores, duration_ms,
        (usage ->> 'cost_usd')::double precision as cost_usd,
        jsonb_path_query_first(steps, '$[*] ? (@.kind == "agent").detail.ended') #>> '{}' as ended
      from eval_trials where job_id = ${jobId} and variant is null ${some} order by position`.execute(db)
    return rows
  },

  triedTasks: async (jobId: string): Promise<ReadonlySet<string>> => {
    const rows = await db
      .selectFrom('eval_trials')
      .select('task_id')
      .distinct()
      .where('job_id', '=', jobId)
      .where('variant', 'is', null)
      .execute()
    return new Set(rows.map(({ task_id }) => task_id))
  },

  lastPassing: async (organizationId: string, taskId: string): Promise<string | undefined> => {
    const row = await db
      .selectFrom('eval_trials')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('task_id', '=', taskId)
      .where('variant', 'is', null)
      .where('passed', '=', true)
      .where('world_sha256', 'is not', null)
      .orderBy('finished_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.id
  },

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
