import type { Event, EventCreate, Happening } from '@diorama/contract'
import { ApiError } from '../../http/api-error.ts'
import { openSpelledTime } from '../../http/spelled-time.ts'
import { isRowFault } from '../../storage/failure.ts'
import { GroupWriter, QueueFull } from '../../storage/writers/group.ts'
import type { EventRow, EventStore, NewEvent } from './event-store.ts'

export interface EventParts {
  readonly store: EventStore
  readonly now: () => number
  readonly makeId: (prefix: string) => string
  /** Called with each organization whose events became durable. */
  readonly recorded: (organizationIds: ReadonlySet<string>) => void
}

/** Two batches under way keep the database busy while the next one is read; more would only queue there. */
const batchLanes = 2
/**
 * Few events at a time share one lane: what arrives during a commit is the next commit, so concurrent clients pay for fewer of
 * them than it would with two under way, and is read while one is.
 */
const few = 20
/** What waits may all become one statement, so this bounds a statement too. */
const maxWaiting = 20_000
const maxWaitingBytes = 64 * 1_048_576

export interface Events {
  /** All of them or none; returns when they are durable. */
  readonly record: (
    organizationId: string,
    sent: readonly EventCreate[],
    bytes: number,
  ) => Promise<readonly NewEvent[]>
  readonly drain: () => Promise<void>
  readonly waiting: number
}

/** The rules of recording events. What arrives together is made durable together. */
export const openEvents = ({ store, now, makeId, recorded }: EventParts): Events => {
  const waiting = { events: 0, bytes: 0 }
  const openWriter = (lanes: number) =>
    new GroupWriter<readonly NewEvent[], void>({
      lanes,
      maxBatch: 200,
      maxQueue: maxWaiting,
      retrySingly: isRowFault,
      flush: async (batches) => {
        await store.insert(batches.flat())
        recorded(new Set(batches.flatMap(([first]) => (first ? [first.organization_id] : []))))
        return batches.map(() => undefined)
      },
    })
  const writers = { few: openWriter(1), many: openWriter(batchLanes) }

  const spelledNow = openSpelledTime(now)
  const nextTurn = openTurns()

  const toRow = (organizationId: string, sent: EventCreate, at: string): NewEvent => ({
    id: makeId('evt'),
    organization_id: organizationId,
    event_time: sent.timestamp == null ? at : new Date(sent.timestamp).toISOString(),
    recorded_at: at,
    source: sent.source,
    topic: sent.topic,
    event_type: sent.event_type,
    entities: sent.entities,
    payload: sent.payload,
  })

  return {
    record: async (
      organizationId: string,
      sent: readonly EventCreate[],
      bytes: number,
    ): Promise<readonly NewEvent[]> => {
      if (waiting.events + sent.length > maxWaiting || waiting.bytes + bytes > maxWaitingBytes) throw busy()
      const at = spelledNow()
      const rows = sent.map((event) => toRow(organizationId, event, at))
      waiting.events += rows.length
      waiting.bytes += bytes
      try {
        await (rows.length <= few ? writers.few : writers.many).write(rows)
        if (waiting.events > rows.length) await nextTurn()
      } catch (error) {
        throw error instanceof QueueFull ? busy() : error
      } finally {
        waiting.events -= rows.length
        waiting.bytes -= bytes
      }
      return rows
    },
    drain: async () => {
      await writers.few.drain()
      await writers.many.drain()
    },
    get waiting() {
      return waiting.events
    },
  }
}

/**
 * Waits for the next turn of the event loop, all that ask in one turn together. Concurrent clients' replies are written then: the
 * next commit has been sent by that time, and the database need not wait until the last of them is out.
 */
const openTurns = () => {
  let next: Promise<void> | undefined
  return (): Promise<void> => {
    next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = undefined
        resolve()
      })
    })
    return next
  }
}

export const busy = () =>
  new ApiError('unavailable', 'More is waiting to be written than the service may hold; retry.', {
    retryAfterSeconds: 1,
  })

export const toEvent = (row: EventRow): Event => ({
  id: row.id,
  event_time: row.event_time.toISOString(),
  event_type: row.event_type,
  source: row.source,
  topic: row.topic,
  payload: row.payload,
  entities: row.entities,
  recorded_at: row.recorded_at.toISOString(),
  signals: [],
})

export const toNewEvent = (row: NewEvent): Event => ({
  id: row.id,
  event_time: row.event_time,
  event_type: row.event_type,
  source: row.source,
  topic: row.topic,
  payload: row.payload,
  entities: row.entities,
  recorded_at: row.recorded_at,
  signals: [],
})

export const toHappening = (row: EventRow): Happening => ({ ...toEvent(row), kind: 'event' })
