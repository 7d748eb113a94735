import type { DeliveryFault, Emission } from '@diorama/twin-kit/kernel/deliveries'
import { type Kysely, type Selectable, sql } from 'kysely'
import type pg from 'pg'
import { keysetPage, type Page } from '../storage/pages.ts'
import {
  binaryArray,
  type ColumnKind,
  float4Column,
  float8Column,
  int4Column,
  textColumn,
} from '../storage/writers/arrays.ts'
import { nodeLease } from '../twins/placement/nodes.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'
import type { DeliveryTables } from './tables.ts'

export type DeliveryRow = Selectable<DeliveryTables['twin_deliveries']>
export type AttemptRow = Selectable<DeliveryTables['twin_delivery_attempts']>

export interface DeliveryFilter {
  readonly status?: DeliveryRow['status'] | undefined
  readonly kind?: string | undefined
  readonly cause?: string | undefined
}

/** The SQL of the outbox. */
export interface DeliveryStore {
  readonly list: (
    twinId: string,
    filter: DeliveryFilter,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<DeliveryRow>>
  readonly find: (twinId: string, id: string) => Promise<DeliveryRow | undefined>
  readonly attemptsOf: (twinId: string, id: string) => Promise<AttemptRow[]>
  /** Twins with something due that this node runs, or that no living node runs, in order, after the one that is named. */
  readonly dueTwins: (holder: string, page: { after: string; limit: number }) => Promise<string[]>
  /** What is due of one twin, oldest first, apart from what is known. */
  readonly due: (twinId: string, known: readonly string[], limit: number) => Promise<Delivery[]>
  /** Writes attempts, and what they made of their deliveries. */
  readonly record: (attempts: readonly AttemptRecord[]) => Promise<void>
  /** Ends what belongs to an earlier life of the twin, or to one that has ended. */
  readonly drop: (twinId: string, beforeEpoch: number) => Promise<void>
  /** Drops what waits for a receiver of the twin beyond so many, the newest. */
  readonly shed: (twinId: string, maxPending: number) => Promise<void>
  /** Makes one more attempt due; false where there is no such delivery. */
  readonly resend: (twinId: string, id: string) => Promise<boolean>
  /** How much of these twins waits, and when the next attempt is due. */
  readonly pending: (twinIds: readonly string[]) => Promise<{ count: number; nextAt: Date | null }>
}

export const deliveryStore = (db: Kysely<DeliveryTables>, pool: pg.Pool): DeliveryStore => ({
  list: (twinId, { status, kind, cause }, page) => {
    let query = db.selectFrom('twin_deliveries').selectAll().where('twin_id', '=', twinId)
    if (status) query = query.where('status', '=', status)
    if (kind) query = query.where('kind', '=', kind)
    if (cause) query = query.where('cause', '=', cause)
    return keysetPage(query, { column: 'id', ...page, position: ({ id }) => ({ at: id, id }) })
  },

  find: (twinId, id) =>
    db
      .selectFrom('twin_deliveries')
      .selectAll()
      .where('twin_id', '=', twinId)
      .where('id', '=', id)
      .executeTakeFirst(),

  attemptsOf: (twinId, id) =>
    db
      .selectFrom('twin_delivery_attempts')
      .selectAll()
      .where('twin_id', '=', twinId)
      .where('delivery_id', '=', id)
      .orderBy('number')
      .limit(1_000)
      .execute(),

  // A loose index scan: one row is read for each twin with something pending, and one more for when it is due.
  dueTwins: async (holder, { after, limit }) => {
    const { rows } = await sql<{ twin_id: string }>`
      with recursive waiting (twin_id) as (
        (select twin_id from twin_deliveries where status = 'pending' and twin_id > ${after}
          order by twin_id limit 1)
        union all
        select (select next.twin_id from twin_deliveries as next
            where next.status = 'pending' and next.twin_id > waiting.twin_id order by next.twin_id limit 1)
          from waiting where waiting.twin_id is not null)
      select waiting.twin_id from waiting, twins
      where twins.id = waiting.twin_id
        and exists (select 1 from twin_deliveries as due where due.twin_id = waiting.twin_id
          and due.status = 'pending' and due.next_at <= clock_timestamp())
        and (twins.owner is null or twins.owner = ${holder} or not exists (
          select 1 from leases where leases.name = ${nodeLease('')} || twins.owner
            and leases.expires_at > clock_timestamp()))
      order by waiting.twin_id limit ${limit}`.execute(db)
    return rows.map(({ twin_id }) => twin_id)
  },

  due: async (twinId, known, limit) => {
    const rows = await db
      .selectFrom('twin_deliveries')
      .select(['id', 'organization_id', 'epoch', 'emission', 'attempts', 'fault'])
      .where('twin_id', '=', twinId)
      .where('status', '=', 'pending')
      .where('next_at', '<=', sql<Date>`clock_timestamp()`)
      .where(sql<boolean>`id <> all (${[...known]}::text[])`)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      twinId,
      organizationId: row.organization_id,
      epoch: row.epoch,
      emission: JSON.parse(row.emission) as Emission,
      attempts: row.attempts,
      fault: (row.fault ?? undefined) as DeliveryFault | undefined,
    }))
  },

  record: async (attempts) => {
    await pool.query({ name: 'delivery-attempts', text: insertAttempts, values: attemptColumns(attempts) })
  },

  drop: async (twinId, beforeEpoch) => {
    await db
      .updateTable('twin_deliveries')
      .set({ status: 'dropped', next_at: null, settled_at: sql<Date>`clock_timestamp()` })
      .where('twin_id', '=', twinId)
      .where('status', '=', 'pending')
      .where('epoch', '<', beforeEpoch)
      .execute()
  },

  shed: async (twinId, maxPending) => {
    const { count } = await db
      .selectFrom('twin_deliveries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('twin_id', '=', twinId)
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow()
    if (Number(count) <= maxPending) return
    await sql`
      update twin_deliveries set status = 'dropped', fault = 'backlog', next_at = null, settled_at = clock_timestamp()
      where twin_id = ${twinId} and status = 'pending' and id in (
        select id from (
          select id, row_number() over (partition by channel, receiver, url order by id) as place
          from twin_deliveries where twin_id = ${twinId} and status = 'pending') as queued
        where place > ${maxPending})`.execute(db)
  },

  resend: async (twinId, id) => {
    const changed = await db
      .updateTable('twin_deliveries')
      .set({ status: 'pending', next_at: sql<Date>`clock_timestamp()`, settled_at: null })
      .where('twin_id', '=', twinId)
      .where('id', '=', id)
      .executeTakeFirst()
    return changed.numUpdatedRows > 0n
  },

  pending: async (twinIds) => {
    const row = await db
      .selectFrom('twin_deliveries')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('next_at').as('nextAt')])
      .where('status', '=', 'pending')
      .where('twin_id', 'in', [...twinIds])
      .executeTakeFirstOrThrow()
    return { count: Number(row.count), nextAt: row.nextAt }
  },
})

/**
 * An attempt that was recorded before a crash of its sender may come again: the first record stays. The commit does not
 * wait for the disk: where a record is lost, the delivery is sent again with the same id.
 */
const insertAttempts = `
  with lazily as (select set_config('synchronous_commit', 'off', true)),
  given as (
    select given.* from lazily, unnest($1::text[], $2::text[], $3::int[], $4::float8[], $5::real[], $6::int[], $7::text[], $8::text[],
      $9::text[], $10::float8[])
      as given (twin_id, delivery_id, number, at, duration_ms, status, fault, detail, becomes, next_at)),
  tried as (
    insert into twin_delivery_attempts (twin_id, delivery_id, number, at, duration_ms, status, fault, detail)
    select twin_id, delivery_id, number, to_timestamp(at / 1000.0), duration_ms, given.status, given.fault, detail
    from given join twin_deliveries using (twin_id) where twin_deliveries.id = delivery_id
    on conflict do nothing)
  update twin_deliveries set status = given.becomes, attempts = greatest(attempts, given.number), fault = given.fault,
    answer_status = given.status, next_at = to_timestamp(given.next_at / 1000.0),
    settled_at = case when given.becomes = 'pending' then null else to_timestamp((given.at + given.duration_ms) / 1000.0) end
  from given where twin_deliveries.twin_id = given.twin_id and twin_deliveries.id = given.delivery_id`

const attemptColumns = (attempts: readonly AttemptRecord[]): Buffer[] => {
  const of = <V>(kind: ColumnKind<V>, value: (attempt: AttemptRecord) => V | null) =>
    binaryArray(kind, attempts.map(value))
  return [
    of(textColumn, ({ delivery }) => delivery.twinId),
    of(textColumn, ({ delivery }) => delivery.id),
    of(int4Column, ({ number }) => number),
    of(float8Column, ({ at }) => at),
    of(float4Column, ({ durationMs }) => durationMs),
    of(int4Column, ({ status }) => status),
    of(textColumn, ({ fault }) => fault),
    of(textColumn, ({ detail }) => detail),
    of(textColumn, ({ becomes }) => becomes),
    of(float8Column, ({ nextAt }) => nextAt),
  ]
}
