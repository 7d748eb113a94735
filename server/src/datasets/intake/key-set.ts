/**
 * The keys of many rows, in 16 bytes or less for each whatever its length: an open-addressing hash table of 64-bit
 * hashes. Two keys can have one hash, if hardly ever: what matters is confirmed by the keys themselves.
 */
export interface KeySet {
  /** False where the key, or another one with its hash, was added before. */
  readonly add: (key: string) => boolean
  readonly has: (key: string) => boolean
  readonly size: number
}

const firstSlots = 1_024
const maxLoad = 0.7

export const createKeySet = (): KeySet => {
  /** Two halves of a hash for each slot; the second half is zero where a slot is free. */
  let slots = new Uint32Array(firstSlots * 2)
  let size = 0

  /** Where the hash is, or the free slot where it belongs. */
  const find = (high: number, low: number): number => {
    const last = slots.length - 2
    for (let at = (low * 2) & last; ; at = (at + 2) & last)
      if ((slots[at] === high && slots[at + 1] === low) || slots[at + 1] === 0) return at
  }
  const grow = (): void => {
    const earlier = slots
    slots = new Uint32Array(earlier.length * 2)
    for (let at = 0; at < earlier.length; at += 2) {
      const high = earlier[at] ?? 0
      const low = earlier[at + 1] ?? 0
      if (low === 0) continue
      const to = find(high, low)
      slots[to] = high
      slots[to + 1] = low
    }
  }
  return {
    add: (key) => {
      const [high, low] = hashOf(key)
      const at = find(high, low)
      if (slots[at + 1] !== 0) return false
      slots[at] = high
      slots[at + 1] = low
      if (++size * 2 > slots.length * maxLoad) grow()
      return true
    },
    has: (key) => {
      const [high, low] = hashOf(key)
      return slots[find(high, low) + 1] !== 0
    },
    get size() {
      return size
    },
  }
}

/** A 64-bit hash in two halves, the second never zero: two multiplicative hashes, mixed into each other at the end. */
const hashOf = (key: string): readonly [high: number, low: number] => {
  let a = 0xdeadbeef ^ key.length
  let b = 0x41c6ce57
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at)
    a = Math.imul(a ^ code, 0x9e3779b1)
    b = Math.imul(b ^ code, 0x5f356495)
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return [a >>> 0, b >>> 0 || 1]
}

/** Which of `parts` groups a key belongs to. */
export const partOf = (key: string, parts: number): number => hashOf(key)[0] % parts
