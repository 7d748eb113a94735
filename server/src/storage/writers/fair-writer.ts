export interface FairWriterOptions<Item> {
  /** Writes the items in order, all or none. */
  readonly flush: (items: readonly Item[]) => Promise<void>
  /** Items of one stream are written in the order in which they came, and never by two flushes at once. */
  readonly streamOf: (item: Item) => string
  /** Tenants take turns, whatever the length of their queues. */
  readonly tenantOf: (item: Item) => string
  readonly bytesOf: (item: Item) => number
  /** How many flushes may be under way at once. */
  readonly concurrency: number
  readonly maxBatchItems: number
  readonly maxBatchBytes: number
  /** How long items wait for others to share a flush with, unless a full batch is there. Default 0. */
  readonly gatherMs?: number
  /**
   * Whether a failure was the fault of some item and nothing was written (`isRowFault`). The streams of the batch are
   * then written one after the other, so that a bad item fails alone with what follows it in its stream.
   */
  readonly isItemFault?: (error: unknown) => boolean
}

interface Waiting<Item> {
  readonly item: Item
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Stream<Item> {
  readonly key: string
  readonly tenant: Tenant<Item>
  queue: Waiting<Item>[]
  /** Of the items that wait and of those that are being written. */
  bytes: number
  writing: boolean
  latest: Promise<void>
}

interface Tenant<Item> {
  readonly key: string
  bytes: number
  /** Streams with items that no flush has taken, in the order of their turns. */
  ready: Stream<Item>[]
  streams: number
}

/** What one stream may add to a batch before the next tenant has its turn. */
const quantumBytes = 16_384

/**
 * Group commit with fair scheduling: what arrives while a write is under way is written together by the next one, and a
 * batch is filled from all tenants in turn (deficit round robin by bytes). Batches are bounded in items and in bytes, so
 * that no tenant's backlog delays another tenant's item by more than the batches that are under way.
 */
export class FairWriter<Item> {
  readonly #options: Required<FairWriterOptions<Item>>
  readonly #streams = new Map<string, Stream<Item>>()
  readonly #tenants = new Map<string, Tenant<Item>>()
  /** Tenants with a ready stream, in the order of their turns. */
  #turns: Tenant<Item>[] = []
  #queuedItems = 0
  #queuedBytes = 0
  #bytes = 0
  #flushing = 0
  /** How many of the queued items must not gather any longer. */
  #urgent = 0
  #timer: NodeJS.Timeout | undefined
  #scheduled = false
  #idle: (() => void)[] = []
  #roomWaiters: (() => void)[] = []

  constructor(options: FairWriterOptions<Item>) {
    this.#options = { gatherMs: 0, isItemFault: () => false, ...options }
  }

  /** Items that no flush has taken yet. */
  get queued(): number {
    return this.#queuedItems
  }

  /** Bytes that are queued or being written: of everyone, of one tenant, and of one stream. */
  get bytes(): number {
    return this.#bytes
  }

  tenantBytes(tenant: string): number {
    return this.#tenants.get(tenant)?.bytes ?? 0
  }

  streamBytes(stream: string): number {
    return this.#streams.get(stream)?.bytes ?? 0
  }

  /** Settles with the newest item of a stream; undefined where nothing of it waits to be written. */
  newest(stream: string): Promise<void> | undefined {
    return this.#streams.get(stream)?.latest
  }

  write(item: Item): Promise<void> {
    const stream = this.#streamFor(item)
    const bytes = this.#options.bytesOf(item)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    stream.queue.push({ item, bytes, resolve, reject })
    stream.latest = promise
    stream.bytes += bytes
    stream.tenant.bytes += bytes
    this.#bytes += bytes
    this.#queuedBytes += bytes
    this.#queuedItems++
    if (stream.queue.length === 1 && !stream.writing) this.#makeReady(stream)
    this.#schedule()
    return promise
  }

  /** Resolves when what these streams (default: all) were given so far has been written or refused. */
  async flush(streams?: readonly string[]): Promise<void> {
    const waited = streams
      ? streams.flatMap((key) => this.#streams.get(key)?.latest ?? [])
      : [...this.#streams.values()].map(({ latest }) => latest)
    if (waited.length === 0) return
    this.#urgent = this.#queuedItems
    this.#schedule()
    await Promise.allSettled(waited)
  }

  /** Resolves at the next end of a flush: somebody who waits for room looks again. */
  nextFlush(): Promise<void> {
    return new Promise((resolve) => this.#roomWaiters.push(resolve))
  }

  async drain(): Promise<void> {
    while (this.#queuedItems > 0 || this.#flushing > 0) {
      this.#urgent = this.#queuedItems
      this.#schedule()
      await new Promise<void>((resolve) => this.#idle.push(resolve))
    }
  }

  #streamFor(item: Item): Stream<Item> {
    const key = this.#options.streamOf(item)
    const known = this.#streams.get(key)
    if (known) return known
    const tenantKey = this.#options.tenantOf(item)
    const tenant = this.#tenants.get(tenantKey) ?? { key: tenantKey, bytes: 0, ready: [], streams: 0 }
    this.#tenants.set(tenantKey, tenant)
    tenant.streams++
    const stream = { key, tenant, queue: [], bytes: 0, writing: false, latest: Promise.resolve() }
    this.#streams.set(key, stream)
    return stream
  }

  #makeReady(stream: Stream<Item>): void {
    if (stream.tenant.ready.length === 0) this.#turns.push(stream.tenant)
    stream.tenant.ready.push(stream)
  }

  #schedule(): void {
    if (this.#scheduled || this.#turns.length === 0 || this.#flushing >= this.#options.concurrency) return
    const { gatherMs, maxBatchItems, maxBatchBytes } = this.#options
    const isFull = this.#queuedItems >= maxBatchItems || this.#queuedBytes >= maxBatchBytes
    if (gatherMs > 0 && !isFull && this.#urgent === 0) {
      this.#timer ??= setTimeout(() => this.#begin(), gatherMs)
      return
    }
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#scheduled = true
    // After the poll phase: whatever other sockets delivered in this turn of the event loop joins the same flush.
    setImmediate(() => this.#begin())
  }

  #begin(): void {
    this.#timer = undefined
    this.#scheduled = false
    if (this.#flushing >= this.#options.concurrency) return
    const batch = this.#take()
    if (batch.size === 0) return
    this.#flushing++
    void this.#run(batch)
    this.#schedule()
  }

  /** Fills a batch from the tenants in turn. The streams in it are not ready until it has been written. */
  #take(): Map<Stream<Item>, Waiting<Item>[]> {
    const { maxBatchItems, maxBatchBytes } = this.#options
    const batch = new Map<Stream<Item>, Waiting<Item>[]>()
    let items = 0
    let bytes = 0
    while (items < maxBatchItems && bytes < maxBatchBytes) {
      const tenant = this.#turns.shift()
      const stream = tenant?.ready.shift()
      if (!tenant || !stream) break
      const taken = batch.get(stream) ?? []
      batch.set(stream, taken)
      let turn = 0
      const from = taken.length
      while (turn < quantumBytes && items < maxBatchItems && bytes < maxBatchBytes) {
        const waiting = stream.queue[taken.length]
        if (!waiting) break
        taken.push(waiting)
        items++
        bytes += waiting.bytes
        turn += waiting.bytes
      }
      if (taken.length > from && taken.length < stream.queue.length) tenant.ready.push(stream)
      if (tenant.ready.length > 0) this.#turns.push(tenant)
    }
    for (const [stream, taken] of batch) {
      stream.queue = stream.queue.slice(taken.length)
      stream.writing = true
      const { tenant } = stream
      tenant.ready = tenant.ready.filter((other) => other !== stream)
    }
    this.#turns = this.#turns.filter(({ ready }) => ready.length > 0)
    this.#queuedItems -= items
    this.#queuedBytes -= bytes
    this.#urgent = Math.max(0, this.#urgent - items)
    return batch
  }

  async #run(batch: ReadonlyMap<Stream<Item>, readonly Waiting<Item>[]>): Promise<void> {
    await this.#write([...batch.values()])
    this.#flushing--
    for (const [stream, taken] of batch) {
      const bytes = taken.reduce((sum, waiting) => sum + waiting.bytes, 0)
      stream.bytes -= bytes
      stream.tenant.bytes -= bytes
      this.#bytes -= bytes
      stream.writing = false
      if (stream.queue.length > 0) this.#makeReady(stream)
      else this.#drop(stream)
    }
    this.#schedule()
    const waiters = this.#roomWaiters
    this.#roomWaiters = []
    for (const resolve of waiters) resolve()
    if (this.#queuedItems > 0 || this.#flushing > 0) return
    const idle = this.#idle
    this.#idle = []
    for (const resolve of idle) resolve()
  }

  #drop(stream: Stream<Item>): void {
    this.#streams.delete(stream.key)
    stream.tenant.streams--
    if (stream.tenant.streams === 0) this.#tenants.delete(stream.tenant.key)
  }

  /** Never rejects: each item's own promise carries the outcome. */
  async #write(streams: readonly (readonly Waiting<Item>[])[]): Promise<void> {
    const all = streams.flat()
    try {
      await this.#options.flush(all.map(({ item }) => item))
      for (const { resolve } of all) resolve()
    } catch (error) {
      if (all.length > 1 && this.#options.isItemFault(error)) {
        for (const one of streams.length > 1 ? streams : all.map((waiting) => [waiting]))
          await this.#write([one])
      } else for (const { reject } of all) reject(error)
    }
  }
}
