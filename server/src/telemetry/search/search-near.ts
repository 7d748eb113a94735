import { type Kysely, sql } from 'kysely'
import type { TelemetryTables } from '../tables.ts'
import { signBits } from './embedder.ts'
import { nearIndexName } from './near-index.ts'
import { narrowed, type SearchedKind, type SearchScope } from './search-scope.ts'

export interface NearQuestion {
  readonly embedder: string
  readonly vector: Float32Array
  /** How many are wanted in the end, after they are compared by their whole vectors. */
  readonly wanted: number
}

export interface NearEntry {
  readonly event_id: string
  readonly kind: SearchedKind
  readonly vector: Buffer
}

/** Bits tell less than vectors: as many more are handed out as the wanted ones may be hidden among. */
const leastScanned = 300
/** What an index hands out is paid for one by one. */
const leastWalked = 80
/** Up to here a scan of an organization's entries costs no more than a walk through the index. */
const fewEntries = 10_000
const maxRemembered = 10_000
const lookAgainMs = 60_000
/** The index answers from as many entries as its setting keeps in view, at most this many. */
const widestView = 1_000

export interface NearParts {
  readonly db: Kysely<TelemetryTables>
  readonly now: () => number
}

export type NearSearch = (scope: SearchScope, question: NearQuestion) => Promise<NearEntry[]>

/**
 * The entries whose bits differ least from the question's, with their whole vectors. Each entry is compared inside the
 * database; where it has an index for that, large organizations are searched through the index instead.
 */
export const nearSearch = ({ db, now }: NearParts): NearSearch => {
  const large = new Set<string>()
  let known: { readonly name: string; readonly there: boolean; readonly at: number } | undefined

  const isIndexed = async (name: string): Promise<boolean> => {
    if (known?.name === name && now() - known.at < lookAgainMs) return known.there
    const { rows } = await sql<{ there: boolean }>`select to_regclass(${name}) is not null as there`.execute(
      db,
    )
    known = { name, there: rows[0]?.there === true, at: now() }
    return known.there
  }

  const isLarge = async ({ organizationId }: SearchScope, embedder: string): Promise<boolean> => {
    const name = `${organizationId} ${embedder}`
    if (large.has(name)) return true
    const { rows } = await sql<{ count: number }>`select count(*) from (
      select 1 from search_entries where organization_id = ${organizationId} and embedder = ${embedder}
      limit ${fewEntries + 1}) as entries`.execute(db)
    if ((rows[0]?.count ?? 0) <= fewEntries) return false
    if (large.size >= maxRemembered) large.clear()
    large.add(name)
    return true
  }

  const scan = async (scope: SearchScope, question: NearQuestion): Promise<NearEntry[]> => {
    const limit = Math.max(leastScanned, question.wanted * 2)
    const { rows } = await sql<NearEntry>`
      select event_id, kind, vector from search_entries
      where organization_id = ${scope.organizationId} and embedder = ${question.embedder} ${narrowed(scope)}
      order by bit_count(bits # ${signBits(question.vector)}::varbit) limit ${limit}`.execute(db)
    return rows
  }

  const walk = (scope: SearchScope, question: NearQuestion, limit: number): Promise<NearEntry[]> =>
    db.transaction().execute(async (trx) => {
      const view = Math.min(limit, widestView)
      await sql`select set_config('hnsw.ef_search', ${String(view)}, true),
        set_config('hnsw.iterative_scan', 'relaxed_order', true)`.execute(trx)
      const bits = sql.raw(`bit(${question.vector.length})`)
      const { rows } = await sql<NearEntry>`
        select event_id, kind, vector from search_entries
        where organization_id = ${scope.organizationId} and embedder = ${question.embedder} ${narrowed(scope)}
        order by (bits::${bits}) <~> ${signBits(question.vector)}::${bits} limit ${limit}`.execute(trx)
      return rows
    })

  return async (scope: SearchScope, question: NearQuestion): Promise<NearEntry[]> => {
    // An entity's entries are found by its links, and are few.
    const mayWalk =
      scope.filter.entity === undefined &&
      (await isIndexed(nearIndexName(question.embedder, question.vector.length))) &&
      (await isLarge(scope, question.embedder))
    if (mayWalk) {
      const limit = Math.max(leastWalked, question.wanted)
      const rows = await walk(scope, question, limit)
      // A walk ends after a while: what a narrow filter left of it may not be all there is.
      if (rows.length >= limit) return rows
    }
    return scan(scope, question)
  }
}
