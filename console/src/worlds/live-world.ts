import type { DiffEntry, WorldResponse } from '@diorama/contract'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call, type Reply } from '../api.ts'
import { useAsk } from '../ask.ts'
import { follow } from '../stream.ts'
import { streamAddress } from './ledger/stream-address.ts'

export type StateItem = Reply<'readTwinState'>['items'][number]
export type Row = StateItem['record']

/** Where records are: in a world, or in a twin of no world. */
export type RecordSource = { readonly worldId: string } | { readonly twinId: string }

/** Records that are looked at while they change: what differs from the seed, and what changed a moment ago. */
export interface LiveRecords {
  readonly source: RecordSource
  readonly changes: ReadonlyMap<string, DiffEntry>
  readonly fresh: ReadonlySet<string>
}

export interface LiveWorld extends LiveRecords {
  readonly world: WorldResponse
  /** Services in which something changed since their tab was last looked at. */
  readonly news: ReadonlySet<string>
}

export const placeOf = ({
  service,
  collection,
  id,
}: Pick<DiffEntry, 'service' | 'collection' | 'id'>): string => `${service}:${collection}:${id}`

const pollMs = 1_500
/** Debounce: changes that arrive together cause one refresh. */
const debounceMs = 150
const highlightMs = 6_000
const isLive = (twins: readonly { readonly status: string }[]) =>
  twins.some(({ status }) => status === 'running' || status === 'provisioning' || status === 'degraded')

/**
 * Fetches records and differences again when a request changed something. The newest such request is read when the
 * activity stream reports one and when the stream opens; without a stream it is polled.
 */
const useRefresh = (source: RecordSource, live: boolean): void => {
  const place = JSON.stringify(source)
  const client = useQueryClient()
  const [connected, setConnected] = useState(false)
  const query = { limit: 1, mutations_only: true }
  const newestChange = useAsk(
    'worldId' in source ? 'listWorldActivity' : 'listTwinActivity',
    { params: { ...source }, query },
    { everyMs: live && !connected ? pollMs : false },
  )
  const { refetch } = newestChange
  useEffect(() => {
    if (!live) return
    const gone = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void refetch()
      }, debounceMs)
    }
    void follow({
      address: (after) => streamAddress(JSON.parse(place), { mutations_only: true, after }),
      heard: look,
      connected: (is) => {
        setConnected(is)
        if (is) look()
      },
      missed: look,
      signal: gone.signal,
    })
    return () => {
      gone.abort()
      clearTimeout(timer)
      setConnected(false)
    }
  }, [place, live, refetch])
  const newest = newestChange.data?.items[0]?.request_id
  const before = useRef<string>(undefined)
  const ready = newestChange.data !== undefined
  useEffect(() => {
    if (!ready) return
    if (before.current !== undefined && before.current !== (newest ?? ''))
      void client.invalidateQueries({
        predicate: ({ queryKey }) =>
          queryKey[0] === 'collection' || queryKey[0] === 'diffWorld' || queryKey[0] === 'diffTwin',
      })
    before.current = newest ?? ''
  }, [client, newest, ready])
}

/** What is new between two answers; nothing is new in the first one. */
const useHighlights = (entries: readonly DiffEntry[] | undefined): ReadonlySet<string> => {
  const before = useRef<ReadonlyMap<string, string>>(undefined)
  const [highlighted, setHighlighted] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (!entries) return
    const seen = new Map(entries.map((entry) => [placeOf(entry), JSON.stringify(entry.after)]))
    const former = before.current
    before.current = seen
    const changed = former ? [...seen].filter(([place, text]) => former.get(place) !== text) : []
    if (changed.length === 0) return
    setHighlighted(new Set(changed.map(([place]) => place)))
    const timer = setTimeout(() => setHighlighted(new Set()), highlightMs)
    return () => clearTimeout(timer)
  }, [entries])
  return highlighted
}

const useNews = (fresh: ReadonlySet<string>, tab: string): ReadonlySet<string> => {
  const [news, setNews] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const services = [...fresh].map((place) => place.split(':')[0] ?? '')
    setNews((before) => new Set([...before, ...services].filter((service) => service !== tab)))
  }, [fresh, tab])
  return news
}

export const useLiveWorld = (worldId: string, tab: string) => {
  const world = useAsk('readWorld', { params: { worldId } }, { everyMs: 5_000 })
  useRefresh({ worldId }, world.data !== undefined && isLive(world.data.twins))
  const diff = useAsk('diffWorld', { params: { worldId } })
  const fresh = useHighlights(diff.data?.items)
  const news = useNews(fresh, tab)
  const changes = new Map(diff.data?.items.map((entry) => [placeOf(entry), entry]))
  const source = { worldId }
  return { world, part: (data: WorldResponse): LiveWorld => ({ source, world: data, changes, fresh, news }) }
}

/** The same of a twin that belongs to no world. */
export const useLiveTwin = (twinId: string) => {
  const source = { twinId }
  const twin = useAsk('readTwin', { params: source }, { everyMs: 5_000 })
  useRefresh(source, twin.data !== undefined && isLive([twin.data]))
  const diff = useAsk('diffTwin', { params: source })
  const fresh = useHighlights(diff.data?.items)
  const changes = new Map(diff.data?.items.map((entry) => [placeOf(entry), entry]))
  const live: LiveRecords = { source, changes, fresh }
  return { twin, live }
}

/** Pages that are fetched in one go: five thousand records. */
const pagesInOneGo = 25

const readBatch = async (twinId: string, collection: string, from: string, signal: AbortSignal) => {
  const items: StateItem[] = []
  let cursor: string | null = from === '' ? null : from
  for (let page = 0; page < pagesInOneGo; page++) {
    const query: Record<string, string | number> = {
      collection,
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    }
    const reply: Reply<'readTwinState'> = await call('readTwinState', { params: { twinId }, query, signal })
    items.push(...reply.items)
    cursor = reply.next_cursor
    if (cursor === null) break
  }
  return { items, next: cursor }
}

/** Records that are read in batches. */
export interface Collected {
  readonly data: StateItem[] | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
  readonly hasMore: boolean
  readonly isGoingOn: boolean
  readonly goOn: () => void
}

/** The records of one collection of a twin: five thousand at first, more on demand. */
export const useCollection = (twinId: string, collection: string): Collected => {
  const found = useInfiniteQuery({
    queryKey: ['collection', twinId, collection],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => readBatch(twinId, collection, pageParam, signal),
    getNextPageParam: ({ next }) => next,
    staleTime: 60_000,
  })
  const { data } = found
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data])
  return {
    data: items,
    error: found.error,
    refetch: found.refetch,
    hasMore: found.hasNextPage,
    isGoingOn: found.isFetchingNextPage,
    goOn: () => void found.fetchNextPage(),
  }
}

export const twinOf = ({ twins }: WorldResponse, service: string) =>
  twins.find((twin) => twin.service === service)
