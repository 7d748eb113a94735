import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip as gzipCallback } from 'node:zlib'
import type { RouteSpec } from '@diorama/contract'
import { allRoutes } from '@diorama/contract'
import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../storage/failure.ts'
import type { Log } from '../storage/log.ts'
import { BadCursor } from '../storage/pages.ts'
import { ApiError } from './api-error.ts'
import { Answer, type Caller, EventStream, type Handlers, type Incoming } from './handler.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import type { FairUse } from './limits/fair-use.ts'
import type { Metrics } from './metrics.ts'
import { bodyParser, type ParsedBody, parseParameters } from './parse.ts'
import { decodeBody, parseJson, tooLarge } from './parsing/body.ts'
import { refuseUnreadable } from './parsing/unreadable.ts'
import { Received } from './received.ts'
import { sendEvents } from './sse.ts'

export interface EdgeParts {
  readonly handlers: Handlers
  /** A caller who was here lately is known at once. */
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>
  /** Calls `end` when the key of a request stops being valid, for what outlives the request. */
  readonly watchKey: (authorization: string | undefined, end: () => void) => () => void
  readonly idempotency: Idempotency
  readonly fairUse: FairUse
  readonly metrics: Metrics
  readonly log: Log
  readonly now: () => number
  readonly makeId: (prefix: string) => string
  readonly bodyLimitBytes: number
  readonly bundleLimitBytes: number
  /** Holds every reply against its schema; for tests. */
  readonly checkReplies: boolean
  /** The listener, with TLS or without. */
  readonly serverFactory: (handler: RequestListener) => Server
  /** Whether a request claims to come from another node and does not. */
  readonly isForged: (request: IncomingMessage) => boolean
}

/** Bodies of these types are not read into memory; the handler reads the stream. */
const streamedTypes = [
  'application/gzip',
  'application/x-gzip',
  'application/x-tar',
  'application/octet-stream',
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, where the route needs a key. */
    caller: Caller | undefined
    /** The route's path; the framework would put together all that it knows of a route to tell it. */
    routePath: string | undefined
  }
}

/** Opens the one edge of the service: every route of the contract's table, mounted with its handler. */
export const openEdge = async (parts: EdgeParts): Promise<FastifyInstance> => {
  const app = Fastify({
    serverFactory: parts.serverFactory,
    bodyLimit: parts.bodyLimitBytes,
    genReqId: () => parts.makeId('req'),
    requestIdHeader: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512, caseSensitive: true, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      refuse(parts, error, request, reply)
    },
    clientErrorHandler: refuseUnreadable(parts.makeId),
  })
  app.removeAllContentTypeParsers()
  // The usual type is named as well: only a type that is named is found without being taken apart each time.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser(streamedTypes, (_request, payload, done) => done(null, payload))
  await app.register(compress, {
    global: true,
    threshold: 2_048,
    encodings: ['gzip', 'identity'],
    globalDecompression: false,
  })
  app.decorateRequest('caller', undefined)
  app.decorateRequest('routePath', undefined)
  app.decorateRequest('bodyReservation', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // A path that is not there is refused before a body is read; the framework would read it first.
    if (parts.isForged(request.raw)) void refuse(parts, notANode, request, reply)
    else if (request.is404) void refuse(parts, unmatched(request), request, reply)
    else done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // Streamed bodies are not held in memory.
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!streamedTypes.includes(type) && !isStreamed(request)) parts.fairUse.countBody(request, payload)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    record(parts, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => refuse(parts, error, request, reply))
  app.setNotFoundHandler((request, reply) => refuse(parts, unmatched(request), request, reply))
  const table = Object.entries<RouteSpec>(allRoutes)
  for (const [name, route] of table) if (!route.streams) mount(app, parts, name, route)
  await app.register(async (streaming) => {
    streaming.removeAllContentTypeParsers()
    streaming.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const [name, route] of table) if (route.streams) mount(streaming, parts, name, route)
  })
  return app
}

const notANode = new ApiError('forbidden', 'Only another node may send a request on, with its certificate.')

const isStreamed = (request: FastifyRequest): boolean =>
  (request.routeOptions.config as { route?: RouteSpec }).route?.streams === true

interface Mounted {
  readonly route: RouteSpec
  readonly path: string
  readonly parse: (sent: unknown) => ParsedBody
  readonly handler: (incoming: Incoming) => Promise<unknown>
}

const mount = (app: FastifyInstance, parts: EdgeParts, name: string, route: RouteSpec) => {
  const handler = (parts.handlers as unknown as Record<string, Mounted['handler']>)[name]
  if (!handler) throw new Error(`the route ${name} has no handler`)
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
  const mounted: Mounted = { route, path, parse: bodyParser(route), handler }
  app.route({
    method: route.method,
    url: path,
    ...(route.bodyLimit === 'bundle' ? { bodyLimit: parts.bundleLimitBytes } : {}),
    config: { route },
    compress: false,
    ...(route.scope === 'none' ? {} : { onRequest: admit(parts, mounted) }),
    handler: (request, reply) => answer(parts, mounted, request, reply),
  })
}

/** Asks who is there before a byte of the body is read. */
const admit =
  ({ authenticate, fairUse }: EdgeParts, { route, path }: Mounted) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | undefined => {
    const enter = (caller: Caller) => {
      permit(caller, route)
      fairUse.admitCaller(request, reply, caller)
      request.caller = caller
    }
    request.routePath = path
    const caller = authenticate(request.headers.authorization)
    if (caller instanceof Promise) return caller.then(enter)
    enter(caller)
    done()
    return undefined
  }

/** Refuses a caller whose key has not the scope of a route. */
export const permit = (caller: Caller, { scope }: Pick<RouteSpec, 'scope'>): void => {
  if (caller.keyClass === 'operator' || scope === 'any' || scope === 'none') return
  if (scope === 'operator') throw new ApiError('forbidden', 'This needs a key of class operator.')
  if (caller.keyClass === 'platform' || caller.scopes.has(scope)) return
  throw new ApiError('forbidden', `This needs a key with the scope ${scope}.`)
}

const answer = async (parts: EdgeParts, mounted: Mounted, request: FastifyRequest, reply: FastifyReply) => {
  const { route } = mounted
  const raw = request.body instanceof Uint8Array ? request.body : noBytes
  const encoding = request.headers['content-encoding']
  const bytes = encoding === undefined ? raw : await decodeBody(raw, encoding, parts.bodyLimitBytes)
  const incoming = read(mounted, request, reply, bytes)
  const outcome = await once(parts, mounted, request, incoming)
  if (outcome instanceof EventStream) {
    reply.hijack()
    reply.raw.setHeader('x-request-id', request.id)
    const unwatch = parts.watchKey(request.headers.authorization, () => reply.raw.destroy())
    await sendEvents(reply.raw, outcome, incoming.signal).finally(unwatch)
    record(parts, request, reply)
    return
  }
  const { status, body, headers } = outcome
  reply.status(status).headers(headers)
  if (route.gives !== undefined || body instanceof Uint8Array || body instanceof Readable) {
    if (!reply.hasHeader('content-type')) reply.type(route.gives ?? 'application/octet-stream')
    return reply.send(body)
  }
  if (status === 204 || body === undefined) return reply.send()
  if (parts.checkReplies && route.reply) route.reply.parse(body)
  return sendJson(request, reply, JSON.stringify(body))
}

const noBytes = new Uint8Array()

const compressAbove = 2_048
const gzip = promisify(gzipCallback)

/** Long replies are compressed for those who take it; short ones are not worth the time of either side. */
const sendJson = (request: FastifyRequest, reply: FastifyReply, text: string) => {
  reply.type('application/json; charset=utf-8')
  const takes = request.headers['accept-encoding']
  if (text.length < compressAbove || takes === undefined || !takes.includes('gzip')) {
    reply.send(text)
    // A reply is something to wait for, and the framework would; what has been sent is not.
    return reply.sent ? undefined : reply
  }
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return gzip(text).then((bytes) => reply.send(bytes))
}

const read = (
  { route, parse }: Mounted,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Uint8Array,
): Incoming => {
  const stream = request.body instanceof Readable ? request.body : undefined
  if (stream !== undefined || (request.body instanceof Uint8Array && request.body.length > 0))
    checkType(route, request.headers['content-type'] ?? '')
  const { value, fitted, unknownFields } = route.body
    ? parse(route.bodyOptional && bytes.length === 0 ? {} : parseJson(bytes))
    : noBody
  const given = {
    params: parseParameters(route.params, request.params, 'path'),
    query: parseParameters(route.query, request.query, 'query'),
    body: value,
    sent: fitted,
    caller: request.caller,
    requestId: request.id,
    headers: request.headers,
    unknownFields,
    bytes,
    stream: route.takes ? stream : undefined,
  }
  return new Received(given as Omit<Incoming, 'signal'>, reply.raw) as Incoming
}

const noBody = { value: undefined, fitted: undefined, unknownFields: [] }

const checkType = (route: RouteSpec, header: string): void => {
  if (route.body !== undefined && route.takes === undefined && header === 'application/json') return
  const taken = route.takes ?? (route.body ? ['application/json', ''] : undefined)
  if (!taken) return
  const type = header.split(';')[0]?.trim().toLowerCase() ?? ''
  const fits = taken.some((one) => type === one) || (route.body !== undefined && type.endsWith('+json'))
  if (!fits)
    throw new ApiError(
      'unsupported_media_type',
      `Content type ${type || '(none)'} is not taken here; send ${taken.filter(Boolean).join(' or ')}.`,
    )
}

type Outcome = Answer | EventStream

const toOutcome = (route: RouteSpec, given: unknown): Outcome =>
  given instanceof Answer || given instanceof EventStream ? given : new Answer(route.status ?? 200, given)

/** Runs the handler, at most once for each `Idempotency-Key` where the route creates something. */
const once = async (
  parts: EdgeParts,
  { route, handler }: Mounted,
  request: FastifyRequest,
  incoming: Incoming,
): Promise<Outcome> => {
  const key = request.headers['idempotency-key']
  if (!route.creates || key === undefined || !incoming.caller)
    return toOutcome(route, await handler(incoming))
  const attempt = {
    organizationId: incoming.caller.organizationId,
    key: String(key),
    route: `${request.method} ${request.url}`,
    body: incoming.bytes,
    sealWith: route.secret ? request.headers.authorization : undefined,
  }
  return parts.idempotency.once(attempt, async () => {
    const outcome = toOutcome(route, await handler(incoming))
    if (outcome instanceof EventStream) throw new Error('a stream cannot be idempotent')
    return { status: outcome.status, body: outcome.body }
  })
}

const refuse = (parts: EdgeParts, thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const refused = asApiError(thrown, parts.bodyLimitBytes)
  if (refused.code === 'internal')
    parts.log.error({ event: 'request.failed', request_id: request.id, error: thrown }, 'A request failed.')
  else if (refused.code === 'unavailable' && refused.cause !== undefined)
    parts.log.warn(
      { event: 'database.unavailable', request_id: request.id, error: refused.cause },
      'A request could not be answered without the database.',
    )
  if (refused.retryAfterSeconds !== undefined) reply.header('retry-after', String(refused.retryAfterSeconds))
  if (refused.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="diorama"')
  if (refused.code === 'method_not_allowed') reply.header('allow', allowed(request.url).join(', '))
  const body = {
    error: refused.message,
    code: refused.code,
    request_id: request.id,
    ...(refused.details ? { details: refused.details } : {}),
  }
  return reply.status(refused.status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** What the framework and the stores throw, in our own words; anything else is a bug. */
const asApiError = (thrown: unknown, limit: number): ApiError => {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof BadCursor) return new ApiError('invalid_cursor', thrown.message)
  const code = (thrown as { code?: unknown })?.code
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(limit)
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError('malformed', 'The body is not as long as Content-Length says.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'The content type is not a valid one.')
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new ApiError('not_found', 'There is no such path.')
  if (isDatabaseUnavailable(thrown))
    return new ApiError('unavailable', 'The database does not answer; retry.', {
      retryAfterSeconds: 1,
      cause: thrown,
    })
  const status = (thrown as { statusCode?: unknown })?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new ApiError('malformed', thrown instanceof Error ? thrown.message : 'The request cannot be read.')
  return new ApiError(
    'internal',
    'The service could not complete the request. Retry, and quote the request id if it persists.',
  )
}

const patterns = Object.values(allRoutes).map((route) => ({
  method: route.method,
  fits: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

const allowed = (url: string): string[] => {
  const path = url.split('?')[0] ?? ''
  const found = patterns.filter(({ fits }) => fits.test(path)).map(({ method }) => method)
  return methods.filter((method) => found.some((one) => one === method))
}

const unmatched = (request: FastifyRequest): ApiError => {
  const others = allowed(request.url)
  // A path whose parameter is too long for the router fits its pattern all the same.
  return others.length > 0 && !others.includes(request.method)
    ? new ApiError('method_not_allowed', `${request.method} is not taken here; ${others.join(', ')} is.`)
    : new ApiError('not_found', 'There is no such path.')
}

/** One line and one count for each request. The query is left out, since it can contain a twin's token. */
const record = ({ log, metrics }: EdgeParts, request: FastifyRequest, reply: FastifyReply): void => {
  const route = request.routePath ?? request.routeOptions.url ?? '(none)'
  const elapsed = reply.elapsedTime
  metrics.observe(request.method, route, reply.statusCode, elapsed)
  const { caller } = request
  log.info(
    {
      event: 'http.request',
      request_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(elapsed * 100) / 100,
      ...(caller ? { organization: caller.organizationId, key: caller.keyId } : {}),
    },
    'request',
  )
}
