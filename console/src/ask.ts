import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { ApiError, type Call, call, type OperationName, type Reply } from './api.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400),
      refetchOnWindowFocus: true,
      // Without a connection a page says so instead of waiting for one.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

interface AskOptions {
  /** Ask again this often while the page is looked at. */
  readonly everyMs?: number | false | undefined
  readonly when?: boolean
  /** What was answered never changes. */
  readonly forever?: boolean
  /** Shows the former answer while another is fetched. */
  readonly keep?: boolean
}

/** One answer of the service, kept and fetched again as the page needs. */
export const useAsk = <K extends OperationName>(name: K, options: Call<K> = {}, ask: AskOptions = {}) =>
  useQuery({
    queryKey: [name, options.params ?? {}, options.query ?? {}, options.body ?? null],
    queryFn: ({ signal }) => call(name, { ...options, signal }),
    ...(ask.everyMs === undefined ? {} : { refetchInterval: ask.everyMs }),
    ...(ask.when === undefined ? {} : { enabled: ask.when }),
    ...(ask.forever ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(ask.keep ? { placeholderData: keepPreviousData } : {}),
  })

interface Page {
  readonly items: readonly unknown[]
  readonly next_cursor: string | null
}
type Listed = { [K in OperationName]: Reply<K> extends Page ? K : never }[OperationName]
type ItemOf<K extends Listed> = Reply<K> extends { items: readonly (infer I)[] } ? I : never
interface PageOf<K extends Listed> {
  readonly items: readonly ItemOf<K>[]
  readonly next_cursor: string | null
}

/** A list that grows as it is scrolled. */
export const useList = <K extends Listed>(name: K, options: Call<K> = {}, ask: AskOptions = {}) => {
  const found = useInfiniteQuery({
    queryKey: ['list', name, options.params ?? {}, options.query ?? {}],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }): Promise<{ items: readonly ItemOf<K>[]; next: string | null }> => {
      const query = { limit: 100, ...options.query, ...(pageParam === '' ? {} : { cursor: pageParam }) }
      // `Listed` holds only operations that answer pages, which the compiler cannot see through the table.
      const reply = (await call(name, { ...options, query, signal })) as unknown as PageOf<K>
      return { items: reply.items, next: reply.next_cursor }
    },
    getNextPageParam: ({ next }) => next,
    ...(ask.everyMs === undefined ? {} : { refetchInterval: ask.everyMs }),
    ...(ask.when === undefined ? {} : { enabled: ask.when }),
  })
  const { data } = found
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  return {
    items,
    error: found.error,
    loading: found.isPending,
    retry: () => void found.refetch(),
    hasMore: found.hasNextPage,
    more: () => {
      if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage()
    },
  }
}

const maxPages = 50

/** Every item of a list that is needed whole, up to ten thousand; the result shows when there are more. */
export const useAll = <K extends Listed>(name: K, options: Call<K> = {}, ask: AskOptions = {}) =>
  useQuery({
    queryKey: ['all', name, options.params ?? {}, options.query ?? {}],
    queryFn: async ({ signal }): Promise<{ items: readonly ItemOf<K>[]; cut: boolean }> => {
      const items: ItemOf<K>[] = []
      let cursor: string | null = null
      for (let page = 0; page < maxPages; page++) {
        const query: Call<K>['query'] = { ...options.query, limit: 200, ...(cursor ? { cursor } : {}) }
        const reply = (await call(name, { ...options, query, signal })) as unknown as PageOf<K>
        items.push(...reply.items)
        cursor = reply.next_cursor
        if (cursor === null) break
      }
      return { items, cut: cursor !== null }
    },
    ...(ask.everyMs === undefined ? {} : { refetchInterval: ask.everyMs }),
    ...(ask.when === undefined ? {} : { enabled: ask.when }),
  })

export type Listing<T> = {
  readonly items: readonly T[]
  readonly error: Error | null
  readonly loading: boolean
  readonly retry: () => void
  readonly more: () => void
}

/** Something that changes the service; what is shown is asked for again when it is done. */
export const useChange = <K extends OperationName>(name: K) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (options: Call<K>) => call(name, options),
    onSuccess: () => client.invalidateQueries(),
  })
}
