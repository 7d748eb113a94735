import type { RunStopped } from '@diorama/contract'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Page } from '../storage/pages.ts'
import { encodeCursor, keysetPage, wholePosition } from '../storage/pages.ts'
import { type CassetteQueries, cassetteQueries } from './grading/cassette-queries.ts'
import type { TrialQueries } from './grading/trial-queries.ts'
import { trialQueries } from './grading/trial-queries.ts'
import { storableJson } from './storable.ts'
import type { EvaluationTables, TrialEnd } from './tables.ts'
import { type ClaimLimits, claimTrials } from './worker/claim.ts'

export type JobRow = Selectable<EvaluationTables['eval_jobs']>
export type TrialRow = Selectable<EvaluationTables['eval_trials']>
/** A trial as far as results need it. */
export type TrialSummary = Pick<TrialRow, (typeof summaryColumns)[number]>
export type EventRow = Selectable<EvaluationTables['eval_events']>
type PageRequest = { limit: number; cursor?: string | undefined }

export interface JobFilter {
  readonly task_suite_id?: string | undefined
  readonly status?: string | undefined
  readonly verdict?: string | undefined
  /** `name`, or `name@version`. */
  readonly agent?: string | undefined
  readonly createdAfter?: Date | undefined
  readonly finished?: boolean
}
/** Whether the outcome was kept, and whether the evaluation is over by it. */
export type Finished = 'lost' | 'kept' | 'ended'

const held = ['running', 'scoring']

const summaryColumns = [
  'id',
  'agent',
  'task_id',
  'repetition',
  'variant',
  'status',
  'attempt',
  'lease_holder',
  'started_at',
  'error',
  'cause',
  'passed',
  'scores',
  'usage',
  'duration_ms',
  'voided_attempts',
  'unasked_changes',
  'variant_detail',
] as const

export interface EvaluationStore extends TrialQueries, CassetteQueries {
  readonly db: Kysely<EvaluationTables>
  readonly findJob: (organizationId: string, id: string) => Promise<JobRow | undefined>
  readonly findByKey: (organizationId: string, key: string) => Promise<JobRow | undefined>
  /** Undefined when the idempotency key is taken. */
  readonly insert: (
    job: Insertable<EvaluationTables['eval_jobs']>,
    trials: readonly Insertable<EvaluationTables['eval_trials']>[],
  ) => Promise<JobRow | undefined>
  readonly listJobs: (organizationId: string, filter: JobFilter, page: PageRequest) => Promise<Page<JobRow>>
  /** Trials by status, for several jobs at once. */
  readonly counts: (jobIds: readonly string[]) => Promise<Map<string, Record<string, number>>>
  readonly findTrial: (jobId: string, id: string) => Promise<TrialRow | undefined>
  readonly findEnded: (organizationId: string, id: string) => Promise<TrialRow | undefined>
  /** Every trial of an evaluation, without its steps and output, which can be large. */
  readonly allTrials: (jobId: string) => Promise<TrialSummary[]>
  /** Ends an evaluation whose answer is known: what has not started is not needed. */
  readonly stop: (jobId: string, stopped: RunStopped) => Promise<void>
  readonly listTrials: (
    jobId: string,
    filter: { agent?: string | undefined; task_id?: string | undefined; status?: string | undefined },
    pageRequest: PageRequest,
  ) => Promise<Page<TrialRow>>
  readonly countRunning: (organizationId: string) => Promise<number>
  /**
   * Leases trials that may run now: queued ones and those whose worker is gone, within the concurrency of their evaluation and
   * of their organization. A trial whose worker is gone is ended instead where it has no attempt left or its evaluation was
   * cancelled (`0030-trial-attempts.ts`). `isFit` is asked where something waits, and none is leased to a worker that is not.
   */
  readonly claim: (holder: string, limits: ClaimLimits, isFit?: () => Promise<boolean>) => Promise<TrialRow[]>
  /**
   * Renews leases and returns the attempts that lost theirs. An attempt whose outcome was written while this was under
   * way has lost nothing: its row still names it.
   */
  readonly renew: (holder: string, trials: readonly Attempt[], leaseMs: number) => Promise<Attempt[]>
  /**
   * Ends a trial and, with its last one, the evaluation, whole or not at all. Only the holder of the present attempt can:
   * a holder that lost the lease writes nothing.
   */
  readonly finish: (
    trial: Pick<TrialRow, 'id' | 'job_id' | 'attempt'>,
    holder: string,
    outcome: TrialEnd,
  ) => Promise<Finished>
  /** Ended trials whose trace and run are still to be written; given up after a day. */
  readonly unrecorded: (limit: number, graceMs: number) => Promise<TrialRow[]>
  readonly markRecorded: (trialIds: readonly string[]) => Promise<unknown>
  /** Frees what an earlier life of this process held: right only where no other process shares the database. */
  readonly freeAll: () => Promise<unknown>
  readonly setScoring: (trial: Pick<TrialRow, 'id' | 'attempt'>, holder: string) => Promise<unknown>
  readonly cancel: (jobId: string) => Promise<boolean>
  readonly setIsolation: (jobId: string, isolation: string) => Promise<unknown>
  readonly events: (jobId: string, after: number, limit: number) => Promise<EventRow[]>
}

/** The SQL of evaluations and trials. */
export const evaluationStore = (db: Kysely<EvaluationTables>): EvaluationStore => ({
  db,
  ...trialQueries(db),
  ...cassetteQueries(db),
  findJob: (organizationId: string, id: string): Promise<JobRow | undefined> =>
    db
      .selectFrom('eval_jobs')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst(),

  findByKey: (organizationId: string, key: string): Promise<JobRow | undefined> =>
    db
      .selectFrom('eval_jobs')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('idempotency_key', '=', key)
      .executeTakeFirst(),

  insert: (
    job: Insertable<EvaluationTables['eval_jobs']>,
    trials: readonly Insertable<EvaluationTables['eval_trials']>[],
  ): Promise<JobRow | undefined> =>
    db.transaction().execute(async (trx) => {
      const row = await trx
        .insertInto('eval_jobs')
        .values(job)
        .onConflict((conflict) => conflict.columns(['organization_id', 'idempotency_key']).doNothing())
        .returningAll()
        .executeTakeFirst()
      if (row && trials.length > 0)
        await trx
          .insertInto('eval_trials')
          .values([...trials])
          .execute()
      return row
    }),

  listJobs: (organizationId: string, filter: JobFilter, page: PageRequest) => {
    let query = db.selectFrom('eval_jobs').selectAll().where('organization_id', '=', organizationId)
    if (filter.task_suite_id) query = query.where('suite_id', '=', filter.task_suite_id)
    if (filter.status) query = query.where('status', '=', filter.status)
    if (filter.finished) query = query.where('status', 'in', ['succeeded', 'failed', 'cancelled'])
    if (filter.verdict) query = query.where('verdict', '=', filter.verdict)
    if (filter.createdAfter) query = query.where('created_at', '>=', filter.createdAfter)
    const { agent } = filter
    if (agent?.includes('@')) query = query.where(sql<boolean>`agents @> array[${agent}]::text[]`)
    else if (agent)
      query = query.where(
        sql<boolean>`exists (select from unnest(agents) as one where starts_with(one, ${`${agent}@`}))`,
      )
    return keysetPage(query, {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
  },

  counts: async (jobIds: readonly string[]): Promise<Map<string, Record<string, number>>> => {
    const counts = new Map(jobIds.map((id) => [id, {} as Record<string, number>]))
    if (jobIds.length === 0) return counts
    const rows = await db
      .selectFrom('eval_trials')
      .select(['job_id', 'status', (eb) => eb.fn.countAll<number>().as('count')])
      .where('job_id', 'in', [...jobIds])
      .groupBy(['job_id', 'status'])
      .execute()
    for (const { job_id, status, count } of rows) {
      const byStatus = counts.get(job_id)
      if (byStatus) byStatus[status] = Number(count)
    }
    return counts
  },

  findTrial: (jobId: string, id: string): Promise<TrialRow | undefined> =>
    db
      .selectFrom('eval_trials')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('id', '=', id)
      .executeTakeFirst(),

  findEnded: (organizationId: string, id: string): Promise<TrialRow | undefined> =>
    db
      .selectFrom('eval_trials')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('status', 'in', ['succeeded', 'failed'])
      .executeTakeFirst(),

  allTrials: (jobId: string): Promise<TrialSummary[]> =>
    db
      .selectFrom('eval_trials')
      .select(summaryColumns)
      .where('job_id', '=', jobId)
      .orderBy('position')
      .execute(),

  stop: (jobId: string, stopped: RunStopped): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const job = await trx
        .updateTable('eval_jobs')
        .set({ stopped: JSON.stringify(stopped) })
        .where('id', '=', jobId)
        .where('stopped', 'is', null)
        .returning('id')
        .executeTakeFirst()
      if (!job) return
      await trx
        .updateTable('eval_trials')
        .set({ status: 'cancelled', finished_at: sql<Date>`clock_timestamp()` })
        .where('job_id', '=', jobId)
        .where('status', '=', 'queued')
        .execute()
      await sql`select settle_run(${jobId})`.execute(trx)
    }),

  listTrials: async (
    jobId: string,
    filter: { agent?: string | undefined; task_id?: string | undefined; status?: string | undefined },
    { limit, cursor }: PageRequest,
  ) => {
    let query = db
      .selectFrom('eval_trials')
      .selectAll()
      .where('job_id', '=', jobId)
      .orderBy('position')
      .limit(limit + 1)
    if (filter.agent) query = query.where('agent', '=', filter.agent)
    if (filter.task_id) query = query.where('task_id', '=', filter.task_id)
    if (filter.status) query = query.where('status', '=', filter.status)
    if (cursor !== undefined) query = query.where('position', '>', wholePosition(cursor))
    const rows = await query.execute()
    const items = rows.slice(0, limit)
    const last = items.at(-1)
    return {
      items,
      nextCursor: rows.length > limit && last ? encodeCursor({ at: last.position, id: last.id }) : null,
    }
  },

  countRunning: async (organizationId: string): Promise<number> => {
    const { count } = await db
      .selectFrom('eval_trials')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('status', 'in', held)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  claim: (holder, limits, isFit) => claimTrials(db, holder, limits, isFit),

  renew: async (holder: string, trials: readonly Attempt[], leaseMs: number): Promise<Attempt[]> => {
    if (trials.length === 0) return []
    const rows = await db
      .updateTable('eval_trials')
      .set({ lease_until: leaseEnd(leaseMs) })
      .where('lease_holder', '=', holder)
      .where('status', 'in', held)
      .where((eb) =>
        eb.or(trials.map(({ id, attempt }) => eb.and([eb('id', '=', id), eb('attempt', '=', attempt)]))),
      )
      .returning(['id', 'attempt'])
      .execute()
    const renewed = new Set(rows.map(keyOf))
    const missing = trials.filter((trial) => !renewed.has(keyOf(trial)))
    if (missing.length === 0) return []
    // A second statement, since the first sees the rows as they were when it began.
    const ended = await db
      .selectFrom('eval_trials')
      .select(['id', 'attempt'])
      .where(
        'id',
        'in',
        missing.map(({ id }) => id),
      )
      .where('status', 'in', ['succeeded', 'failed', 'queued'])
      .execute()
    const finished = new Set(ended.map(keyOf))
    return missing.filter((trial) => !finished.has(keyOf(trial)))
  },

  finish: async (
    trial: Pick<TrialRow, 'id' | 'job_id' | 'attempt'>,
    holder: string,
    outcome: TrialEnd,
  ): Promise<Finished> => {
    const { rows } = await sql<{
      finished: Finished
    }>`select finish_trial(${trial.job_id}, ${trial.id},
      ${trial.attempt}, ${holder}, ${storableJson(outcome)}) as finished`.execute(db)
    return rows[0]?.finished ?? 'lost'
  },

  unrecorded: (limit: number, graceMs: number): Promise<TrialRow[]> =>
    db
      .selectFrom('eval_trials')
      .selectAll()
      .where('recorded_at', 'is', null)
      .where('trace_id', 'is not', null)
      .where('finished_at', '<', sql<Date>`clock_timestamp() - ${graceMs} * interval '1 millisecond'`)
      .where('finished_at', '>', sql<Date>`clock_timestamp() - interval '1 day'`)
      // In no order: records that cannot be written must not keep the others back.
      .orderBy(sql`random()`)
      .limit(limit)
      .execute(),

  markRecorded: (trialIds: readonly string[]) =>
    db
      .updateTable('eval_trials')
      .set({ recorded_at: sql<Date>`clock_timestamp()` })
      .where('id', 'in', [...trialIds])
      .execute(),

  freeAll: () =>
    db
      .updateTable('eval_trials')
      .set({ lease_until: sql<Date>`clock_timestamp()` })
      .where('status', 'in', held)
      .execute(),

  setScoring: (trial: Pick<TrialRow, 'id' | 'attempt'>, holder: string) =>
    db
      .updateTable('eval_trials')
      .set({ status: 'scoring' })
      .where('id', '=', trial.id)
      .where('attempt', '=', trial.attempt)
      .where('lease_holder', '=', holder)
      .execute(),

  cancel: (jobId: string): Promise<boolean> =>
    db.transaction().execute(async (trx) => {
      const job = await trx
        .updateTable('eval_jobs')
        .set({ status: 'cancelled' })
        .where('id', '=', jobId)
        .where('status', 'in', ['queued', 'running'])
        .returning('id')
        .executeTakeFirst()
      if (!job) return false
      await trx
        .updateTable('eval_trials')
        .set({ status: 'cancelled', finished_at: sql<Date>`clock_timestamp()` })
        .where('job_id', '=', jobId)
        .where('status', '=', 'queued')
        .execute()
      await sql`select settle_run(${jobId})`.execute(trx)
      return true
    }),

  setIsolation: (jobId: string, isolation: string) =>
    db.updateTable('eval_jobs').set({ isolation }).where('id', '=', jobId).execute(),

  events: (jobId: string, after: number, limit: number): Promise<EventRow[]> =>
    db
      .selectFrom('eval_events')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute(),
})

/** One attempt at a trial: the number is the fencing token of its lease. */
export type Attempt = Pick<TrialRow, 'id' | 'attempt'>

const keyOf = ({ id, attempt }: Attempt): string => `${id} ${attempt}`

const leaseEnd = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`
