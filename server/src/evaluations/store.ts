import type { Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely'
import { sql } from 'kysely'
import { encodeCursor, keysetPage, wholePosition } from '../storage/pages.ts'
import type { Database } from '../storage/schema.ts'

export type JobRow = Selectable<Database['eval_jobs']>
export type TrialRow = Selectable<Database['eval_trials']>
export type EventRow = Selectable<Database['eval_events']>
type Trx = Transaction<Database>
type Db = Kysely<Database> | Trx
type PageRequest = { limit: number; cursor?: string | undefined }

/** A job's trials that are over. */
export const finishedStatuses = ['succeeded', 'failed', 'errored', 'cancelled'] as const
const held = ['running', 'scoring']

/** The SQL of runs and trials. */
export const evaluationStore = (db: Kysely<Database>) => ({
  db,
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

  /** Undefined when the idempotency key is taken. */
  insert: (
    job: Insertable<Database['eval_jobs']>,
    trials: readonly Insertable<Database['eval_trials']>[],
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

  listJobs: (
    organizationId: string,
    filter: { task_suite_id?: string | undefined; status?: string | undefined; finished?: boolean },
    page: PageRequest,
  ) => {
    let query = db.selectFrom('eval_jobs').selectAll().where('organization_id', '=', organizationId)
    if (filter.task_suite_id) query = query.where('suite_id', '=', filter.task_suite_id)
    if (filter.status) query = query.where('status', '=', filter.status)
    if (filter.finished) query = query.where('status', 'in', ['succeeded', 'failed', 'cancelled'])
    return keysetPage(query, {
      column: 'created_at',
      ...page,
      position: (row) => ({ at: row.created_at, id: row.id }),
    })
  },

  /** Trials by status, for several jobs at once. */
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

  allTrials: (jobId: string): Promise<TrialRow[]> =>
    db.selectFrom('eval_trials').selectAll().where('job_id', '=', jobId).orderBy('position').execute(),

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

  /**
   * Leases up to `most` trials that may run now: queued ones and those whose worker is gone, within the concurrency of
   * their job and of their organization. Claims are taken one after the other, so that no limit is passed by a race.
   */
  claim: (holder: string, most: number, leaseMs: number): Promise<TrialRow[]> =>
    db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('trial claims', 0))`.execute(trx)
      const { rows } = await sql<{ id: string }>`
        with open as (
          select t.id, t.job_id, t.organization_id, t.position, j.created_at,
            j.concurrency - (select count(*) from eval_trials r where r.job_id = t.job_id
              and r.status in ('running', 'scoring') and r.lease_until > clock_timestamp()) as room,
            coalesce((o.limits ->> 'concurrent_trials')::int, 256) - (select count(*) from eval_trials r
              where r.organization_id = t.organization_id and r.status in ('running', 'scoring')
              and r.lease_until > clock_timestamp()) as organization_room,
            row_number() over (partition by t.job_id order by t.position) as in_job,
            row_number() over (partition by t.organization_id order by j.created_at, t.position) as in_organization
          from eval_trials t
          join eval_jobs j on j.id = t.job_id
          join organizations o on o.id = t.organization_id
          where (t.status = 'queued' and j.status in ('queued', 'running'))
            or (t.status in ('running', 'scoring') and t.lease_until <= clock_timestamp())
        )
        select id from open where in_job <= room and in_organization <= organization_room
        order by in_job, created_at, position limit ${most}`.execute(trx)
      if (rows.length === 0) return []
      const claimed = await trx
        .updateTable('eval_trials')
        .set((eb) => ({
          status: 'running',
          lease_holder: holder,
          lease_until: leaseEnd(leaseMs),
          attempt: eb('attempt', '+', 1),
          started_at: sql<Date>`clock_timestamp()`,
        }))
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .returningAll()
        .execute()
      const jobs = [...new Set(claimed.map(({ job_id }) => job_id))]
      await trx
        .updateTable('eval_jobs')
        .set({ status: 'running', started_at: sql<Date>`coalesce(started_at, clock_timestamp())` })
        .where('id', 'in', jobs)
        .where('status', 'in', ['queued', 'running'])
        .execute()
      await trx
        .insertInto('eval_events')
        .values(
          claimed.map(({ job_id, id }) => ({
            job_id,
            type: 'trial_started',
            trial_id: id,
            status: 'running',
            at: sql<Date>`clock_timestamp()`,
          })),
        )
        .execute()
      return claimed.sort((a, b) => a.position - b.position)
    }),

  /** Prolongs leases; gives back the ids that are still held. */
  renew: async (
    holder: string,
    trials: readonly { id: string; attempt: number }[],
    leaseMs: number,
  ): Promise<Set<string>> => {
    if (trials.length === 0) return new Set()
    const rows = await db
      .updateTable('eval_trials')
      .set({ lease_until: leaseEnd(leaseMs) })
      .where('lease_holder', '=', holder)
      .where('status', 'in', held)
      .where((eb) =>
        eb.or(trials.map(({ id, attempt }) => eb.and([eb('id', '=', id), eb('attempt', '=', attempt)]))),
      )
      .returning('id')
      .execute()
    return new Set(rows.map(({ id }) => id))
  },

  /**
   * Ends a trial and, with its last one, the run, in one transaction. Only the holder of the present attempt can:
   * whoever lost the lease writes nothing.
   */
  finish: (
    trial: Pick<TrialRow, 'id' | 'job_id' | 'attempt'>,
    holder: string,
    outcome: Updateable<Database['eval_trials']> & { status: string },
  ): Promise<boolean> =>
    db.transaction().execute(async (trx) => {
      const done = await trx
        .updateTable('eval_trials')
        .set({ ...outcome, lease_holder: null, lease_until: null })
        .where('id', '=', trial.id)
        .where('attempt', '=', trial.attempt)
        .where('lease_holder', '=', holder)
        .where('status', 'in', held)
        .returning('id')
        .executeTakeFirst()
      if (!done) return false
      const over = finishedStatuses.some((status) => status === outcome.status)
      if (over) {
        await lockJob(trx, trial.job_id)
        await trx
          .insertInto('eval_events')
          .values({
            job_id: trial.job_id,
            type: 'trial_finished',
            trial_id: trial.id,
            status: outcome.status,
            at: sql<Date>`clock_timestamp()`,
          })
          .execute()
        await settle(trx, trial.job_id)
      }
      return true
    }),

  /** Frees what an earlier life of this process held: right only where no other process shares the database. */
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
      await settle(trx, jobId)
      return true
    }),

  regrade: (trialId: string, change: { scores: string; passed: boolean | null }) =>
    db.updateTable('eval_trials').set(change).where('id', '=', trialId).execute(),

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
export type EvaluationStore = ReturnType<typeof evaluationStore>

const leaseEnd = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`

/** Events of a run get their numbers under this lock, so that a reader who has seen one has seen all before it. */
const lockJob = (trx: Db, jobId: string): Promise<JobRow> =>
  trx.selectFrom('eval_jobs').selectAll().where('id', '=', jobId).forUpdate().executeTakeFirstOrThrow()

/** Counts what is over; when nothing is open any more, the run ends and says so once. */
const settle = async (trx: Db, jobId: string): Promise<void> => {
  const job = await lockJob(trx, jobId)
  const { completed, open } = await trx
    .selectFrom('eval_trials')
    .select((eb) => [
      eb.fn
        .countAll<number>()
        .filterWhere('status', 'in', ['succeeded', 'failed', 'errored'])
        .as('completed'),
      eb.fn.countAll<number>().filterWhere('status', 'in', ['queued', 'running', 'scoring']).as('open'),
    ])
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  const ended = Number(open) === 0
  const status = job.status === 'cancelled' ? 'cancelled' : ended ? 'succeeded' : job.status
  await trx
    .updateTable('eval_jobs')
    .set({
      completed_trials: Number(completed),
      status,
      ...(ended ? { finished_at: sql<Date>`clock_timestamp()` } : {}),
    })
    .where('id', '=', jobId)
    .execute()
  if (ended)
    await trx
      .insertInto('eval_events')
      .values({
        job_id: jobId,
        type: 'run_finished',
        trial_id: null,
        status,
        at: sql<Date>`clock_timestamp()`,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}
