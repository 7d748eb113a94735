import type { Activity } from '@diorama/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api.ts'
import { type Listing, useList } from '../../ask.ts'
import { follow } from '../../stream.ts'
import type { RecordSource } from '../live-world.ts'
import { streamAddress } from './stream-address.ts'

export type LedgerQuery = Readonly<Record<string, string | boolean | undefined>>

/** Requests that arrive together are shown together. */
const gatherMs = 100
/** How often the list is looked at while the stream cannot be had. */
const lookMs = 3_000
/** Beyond so many new ones the list is fetched anew, so that a page left open for days stays small. */
const maxFresh = 20_000
const pageSize = 200
const maxPages = 50

export interface Ledger extends Listing<Activity> {
  /** Undefined until the first attempt has ended. */
  readonly connected: boolean | undefined
}

/**
 * All requests to a world that fit, newest first. The list is what was there when the page was opened, and the stream
 * what came since; between them lies nothing, since what came before the stream stood is read once it does.
 */
export const useLedger = (source: RecordSource, query: LedgerQuery): Ledger => {
  const place = JSON.stringify(source)
  const client = useQueryClient()
  const [fresh, setFresh] = useState<readonly Activity[]>([])
  const [connected, setConnected] = useState<boolean>()
  const [looks, setLooks] = useState(0)
  const list = useList(operationOf(source), {
    params: { ...source },
    query: { ...query, limit: pageSize },
  })
  const text = JSON.stringify(query)
  const { add, forget } = useGathered(setFresh)
  const lookAgain = useCallback(() => setLooks((before) => before + 1), [])
  const startAnew = useCallback(() => {
    forget()
    const of: RecordSource = JSON.parse(place)
    void client.resetQueries({ queryKey: ['list', operationOf(of), of] })
  }, [client, place, forget])

  useEffect(() => {
    const gone = new AbortController()
    const filters: LedgerQuery = JSON.parse(text)
    let stood = false
    forget()
    void follow({
      address: (after) => streamAddress(JSON.parse(place), { ...filters, after }),
      heard: ({ data }) => add([JSON.parse(data)]),
      connected: (is) => {
        setConnected(is)
        if (is && !stood) lookAgain()
        stood ||= is
      },
      missed: startAnew,
      signal: gone.signal,
    })
    return () => gone.abort()
  }, [place, text, add, forget, lookAgain, startAnew])

  const known = useRef('')
  known.current = list.items[0]?.request_id ?? ''
  useEffect(() => {
    if (looks === 0 || list.loading) return
    const gone = new AbortController()
    readNewest(JSON.parse(place), JSON.parse(text), known.current, gone.signal).then(
      (found) => (found ? add(found) : startAnew()),
      () => undefined,
    )
    return () => gone.abort()
  }, [looks, list.loading, place, text, add, startAnew])

  useEffect(() => {
    if (connected !== false) return
    const timer = setInterval(() => document.hidden || lookAgain(), lookMs)
    return () => clearInterval(timer)
  }, [connected, lookAgain])

  const tooMany = fresh.length > maxFresh
  useEffect(() => {
    if (tooMany) startAnew()
  }, [tooMany, startAnew])

  const items = useMemo(() => merged(fresh, list.items), [fresh, list.items])
  return { ...list, items, connected }
}

const operationOf = (source: RecordSource) =>
  'worldId' in source ? ('listWorldActivity' as const) : ('listTwinActivity' as const)

/** What was heard, handed on a few times a second however fast it comes. */
const useGathered = (set: (change: (before: readonly Activity[]) => readonly Activity[]) => void) => {
  const waiting = useRef<Activity[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useMemo(
    () => ({
      add: (items: readonly Activity[]) => {
        waiting.current.push(...items)
        timer.current ??= setTimeout(() => {
          const come = waiting.current
          waiting.current = []
          timer.current = undefined
          set((before) => merged(come, before))
        }, gatherMs)
      },
      forget: () => {
        clearTimeout(timer.current)
        timer.current = undefined
        waiting.current = []
        set(() => [])
      },
    }),
    [set],
  )
}

/** Each request once, newest first: ids are in the order of time. */
const merged = (some: readonly Activity[], others: readonly Activity[]): readonly Activity[] => {
  if (some.length === 0) return others
  const known = new Set(others.map(({ request_id }) => request_id))
  const added = some.filter(({ request_id }) => !known.has(request_id) && known.add(request_id))
  if (added.length === 0) return others
  return [...added, ...others].sort((a, b) => (a.request_id < b.request_id ? 1 : -1))
}

/**
 * The newest requests, down to well below one that is known: requests of several services can come into sight a little
 * out of order. Nothing when that lies too far back.
 */
const readNewest = async (source: RecordSource, query: LedgerQuery, known: string, signal: AbortSignal) => {
  const found: Activity[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const asked = { ...query, limit: pageSize, cursor }
    const reply = await call(operationOf(source), { params: { ...source }, query: asked, signal })
    found.push(...reply.items)
    const below = reply.items.filter(({ request_id }) => request_id <= known).length
    if (reply.next_cursor === null || below >= pageSize / 2) return found
    cursor = reply.next_cursor
  }
  return undefined
}
