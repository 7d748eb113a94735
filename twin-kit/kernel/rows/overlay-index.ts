import type { IndexSpec, Row } from '../table.ts'
import { valuesOf } from './frozen.ts'
import { SortedKeys } from './sorted.ts'

/** One index of what an overlay holds: its own rows by value, and how many rows of the base they hide under each. */
export class OverlayIndex {
  readonly #spec: IndexSpec
  readonly #buckets = new Map<string, SortedKeys>()
  readonly #masked = new Map<string, number>()

  constructor(spec: IndexSpec) {
    this.#spec = spec
  }

  bucket(value: string): SortedKeys | undefined {
    return this.#buckets.get(value)
  }

  masked(value: string): number {
    return this.#masked.get(value) ?? 0
  }

  add(key: string, row: Row): void {
    const order = this.#spec.order?.(row) ?? key
    for (const value of valuesOf(this.#spec, row)) {
      const bucket = this.#buckets.get(value)
      if (bucket) bucket.add(order, key)
      else {
        const made = new SortedKeys()
        made.add(order, key)
        this.#buckets.set(value, made)
      }
    }
  }

  remove(key: string, row: Row): void {
    const order = this.#spec.order?.(row) ?? key
    for (const value of valuesOf(this.#spec, row)) this.#buckets.get(value)?.remove(order, key)
  }

  mask(base: Row, step: 1 | -1): void {
    for (const value of valuesOf(this.#spec, base)) this.#masked.set(value, this.masked(value) + step)
  }
}
