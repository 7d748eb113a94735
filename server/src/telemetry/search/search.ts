import type { Found, Happening, SearchRequest } from '@diorama/contract'
import { ApiError } from '../../http/api-error.ts'
import { toFilter } from '../filters.ts'
import { tellingWords, wordsOf } from '../traces/content.ts'
import { type Embedder, EmbeddingFailed, fromBytes, nearness } from './embedder.ts'
import type { NearSearch } from './search-near.ts'
import type { SearchedKind, SearchScope } from './search-scope.ts'
import type { WordSearch } from './search-words.ts'

export interface SearchParts {
  /** Undefined where embeddings are off. */
  readonly embedder: Embedder | undefined
  readonly near: NearSearch
  readonly holding: WordSearch
  readonly now: () => number
  /** How much of an organization's the search has not read yet. */
  readonly behind: (organizationId: string, embedder: string) => Promise<number>
  readonly fetch: (
    organizationId: string,
    links: readonly { event_id: string; kind: string }[],
  ) => Promise<{ readonly items: ReadonlyMap<string, Happening> }>
}

export interface SearchResult {
  readonly items: Found[]
  /** Events and spans that could not be found yet. */
  readonly behind: number
}

interface Ranked {
  readonly event_id: string
  readonly kind: SearchedKind
}

/** How much the first places of a list count over the later ones, when two lists are put together. */
const flatness = 60

export type Search = (organizationId: string, request: SearchRequest) => Promise<SearchResult>

/** Search by meaning and by words at once: each finds what the other misses. */
export const openSearch =
  ({ embedder, near, holding, now, fetch, behind }: SearchParts): Search =>
  async (organizationId: string, request: SearchRequest): Promise<SearchResult> => {
    if (!embedder)
      throw new ApiError(
        'embeddings_off',
        'Search is turned off here. Start the service with DIORAMA_EMBEDDINGS=local, or with openai-compatible and OPENAI_BASE_URL.',
      )
    const scope = { organizationId, filter: toFilter(request, now()) }
    const [alike, named, unread] = await Promise.all([
      byMeaning(embedder, near, scope, request),
      holding(scope, { words: wordsOf(tellingWords(request.query)), limit: request.limit * 2 }),
      behind(organizationId, embedder.id),
    ])
    const merged = merge(alike, named).slice(0, request.limit)
    const { items: whole } = await fetch(organizationId, merged)
    const items = merged.flatMap(({ event_id, score, matched }) => {
      const item = whole.get(event_id)
      return item ? [{ ...item, score, matched }] : []
    })
    return { items, behind: unread }
  }

const byMeaning = async (
  embedder: Embedder,
  near: NearSearch,
  scope: SearchScope,
  request: SearchRequest,
): Promise<Ranked[]> => {
  const [vector] = await embedder.embed([request.query], 'query').catch((cause: unknown) => {
    if (!(cause instanceof EmbeddingFailed)) throw cause
    throw new ApiError('unavailable', `The question could not be embedded: ${cause.message}`, {
      cause,
      retryAfterSeconds: 5,
    })
  })
  if (!vector) return []
  const rows = await near(scope, {
    embedder: embedder.id,
    vector,
    wanted: request.limit * 2,
  })
  return rows
    .map((row) => ({ ...row, near: nearness(vector, fromBytes(row.vector)) }))
    .sort((a, b) => b.near - a.near)
    .slice(0, request.limit * 2)
}

const merge = (alike: readonly Ranked[], named: readonly Ranked[]) => {
  const all = new Map<string, Ranked & { score: number; matched: ('meaning' | 'text')[] }>()
  const add = (list: readonly Ranked[], how: 'meaning' | 'text') => {
    for (const [rank, { event_id, kind }] of list.entries()) {
      const there = all.get(event_id)
      const score = (there?.score ?? 0) + 1 / (flatness + rank + 1)
      all.set(event_id, { event_id, kind, score, matched: [...(there?.matched ?? []), how] })
    }
  }
  add(alike, 'meaning')
  add(named, 'text')
  return [...all.values()].sort((a, b) => b.score - a.score || (a.event_id < b.event_id ? 1 : -1))
}
