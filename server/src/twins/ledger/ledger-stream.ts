import type { Kysely } from 'kysely'
import { openFeeds } from '../../http/feed.ts'
import { openFeedStreams } from '../../http/feed-stream.ts'
import type { EventStream, Incoming } from '../../http/handler.ts'
import { openDebounce } from '../../storage/debounce.ts'
import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'
import type { TwinStore } from '../store.ts'
import type { TwinTables } from '../tables.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { type ActivityQuery, toActivityFilter } from './ledger-filter.ts'
import { ledgerSource } from './ledger-source.ts'

/** Sent with the id of a twin or a world when requests to it were recorded, while somebody follows it. */
const activityRecorded = 'twins.activity'
/** Sent by a process whose readers follow a twin or a world. */
const activityWatched = 'twins.activity.watched'

const maxReaders = 5_000
/** For so long a process counts as following after it last said so; it says so more often. */
const watchedMs = 15_000
/** Steps that are written this close together wake the readers once. */
const wakeGapMs = 20

export interface ActivityStreamParts {
  readonly db: Kysely<TwinTables>
  readonly store: TwinStore
  readonly wakeups: ActivityWakeups
  readonly wake: Wake
  readonly log: Log
  readonly now: () => number
}

export type Followed = { readonly twinId: string } | { readonly worldId: string }
type FollowRequest = Pick<Incoming, 'headers' | 'signal'> & {
  readonly query: ActivityQuery & { readonly after?: string | undefined }
}

export interface ActivityStreams {
  readonly open: (followed: Followed, followRequest: FollowRequest) => Promise<EventStream>
  readonly readers: number
  readonly close: () => void
}

/** The streams of requests to twins, each of one twin or of all twins of a world. */
export const openActivityStreams = ({
  db,
  store,
  wakeups,
  wake,
  log,
  now,
}: ActivityStreamParts): ActivityStreams => {
  const feeds = openFeeds({
    topic: activityRecorded,
    sourceOf: async (key) => ledgerSource({ db, now, twinIds: await store.idsOf(key) }),
    watch: wakeups.follow,
    wake,
    log,
    now,
  })
  const open = openFeedStreams({ feeds, maxReaders, rows: 'requests' })
  return {
    open: (followed: Followed, { query, headers, signal }: FollowRequest): Promise<EventStream> => {
      const filter = toActivityFilter(query, now())
      const last = headers['last-event-id']
      return open({
        key: 'twinId' in followed ? followed.twinId : followed.worldId,
        listedAt:
          'twinId' in followed
            ? `/v1/twins/${followed.twinId}/activity`
            : `/v1/builder/worlds/${followed.worldId}/activity`,
        filter,
        after: query.after ?? (Array.isArray(last) ? last[0] : last),
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

export interface ActivityWakeups {
  /** Asks every process, this one at once, to announce new steps of a twin or a world for a while. */
  readonly follow: (key: string) => Promise<void>
  readonly recorded: (entries: readonly LedgerEntry[]) => void
  readonly close: () => Promise<void>
}

/**
 * Announces a twin's new steps to the processes that follow it. While nothing is followed, a step costs a look at an
 * empty map and no statement.
 */
export const openActivityWakeups = ({
  wake,
  log,
  now,
}: Pick<ActivityStreamParts, 'wake' | 'log' | 'now'>): ActivityWakeups => {
  const followed = new Map<string, number>()
  const isFollowed = (key: string): boolean => {
    const until = followed.get(key)
    if (until !== undefined && until > now()) return true
    if (until !== undefined) followed.delete(key)
    return false
  }
  const follow = (key: string): void => {
    followed.set(key, now() + watchedMs)
    for (const other of followed.keys()) isFollowed(other)
  }
  const stopListening = wake.on(activityWatched, (key) => {
    if (key !== undefined) follow(key)
  })
  const debounced = openDebounce(wakeGapMs, (key) => wake.send(activityRecorded, key))
  const tell = (key: string): void => {
    debounced
      .send(key)
      .catch((error) =>
        log.warn(
          { event: 'wake.send_failed', error },
          'A wake-up for new requests was not sent; readers find them by polling.',
        ),
      )
  }
  return {
    follow: async (key: string): Promise<void> => {
      follow(key)
      await wake.send(activityWatched, key)
    },
    recorded: (entries: readonly LedgerEntry[]): void => {
      if (followed.size === 0) return
      const keys = new Set(entries.flatMap(({ twin }) => [twin.id, twin.worldId ?? twin.id]))
      for (const key of keys) if (isFollowed(key)) tell(key)
    },
    close: async (): Promise<void> => {
      stopListening()
      await debounced.settle()
    },
  }
}
