import { type RawBuilder, sql } from 'kysely'
import type { Storage } from '../storage/storage.ts'
import { signBits, toBytes } from './embedder.ts'
import type { EventFilter } from './filters.ts'
import type { StreamPosition } from './position.ts'

export type SearchedKind = 'event' | 'span'

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

interface Scope {
  readonly organizationId: string
  readonly filter: EventFilter
}

const mostTextMatches = 2_000

/** The SQL of the search: what has been read into it, and how it is asked. */
export const searchStore = ({ db }: Pick<Storage, 'db'>) => ({
  /** The organizations that have something the search has not read, and where to go on. */
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

  /** How long the oldest of what waits has waited. */
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

  /** The entries and how far they reach, together. */
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
          bits::varbit, decode(vector, 'hex'), to_tsvector('simple', words)
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

  /** The entries whose bits differ least from the question's, with their whole vectors. */
  nearest: async (
    scope: Scope,
    question: { embedder: string; vector: Float32Array; limit: number },
  ): Promise<{ event_id: string; kind: SearchedKind; vector: Buffer }[]> => {
    const { rows } = await sql<{ event_id: string; kind: SearchedKind; vector: Buffer }>`
      select event_id, kind, vector from search_entries
      where organization_id = ${scope.organizationId} and embedder = ${question.embedder} ${narrowed(scope)}
      order by bit_count(bits # ${signBits(question.vector)}::varbit) limit ${question.limit}`.execute(db)
    return rows
  },

  /** The entries that hold the question's words: those with all of them first. */
  holding: async (
    scope: Scope,
    question: { words: string; limit: number },
  ): Promise<{ event_id: string; kind: SearchedKind }[]> => {
    const { rows } = await sql<{ event_id: string; kind: SearchedKind }>`
      with asked as (
        select plainto_tsquery('simple', ${question.words}) as all_words,
          regexp_replace(plainto_tsquery('simple', ${question.words})::text, ' (&|<->) ', ' | ', 'g')::tsquery as any_word
      ), found as (
        select event_id, kind, words, event_time, asked.* from search_entries, asked
        where words @@ asked.any_word and organization_id = ${scope.organizationId} ${narrowed(scope)}
        limit ${mostTextMatches})
      select event_id, kind from found
      order by words @@ all_words desc, ts_rank(words, any_word) desc, event_time desc limit ${question.limit}`.execute(
      db,
    )
    return rows
  },
})
export type SearchStore = ReturnType<typeof searchStore>

const narrowed = ({ organizationId, filter }: Scope): RawBuilder<unknown> => {
  const { source, topic, eventType, entity, since } = filter
  const parts: RawBuilder<unknown>[] = []
  if (source !== undefined) parts.push(sql`and source = ${source}`)
  if (topic !== undefined) parts.push(sql`and topic = ${topic}`)
  if (eventType !== undefined) parts.push(sql`and event_type = ${eventType}`)
  if (since !== undefined) parts.push(sql`and event_time >= ${since}`)
  if (entity)
    parts.push(sql`and event_id in (select event_id from event_entities
      where organization_id = ${organizationId} and entity_type = ${entity.type} and entity_id = ${entity.id})`)
  return parts.length === 0 ? sql`` : sql.join(parts, sql` `)
}
