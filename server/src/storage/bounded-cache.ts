export interface BoundedCacheOptions<Value> {
  /** The most that is kept, in the unit of `weigh`. */
  readonly most: number
  /** What a value counts for. Default: one each. */
  readonly weigh?: (value: Value) => number
}

/** Values by their keys, as many as may be kept; the ones that were longest without use go first. */
export class BoundedCache<Value> {
  readonly #kept = new Map<string, { readonly value: Value; readonly weight: number }>()
  readonly #most: number
  readonly #weigh: (value: Value) => number
  #weight = 0

  constructor({ most, weigh = () => 1 }: BoundedCacheOptions<Value>) {
    this.#most = most
    this.#weigh = weigh
  }

  get(key: string): Value | undefined {
    const there = this.#kept.get(key)
    if (!there) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, there)
    return there.value
  }

  /** A value that alone weighs too much is not kept. */
  set(key: string, value: Value): void {
    this.delete(key)
    const weight = this.#weigh(value)
    if (weight > this.#most) return
    this.#kept.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#most) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const there = this.#kept.get(key)
    if (!there) return
    this.#kept.delete(key)
    this.#weight -= there.weight
  }

  get size(): number {
    return this.#kept.size
  }
}
