import { useNavigate, useSearch } from '@tanstack/react-router'

/** What a page's address can say besides its path, the same words on every page. */
export const searchFields = [
  'open',
  'edit',
  'tab',
  'service',
  'changed',
  'refused',
  'status',
  'operation',
  'q',
  'view',
  'channel',
  'thread',
  'record',
  'collection',
  'source',
  'topic',
  'event_type',
  'suite',
  'from',
  'agent',
  'verdict',
  'since',
  'archived',
  'tag',
  'duration',
  'attribute',
  'task',
  'person',
  'twin',
  'a',
  'b',
] as const
export type SearchField = (typeof searchFields)[number]
export type Search = { [K in SearchField]?: string }

export const readSearch = (raw: Readonly<Record<string, unknown>>): Search => {
  const found: Search = {}
  for (const field of searchFields) {
    const value = raw[field]
    if (typeof value === 'string' && value !== '') found[field] = value
  }
  return found
}

export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search))

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const made = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    if (typeof value === 'string' && value !== '') made.set(name, value)
  const text = made.toString()
  return text === '' ? '' : `?${text}`
}

/** Reads the page's address and changes parts of it; an undefined part is taken away. */
export const useAddress = () => {
  const search: Search = useSearch({ from: '__root__' })
  const navigate = useNavigate()
  const change = (parts: { [K in SearchField]?: string | undefined }, replace = true) => {
    void navigate({ to: '.', search: (before) => readSearch({ ...before, ...parts }), replace })
  }
  return { search, change }
}
