import { canonicalJson, sha256 } from './canonical.ts'
import { FrozenTable, keyOf, type LazyRows } from './rows/frozen.ts'
import type { Row, TableSpec } from './table.ts'
import type { AnyTwin, Company, Seeding, Tables } from './twin.ts'

/** Which native record a blueprint key became. */
export interface SeedKey {
  readonly key: string
  readonly collection: string
  readonly id: string
}

/** A blueprint section compiled to rows: plain JSON, the same bytes for the same blueprint on any machine. */
export interface Seed {
  readonly kind: string
  readonly clock: number
  readonly tables: Readonly<Record<string, readonly Row[]>>
  readonly keys: readonly SeedKey[]
}

export interface CompiledSeed {
  readonly seed: Seed
  readonly sha256: string
  readonly entityCount: number
  readonly warnings: readonly { pointer: string; message: string }[]
}

/** The series that `sequence` and `draw` count in; every twin has it. */
export const seriesTable = '$series'
const series: TableSpec = { key: 'name', row: { parse: (value) => value as Row }, internal: true }

export const tablesOf = (twin: AnyTwin): Tables => ({ ...twin.tables, [seriesTable]: series })

/** The tables that every seed of a twin lists, also where they are empty. */
export const listedTables = (twin: AnyTwin): string[] =>
  Object.entries<TableSpec>(twin.tables).flatMap(([name, { sparse }]) => (sparse ? [] : [name]))

export const compileSeed = (twin: AnyTwin, section: unknown, company: Company): CompiledSeed => {
  const tables: Record<string, Row[]> = Object.fromEntries(listedTables(twin).map((name) => [name, []]))
  const byId = new Map<string, Row>()
  const keys: SeedKey[] = []
  const warnings: { pointer: string; message: string }[] = []
  const seeding: Seeding = {
    insert: (collection, row) => {
      const spec = twin.tables[collection] ?? twin.seedTables?.(tables)[collection]
      if (spec) tables[collection] ??= []
      const rows = tables[collection]
      if (!spec || !rows) throw new Error(`${twin.kind} has no collection ${collection}`)
      const place = `${collection} ${keyOf(spec, row)}`
      if (byId.has(place)) throw new Error(`${twin.kind} seeds ${place} twice`)
      byId.set(place, row)
      rows.push(row)
      return row
    },
    get: (collection, id) => byId.get(`${collection} ${id}`),
    key: (collection, key, id) => keys.push({ key, collection, id }),
    digest: (...parts) => sha256(JSON.stringify([twin.kind, company.organization.slug, ...parts])),
    warn: (pointer, message) => warnings.push({ pointer, message }),
  }
  twin.seed(section, company, seeding)
  // As it is read from storage again: the order of fields shows in replies, which must be the same on every node.
  const text = canonicalJson({ kind: twin.kind, clock: company.clock, tables, keys })
  const seed = JSON.parse(text) as Seed
  return { seed, sha256: sha256(text), entityCount: countEntities(twin, seed), warnings }
}

export const digestSeed = (seed: Seed): string => sha256(canonicalJson(seed))

const countEntities = (twin: AnyTwin, seed: Seed): number =>
  Object.entries(seed.tables).reduce(
    (sum, [name, rows]) => sum + (twin.tables[name]?.internal ? 0 : rows.length),
    0,
  )

/** A seed made ready to be copied: shared by all instances that start from it, and never written. */
export interface FrozenSeed {
  readonly twin: AnyTwin
  readonly seed: Seed
  readonly sha256: string
  readonly tables: Readonly<Record<string, FrozenTable>>
}

/** `later` holds the tables whose rows are not in the seed itself, and are read when they are needed. */
export const freezeSeed = (
  twin: AnyTwin,
  seed: Seed,
  digest = digestSeed(seed),
  later: ReadonlyMap<string, LazyRows> = new Map(),
): FrozenSeed => ({
  twin,
  seed,
  sha256: digest,
  tables: Object.fromEntries(
    Object.entries({ ...tablesOf(twin), ...twin.seedTables?.(seed.tables) }).map(([name, spec]) => [
      name,
      new FrozenTable(spec, later.get(name) ?? seed.tables[name] ?? []),
    ]),
  ),
})
