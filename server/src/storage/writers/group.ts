export interface GroupWriterOptions<Item, Result> {
  /** Writes the items in order, all or none, and returns one result for each, in the same order. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>
  /** How many flushes may be under way at once. Order is kept within a lane. Default 1. */
  readonly lanes?: number
  /** Which lane an item belongs to (taken modulo the lanes). Default: the one with the shortest queue. */
  readonly laneOf?: (item: Item) => number
  /** The most items one flush gets. Default 1,000. */
  readonly maxBatch?: number
  /** The most items that wait in all lanes together. Default 50,000. */
  readonly maxQueue?: number
  /**
   * Says of a failure that it was the fault of some item and that nothing was written (`isRowFault` does).
   * The items are then written one by one, so that the bad one fails alone. Default: never, all fail.
   */
  readonly retrySingly?: (error: unknown) => boolean
  /** Whether an item has no waiter. Default: never. */
  readonly isPatient?: (item: Item) => boolean
  /** How long patient items gather, unless one that is not comes, or a full batch is there. Default 0. */
  readonly gatherMs?: number
}

/** More was waiting to be written than the writer may hold. Nothing of this item was written. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
  readonly code = 'queue_full'
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Lane<Item, Result> {
  queue: Waiting<Item, Result>[]
  /** A flush is under way or about to begin. */
  busy: boolean
  /** How many items at the queue's head must not gather: somebody waits for the last of them. */
  pressing: number
  /** Set while patient items gather. */
  gathering: NodeJS.Timeout | undefined
  /** Of the item that came last. */
  latest: Promise<unknown>
}

/**
 * Group commit: what arrives while a write is under way is written together by the next one. A lone writer
 * waits for nothing but the current turn of the event loop; concurrent callers share the cost of each commit. Items that nobody
 * waits for may gather for a while first.
 */
export class GroupWriter<Item, Result> {
  readonly #flush: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #laneOf: ((item: Item) => number) | undefined
  readonly #lanes: readonly Lane<Item, Result>[]
  readonly #maxBatch: number
  readonly #maxQueue: number
  readonly #retrySingly: (error: unknown) => boolean
  readonly #isPatient: (item: Item) => boolean
  readonly #gatherMs: number
  #queued = 0
  #drained: (() => void)[] = []

  constructor(options: GroupWriterOptions<Item, Result>) {
    this.#flush = options.flush
    this.#laneOf = options.laneOf
    this.#lanes = Array.from({ length: options.lanes ?? 1 }, () => ({
      queue: [],
      busy: false,
      pressing: 0,
      gathering: undefined,
      latest: Promise.resolve(),
    }))
    this.#maxBatch = options.maxBatch ?? 1_000
    this.#maxQueue = options.maxQueue ?? 50_000
    this.#retrySingly = options.retrySingly ?? (() => false)
    this.#isPatient = options.isPatient ?? (() => false)
    this.#gatherMs = options.gatherMs ?? 0
  }

  /** How many items wait for a flush to take them. */
  get queued(): number {
    return this.#queued
  }

  write(item: Item): Promise<Result> {
    if (this.#queued >= this.#maxQueue) {
      return Promise.reject(
        new QueueFull(`${this.#maxQueue} items already wait to be written; try again later.`),
      )
    }
    const lane = this.#laneFor(item)
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    lane.queue.push({ item, resolve, reject })
    lane.latest = promise
    this.#queued++
    if (!this.#isPatient(item)) lane.pressing = lane.queue.length
    if (lane.busy) return promise
    if (lane.pressing > 0 || lane.queue.length >= this.#maxBatch) this.#start(lane)
    else lane.gathering ??= setTimeout(() => this.#start(lane), this.#gatherMs)
    return promise
  }

  /** Resolves when what the writer was given so far has been written or refused; nothing gathers any longer. */
  async flush(): Promise<void> {
    for (const lane of this.#lanes) {
      lane.pressing = lane.queue.length
      if (lane.gathering) this.#start(lane)
    }
    await Promise.allSettled(this.#lanes.map(({ latest }) => latest))
  }

  /** Resolves when everything that was given to the writer has been written or refused. */
  drain(): Promise<void> {
    void this.flush()
    if (!this.#lanes.some((lane) => lane.busy)) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  #start(lane: Lane<Item, Result>): void {
    clearTimeout(lane.gathering)
    lane.gathering = undefined
    lane.busy = true
    // After the poll phase: whatever other sockets delivered in this turn joins the same flush.
    setImmediate(() => this.#run(lane))
  }

  #laneFor(item: Item): Lane<Item, Result> {
    const [first, ...others] = this.#lanes
    if (first === undefined) throw new RangeError('A group writer needs at least one lane.')
    if (this.#laneOf !== undefined) {
      return this.#lanes[Math.abs(this.#laneOf(item)) % this.#lanes.length] ?? first
    }
    let best = first
    for (const lane of others) {
      if (load(lane) < load(best)) best = lane
    }
    return best
  }

  async #run(lane: Lane<Item, Result>): Promise<void> {
    do {
      const batch = lane.queue.length <= this.#maxBatch ? lane.queue : lane.queue.slice(0, this.#maxBatch)
      lane.queue = batch === lane.queue ? [] : lane.queue.slice(batch.length)
      lane.pressing = Math.max(0, lane.pressing - batch.length)
      this.#queued -= batch.length
      await this.#write(batch)
    } while (lane.pressing > 0 || lane.queue.length >= this.#maxBatch)
    lane.busy = false
    if (lane.queue.length > 0) lane.gathering = setTimeout(() => this.#start(lane), this.#gatherMs)
    if (this.#lanes.some((other) => other.busy)) return
    const drained = this.#drained
    this.#drained = []
    for (const resolve of drained) resolve()
  }

  /** Never rejects: each item's own promise carries the outcome. */
  async #write(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#flush(batch.map((waiting) => waiting.item))
      if (results.length !== batch.length) {
        throw new RangeError(`A flush of ${batch.length} items returned ${results.length} results.`)
      }
      results.forEach((result, index) => {
        batch[index]?.resolve(result)
      })
    } catch (error) {
      if (batch.length > 1 && this.#retrySingly(error)) {
        for (const waiting of batch) await this.#write([waiting])
      } else {
        for (const waiting of batch) waiting.reject(error)
      }
    }
  }
}

const load = <Item, Result>(lane: Lane<Item, Result>): number => lane.queue.length + (lane.busy ? 1 : 0)
