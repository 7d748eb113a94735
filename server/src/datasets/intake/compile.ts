import { type DatasetCompany, RowFault } from '@diorama/twin-kit/datasets/dataset'
import type { SeedText } from '@diorama/twin-kit/datasets/seed-text'
import { canonicalJson } from '@diorama/twin-kit/kernel/canonical'
import { keyOf } from '@diorama/twin-kit/kernel/rows/frozen'
import { listedTables, type SeedKey, seriesTable, tablesOf } from '@diorama/twin-kit/kernel/seed'
import type { Row, TableSpec } from '@diorama/twin-kit/kernel/table'
import type { AnyTwin, Tables } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import type { Faults, Place } from '../faults.ts'
import { createGroupedRows } from './grouped-rows.ts'
import { createKeySet, type KeySet } from './key-set.ts'
import type { RawRows } from './raw-rows.ts'
import type { Spill } from './spill.ts'

/** Which records the keys of a blueprint became: exported and imported like a collection. */
export const keysCollection = '$keys'
const maxKeys = 100_000
/** Rows of the twin's own bookkeeping decide which tables there are; these are held in memory. */
const maxOwnRows = 10_000
/** As many keys are looked for again as faults are listed. */
const maxSuspects = 100

export interface CompileParts {
  readonly twin: AnyTwin
  readonly raw: RawRows
  readonly company: DatasetCompany
  readonly faults: Faults
  readonly warn: (message: string) => void
  /** Where checked rows wait, by `service/collection`. */
  readonly checked: Spill
  /** Where what is to be grouped waits. */
  readonly groups: Spill
  /** Replaces what must not be known; the row itself when left out. */
  readonly veil?: ((twin: AnyTwin, collection: string, row: Row) => Row) | undefined
}

export interface CompiledService {
  readonly text: SeedText
  readonly entityCount: number
  readonly collections: readonly { readonly name: string; readonly count: number }[]
}

/** Holds every row of a service against the twin's tables, and makes a seed of them. */
export const compileService = async (parts: CompileParts): Promise<CompiledService> => {
  const { twin, raw, company, checked, warn } = parts
  const intake = twin.dataset?.intake(company)
  const grouped = createGroupedRows(parts.groups, twin)
  const own: Record<string, Row[]> = {}
  const seen = new Map<string, KeySet>()
  let specs: Tables | undefined
  for (const collection of raw.collections(twin.kind)) {
    if (collection === keysCollection) continue
    const isOwn = collection.startsWith('$')
    if (!isOwn) specs ??= { ...tablesOf(twin), ...twin.seedTables?.(own) }
    const spec = (specs ?? tablesOf(twin))[collection]
    const keys = createKeySet()
    const again = new Set<string>()
    seen.set(collection, keys)
    for await (const { row: given, place } of raw.rows(twin.kind, collection)) {
      if (!spec) {
        parts.faults.add(place, `belongs to ${collection}, which is no collection of ${twin.kind}`)
        break
      }
      const row = parts.veil ? parts.veil(twin, collection, given) : given
      if (!checkRow({ collection, spec, row, place, faults: parts.faults })) continue
      const key = String(row[spec.key])
      if (!keys.add(key) && again.size < maxSuspects) again.add(key)
      intake?.row(collection, row, (field, message) => parts.faults.add({ ...place, field }, message))
      await grouped.note(collection, row)
      if (isOwn && keys.size <= maxOwnRows) own[collection] = [...(own[collection] ?? []), row]
      await checked.put(`${twin.kind}/${collection}`, canonicalJson(row))
    }
    if (spec && again.size > 0) await reportRepeats(parts, { collection, spec, again })
  }
  specs ??= { ...tablesOf(twin), ...twin.seedTables?.(own) }
  if (parts.faults.count === 0) {
    const derived = derivedRows({ ...parts, specs, seen })
    intake?.end({ insert: derived.insert, warn })
    for (const [collection, row] of derived.rows)
      await checked.put(`${twin.kind}/${collection}`, canonicalJson(row))
    for await (const { collection, row } of grouped.rows())
      if (!seen.get(collection)?.has(keyOf(specOf(twin, specs, collection), row)))
        await checked.put(`${twin.kind}/${collection}`, canonicalJson(row))
  }
  return compiled(parts, specs, await keysOf(parts))
}

/** A hash that came twice may be of two keys: the rows are read again, and compared by the keys themselves. */
const reportRepeats = async (
  { twin, raw, faults, veil }: CompileParts,
  { collection, spec, again }: { collection: string; spec: TableSpec; again: ReadonlySet<string> },
): Promise<void> => {
  const met = new Set<string>()
  for await (const { row: given, place } of raw.rows(twin.kind, collection)) {
    const key = String((veil ? veil(twin, collection, given) : given)[spec.key])
    if (!again.has(key)) continue
    if (met.has(key))
      faults.add(
        { ...place, field: spec.key },
        `is ${JSON.stringify(key)}, as in an earlier row of ${collection}`,
      )
    met.add(key)
  }
}

const specOf = (twin: AnyTwin, specs: Tables, collection: string): TableSpec => {
  const spec = specs[collection]
  if (!spec) throw new Error(`${twin.kind} has no collection ${collection}`)
  return spec
}

/** Rows that the twin adds on its own; one that was given stays as it was given. */
const derivedRows = ({
  twin,
  specs,
  seen,
}: CompileParts & { specs: Tables; seen: ReadonlyMap<string, KeySet> }) => {
  const rows: [string, Row][] = []
  const made = new Set<string>()
  return {
    rows,
    insert: (collection: string, row: Row) => {
      const key = keyOf(specOf(twin, specs, collection), row)
      if (seen.get(collection)?.has(key) || made.has(`${collection} ${key}`)) return
      made.add(`${collection} ${key}`)
      rows.push([collection, row])
    },
  }
}

const checkRow = ({
  collection,
  spec,
  row,
  place,
  faults,
}: {
  collection: string
  spec: TableSpec
  row: Row
  place: Place
  faults: Faults
}): boolean => {
  const key = row[spec.key]
  if (typeof key !== 'string' || key === '') {
    faults.add({ ...place, field: spec.key }, 'must be a text that names the row')
    return false
  }
  if (collection === seriesTable) {
    if (typeof row.value === 'number') return true
    faults.add({ ...place, field: 'value' }, 'must be a number')
    return false
  }
  try {
    spec.row.parse(row)
    return true
  } catch (error) {
    for (const { field, message } of rowFaults(error)) faults.add({ ...place, field }, message)
    return false
  }
}

const rowFaults = (error: unknown): readonly { field: string; message: string }[] => {
  if (error instanceof z.ZodError)
    return error.issues.slice(0, 5).map((issue) => ({
      field:
        issue.code === 'unrecognized_keys'
          ? [...issue.path, issue.keys[0] ?? ''].join('/')
          : issue.path.join('/'),
      message: issue.code === 'unrecognized_keys' ? 'is no field of this collection' : issue.message,
    }))
  if (error instanceof RowFault) return [{ field: error.field, message: error.message }]
  throw error
}

const keysOf = async ({ raw, twin, faults }: CompileParts): Promise<SeedKey[]> => {
  const keys: SeedKey[] = []
  for await (const { row, place } of raw.rows(twin.kind, keysCollection)) {
    const { key, collection, id } = row
    if (typeof key !== 'string' || typeof collection !== 'string' || typeof id !== 'string')
      faults.add(place, 'must name a key, a collection and an id')
    else if (keys.push({ key, collection, id }) > maxKeys)
      faults.add(place, `is more than the ${maxKeys} keys that a service may have`)
  }
  return keys
}

const compiled = (
  { twin, company, checked }: CompileParts,
  specs: Tables,
  keys: readonly SeedKey[],
): CompiledService => {
  const prefix = `${twin.kind}/`
  const filled = checked.keys().flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
  const names = [...new Set([...listedTables(twin), ...filled])]
  const collections = names
    .filter((name) => specs[name]?.internal !== true)
    .map((name) => ({ name, count: checked.count(prefix + name) }))
    .filter(({ count }) => count > 0)
  return {
    text: {
      kind: twin.kind,
      clock: company.clock,
      keys,
      tables: names.map((name) => ({ name, rows: () => checked.lines(prefix + name) })),
    },
    entityCount: collections.reduce((sum, { count }) => sum + count, 0),
    collections,
  }
}
