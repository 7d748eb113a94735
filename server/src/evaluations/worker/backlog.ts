import { type Kysely, sql } from 'kysely'
import type { EvaluationTables } from '../tables.ts'

/** What waits for workers, in all organizations. */
export interface Backlog {
  readonly queued: number
  /** Trials that wait or run, as far as the concurrency of their evaluations lets them run at the same time. */
  readonly wanted: number
}

export const readBacklog = async (db: Kysely<EvaluationTables>): Promise<Backlog> => {
  const { rows } = await sql<Backlog>`
    select coalesce(sum(queued), 0)::integer as queued, coalesce(sum(least(concurrency, open)), 0)::integer as wanted
    from (
      select j.concurrency, count(*) filter (where t.status = 'queued') as queued, count(*) as open
      from eval_trials t join eval_jobs j on j.id = t.job_id
      where t.status in ('queued', 'running', 'scoring') group by j.id) as runs`.execute(db)
  return rows[0] ?? { queued: 0, wanted: 0 }
}
