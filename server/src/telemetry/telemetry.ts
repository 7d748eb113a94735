import type { Event, Happening, Signal, SignalCreate } from '@diorama/contract'
import { notFound } from '../http/api-error.ts'
import type { EventStream } from '../http/handler.ts'
import type { Metrics } from '../http/metrics.ts'
import { every } from '../http/schedule.ts'
import type { Log } from '../storage/log.ts'
import { BadCursor, decodeCursor } from '../storage/pages.ts'
import type { Storage } from '../storage/storage.ts'
import { eventsRecorded } from './events/event-source.ts'
import { type EventStore, eventStore } from './events/event-store.ts'
import { type Events, openEvents } from './events/events.ts'
import { type SignalStore, signalStore } from './events/signal-store.ts'
import { openStreams, type StreamRequest } from './events/stream.ts'
import { openRetention } from './retention.ts'
import type { Embedder } from './search/embedder.ts'
import { openIndexer } from './search/indexer.ts'
import { hasNearIndex, makeNearIndex } from './search/near-index.ts'
import { openSearch, type Search } from './search/search.ts'
import { nearSearch } from './search/search-near.ts'
import { searchStore } from './search/search-store.ts'
import { wordSearch } from './search/search-words.ts'
import { openTimeline, type Timeline, type TwinChanges } from './timeline.ts'
import { type RecordRun, tellRuns } from './traces/runs.ts'
import { type TraceStore, traceStore } from './traces/trace-store.ts'
import { openTraces, type Traces } from './traces/traces.ts'

export interface TelemetryParts {
  readonly storage: Storage
  readonly log: Log
  readonly now: () => number
  readonly holder: string
  readonly metrics: Metrics
  /** Undefined turns search off. */
  readonly embedder?: Embedder | undefined
  readonly twinChanges?: TwinChanges
  readonly recordRun?: RecordRun
  /** How many days events are kept where an organization says nothing itself; undefined keeps them indefinitely. */
  readonly retentionDays?: number | undefined
}

/** Writes that come this close together wake the other processes once. */
const wakeGapMs = 10
const runsEveryMs = 2_000
const retentionEveryMs = 60_000

export interface Telemetry {
  readonly events: Events
  readonly traces: Traces
  readonly stream: (request: StreamRequest) => Promise<EventStream>
  readonly stores: { readonly events: EventStore; readonly signals: SignalStore; readonly traces: TraceStore }
  readonly retain: () => Promise<number>
  readonly search: Search
  readonly timeline: Timeline['page']
  /** An event, or a span by its event id. */
  readonly find: (organizationId: string, id: string) => Promise<Happening>
  readonly signal: (organizationId: string, sent: SignalCreate) => Promise<Signal>
  readonly withSignals: <E extends Event>(items: readonly E[]) => Promise<E[]>
  /** Ends the streams, so that the edge can close; readers resume elsewhere. */
  readonly endStreams: () => void
  readonly drain: () => Promise<void>
}

/** Everything that agents and systems say they do: recorded, read back, searched and streamed. */
export const openTelemetry = (parts: TelemetryParts): Telemetry => {
  const { storage, log, now, holder, metrics, embedder } = parts
  const { makeId, wake, leases, db } = storage
  const stores = {
    events: eventStore(storage),
    traces: traceStore(storage),
    signals: signalStore(storage),
    search: searchStore(storage),
  }
  const indexer =
    embedder &&
    openIndexer({
      ...stores,
      embedder,
      leases,
      holder,
      log,
      makeIndex: (id, dimensions) => makeNearIndex({ db, log }, id, dimensions),
    })
  const near = nearSearch({ db, now })
  const wakeups = openWakeups(wake, log)
  const events = openEvents({
    store: stores.events,
    now,
    makeId,
    recorded: (organizations) => {
      wakeups.owe(organizations)
      indexer?.nudge()
    },
  })
  const traces = openTraces({ store: stores.traces, now, makeId, recorded: () => indexer?.nudge() })
  const twinChanges = parts.twinChanges ?? (async () => ({ items: [], readTo: undefined }))
  const timeline = openTimeline({ events: stores.events, traces: stores.traces, twinChanges })
  const streams = openStreams({ store: stores.events, wake, log, now })
  const retain = openRetention({ db, leases, holder, now, defaultDays: parts.retentionDays })
  const { recordRun } = parts
  const sweeps = [
    every(retentionEveryMs, retain, log),
    ...(recordRun ? [every(runsEveryMs, tellRuns({ store: stores.traces, recordRun, log }), log)] : []),
  ]
  const { fetch } = timeline
  const { behind } = stores.search
  const search = openSearch({ embedder, near, holding: wordSearch({ db, now }), now, behind, fetch })
  measure(metrics, {
    readers: () => streams.readers,
    waiting: () => events.waiting,
    lag: async () => (await indexer?.lagSeconds()) ?? 0,
    indexed: async () => (embedder && (await hasNearIndex({ db })) ? 1 : 0),
  })

  return {
    events,
    traces,
    stream: streams.open,
    stores,
    retain,
    search,
    timeline: timeline.page,

    find: async (organizationId: string, id: string): Promise<Happening> => {
      const found = (await timeline.fetch(organizationId, [{ event_id: id }])).items.get(id)
      if (!found) throw notFound('event')
      return found
    },

    signal: async (organizationId: string, sent: SignalCreate): Promise<Signal> => {
      const signal = { id: makeId('sig'), ...sent, created_at: new Date(now()).toISOString() }
      if (!(await stores.signals.insert(organizationId, signal))) throw notFound('event')
      return signal
    },

    withSignals: async <E extends Event>(items: readonly E[]): Promise<E[]> => {
      const signals = await stores.signals.ofEvents(items.map(({ id }) => id))
      return items.map((item) => ({ ...item, signals: signals.get(item.id) ?? [] }))
    },

    endStreams: streams.close,

    drain: async () => {
      for (const stop of sweeps) await stop()
      await events.drain()
      await traces.drain()
      await wakeups.settle()
      await indexer?.stop()
      await embedder?.close()
    },
  }
}

/** A cursor of a list that is ordered by time. */
export const timeCursor = <Q extends { cursor?: string | undefined }>(query: Q): Q => {
  if (query.cursor !== undefined && !(decodeCursor(query.cursor).at instanceof Date)) throw new BadCursor()
  return query
}

/** Tells other processes of new events: soon, and once for many. */
const openWakeups = (wake: Storage['wake'], log: Log) => {
  const owed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const send = async () => {
    timer = undefined
    const organizations = [...owed]
    owed.clear()
    try {
      await Promise.all(organizations.map((id) => wake.send(eventsRecorded, id)))
    } catch (error) {
      log.warn(
        { event: 'wake.send_failed', error },
        'A wake-up for new events was not sent; readers find them by polling.',
      )
    }
  }
  return {
    owe: (organizations: ReadonlySet<string>) => {
      for (const id of organizations) owed.add(id)
      timer ??= setTimeout(() => void send(), wakeGapMs)
    },
    settle: async () => {
      clearTimeout(timer)
      await send()
    },
  }
}

const measure = (
  metrics: Metrics,
  read: {
    readers: () => number
    waiting: () => number
    lag: () => Promise<number>
    indexed: () => Promise<number>
  },
) => {
  metrics.gauge('event_stream_readers', 'Open streams of events in this process.', read.readers)
  metrics.gauge('events_waiting', 'Events that wait to be written.', read.waiting)
  metrics.gauge(
    'search_lag_seconds',
    'How long the oldest event that the search has not read has waited.',
    read.lag,
  )
  metrics.gauge(
    'search_index',
    '1 where large organizations are searched through an index of pgvector, 0 where every search scans.',
    read.indexed,
  )
}
