import type { Happening } from '@diorama/contract'
import type { Leases } from '../../storage/leases.ts'
import type { Log } from '../../storage/log.ts'
import type { EventStore } from '../events/event-store.ts'
import { toHappening } from '../events/events.ts'
import type { StreamPosition } from '../events/position.ts'
import { contentOf } from '../traces/content.ts'
import type { TraceStore } from '../traces/trace-store.ts'
import { spanHappening } from '../traces/traces.ts'
import type { Embedder } from './embedder.ts'
import type { SearchStore, Waiting } from './search-store.ts'

export interface IndexerParts {
  readonly embedder: Embedder
  readonly search: SearchStore
  /** Makes the index of nearness, where the database can have one. */
  readonly makeIndex: (embedder: string, dimensions: number) => Promise<unknown>
  readonly events: EventStore
  readonly traces: TraceStore
  readonly leases: Leases
  readonly holder: string
  readonly log: Log
}

const rowsPerTurn = 64
const leaseName = 'telemetry.search'
const leaseMs = 30_000
const idleMs = 2_000
const maxRemembered = 5_000

export interface Indexer {
  /** Something was written. */
  readonly nudge: () => void
  readonly lagSeconds: () => Promise<number>
  readonly stop: () => Promise<void>
}

/**
 * Reads new events and spans into the search, behind the writes. One process of all does it at a time; it takes a
 * bounded number of rows of each organization in turn, so that a large backlog of one does not hold up the others.
 */
export const openIndexer = ({
  embedder,
  search,
  makeIndex,
  events,
  traces,
  leases,
  holder,
  log,
}: IndexerParts): Indexer => {
  // Telemetry repeats itself; what was said before need not be computed again.
  const remembered = new Map<string, Float32Array>()
  let stopped = false
  let indexMade = false
  let timer: NodeJS.Timeout | undefined
  let turning: Promise<void> | undefined

  const embedAll = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const fresh = [...new Set(texts)].filter((text) => !remembered.has(text))
    const vectors = await embedder.embed(fresh)
    const made = new Map(fresh.map((text, index) => [text, vectors[index] ?? new Float32Array()]))
    const all = texts.map((text) => made.get(text) ?? remembered.get(text) ?? new Float32Array())
    for (const [text, vector] of made) remembered.set(text, vector)
    for (const text of remembered.keys()) {
      if (remembered.size <= maxRemembered) break
      remembered.delete(text)
    }
    return all
  }

  const nextRows = async ({ organizationId, kind, from }: Waiting) => {
    const { settledBelow } = await events.horizon()
    const settled = (row: { tx: string }) => BigInt(row.tx) < settledBelow
    const at = (row: { tx: string; ord: number }): StreamPosition => ({ tx: BigInt(row.tx), ord: row.ord })
    if (kind === 'span') {
      const rows = await traces.after(organizationId, from, rowsPerTurn)
      return rows.filter(settled).map((row) => ({ item: spanHappening(row), position: at(row) }))
    }
    const rows = await events.after(organizationId, from, rowsPerTurn)
    return rows.filter(settled).map((row) => ({ item: toHappening(row), position: at(row) }))
  }

  /** Says whether there was anything to read. */
  const readSome = async (waiting: Waiting): Promise<boolean> => {
    const rows = await nextRows(waiting)
    const last = rows.at(-1)
    if (!last) return false
    const contents = rows.map(({ item }) => contentOf(item))
    const vectors = await embedAll(contents.map(({ meaning }) => meaning))
    const entries = rows.map(({ item }, index) => ({
      ...entryOf(item),
      kind: waiting.kind,
      words: contents[index]?.words ?? '',
      vector: vectors[index] ?? new Float32Array(),
    }))
    const [first] = vectors
    if (first && !indexMade) {
      await makeIndex(embedder.id, first.length)
      indexMade = true
    }
    await search.put(waiting, embedder.id, entries, last.position)
    return true
  }

  const turn = async (): Promise<boolean> => {
    let lease = await leases.acquire(leaseName, { holder, ttlMs: leaseMs })
    if (!lease) return false
    try {
      let any = false
      for (const waiting of await search.waiting(embedder.id)) {
        if (stopped) break
        any = (await readSome(waiting)) || any
        lease = await leases.renew(lease)
        if (!lease) return false
      }
      return any
    } finally {
      if (lease) await leases.release(lease)
    }
  }

  const run = () => {
    timer = undefined
    turning = turn()
      .catch((error) => {
        log.warn(
          { event: 'search.index_failed', error },
          'Reading into the search failed; it is tried again.',
        )
        return false
      })
      .then((any) => {
        turning = undefined
        if (!stopped) schedule(any ? 0 : idleMs)
      })
  }
  const schedule = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(run, ms).unref()
  }
  schedule(idleMs)

  return {
    nudge: () => {
      if (!turning && !stopped) schedule(50)
    },
    lagSeconds: () => search.lagSeconds(embedder.id),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await turning
    },
  }
}

const entryOf = (item: Happening) => ({
  eventId: item.id,
  eventTime: item.event_time,
  source: item.source,
  topic: item.topic,
  eventType: item.event_type,
})
