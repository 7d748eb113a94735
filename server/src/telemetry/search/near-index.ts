import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Log } from '../../storage/log.ts'
import type { TelemetryTables } from '../tables.ts'

const prefix = 'search_near_'

export const nearIndexName = (embedder: string, dimensions: number): string =>
  `${prefix}${createHash('sha256').update(embedder).digest('hex').slice(0, 12)}_${dimensions}`

/** Whether large organizations are searched through an index; otherwise every search scans. */
export const hasNearIndex = async ({ db }: { readonly db: Kysely<TelemetryTables> }): Promise<boolean> =>
  (await indexesIn(db)).length > 0

const indexesIn = async (db: Kysely<TelemetryTables>): Promise<readonly string[]> => {
  const { rows } = await sql<{ indexname: string }>`
    select indexname from pg_indexes where tablename = 'search_entries' and schemaname = current_schema()
      and starts_with(indexname, ${prefix})`.execute(db)
  return rows.map(({ indexname }) => indexname)
}

/**
 * Makes the index of nearness where the database has pgvector: over the same bits that a scan compares, for one
 * embedder. Where it has not, or where we may not use it, nothing happens, and searches scan.
 */
export const makeNearIndex = async (
  { db, log }: { readonly db: Kysely<TelemetryTables> } & { readonly log: Log },
  embedder: string,
  dimensions: number,
): Promise<boolean> => {
  const name = nearIndexName(embedder, dimensions)
  try {
    const available = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(db)
    if (available.rows.length === 0) return false
    const there = await sql<{ there: boolean }>`select to_regclass(${name}) is not null as there`.execute(db)
    if (there.rows[0]?.there === true) return true
    await db.transaction().execute(async (trx) => {
      // Building it over many entries takes longer than any statement of a request may.
      await sql`set local statement_timeout = 0`.execute(trx)
      await sql`create extension if not exists vector`.execute(trx)
      for (const old of await indexesIn(trx)) await sql`drop index ${sql.id(old)}`.execute(trx)
      await sql`create index ${sql.id(name)} on search_entries
        using hnsw ((bits::${sql.raw(`bit(${dimensions})`)}) bit_hamming_ops)
        where embedder = ${sql.lit(embedder)}`.execute(trx)
    })
    return true
  } catch (error) {
    log.info(
      { event: 'search.no_vector_index', error },
      'The database has pgvector, but no index could be made; searches scan.',
    )
    return false
  }
}
