import type { TwinReply } from '../kernel/twin.ts'

/** Answers a route; what it needs beside the parameters comes in the context. */
export interface Route<C> {
  readonly method: string
  /** Segments of a path, `:name` for a parameter: `/things/:id`. */
  readonly path: string
  readonly handle: (params: Params, context: C) => RestReply
}

/** Decoded segments by name. Every parameter of a route that matched is there. */
export type Params = (name: string) => string

/** An answer before it is written out: an absent body is an empty one. */
export interface RestReply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** As in `TwinReply`. */
  readonly hold?: { readonly maxMs: number }
}

export type Matched<C> =
  | { kind: 'found'; route: Route<C>; params: Params }
  | { kind: 'wrong method'; allowed: readonly string[] }
  | { kind: 'none' }

interface Place<C> {
  readonly fixed: Map<string, Place<C>>
  open: { place: Place<C> } | undefined
  readonly routes: Map<string, { route: Route<C>; names: readonly string[] }>
}

/** Finds routes by path; a fixed segment wins over a parameter, and a trailing slash means nothing. */
export const router = <C>(routes: readonly Route<C>[]): ((method: string, path: string) => Matched<C>) => {
  const root: Place<C> = emptyPlace()
  for (const route of routes) plant(root, route)
  return (method, path) => {
    const segments = path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decode)
    const places = reach(root, segments, [])
    if (places.length === 0) return { kind: 'none' }
    for (const { place, values } of places) {
      const planted = place.routes.get(method)
      if (planted) return { kind: 'found', route: planted.route, params: paramsOf(planted.names, values) }
    }
    return {
      kind: 'wrong method',
      allowed: [...new Set(places.flatMap(({ place }) => [...place.routes.keys()]))],
    }
  }
}

const emptyPlace = <C>(): Place<C> => ({ fixed: new Map(), open: undefined, routes: new Map() })

const plant = <C>(root: Place<C>, route: Route<C>): void => {
  const names: string[] = []
  let place = root
  for (const segment of route.path.split('/').filter((one) => one !== '')) {
    if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      place.open ??= { place: emptyPlace() }
      place = place.open.place
    } else {
      const key = segment.toLowerCase()
      const next = place.fixed.get(key) ?? emptyPlace<C>()
      place.fixed.set(key, next)
      place = next
    }
  }
  place.routes.set(route.method, { route, names })
}

interface Reached<C> {
  readonly place: Place<C>
  readonly values: readonly string[]
}

const reach = <C>(place: Place<C>, segments: readonly string[], values: readonly string[]): Reached<C>[] => {
  const [segment, ...rest] = segments
  if (segment === undefined) return place.routes.size > 0 ? [{ place, values }] : []
  const fixed = place.fixed.get(segment.toLowerCase())
  const found = fixed ? reach(fixed, rest, values) : []
  return place.open ? [...found, ...reach(place.open.place, rest, [...values, segment])] : found
}

const paramsOf =
  (names: readonly string[], values: readonly string[]): Params =>
  (name) => {
    const value = values[names.indexOf(name)]
    if (value === undefined) throw new Error(`the route has no parameter ${name}`)
    return value
  }

/** Percent signs that encode nothing are taken as they are. */
export const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A query string's fields; a plus sign is a space, and the last of several wins. */
export const readQueryString = (query: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  for (const part of query.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
    fields.set(decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' ')))
  }
  return fields
}

export type ReadJson =
  | { ok: true; value: unknown }
  | { ok: false; reason: 'empty' | 'malformed'; message: string }

/** A JSON body; clients send empty ones under a JSON content type, so that is distinguished from a broken one. */
export const readJson = (body: Uint8Array): ReadJson => {
  const text = new TextDecoder().decode(body).replace(/^\uFEFF/, '')
  if (text.trim() === '') return { ok: false, reason: 'empty', message: '' }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, reason: 'malformed', message: error instanceof Error ? error.message : '' }
  }
}

export const toReply = (
  { status, body, headers = {}, hold }: RestReply,
  always: Readonly<Record<string, string>>,
): TwinReply => {
  const empty = body === undefined
  const raw = typeof body === 'string' || body instanceof Uint8Array
  return {
    status,
    headers: { ...always, ...headers },
    ...(hold ? { hold } : {}),
    body: empty ? '' : raw ? body : JSON.stringify(body),
  }
}
