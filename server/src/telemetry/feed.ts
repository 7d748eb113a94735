import { type Framed, framed, type Live, type Sink, type StreamMessage } from '../http/handler.ts'
import { Refused } from '../http/refused.ts'
import type { Log } from '../storage/log.ts'
import type { Wake } from '../storage/wake.ts'
import type { EventStore, OrderedRow } from './event-store.ts'
import { toEvent } from './events.ts'
import { type EventFilter, filterKey, matches } from './filters.ts'
import { isAfter, positionText, type StreamPosition } from './position.ts'

export const eventsRecorded = 'telemetry.events'

export interface FeedParts {
  readonly store: EventStore
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
}

interface Entry {
  readonly position: StreamPosition
  readonly row: OrderedRow
  readonly message: StreamMessage
}

const rowsPerRead = 1_000
/**
 * Readings are kept this far apart, so that a busy moment reaches a thousand readers as few writes; and as far as the
 * last one took to write out, so that the rest of the service has half of the time.
 */
const pauseMs = 20
const longestPauseMs = 100
/** A wake-up can be lost with the process that owed it; looking anyway bounds what that costs. */
const lookAnywayMs = 1_000
/** What waits for a reader that is still being shown what it missed. */
const mostQueuedBytes = 4 * 1_048_576

/** One reader's share of a feed. It ends when it is left, or when it falls too far behind. */
export class FeedReader implements Live {
  readonly filter: EventFilter
  /** The feed's position when the reader joined: what comes after it is delivered. */
  readonly joinedAt: StreamPosition
  /** Nothing up to here is delivered; a resuming reader may be ahead of this process. */
  skipTo: StreamPosition
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  #ended = false
  #sink: Sink | undefined
  readonly #leave: (reader: FeedReader) => void

  constructor(filter: EventFilter, joinedAt: StreamPosition, leave: (reader: FeedReader) => void) {
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
    if (this.#queuedBytes > mostQueuedBytes && this.#queue.length > 1) this.leave()
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

/** Reads the new events of one organization once, for all its readers in this process. */
class OrganizationFeed {
  readonly organizationId: string
  readonly #parts: FeedParts
  readonly #groups = new Map<string, Set<FeedReader>>()
  readonly #emptied: () => void
  #position: StreamPosition
  #reading = false
  #dirty = false
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #pauseMs = pauseMs

  constructor(organizationId: string, start: StreamPosition, parts: FeedParts, emptied: () => void) {
    this.organizationId = organizationId
    this.#position = start
    this.#parts = parts
    this.#emptied = emptied
    this.#schedule(lookAnywayMs)
  }

  join(filter: EventFilter, left: () => void): FeedReader {
    const key = filterKey(filter)
    const group = this.#groups.get(key) ?? new Set()
    this.#groups.set(key, group)
    const reader = new FeedReader(filter, this.#position, () => {
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

  #soon = false
  #schedule(ms: number, soon = false): void {
    if (this.#closed || (soon && this.#soon)) return
    this.#soon = soon
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#read(), ms).unref()
  }

  async #read(): Promise<void> {
    this.#soon = false
    this.#reading = true
    this.#dirty = false
    let held = false
    try {
      const { settledBelow } = await this.#parts.store.horizon()
      const rows = await this.#parts.store.after(this.organizationId, this.#position, rowsPerRead)
      const settled = rows.filter(({ tx }) => BigInt(tx) < settledBelow)
      // Rows that are there while an older transaction is still under way wait for it: it may bring older rows.
      held = settled.length < rows.length
      // There may be more where rows came: a reading is bounded in number and in size.
      if (settled.length > 0) this.#dirty = true
      const start = this.#parts.now()
      this.#deliver(settled.map(toEntry))
      const took = this.#parts.now() - start
      this.#pauseMs = Math.min(Math.max(took, pauseMs), longestPauseMs)
    } catch (error) {
      this.#parts.log.warn(
        { error, organization: this.organizationId },
        'Reading for the event streams failed.',
      )
    }
    this.#reading = false
    if (held || this.#dirty) this.#schedule(this.#pauseMs, true)
    else this.#schedule(lookAnywayMs)
  }

  #deliver(entries: readonly Entry[]): void {
    const last = entries.at(-1)
    const [first] = entries
    if (!first || !last || this.#closed) return
    this.#position = last.position
    for (const group of [...this.#groups.values()]) {
      const [any] = group
      if (!any) continue
      const fitting = entries.filter(({ row }) => matches(row, any.filter))
      if (fitting.length === 0) continue
      const shared = framed(fitting.map(({ message }) => message))
      for (const reader of [...group]) {
        if (isAfter(first.position, reader.skipTo)) reader.push(shared)
        else {
          const rest = fitting.filter(({ position }) => isAfter(position, reader.skipTo))
          if (rest.length > 0) reader.push(framed(rest.map(({ message }) => message)))
        }
      }
    }
  }
}

export const toEntry = (row: OrderedRow): Entry => {
  const position = { tx: BigInt(row.tx), ord: row.ord }
  return { position, row, message: { id: positionText(position), event: 'event', data: toEvent(row) } }
}

/** The feeds of this process, one for each organization that has readers here. */
export const openFeeds = (parts: FeedParts) => {
  const feeds = new Map<string, OrganizationFeed>()
  const stopListening = parts.wake.on(eventsRecorded, (organizationId) => {
    if (organizationId === undefined) for (const feed of feeds.values()) feed.look()
    else feeds.get(organizationId)?.look()
  })
  let readers = 0
  let closed = false
  return {
    join: async (organizationId: string, filter: EventFilter): Promise<FeedReader> => {
      if (closed)
        throw new Refused('unavailable', 'The service is draining; connect again.', { retryAfterSeconds: 1 })
      if (!feeds.has(organizationId)) {
        const { settledBelow } = await parts.store.horizon()
        if (!feeds.has(organizationId)) {
          const feed: OrganizationFeed = new OrganizationFeed(
            organizationId,
            { tx: settledBelow, ord: -1 },
            parts,
            () => {
              if (feeds.get(organizationId) === feed) feeds.delete(organizationId)
            },
          )
          feeds.set(organizationId, feed)
        }
      }
      const reader = feeds.get(organizationId)?.join(filter, () => {
        readers--
      })
      if (!reader) throw new Error('a feed ended while it was joined')
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
export type Feeds = ReturnType<typeof openFeeds>
