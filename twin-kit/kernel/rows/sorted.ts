/** Keys in the order of their values (then of themselves): an index's bucket. */
export class SortedKeys {
  readonly orders: (string | number)[] = []
  readonly keys: string[] = []

  add(order: string | number, key: string): void {
    const at = this.#position(order, key)
    if (at === this.keys.length) {
      this.orders.push(order)
      this.keys.push(key)
    } else {
      this.orders.splice(at, 0, order)
      this.keys.splice(at, 0, key)
    }
  }

  remove(order: string | number, key: string): void {
    const at = this.#position(order, key)
    if (this.keys[at] !== key) return
    this.orders.splice(at, 1)
    this.keys.splice(at, 1)
  }

  /** The first position whose order is not below, or, with `past`, is above the given one. */
  bound(order: string | number, past: boolean): number {
    let low = 0
    let high = this.orders.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const compared = compareOrders(this.orders[middle] ?? '', order)
      if (compared < 0 || (past && compared === 0)) low = middle + 1
      else high = middle
    }
    return low
  }

  #position(order: string | number, key: string): number {
    const last = this.keys.length - 1
    if (last < 0 || comparePlaces(this.orders[last] ?? '', this.keys[last] ?? '', order, key) < 0)
      return last + 1
    let low = 0
    let high = this.keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (comparePlaces(this.orders[middle] ?? '', this.keys[middle] ?? '', order, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Numbers stand before strings; strings compare by code unit, so that the order is the same on every machine. */
export const compareOrders = (a: string | number, b: string | number): number => {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0
  return typeof a === 'number' ? -1 : 1
}

export const comparePlaces = (
  aOrder: string | number,
  aKey: string,
  bOrder: string | number,
  bKey: string,
): number => compareOrders(aOrder, bOrder) || (aKey < bKey ? -1 : aKey > bKey ? 1 : 0)
