import type { Log } from '../storage/log.ts'
import type { Wake } from '../storage/wake.ts'
import { ApiError } from './api-error.ts'
import { type Entry, type FeedSource, messagesOf } from './feed-source.ts'
import { type Framed, framed, type Live, type Sink } from './handler.ts'

export interface FeedParts<Row, Filter, Position> {
  /** The wake-ups for new rows; the payload is the key of the feed. */
  readonly topic: string
  readonly sourceOf: (key: string) => Promise<FeedSource<Row, Filter, Position>>
  /** Called before the first reader of a key in this process, and every few seconds while there are readers. */
  readonly watch?: (key: string) => Promise<void>
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
}

/**
 * Readings are kept this far apart, so that a busy moment reaches a thousand readers as few writes; and as far as the
 * last one took to write out, so that the rest of the service has half of the time.
 */
const pauseMs = 20
const maxPauseMs = 100
/** A wake-up can be lost with the process that owed it; looking anyway bounds what that costs. */
const lookAnywayMs = 1_000
const watchEveryMs = 5_000
/** What waits for a reader that is still being shown what it missed. */
const maxQueuedBytes = 4 * 1_048_576

/** One reader's share of a feed. It ends when it is left, or when it falls too far behind. */
export class FeedReader<Filter, Position> implements Live {
  readonly filter: Filter
  /** The feed's position when the reader joined: what comes after it is delivered. */
  readonly joinedAt: Position
  /** Nothing up to here is delivered; a resuming reader may be ahead of this process. */
  skipTo: Position
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  #ended = false
  #sink: Sink | undefined
  readonly #leave: (reader: FeedReader<Filter, Position>) => void

  constructor(filter: Filter, joinedAt: Position, leave: (reader: FeedReader<Filter, Position>) => void) {
    this.filter = filter
    this.joinedAt = joinedAt
    this.skipTo = joinedAt
    this.#leave = leave
  }

  push({ bytes }: Framed): void {
    if (this.#ended) return
    if (this.#sink) {
      this.#sink.send(bytes)
      return
    }
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    if (this.#queuedBytes > maxQueuedBytes && this.#queue.length > 1) this.leave()
  }

  attach(sink: Sink): void {
    if (this.#ended) {
      sink.end()
      return
    }
    const queue = this.#queue
    this.#queue = []
    this.#sink = sink
    for (const bytes of queue) sink.send(bytes)
  }

  leave(): void {
    if (this.#ended) return
    this.#ended = true
    this.#queue = []
    this.#leave(this)
    this.#sink?.end()
  }
}

/** Reads the new rows of one key once, for all its readers in this process. */
class Feed<Row, Filter, Position> {
  readonly #key: string
  readonly #source: FeedSource<Row, Filter, Position>
  readonly #parts: FeedParts<Row, Filter, Position>
  /** Streams with the same filter share their bytes. */
  readonly #groups = new Map<string, Set<FeedReader<Filter, Position>>>()
  readonly #emptied: () => void
  #position: Position
  #reading = false
  #dirty = false
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #pauseMs = pauseMs
  #soon = false
  #watchedAt: number

  constructor(
    key: string,
    start: Position,
    source: FeedSource<Row, Filter, Position>,
    parts: FeedParts<Row, Filter, Position>,
    emptied: () => void,
  ) {
    this.#key = key
    this.#position = start
    this.#source = source
    this.#parts = parts
    this.#emptied = emptied
    this.#watchedAt = parts.now()
    // What was written while this was prepared woke no reader.
    this.#schedule(pauseMs, true)
  }

  join(filter: Filter, left: () => void): FeedReader<Filter, Position> {
    const key = JSON.stringify(filter)
    const group = this.#groups.get(key) ?? new Set()
    this.#groups.set(key, group)
    const reader = new FeedReader<Filter, Position>(filter, this.#position, () => {
      left()
      group.delete(reader)
      if (group.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key)
      if (this.#groups.size === 0) this.close()
    })
    group.add(reader)
    return reader
  }

  look(): void {
    this.#dirty = true
    if (!this.#reading) this.#schedule(this.#pauseMs, true)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    for (const reader of [...this.#groups.values()].flatMap((group) => [...group])) reader.leave()
    this.#emptied()
  }

  #schedule(ms: number, soon = false): void {
    if (this.#closed || (soon && this.#soon)) return
    this.#soon = soon
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#read(), ms).unref()
  }

  #watch(): void {
    const at = this.#parts.now()
    if (at - this.#watchedAt < watchEveryMs) return
    this.#watchedAt = at
    this.#parts
      .watch?.(this.#key)
      .catch((error) =>
        this.#parts.log.warn(
          { event: 'feed.announce_failed', error, feed: this.#key },
          'The readers of a feed were not announced.',
        ),
      )
  }

  async #read(): Promise<void> {
    this.#soon = false
    this.#reading = true
    this.#dirty = false
    let waits = false
    this.#watch()
    try {
      const { entries, held } = await this.#source.after(this.#position)
      waits = held
      // There may be more where rows came: a reading is bounded in number and in size.
      if (entries.length > 0) this.#dirty = true
      const start = this.#parts.now()
      this.#deliver(entries)
      const took = this.#parts.now() - start
      this.#pauseMs = Math.min(Math.max(took, pauseMs), maxPauseMs)
    } catch (error) {
      this.#parts.log.warn(
        { event: 'feed.read_failed', error, feed: this.#key },
        'Reading rows for streams failed.',
      )
    }
    this.#reading = false
    if (waits || this.#dirty) this.#schedule(this.#pauseMs, true)
    else this.#schedule(lookAnywayMs)
  }

  #deliver(entries: readonly Entry<Row, Position>[]): void {
    const last = entries.at(-1)
    if (!last || this.#closed) return
    const before = this.#position
    this.#position = last.position
    const source = this.#source
    for (const group of [...this.#groups.values()]) {
      const [any] = group
      if (!any) continue
      const fitting = entries.filter(({ row }) => source.matches(row, any.filter))
      if (fitting.length === 0) continue
      const all = framed(messagesOf(source, fitting))
      for (const reader of [...group])
        if (source.order.reaches(before, reader.skipTo)) reader.push(all)
        else this.#deliverAhead(reader, fitting)
    }
  }

  /** To a reader that was shown more elsewhere than this process has read: no row again, and no step back. */
  #deliverAhead(reader: FeedReader<Filter, Position>, fitting: readonly Entry<Row, Position>[]): void {
    const { order } = this.#source
    const rest = fitting
      .filter(({ position }) => order.isNew(position, reader.skipTo))
      .map((entry) => ({ ...entry, position: order.furthest(entry.position, reader.skipTo) }))
    if (rest.length > 0) reader.push(framed(messagesOf(this.#source, rest)))
  }
}

export interface Feeds<Row, Filter, Position> {
  readonly sourceOf: FeedParts<Row, Filter, Position>['sourceOf']
  readonly join: (
    key: string,
    source: FeedSource<Row, Filter, Position>,
    filter: Filter,
  ) => Promise<FeedReader<Filter, Position>>
  /** How many readers are connected now. */
  readonly readers: number
  readonly close: () => void
}

/** The feeds of this process, one for each key that has readers here. */
export const openFeeds = <Row, Filter, Position>(
  parts: FeedParts<Row, Filter, Position>,
): Feeds<Row, Filter, Position> => {
  const feeds = new Map<string, Feed<Row, Filter, Position>>()
  const stopListening = parts.wake.on(parts.topic, (key) => {
    if (key === undefined) for (const feed of feeds.values()) feed.look()
    else feeds.get(key)?.look()
  })
  let readers = 0
  let closed = false
  return {
    sourceOf: parts.sourceOf,
    join: async (
      key: string,
      source: FeedSource<Row, Filter, Position>,
      filter: Filter,
    ): Promise<FeedReader<Filter, Position>> => {
      if (!feeds.has(key)) {
        const start = await source.start()
        await parts.watch?.(key)
        if (!feeds.has(key) && !closed) {
          const feed: Feed<Row, Filter, Position> = new Feed(key, start, source, parts, () => {
            if (feeds.get(key) === feed) feeds.delete(key)
          })
          feeds.set(key, feed)
        }
      }
      const reader = feeds.get(key)?.join(filter, () => {
        readers--
      })
      if (!reader)
        throw new ApiError('unavailable', 'The service is draining; connect again.', { retryAfterSeconds: 1 })
      readers++
      return reader
    },
    get readers() {
      return readers
    },
    close: () => {
      closed = true
      stopListening()
      for (const feed of [...feeds.values()]) feed.close()
    },
  }
}
