/** Randomness that can be repeated: the same seed gives the same choices. */
export interface Random {
  /** At least `from`, less than `to`. */
  readonly between: (from: number, to: number) => number
  readonly pick: <Item>(items: readonly Item[]) => Item
  readonly shuffle: <Item>(items: readonly Item[]) => Item[]
  /** An independent sequence, so that one part's choices do not depend on how often another chose. */
  readonly split: () => Random
}

export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0
  // The generator mulberry32: 32 bits of state, enough for a schedule of faults.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from))
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[between(0, items.length)]
    if (item === undefined) throw new Error('there is nothing to pick from')
    return item
  }
  const shuffle = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  return { between, pick, shuffle, split: () => seededRandom(between(1, 4_294_967_295)) }
}
