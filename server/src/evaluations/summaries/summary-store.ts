import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import { keysetPage } from '../../storage/pages.ts'
import type { JobRow } from '../store.ts'
import type { EvaluationTables } from '../tables.ts'

export type AgentResultRow = Selectable<EvaluationTables['run_agent_results']>
type ListedRow = AgentResultRow & { job_name: string; place: string }

/** The judged trials of one agent at one task of an evaluation that is not finished. */
export interface TaskCount {
  readonly job_id: string
  readonly agent: string
  readonly total: number
  readonly passed: number
  readonly cost_usd: number | null
}

export interface ResultFilter {
  readonly agent?: string | undefined
  readonly task_suite_id?: string | undefined
  readonly latest?: boolean | undefined
}

export interface SummaryStore {
  unsummarised(organizationId: string, limit: number): Promise<JobRow[]>
  save(
    jobId: string,
    verdict: string,
    results: readonly Insertable<EvaluationTables['run_agent_results']>[],
  ): Promise<void>
  resultsOf(jobIds: readonly string[]): Promise<AgentResultRow[]>
  taskCounts(jobIds: readonly string[]): Promise<TaskCount[]>
  histories(jobIds: readonly string[], length: number): Promise<Map<string, number[]>>
  list(
    organizationId: string,
    filter: ResultFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: readonly ListedRow[]; nextCursor: string | null }>
}

/** The SQL of evaluation summaries. */
export const summaryStore = (db: Kysely<EvaluationTables>): SummaryStore => ({
  /** Finished evaluations of an organization that are not summarised yet. */
  unsummarised: (organizationId, limit) =>
    db
      .selectFrom('eval_jobs')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('finished_at', 'is not', null)
      .where('verdict', 'is', null)
      .limit(limit)
      .execute(),

  /** A summary follows from trials that no longer change, so two writers write the same. */
  save: (jobId, verdict, results) =>
    db.transaction().execute(async (trx) => {
      if (results.length > 0)
        await trx
          .insertInto('run_agent_results')
          .values([...results])
          .onConflict((conflict) => conflict.columns(['job_id', 'agent']).doNothing())
          .execute()
      await trx.updateTable('eval_jobs').set({ verdict }).where('id', '=', jobId).execute()
    }),

  resultsOf: async (jobIds) =>
    jobIds.length === 0
      ? []
      : db
          .selectFrom('run_agent_results')
          .selectAll()
          .where('job_id', 'in', [...jobIds])
          .execute(),

  taskCounts: async (jobIds) => {
    if (jobIds.length === 0) return []
    const { rows } = await sql<TaskCount>`
      select job_id, agent, count(*) filter (where passed is not null and status in ('succeeded', 'failed'))::integer as total,
        count(*) filter (where passed and status in ('succeeded', 'failed'))::integer as passed,
        sum((usage ->> 'cost_usd')::double precision) as cost_usd
      from eval_trials where job_id = any(${jobIds}) and variant is null group by job_id, agent, task_id`.execute(
      db,
    )
    return rows
  },

  /** For each evaluation, the rates of its suite's finished evaluations up to it, the oldest first. */
  histories: async (jobIds, length) => {
    if (jobIds.length === 0) return new Map()
    const { rows } = await sql<{ id: string; rates: number[] }>`
      select j.id, array(
        select rate from (
          select avg(r.pass_rate) as rate, max(r.finished_at) as at
          from run_agent_results r
          where r.organization_id = j.organization_id and r.suite_id = j.suite_id and r.pass_rate is not null
            and r.finished_at <= coalesce(j.finished_at, 'infinity')
          group by r.job_id order by at desc limit ${length}
        ) as newest order by at) as rates
      from eval_jobs j where j.id = any(${jobIds})`.execute(db)
    return new Map(rows.map(({ id, rates }) => [id, rates.map(Number)]))
  },

  list: (organizationId, filter, page) => {
    const [name = '', version] = (filter.agent ?? '').split('@')
    const wanted = sql<boolean>`r.organization_id = ${organizationId}
      and (${name} = '' or r.agent_name = ${name})
      and (${version ?? null}::text is null or r.agent_version = ${version ?? null})
      and (${filter.task_suite_id ?? null}::text is null or r.suite_id = ${filter.task_suite_id ?? null})`
    const newest = sql`distinct on (r.agent_name, r.agent_version, r.suite_id)`
    const rows = sql<ListedRow>`(select ${filter.latest ? newest : sql``} r.*, r.job_id || ' ' || r.agent as place,
        j.name as job_name
      from run_agent_results r join eval_jobs j on j.id = r.job_id
      where ${wanted}
      ${filter.latest ? sql`order by r.agent_name, r.agent_version, r.suite_id, r.finished_at desc` : sql``})`
    return keysetPage(db.selectFrom(rows.as('listed')).selectAll(), {
      column: 'finished_at',
      idColumn: 'place',
      timed: true,
      ...page,
      position: (row) => ({ at: row.finished_at, id: row.place }),
    })
  },
})
