import { type Expression, type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { keysetPage, type Page } from '../../storage/pages.ts'
import type { Storage } from '../../storage/storage.ts'
import type { EventFilter } from '../filters.ts'
import type { TelemetryTables } from '../tables.ts'
import { type Portion, withinBytes } from '../traces/within-bytes.ts'
import { type Horizon, readHorizon, writersLock } from './order.ts'
import type { StreamPosition } from './position.ts'

type FullRow = Selectable<TelemetryTables['events']>
export type EventRow = Omit<FullRow, 'tx' | 'ord'>
export type OrderedRow = EventRow & { tx: string; ord: number }

/** Its times are texts already: they go to the database and back to the caller as they are. */
export interface NewEvent {
  readonly id: string
  readonly organization_id: string
  readonly event_time: string
  readonly recorded_at: string
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

export interface EventStore {
  readonly insert: (events: readonly NewEvent[]) => Promise<void>
  readonly find: (organizationId: string, id: string) => Promise<EventRow | undefined>
  /** In the order of the ids, as many of them as a portion holds. */
  readonly findMany: (organizationId: string, ids: readonly string[]) => Promise<Portion<EventRow>>
  readonly list: (
    organizationId: string,
    filter: EventFilter,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<Page<EventRow>>
  /** What an entity's index holds before a moment, events and spans alike, newest first; read from the index alone. */
  readonly linksOf: (
    organizationId: string,
    entity: { type: string; id: string },
    page: { before: { at: Date; id: string } | undefined; limit: number },
  ) => Promise<{ event_id: string; event_time: Date }[]>
  readonly horizon: () => Promise<Horizon>
  readonly positionOf: (organizationId: string, id: string) => Promise<StreamPosition | undefined>
  /** Rows after a position in the order of streams, settled or not; as many as a portion holds. */
  readonly after: (organizationId: string, from: StreamPosition, limit: number) => Promise<OrderedRow[]>
  /** How many rows match between two positions, the second included; counted up to a bound. */
  readonly countBetween: (organizationId: string, filter: EventFilter, range: Range) => Promise<number>
  /** Matching rows between two positions, oldest first; as many as a portion holds. */
  readonly between: (
    organizationId: string,
    filter: EventFilter,
    range: Range,
  ) => Promise<Portion<OrderedRow>>
}

/** The SQL of events. */
export const eventStore = ({
  db,
  pool,
}: {
  readonly db: Kysely<TelemetryTables>
  readonly pool: Storage['pool']
}): EventStore => ({
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

  findMany: (organizationId: string, ids: readonly string[]): Promise<Portion<EventRow>> =>
    ids.length === 0
      ? Promise.resolve({ rows: [], cut: false })
      : withinBytes(
          { db },
          sql`select events.* from unnest(${[...ids]}::text[]) with ordinality as wanted (id, place)
            join events using (id) where organization_id = ${organizationId} order by wanted.place`,
          ['payload'],
        ),

  list: (
    organizationId: string,
    filter: EventFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<EventRow>> => {
    const query = db.selectFrom('events').select(columns).where('events.organization_id', '=', organizationId)
    const { entity } = filter
    const request = {
      ...page,
      position: (row: EventRow) => ({ at: row.event_time, id: row.id }),
      run: (rows: Expression<unknown>) => withinBytes<EventRow>({ db }, rows, ['payload']),
    }
    if (!entity) return keysetPage(narrowed(query, filter), { ...request, column: 'event_time' })
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
      ...request,
      column: 'event_entities.event_time',
      idColumn: 'event_entities.event_id',
    })
  },

  linksOf: (
    organizationId: string,
    entity: { type: string; id: string },
    page: { before: { at: Date; id: string } | undefined; limit: number },
  ) => {
    const query = db
      .selectFrom('event_entities')
      .select(['event_id', 'event_time'])
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

  after: async (organizationId: string, from: StreamPosition, limit: number): Promise<OrderedRow[]> => {
    const page = db
      .selectFrom('events')
      .select([...columns, sql<string>`events.tx::text`.as('tx'), 'events.ord'])
      .where('events.organization_id', '=', organizationId)
      .where(isBehind(from))
      .orderBy(sql`events.tx`)
      .orderBy(sql`events.ord`)
      .limit(limit)
    return (await withinBytes<OrderedRow>({ db }, page, ['payload'])).rows
  },

  countBetween: async (organizationId: string, filter: EventFilter, range: Range): Promise<number> => {
    const page = between(db, organizationId, filter, range).select('events.id').limit(range.limit)
    const { rows } = await sql<{ count: number }>`select count(*) from (${page}) as page`.execute(db)
    return rows[0]?.count ?? 0
  },

  between: (organizationId: string, filter: EventFilter, range: Range): Promise<Portion<OrderedRow>> =>
    withinBytes<OrderedRow>(
      { db },
      between(db, organizationId, filter, range)
        .select([...columns, sql<string>`events.tx::text`.as('tx'), 'events.ord'])
        .orderBy(sql`events.tx`)
        .orderBy(sql`events.ord`)
        .limit(range.limit),
      ['payload'],
    ),
})

interface Range {
  readonly from: StreamPosition
  readonly to: StreamPosition
  readonly limit: number
}

const isBehind = ({ tx, ord }: StreamPosition) =>
  sql<boolean>`(events.tx, events.ord) > (${String(tx)}::xid8, ${ord}::integer)`

const between = (
  db: Kysely<TelemetryTables>,
  organizationId: string,
  filter: EventFilter,
  { from, to }: Range,
) => {
  const query = narrowed(db.selectFrom('events'), filter)
    .where('events.organization_id', '=', organizationId)
    .where(isBehind(from))
    .where(sql<boolean>`(events.tx, events.ord) <= (${String(to.tx)}::xid8, ${to.ord}::integer)`)
  const { entity } = filter
  return entity ? query.where(sql<boolean>`events.entities ->> ${entity.type}::text = ${entity.id}`) : query
}

const narrowed = <DB extends Pick<TelemetryTables, 'events'>, Row>(
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
