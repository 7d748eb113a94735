import { SortedKeys } from './sorted.ts'
import type { IndexSpec, Row, TableSpec } from './table.ts'

export const valuesOf = (index: IndexSpec, row: Row): readonly string[] => {
  const by = index.by(row)
  return by === undefined ? [] : typeof by === 'string' ? [by] : by
}

export const keyOf = (spec: TableSpec, row: Row): string => {
  const key = row[spec.key]
  if (typeof key !== 'string' || key === '') throw new Error(`a row needs a string under ${spec.key}`)
  return key
}

/** A seed's rows of one collection, shared by every copy of the world; its indexes are built when first asked for. */
export class FrozenTable {
  readonly spec: TableSpec
  readonly rows: ReadonlyMap<string, Row>
  readonly #indexes = new Map<string, Map<string, SortedKeys>>()

  constructor(spec: TableSpec, rows: readonly Row[]) {
    this.spec = spec
    this.rows = new Map(rows.map((row) => [keyOf(spec, row), row]))
  }

  bucket(name: string, value: string): SortedKeys | undefined {
    return this.#index(name).get(value)
  }

  #index(name: string): Map<string, SortedKeys> {
    const built = this.#indexes.get(name)
    if (built) return built
    const index = indexSpec(this.spec, name)
    const buckets = new Map<string, SortedKeys>()
    const places = [...this.rows].map(([key, row]) => ({ key, row, order: index.order?.(row) ?? key }))
    for (const { key, row, order } of places)
      for (const value of valuesOf(index, row)) {
        const bucket = buckets.get(value) ?? new SortedKeys()
        bucket.add(order, key)
        buckets.set(value, bucket)
      }
    this.#indexes.set(name, buckets)
    return buckets
  }
}

export const indexSpec = (spec: TableSpec, name: string): IndexSpec => {
  const index = spec.indexes?.[name]
  if (!index) throw new Error(`no index called ${name}`)
  return index
}
