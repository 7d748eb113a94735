import type { Range, Row, TableSpec, WritableTable } from '../table.ts'
import type { FrozenTable } from './frozen.ts'
import { indexSpec, keyOf } from './frozen.ts'
import { OverlayIndex } from './overlay-index.ts'
import { comparePlaces, type SortedKeys } from './sorted.ts'

/** Called with every change before it is visible, so that a call can be taken back and a step can be recorded. */
export type ChangeObserver = (table: OverlayTable, key: string, before: Row | null, after: Row | null) => void

/**
 * A copy of a frozen table that holds only what differs from it. A row set to null is deleted. Buckets of the base are
 * read through a mask: rows that the overlay holds are skipped there and come from the overlay's own buckets. Like
 * those of the base, an index of the overlay is built when it is first asked for and kept up from then on: most never
 * are, and a write should not pay for them.
 */
export class OverlayTable implements WritableTable {
  readonly collection: string
  readonly spec: TableSpec
  readonly base: FrozenTable
  readonly #onChange: ChangeObserver
  #rows: Map<string, Row | null> | undefined
  #indexes: Map<string, OverlayIndex> | undefined
  #size: number
  #version = 0

  constructor(collection: string, base: FrozenTable, onChange: ChangeObserver) {
    this.collection = collection
    this.spec = base.spec
    this.base = base
    this.#onChange = onChange
    this.#size = base.size
  }

  get(key: string): Row | undefined {
    const own = this.#rows?.get(key)
    if (own !== undefined) return own ?? undefined
    return this.base.rows.get(key)
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  size(): number {
    return this.#size
  }

  *all(): Generator<Row> {
    const version = this.#version
    for (const [key, row] of this.base.rows) {
      const own = this.#rows?.get(key)
      if (own !== null) yield own ?? row
      this.#unchanged(version)
    }
    if (!this.#rows) return
    for (const [key, row] of this.#rows) {
      if (row !== null && !this.base.rows.has(key)) yield row
      this.#unchanged(version)
    }
  }

  count(index: string, value: string): number {
    const base = this.base.bucket(index, value)?.keys.length ?? 0
    const own = this.#indexed(index)
    return own ? base - own.masked(value) + (own.bucket(value)?.keys.length ?? 0) : base
  }

  first(index: string, value: string, range: Range = {}): Row | undefined {
    for (const row of this.find(index, value, range)) return row
    return undefined
  }

  find(index: string, value: string, range: Range = {}): Generator<Row> {
    const bucket = this.#indexed(index)?.bucket(value)
    return bucket && bucket.keys.length > 0
      ? this.#findMerged(index, value, range, bucket)
      : this.#findInBase(index, value, range, this.#version)
  }

  *#findMerged(index: string, value: string, range: Range, bucket: SortedKeys): Generator<Row> {
    const version = this.#version
    const base = walk(this.base.bucket(index, value), range, (key) => this.#rows?.has(key) ?? false)
    const own = walk(bucket, range)
    for (const key of merge(base, own, range.reverse === true)) {
      const row = this.get(key)
      if (row) yield row
      this.#unchanged(version)
    }
  }

  /** Most buckets hold nothing of the overlay's own; then there is nothing to merge, and a long walk costs a fifth. */
  *#findInBase(index: string, value: string, range: Range, version: number): Generator<Row> {
    const bucket = this.base.bucket(index, value)
    if (!bucket) return
    const { from, to } = bounds(bucket, range)
    const { keys } = bucket
    for (let n = 0; n < to - from; n++) {
      const key = keys[range.reverse ? to - 1 - n : from + n]
      const row = key === undefined || this.#rows?.has(key) ? undefined : this.base.rows.get(key)
      if (row) yield row
      this.#unchanged(version)
    }
  }

  insert(row: Row): Row {
    const key = keyOf(this.spec, row)
    if (this.has(key)) throw new Error(`${this.collection} ${key} is there already`)
    this.#write(key, null, row)
    return row
  }

  update(key: string, fields: Row): Row {
    const before = this.get(key)
    if (!before) throw new Error(`${this.collection} ${key} is not there`)
    const laid = { ...before, ...fields }
    const after = Object.values(fields).includes(undefined)
      ? Object.fromEntries(Object.entries(laid).filter(([, value]) => value !== undefined))
      : laid
    if (keyOf(this.spec, after) !== key) throw new Error(`the key of ${this.collection} ${key} cannot change`)
    this.#write(key, before, after)
    return after
  }

  delete(key: string): void {
    const before = this.get(key)
    if (!before) throw new Error(`${this.collection} ${key} is not there`)
    this.#write(key, before, null)
  }

  /** Sets a row without calling the observer: for taking back a call and for restoring. */
  put(key: string, after: Row | null): void {
    this.#version++
    this.#rows ??= new Map()
    const base = this.base.rows.get(key)
    const own = this.#rows.get(key)
    const before = own === undefined ? (base ?? null) : own
    this.#size += (after === null ? 0 : 1) - (before === null ? 0 : 1)
    const isBase = after === (base ?? null)
    if (this.#indexes)
      for (const index of this.#indexes.values()) {
        if (own) index.remove(key, own)
        if (base && own === undefined && !isBase) index.mask(base, 1)
        if (base && own !== undefined && isBase) index.mask(base, -1)
        if (after && !isBase) index.add(key, after)
      }
    if (isBase) this.#rows.delete(key)
    else this.#rows.set(key, after)
  }

  /** What differs from the base: `[key, row or null]`. */
  entries(): Iterable<readonly [string, Row | null]> {
    return this.#rows ?? []
  }

  isUntouched(): boolean {
    return (this.#rows?.size ?? 0) === 0
  }

  #write(key: string, before: Row | null, after: Row | null): void {
    this.#onChange(this, key, before, after)
    this.put(key, after)
  }

  #unchanged(version: number): void {
    if (version !== this.#version)
      throw new Error(`collect the rows of ${this.collection} before changing them`)
  }

  /** The overlay's own index of this name; none while there is nothing that it could hold. */
  #indexed(name: string): OverlayIndex | undefined {
    const there = this.#indexes?.get(name)
    if (there) return there
    const spec = indexSpec(this.spec, name)
    if (!this.#rows || this.#rows.size === 0) return undefined
    const made = new OverlayIndex(spec)
    for (const [key, row] of this.#rows) {
      const base = this.base.rows.get(key)
      if (base) made.mask(base, 1)
      if (row) made.add(key, row)
    }
    this.#indexes ??= new Map()
    this.#indexes.set(name, made)
    return made
  }
}

type Place = { order: string | number; key: string }

const bounds = (bucket: SortedKeys, range: Range): { from: number; to: number } => ({
  from: range.after === undefined ? 0 : bucket.bound(range.after, true),
  to: range.before === undefined ? bucket.keys.length : bucket.bound(range.before, false),
})

function* walk(
  bucket: SortedKeys | undefined,
  range: Range,
  skip?: (key: string) => boolean,
): Generator<Place> {
  if (!bucket) return
  const { from, to } = bounds(bucket, range)
  const length = Math.max(0, to - from)
  for (let n = 0; n < length; n++) {
    const at = range.reverse ? to - 1 - n : from + n
    const key = bucket.keys[at]
    const order = bucket.orders[at]
    if (key !== undefined && order !== undefined && !skip?.(key)) yield { order, key }
  }
}

function* merge(left: Generator<Place>, right: Generator<Place>, reverse: boolean): Generator<string> {
  let a = left.next()
  let b = right.next()
  while (!a.done || !b.done) {
    if (b.done || (!a.done && before(a.value, b.value, reverse))) {
      if (!a.done) yield a.value.key
      a = left.next()
    } else {
      yield b.value.key
      b = right.next()
    }
  }
}

const before = (a: Place, b: Place, reverse: boolean): boolean => {
  const compared = comparePlaces(a.order, a.key, b.order, b.key)
  return reverse ? compared > 0 : compared < 0
}
