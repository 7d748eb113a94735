import type { IndexSpec, Row, TableSpec } from '../table.ts'
import { SortedKeys } from './sorted.ts'

export const valuesOf = (index: IndexSpec, row: Row): readonly string[] => {
  const by = index.by(row)
  return by === undefined ? [] : typeof by === 'string' ? [by] : by
}

export const keyOf = (spec: TableSpec, row: Row): string => {
  const key = row[spec.key]
  if (typeof key !== 'string' || key === '') throw new Error(`a row needs a string under ${spec.key}`)
  return key
}

/** Rows that are read when they are first asked for: a large world starts before all of it is in memory. */
export interface LazyRows {
  readonly count: number
  readonly read: () => readonly Row[]
}

/** A seed's rows of one collection, shared by every copy of the world; its indexes are built when first asked for. */
export class FrozenTable {
  readonly spec: TableSpec
  /** How many rows there are; known before they are read. */
  readonly size: number
  readonly #indexes = new Map<string, Map<string, SortedKeys>>()
  #given: (() => readonly Row[]) | undefined
  #rows: ReadonlyMap<string, Row> | undefined

  constructor(spec: TableSpec, rows: readonly Row[] | LazyRows) {
    this.spec = spec
    const lazy = 'read' in rows ? rows : undefined
    this.#given = lazy ? lazy.read : () => rows as readonly Row[]
    this.size = lazy ? lazy.count : (rows as readonly Row[]).length
    if (!lazy) void this.rows
  }

  get rows(): ReadonlyMap<string, Row> {
    if (this.#rows) return this.#rows
    this.#rows = new Map((this.#given?.() ?? []).map((row) => [keyOf(this.spec, row), row]))
    this.#given = undefined
    return this.#rows
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
