import type { Limits } from '@diorama/contract'
import type { Fault, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { toTwinRequest } from '@diorama/twin-kit/wires/twin-request'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { guardTwinContent } from '../http/browser/twin-content.ts'
import type { FairUse } from '../http/limits/fair-use.ts'
import type { Log } from '../storage/log.ts'
import type { Host } from './host.ts'
import { forwardedHeader, type OtherNodes } from './placement/other-nodes.ts'
import type { PlacedTwin } from './placement/placed-twin.ts'

export interface GatewayParts {
  readonly host: Host
  readonly log: Log
  readonly now: () => number
  readonly baseUrl: () => string
  readonly bodyLimitBytes: number
  /** Ends twins whose time has passed. */
  readonly expire: () => Promise<void>
  /** The origin that serves twins alone, apart from the console's. */
  readonly twinOrigin: string | undefined
  readonly fairUse: FairUse
  readonly limitsOf: (organizationId: string) => Limits | Promise<Limits>
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'MERGE']

/** Mounts `/t/{twinId}/…`: whatever comes is handed to the twin as it came, in any method and any content type. */
export const mountGateway = async (edge: FastifyInstance, parts: GatewayParts): Promise<void> => {
  edge.addHttpMethod('MERGE', { hasBody: true })
  await edge.register(async (scope) => {
    guardTwinContent(scope, parts)
    scope.addHook('onRequest', (request, reply) => admit(parts, request, reply))
    scope.removeAllContentTypeParsers()
    // The usual types are named as well: only a type that is named is found without being taken apart each time.
    scope.addContentTypeParser(
      ['application/json', 'application/x-www-form-urlencoded', '*'],
      { parseAs: 'buffer', bodyLimit: parts.bodyLimitBytes },
      (_request, body, done) => done(null, body),
    )
    scope.setErrorHandler((error, request, reply) => refuse(parts, error, request, reply))
    for (const url of ['/t/:twinId', '/t/:twinId/*'])
      scope.route({
        method: methods,
        url,
        exposeHeadRoute: false,
        bodyLimit: parts.bodyLimitBytes,
        compress: false,
        handler: (request, reply) => answer(parts, request, reply),
      })
  })
}

/** Refuses before a byte of the body is read: a twin that is not there, and an organization over its limits. */
const admit = async (parts: GatewayParts, request: FastifyRequest, reply: FastifyReply) => {
  const { host, fairUse, limitsOf } = parts
  const { twinId } = request.params as { twinId: string }
  const here = host.here(twinId)
  const found = here ? ({ at: 'here', twin: here } as const) : await host.find(twinId)
  if (found.at === 'nowhere') return end(reply, 404, 'not_found', 'There is no such twin.', request.id)
  if (found.at === 'ended') return endedReply(reply, found.row.status, request.id)
  if (found.at === 'elsewhere' || found.at === 'moving') {
    const over = fairUse.admitBody(request, reply)
    if (!over) return undefined
    reply.header('retry-after', String(over.retryAfterSeconds))
    return end(reply, 503, 'unavailable', over.message, request.id)
  }
  const { row, model } = found.twin
  const limits = await limitsOf(row.organization_id)
  const over = fairUse.admitTwinRequest({ request, reply, organizationId: row.organization_id, limits })
  if (!over) return undefined
  const kind = over.isCaller ? 'rate_limited' : 'unavailable'
  const message = requestFor(request, undefined, parts.baseUrl())
  reply.header('retry-after', String(over.retryAfterSeconds))
  return send(
    reply,
    request.method,
    model.fault({ kind, retryAfterSeconds: over.retryAfterSeconds }, message),
  )
}

const answer = async (parts: GatewayParts, request: FastifyRequest, reply: FastifyReply) => {
  const { twinId } = request.params as { twinId: string }
  const here = parts.host.here(twinId)
  const found = here ? ({ at: 'here', twin: here } as const) : await parts.host.find(twinId)
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  switch (found.at) {
    case 'here':
      return fromTwin(parts, found.twin, { request, reply, body })
    case 'ended':
      return endedReply(reply, found.row.status, request.id)
    case 'nowhere':
      return end(reply, 404, 'not_found', 'There is no such twin.', request.id)
    case 'elsewhere':
      if (request.headers[forwardedHeader] === undefined)
        return fromElsewhere(parts.host.nodes, found.address, { request, reply, body })
  }
  const message = 'The twin is moving to another node.'
  return end(reply.header('retry-after', '1'), 503, 'unavailable', message, request.id)
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly body: Uint8Array
}

const fromTwin = async (parts: GatewayParts, twin: PlacedTwin, { request, reply, body }: Exchange) => {
  // The database alone judges the time: this machine's clock may be wrong.
  if (twin.row.expires_at.getTime() <= parts.now()) {
    await parts.expire()
    if (twin.lost) return endedReply(reply, 'expired', request.id)
  }
  const message = requestFor(request, body, `${parts.baseUrl()}/t/${twin.id}`)
  if (twin.row.status === 'provisioning') return send(reply, request.method, starting(twin, message))
  const left = new AbortController()
  // Every reply closes; only a client that left before its end is news, and an abort is not free.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort()
  })
  const handled = await parts.host.handle(twin, message, left.signal)
  return send(reply, request.method, handled.reply)
}

const fromElsewhere = async (nodes: OtherNodes, address: string, { request, reply, body }: Exchange) => {
  const url = request.raw.url ?? '/'
  const there = await nodes.forward(address, { method: request.method, url, headers: request.headers, body })
  for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'x-request-id'])
    delete there.headers[name]
  return reply.status(there.status).headers(there.headers).send(there.body)
}

const starting = (twin: PlacedTwin, message: TwinRequest): TwinReply => {
  const reply = twin.model.fault({ kind: 'unavailable', retryAfterSeconds: 1 }, message)
  return { ...reply, status: 503, headers: { ...reply.headers, 'retry-after': '1' } }
}

/** The request as the twin sees it. */
const requestFor = (request: FastifyRequest, body: Uint8Array | undefined, baseUrl: string): TwinRequest => {
  const url = request.raw.url ?? '/'
  const below = url.slice(3).search(/[/?]/)
  const target = below === -1 ? '' : url.slice(3 + below)
  return toTwinRequest({ method: request.method, target, headers: request.headers, body, baseUrl })
}

const send = (reply: FastifyReply, method: string, { status, headers, body }: TwinReply) => {
  reply.status(status)
  for (const [name, value] of Object.entries(headers))
    reply.header(name, typeof value === 'string' ? value : [...value])
  if (method === 'HEAD' || status === 204 || status === 304) return reply.send()
  // Text leaves in one write with its headers; without its own type the framework would call it plain text.
  return reply.send(typeof body === 'string' && reply.hasHeader('content-type') ? body : Buffer.from(body))
}

const endedReply = (reply: FastifyReply, status: string, requestId: string) =>
  end(
    reply,
    410,
    'gone',
    status === 'expired' ? 'The twin has expired.' : `The twin is ${status}.`,
    requestId,
  )

const end = (reply: FastifyReply, status: number, code: string, error: string, requestId: string) =>
  reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error, code, request_id: requestId }))

/** What the framework refuses is said in the vendor's words, where the twin is known. */
const refuse = async (parts: GatewayParts, error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status >= 500)
    parts.log.error({ event: 'gateway.failed', request_id: request.id, error }, 'The gateway failed.')
  const fault: Fault =
    status === 413
      ? { kind: 'too_large' }
      : status >= 500
        ? { kind: 'unavailable', retryAfterSeconds: 1 }
        : { kind: 'internal', requestId: request.id }
  const { twinId } = request.params as { twinId: string }
  const found = await parts.host.find(twinId).catch(() => undefined)
  if (found?.at !== 'here') {
    if (status >= 500) reply.header('retry-after', '1')
    const message = 'The twin cannot be reached; retry.'
    return end(reply, status >= 500 ? 503 : status, 'unavailable', message, request.id)
  }
  return send(
    reply,
    request.method,
    found.twin.model.fault(fault, requestFor(request, undefined, parts.baseUrl())),
  )
}
