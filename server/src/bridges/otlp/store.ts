import { type Kysely, type Selectable, sql } from 'kysely'
import type { BridgeTables } from '../tables.ts'

export type Destination = Selectable<BridgeTables['trace_destinations']>
export type Waiting = Pick<
  Selectable<BridgeTables['trace_outbox']>,
  'trial_id' | 'job_id' | 'attempts' | 'created_at'
>

/** The SQL of destinations and of the outbox. */
export interface TraceOutbox {
  readonly find: (organizationId: string) => Promise<Destination | undefined>
  readonly put: (row: Omit<Destination, 'dropped' | 'last_error' | 'last_sent_at'>) => Promise<void>
  readonly remove: (organizationId: string) => Promise<boolean>
  readonly waiting: (organizationId: string) => Promise<number>
  /** Puts trials into the outbox of an organization that has a destination, as far as there is room. */
  readonly add: (organizationId: string, trialIds: readonly string[]) => Promise<void>
  /** Organizations with something due. */
  readonly dueOrganizations: () => Promise<string[]>
  /** Takes what is due for so long that no other node sends it meanwhile; a node that dies gives it back by that. */
  readonly claim: (organizationId: string) => Promise<Waiting[]>
  readonly sent: (organizationId: string, trialIds: readonly string[], note: string | null) => Promise<void>
  readonly retry: (organizationId: string, given: Retry) => Promise<void>
  readonly drop: (organizationId: string, trialIds: readonly string[], error: string) => Promise<void>
}

export interface Retry {
  readonly trialIds: readonly string[]
  readonly afterMs: number
  readonly error: string
}

export const maxWaiting = 10_000
const maxBatch = 32
const claimMs = 60_000
const maxOrganizations = 100

const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`

export const traceOutbox = (db: Kysely<BridgeTables>): TraceOutbox => ({
  find: (organizationId) =>
    db
      .selectFrom('trace_destinations')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .executeTakeFirst(),
  put: async ({ created_by, created_at, organization_id, ...row }) => {
    await db
      .insertInto('trace_destinations')
      .values({ ...row, organization_id, created_by, created_at, last_error: null, last_sent_at: null })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ ...row, last_error: null }))
      .execute()
  },
  remove: async (organizationId) => {
    const { numDeletedRows } = await db
      .deleteFrom('trace_destinations')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },
  waiting: async (organizationId) => {
    const { count } = await db
      .selectFrom('trace_outbox')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    return count
  },
  add: async (organizationId, trialIds) => {
    await sql`
      with room as (
        select greatest(0, ${maxWaiting} - (select count(*) from trace_outbox where organization_id = ${organizationId})) as places
      ), wanted as (
        select eval_trials.id, job_id from eval_trials
        join trace_destinations on trace_destinations.organization_id = eval_trials.organization_id
        where eval_trials.id = any (${[...trialIds]}::text[]) and eval_trials.organization_id = ${organizationId}
      ), added as (
        insert into trace_outbox (trial_id, job_id, organization_id)
        select id, job_id, ${organizationId} from wanted limit (select places from room)
        on conflict (trial_id) do nothing
      )
      update trace_destinations set dropped = dropped + (select greatest(0, count(*) - (select places from room)) from wanted)
      where organization_id = ${organizationId} and (select count(*) from wanted) > (select places from room)`.execute(
      db,
    )
  },
  dueOrganizations: async () => {
    const { rows } = await sql<{ organization_id: string }>`
      select organization_id from trace_outbox where next_at <= clock_timestamp()
      group by organization_id order by min(next_at) limit ${maxOrganizations}`.execute(db)
    return rows.map(({ organization_id }) => organization_id)
  },
  claim: async (organizationId) => {
    const { rows } = await sql<Waiting>`
      update trace_outbox set next_at = ${inMs(claimMs)}, attempts = attempts + 1
      where trial_id in (
        select trial_id from trace_outbox
        where organization_id = ${organizationId} and next_at <= clock_timestamp()
        order by next_at limit ${maxBatch} for update skip locked)
      returning trial_id, job_id, attempts, created_at`.execute(db)
    return rows
  },
  sent: (organizationId, trialIds, note) =>
    db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('trace_outbox')
        .where('trial_id', 'in', [...trialIds])
        .execute()
      await trx
        .updateTable('trace_destinations')
        .set({ last_sent_at: sql<Date>`clock_timestamp()`, last_error: note })
        .where('organization_id', '=', organizationId)
        .execute()
    }),
  retry: (organizationId, { trialIds, afterMs, error }) =>
    db.transaction().execute(async (trx) => {
      await trx
        .updateTable('trace_outbox')
        .set({ next_at: inMs(afterMs) })
        .where('trial_id', 'in', [...trialIds])
        .execute()
      await trx
        .updateTable('trace_destinations')
        .set({ last_error: error })
        .where('organization_id', '=', organizationId)
        .execute()
    }),
  drop: (organizationId, trialIds, error) =>
    db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('trace_outbox')
        .where('trial_id', 'in', [...trialIds])
        .execute()
      await trx
        .updateTable('trace_destinations')
        .set({ last_error: error, dropped: sql<number>`dropped + ${trialIds.length}` })
        .where('organization_id', '=', organizationId)
        .execute()
    }),
})
