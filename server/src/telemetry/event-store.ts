import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { keysetPage, type Page } from '../storage/pages.ts'
import type { Database } from '../storage/schema.ts'
import type { Storage } from '../storage/storage.ts'
import type { EventFilter } from './filters.ts'
import { readHorizon, writersLock } from './order.ts'
import type { StreamPosition } from './position.ts'

type FullRow = Selectable<Database['events']>
export type EventRow = Omit<FullRow, 'tx' | 'ord'>
export type OrderedRow = EventRow & { tx: string; ord: number }

export interface NewEvent {
  readonly id: string
  readonly organization_id: string
  readonly event_time: Date
  readonly recorded_at: Date
  readonly source: string
  readonly topic: string
  readonly event_type: string
  readonly entities: Readonly<Record<string, string>>
  readonly payload: Readonly<Record<string, unknown>>
}

/** One statement, so one transaction: events and their entities are there together or not at all. */
const insertText = `
  with writing as materialized (select ${writersLock}), sent as materialized (
    select sent.* from writing, rows from (json_to_recordset($1::json) as (
      id text, organization_id text, event_time timestamptz, recorded_at timestamptz, source text, topic text,
      event_type text, entities jsonb, payload jsonb)) with ordinality as sent (id, organization_id, event_time,
      recorded_at, source, topic, event_type, entities, payload, ord)
  ), linked as (
    insert into event_entities (organization_id, entity_type, entity_id, event_time, event_id, kind)
    select organization_id, key, value, event_time, id, 'event' from sent, jsonb_each_text(entities)
  )
  insert into events
    (id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord)
  select id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord - 1
  from sent`

const columns = [
  'events.id',
  'events.organization_id',
  'events.event_time',
  'events.recorded_at',
  'events.source',
  'events.topic',
  'events.event_type',
  'events.entities',
  'events.payload',
] as const

/** Rows are handed out in portions of about this size, whatever their number. */
const mostBytesAtOnce = 8 * 1_048_576

/** The SQL of events. */
export const eventStore = ({ db, pool }: Pick<Storage, 'db' | 'pool'>) => ({
  insert: async (events: readonly NewEvent[]): Promise<void> => {
    await pool.query({ name: 'telemetry-insert-events', text: insertText, values: [JSON.stringify(events)] })
  },

  find: (organizationId: string, id: string): Promise<EventRow | undefined> =>
    db
      .selectFrom('events')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst(),

  findMany: (organizationId: string, ids: readonly string[]): Promise<EventRow[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom('events')
          .select(columns)
          .where('organization_id', '=', organizationId)
          .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
          .execute(),

  list: (
    organizationId: string,
    filter: EventFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<EventRow>> => {
    const query = db.selectFrom('events').select(columns).where('events.organization_id', '=', organizationId)
    const { entity } = filter
    const position = (row: EventRow) => ({ at: row.event_time, id: row.id })
    if (!entity) return keysetPage(narrowed(query, filter), { column: 'event_time', ...page, position })
    // Ordered by the entity's own index, so that the page is a walk along it.
    const about = narrowed(query, filter)
      .innerJoin('event_entities', 'event_entities.event_id', 'events.id')
      .where('event_entities.organization_id', '=', organizationId)
      .where('event_entities.entity_type', '=', entity.type)
      .where('event_entities.entity_id', '=', entity.id)
      .where('event_entities.kind', '=', 'event')
    const bounded =
      filter.since === undefined ? about : about.where('event_entities.event_time', '>=', filter.since)
    return keysetPage(bounded, {
      column: 'event_entities.event_time',
      idColumn: 'event_entities.event_id',
      ...page,
      position,
    })
  },

  /** What an entity's index holds before a moment, events and spans alike, newest first. */
  linksOf: (
    organizationId: string,
    entity: { type: string; id: string },
    page: { before: { at: Date; id: string } | undefined; limit: number },
  ) => {
    const query = db
      .selectFrom('event_entities')
      .select(['event_id', 'event_time', 'kind'])
      .where('organization_id', '=', organizationId)
      .where('entity_type', '=', entity.type)
      .where('entity_id', '=', entity.id)
      .orderBy('event_time', 'desc')
      .orderBy('event_id', 'desc')
      .limit(page.limit)
    const { before } = page
    return before === undefined
      ? query.execute()
      : query.where(sql<boolean>`(event_time, event_id) < (${before.at}, ${before.id})`).execute()
  },

  horizon: () => readHorizon({ pool }),

  positionOf: async (organizationId: string, id: string): Promise<StreamPosition | undefined> => {
    const row = await db
      .selectFrom('events')
      .select([sql<string>`tx::text`.as('tx'), 'ord'])
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && { tx: BigInt(row.tx), ord: row.ord }
  },

  /** Rows after a position in the order of streams, settled or not. */
  after: async (organizationId: string, from: StreamPosition, limit: number): Promise<OrderedRow[]> => {
    const { rows } = await sql<OrderedRow>`
      select id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload,
        tx::text as tx, ord
      from (
        select id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload,
          tx, ord,
          sum(pg_column_size(payload)) over (order by tx, ord) - pg_column_size(payload) as size_before
        from (
          select * from events where organization_id = ${organizationId}
            and (tx, ord) > (${String(from.tx)}::xid8, ${from.ord}::integer)
          order by tx, ord limit ${limit}) as events) as sized
      where size_before < ${mostBytesAtOnce}
      order by sized.tx, ord`.execute(db)
    return rows
  },

  /** Matching rows between two positions, the second included, oldest first. */
  between: (
    organizationId: string,
    filter: EventFilter,
    range: { from: StreamPosition; to: StreamPosition; limit: number },
  ): Promise<OrderedRow[]> => {
    const query = db
      .selectFrom('events')
      .select([...columns, sql<string>`events.tx::text`.as('tx'), 'events.ord'])
      .where('events.organization_id', '=', organizationId)
      .where(
        sql<boolean>`(events.tx, events.ord) > (${String(range.from.tx)}::xid8, ${range.from.ord}::integer)`,
      )
      .where(
        sql<boolean>`(events.tx, events.ord) <= (${String(range.to.tx)}::xid8, ${range.to.ord}::integer)`,
      )
    const about = filter.entity
      ? narrowed(query, filter).where(
          sql<boolean>`events.entities ->> ${filter.entity.type}::text = ${filter.entity.id}`,
        )
      : narrowed(query, filter)
    return about.orderBy(sql`events.tx`).orderBy(sql`events.ord`).limit(range.limit).execute()
  },
})
export type EventStore = ReturnType<typeof eventStore>

const narrowed = <DB extends Pick<Database, 'events'>, Row>(
  query: SelectQueryBuilder<DB, 'events', Row>,
  { source, topic, eventType, since }: EventFilter,
): SelectQueryBuilder<DB, 'events', Row> => {
  let narrow = query
  if (source !== undefined) narrow = narrow.where(sql<boolean>`events.source = ${source}`)
  if (topic !== undefined) narrow = narrow.where(sql<boolean>`events.topic = ${topic}`)
  if (eventType !== undefined) narrow = narrow.where(sql<boolean>`events.event_type = ${eventType}`)
  if (since !== undefined) narrow = narrow.where(sql<boolean>`events.event_time >= ${since}`)
  return narrow
}
