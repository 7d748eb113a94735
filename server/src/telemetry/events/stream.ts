import type { EventStreamQuery } from '@diorama/contract'
import { openFeeds } from '../../http/feed.ts'
import { openFeedStreams } from '../../http/feed-stream.ts'
import type { EventStream } from '../../http/handler.ts'
import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'
import { toFilter } from '../filters.ts'
import { eventSource, eventsRecorded } from './event-source.ts'
import type { EventStore } from './event-store.ts'

export interface StreamRequest {
  readonly organizationId: string
  readonly query: EventStreamQuery
  readonly lastEventId: string | undefined
  readonly signal: AbortSignal
}

const maxReaders = 20_000

/** The streams of events, each of one organization. */
export const openStreams = ({
  store,
  wake,
  log,
  now,
}: {
  readonly store: EventStore
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
}) => {
  const feeds = openFeeds({
    topic: eventsRecorded,
    sourceOf: async (organizationId) => eventSource(store, organizationId),
    wake,
    log,
    now,
  })
  const open = openFeedStreams({ feeds, maxReaders, rows: 'events' })
  return {
    open: ({ organizationId, query, lastEventId, signal }: StreamRequest): Promise<EventStream> => {
      const filter = toFilter(query, now())
      return open({
        key: organizationId,
        filter,
        listedAt: '/v1/events',
        after: query.after ?? lastEventId,
        fromStart: filter.since !== undefined,
        signal,
      })
    },
    get readers() {
      return feeds.readers
    },
    close: feeds.close,
  }
}
