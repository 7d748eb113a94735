import { allRoutes, type RouteName, type RouteSpec } from '@diorama/contract'
import { camelize } from '@diorama/contract/casing'
import { namespaces } from '@diorama/contract/namespaces'
import { z } from 'zod'
import { addressOf, type Query, queryText } from './core/address.ts'
import { DioramaError } from './core/error.ts'
import type { Methods } from './methods.ts'
import { isStream, readStream, streamItems } from './stream.ts'
import { type Connection, type Outgoing, type RequestOptions, send } from './transport.ts'

interface Given {
  readonly outgoing: Outgoing
  readonly query: Query
}

/** Every method of the client, made from the table of routes. */
export const openMethods = (connection: Connection): Methods => {
  const built = Object.entries(namespaces).map(([space, methods]) => [
    space,
    Object.fromEntries(
      Object.entries(methods).map(([method, name]) => [
        method,
        (...given: readonly unknown[]) => call(connection, { name, label: `${space}.${method}` }, given),
      ]),
    ),
  ])
  // The compiler cannot follow a table through its entries; the types above are made from the same table.
  return Object.fromEntries(built) as Methods
}

const call = (
  connection: Connection,
  { name, label }: { name: RouteName; label: string },
  given: readonly unknown[],
) => {
  const route: RouteSpec = allRoutes[name]
  const { outgoing, query } = sortArguments(route, label, given)
  if (isStream(name)) return readStream(connection, outgoing, streamItems[name])
  return isList(route)
    ? list(connection, outgoing, query)
    : send(connection, outgoing, (response) => readReply(route, response))
}

/** Arguments come as the path names its parameters, then the body or the query, then options. */
const sortArguments = (route: RouteSpec, label: string, given: readonly unknown[]): Given => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parts = names.map((name, index) => {
    const value = given[index]
    if (typeof value !== 'string' || value === '') throw new TypeError(`${label} needs ${name}, a text`)
    return [name, value] as const
  })
  const takesInput = route.body !== undefined || route.takes !== undefined || route.query !== undefined
  const input = takesInput ? given[names.length] : undefined
  // Bytes are followed by a query, where the route has one.
  const asked = route.takes && route.query ? given[names.length + 1] : undefined
  const options = given[names.length + (takesInput ? 1 : 0) + (route.takes && route.query ? 1 : 0)]
  const said = route.takes ? asked : input
  const query = route.body ? {} : isFields(said) ? said : {}
  const body = route.body ? (input ?? {}) : route.takes ? input : undefined
  return {
    outgoing: {
      route,
      path: addressOf(route.path, Object.fromEntries(parts), query),
      options: isFields(options) ? (options satisfies RequestOptions) : {},
      ...(body === undefined ? {} : { body }),
    },
    query,
  }
}

const isFields = (value: unknown): value is Query => typeof value === 'object' && value !== null

const isList = ({ reply }: RouteSpec): boolean =>
  reply instanceof z.ZodObject && 'items' in reply.def.shape && 'next_cursor' in reply.def.shape

interface Page {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null
}

/** The first page is asked for at once; the next ones as the caller gets to them. */
const list = (connection: Connection, outgoing: Outgoing, query: Query) => {
  const { route } = outgoing
  const read = async (path: string) =>
    (await send(connection, { ...outgoing, path }, (response) => readReply(route, response))) as Page
  const first = read(outgoing.path)
  const [bare = ''] = outgoing.path.split('?')
  async function* items() {
    let page = await first
    for (;;) {
      yield* page.items
      if (page.nextCursor === null) return
      page = await read(bare + queryText({ ...query, cursor: page.nextCursor }))
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items })
}

const readReply = async (route: RouteSpec, response: Response): Promise<unknown> => {
  if (route.gives !== undefined)
    return /^text\/|xml/.test(route.gives)
      ? await response.text()
      : new Uint8Array(await response.arrayBuffer())
  if (route.reply === undefined || response.status === 204) {
    await response.body?.cancel()
    return undefined
  }
  if (!/json/.test(response.headers.get('content-type') ?? ''))
    return route.takes ? new Uint8Array(await response.arrayBuffer()) : refuse(response)
  try {
    return camelize(route.reply, JSON.parse(await response.text()))
  } catch (cause) {
    if (cause instanceof SyntaxError) return refuse(response, cause)
    throw cause
  }
}

const refuse = (response: Response, cause?: unknown): never => {
  throw new DioramaError('The answer is not JSON: something else than the service may have given it.', {
    status: response.status,
    code: 'unreadable_reply',
    requestId: response.headers.get('x-request-id') ?? undefined,
    cause,
  })
}
