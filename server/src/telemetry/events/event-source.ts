import { ApiError } from '../../http/api-error.ts'
import type { Entry, FeedSource, Order } from '../../http/feed-source.ts'
import { type EventFilter, matches } from '../filters.ts'
import type { EventStore, OrderedRow } from './event-store.ts'
import { toEvent } from './events.ts'
import { beforeAll, isAfter, parsePosition, positionText, type StreamPosition } from './position.ts'

/** Sent with the organization's id when events were recorded. */
export const eventsRecorded = 'telemetry.events'

const rowsPerRead = 1_000

const order: Order<StreamPosition> = {
  beforeAll,
  text: positionText,
  isNew: isAfter,
  reaches: (a, b) => !isAfter(b, a),
  furthest: (a, b) => (isAfter(a, b) ? a : b),
}

/** The events of one organization, for its streams. */
export const eventSource = (
  store: EventStore,
  organizationId: string,
): FeedSource<OrderedRow, EventFilter, StreamPosition> => ({
  kind: 'event',
  order,
  matches,
  start: async () => ({ tx: (await store.horizon()).settledBelow, ord: -1 }),

  after: async (from) => {
    const { settledBelow } = await store.horizon()
    const rows = await store.after(organizationId, from, rowsPerRead)
    const settled = rows.filter(({ tx }) => BigInt(tx) < settledBelow)
    // Rows that are there while an older transaction is still under way wait for it: it may bring older rows.
    return { entries: settled.map(toEntry), held: settled.length < rows.length }
  },

  countBetween: (filter, range) => store.countBetween(organizationId, filter, range),

  between: async (filter, range) => {
    const { rows, cut } = await store.between(organizationId, filter, range)
    return { entries: rows.map(toEntry), cut }
  },

  parse: async (text) => {
    if (!text.startsWith('evt_')) return parsePosition(text)
    const found = await store.positionOf(organizationId, text)
    if (!found) throw new ApiError('invalid_cursor', 'There is no such event to resume after.')
    return found
  },

  knows: async ({ tx }) => tx <= (await store.horizon()).future,
})

const toEntry = (row: OrderedRow): Entry<OrderedRow, StreamPosition> => ({
  row,
  position: { tx: BigInt(row.tx), ord: row.ord },
  data: toEvent(row),
})
