/** Something that is to happen at a time. */
export interface Due {
  readonly at: number
  /** Of what happens at the same time, the lower key comes first. */
  readonly key: string
}

/** What is to happen, in the order (time, key): a binary heap. */
export interface Agenda<Item extends Due> {
  readonly add: (item: Item) => void
  readonly first: () => Item | undefined
  readonly takeFirst: () => Item | undefined
  /** Takes out every item that fits. */
  readonly remove: (fits: (item: Item) => boolean) => void
  readonly all: () => readonly Item[]
  readonly size: number
}

export const comesBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.key < b.key)

export const createAgenda = <Item extends Due>(): Agenda<Item> => {
  let heap: Item[] = []
  const swap = (a: number, b: number): void => {
    const held = heap[a] as Item
    heap[a] = heap[b] as Item
    heap[b] = held
  }
  const isBefore = (a: number, b: number): boolean => comesBefore(heap[a] as Item, heap[b] as Item)
  const add = (item: Item): void => {
    heap.push(item)
    for (let n = heap.length - 1; n > 0; ) {
      const parent = (n - 1) >> 1
      if (!isBefore(n, parent)) return
      swap(n, parent)
      n = parent
    }
  }
  const sink = (): void => {
    for (let n = 0; ; ) {
      const [left, right] = [2 * n + 1, 2 * n + 2]
      let least = n
      if (left < heap.length && isBefore(left, least)) least = left
      if (right < heap.length && isBefore(right, least)) least = right
      if (least === n) return
      swap(n, least)
      n = least
    }
  }
  return {
    add,
    first: () => heap[0],
    takeFirst: () => {
      const [first] = heap
      const last = heap.pop()
      if (heap.length > 0 && last) {
        heap[0] = last
        sink()
      }
      return first
    },
    remove: (fits) => {
      const kept = heap.filter((item) => !fits(item))
      if (kept.length === heap.length) return
      heap = []
      for (const item of kept) add(item)
    },
    all: () => heap,
    get size() {
      return heap.length
    },
  }
}
