import { type Kysely, sql } from 'kysely'
import type { StreamPosition } from '../events/position.ts'
import type { TelemetryTables } from '../tables.ts'
import { signBits, toBytes } from './embedder.ts'
import type { SearchedKind } from './search-scope.ts'

export interface SearchEntry {
  readonly eventId: string
  readonly kind: SearchedKind
  readonly eventTime: string
  readonly source: string
  readonly topic: string
  readonly eventType: string
  readonly vector: Float32Array
  readonly words: string
}

export interface Waiting {
  readonly organizationId: string
  readonly kind: SearchedKind
  readonly from: StreamPosition
}

/** What waits is counted up to this, so that a count costs little however long the queue is. */
const maxCounted = 10_000

export interface SearchStore {
  /** The organizations that have something the search has not read, and where to go on. */
  readonly waiting: (embedder: string) => Promise<Waiting[]>
  /** How long the oldest of what waits has waited. */
  readonly lagSeconds: (embedder: string) => Promise<number>
  /** How many events and spans of an organization the search has not read, counted up to a bound. */
  readonly behind: (organizationId: string, embedder: string) => Promise<number>
  /** The entries and how far they reach, together. */
  readonly put: (
    pick: Pick<Waiting, 'organizationId' | 'kind'>,
    embedder: string,
    entries: readonly SearchEntry[],
    upTo: StreamPosition,
  ) => Promise<void>
}

/** The SQL of what has been read into the search, and how far. */
export const searchStore = ({ db }: { readonly db: Kysely<TelemetryTables> }): SearchStore => ({
  waiting: async (embedder: string): Promise<Waiting[]> => {
    const { rows } = await sql<{ id: string; kind: SearchedKind; tx: string; ord: number }>`
      select organizations.id, kinds.kind, coalesce(done.tx, '0'::xid8)::text as tx, coalesce(done.ord, -1) as ord
      from organizations cross join (values ('event'), ('span')) as kinds (kind)
      left join search_positions as done
        on done.organization_id = organizations.id and done.kind = kinds.kind and done.embedder = ${embedder}
      where case kinds.kind when 'event' then exists (
        select 1 from events where organization_id = organizations.id
          and (tx, ord) > (coalesce(done.tx, '0'::xid8), coalesce(done.ord, -1)))
      else exists (
        select 1 from spans where organization_id = organizations.id
          and (tx, ord) > (coalesce(done.tx, '0'::xid8), coalesce(done.ord, -1))) end`.execute(db)
    return rows.map(({ id, kind, tx, ord }) => ({ organizationId: id, kind, from: { tx: BigInt(tx), ord } }))
  },

  lagSeconds: async (embedder: string): Promise<number> => {
    const { rows } = await sql<{ lag: number | null }>`
      select extract(epoch from clock_timestamp() - min(least(event.recorded_at, span.recorded_at)))::float8 as lag
      from organizations
      left join search_positions as e on e.organization_id = organizations.id and e.kind = 'event'
        and e.embedder = ${embedder}
      left join search_positions as s on s.organization_id = organizations.id and s.kind = 'span'
        and s.embedder = ${embedder}
      left join lateral (select recorded_at from events where organization_id = organizations.id
        and (tx, ord) > (coalesce(e.tx, '0'::xid8), coalesce(e.ord, -1)) order by tx, ord limit 1) as event on true
      left join lateral (select recorded_at from spans where organization_id = organizations.id
        and (tx, ord) > (coalesce(s.tx, '0'::xid8), coalesce(s.ord, -1)) order by tx, ord limit 1) as span on true`.execute(
      db,
    )
    return Math.max(rows[0]?.lag ?? 0, 0)
  },

  behind: async (organizationId: string, embedder: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      with done as (
        select kind, tx, ord from search_positions
        where organization_id = ${organizationId} and embedder = ${embedder})
      select ((select count(*) from (select 1 from events where organization_id = ${organizationId}
          and (tx, ord) > (coalesce((select tx from done where kind = 'event'), '0'::xid8),
            coalesce((select ord from done where kind = 'event'), -1)) limit ${maxCounted}) as unread)
        + (select count(*) from (select 1 from spans where organization_id = ${organizationId}
          and (tx, ord) > (coalesce((select tx from done where kind = 'span'), '0'::xid8),
            coalesce((select ord from done where kind = 'span'), -1)) limit ${maxCounted}) as unread))::integer as count`.execute(
      db,
    )
    return rows[0]?.count ?? 0
  },

  put: (
    { organizationId, kind }: Pick<Waiting, 'organizationId' | 'kind'>,
    embedder: string,
    entries: readonly SearchEntry[],
    upTo: StreamPosition,
  ): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const sent = entries.map((entry) => ({
        event_id: entry.eventId,
        event_time: entry.eventTime,
        source: entry.source,
        topic: entry.topic,
        event_type: entry.eventType,
        bits: signBits(entry.vector),
        vector: toBytes(entry.vector).toString('hex'),
        words: entry.words,
      }))
      await sql`
        insert into search_entries (event_id, organization_id, kind, event_time, source, topic, event_type,
          embedder, bits, vector, words)
        select event_id, ${organizationId}, ${kind}, event_time, source, topic, event_type, ${embedder},
          bits::varbit, decode(vector, 'hex'),
          to_tsvector('simple', words) || array_to_tsvector(array[${organizationId}])
        from json_to_recordset(${JSON.stringify(sent)}::json) as sent (event_id text, event_time timestamptz,
          source text, topic text, event_type text, bits text, vector text, words text)
        on conflict (event_id) do update set event_time = excluded.event_time, source = excluded.source,
          topic = excluded.topic, event_type = excluded.event_type, embedder = excluded.embedder,
          bits = excluded.bits, vector = excluded.vector, words = excluded.words`.execute(trx)
      await sql`
        insert into search_positions (organization_id, kind, embedder, tx, ord)
        values (${organizationId}, ${kind}, ${embedder}, ${String(upTo.tx)}::xid8, ${upTo.ord})
        on conflict (organization_id, kind, embedder) do update set tx = excluded.tx, ord = excluded.ord`.execute(
        trx,
      )
    }),
})
