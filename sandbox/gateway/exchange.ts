import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { hostOf, isPrivateAddress, PrivateAddressError, publicLookup } from './addresses.ts'
import type { GatewayOptions, GatewayStep, Route } from './gateway.ts'

const maxBodyBytes = 8 * 2 ** 20
const maxMeteredBytes = 4 * 2 ** 20
const forwardTimeoutMs = 600_000

interface Target {
  readonly host: string
  readonly path: string
  /** The host that the request itself names; it must be the one that the connection was made for. */
  readonly claimed: string
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: Target
  readonly options: GatewayOptions
  readonly agents: UpstreamAgents
}

type Ending = Pick<GatewayStep, 'outcome' | 'status' | 'requestBytes' | 'responseBytes' | 'reason'>

/** Answers one request and reports it; never throws. */
export const answerRequest = async (exchange: Exchange & { overloaded: boolean }): Promise<void> => {
  const { target, options, request } = exchange
  const startedAt = performance.now()
  const route = options.route(target.host)
  let ending: Ending
  try {
    ending = await answer(exchange, route)
  } catch (error) {
    // An agent that hangs up is not failed by anybody else.
    const failure = error instanceof Error ? error.message : String(error)
    const reason = exchange.response.closed ? 'The client went away.' : failure
    const status = error instanceof PrivateAddressError ? 403 : 502
    const code = error instanceof PrivateAddressError ? 'private_address' : 'upstream_failed'
    const outcome = error instanceof PrivateAddressError ? 'refused' : 'failed'
    ending = { ...say(exchange, { status, code, reason }), outcome }
  }
  const service = route?.kind === 'twin' ? route.service : undefined
  const durationMs = performance.now() - startedAt
  const { host, path } = target
  options.onStep?.({ ...ending, host, service, method: request.method ?? 'GET', path, durationMs })
}

const answer = async (
  exchange: Exchange & { overloaded: boolean },
  route: Route | undefined,
): Promise<Ending> => {
  const { target, overloaded } = exchange
  if (overloaded) {
    const reason = 'Too many requests at once in this trial; send fewer in parallel.'
    return say(exchange, { status: 503, code: 'too_many_requests', reason })
  }
  if (target.claimed && target.claimed !== target.host) {
    const reason = `The connection is for ${target.host} but the request names ${target.claimed}.`
    return say(exchange, { status: 421, code: 'misdirected', reason })
  }
  if (!route) {
    const hidden = isIP(target.host) !== 0 && isPrivateAddress(target.host)
    const reason = hidden
      ? `${target.host} is a private address; no trial can reach it.`
      : `${target.host || 'The host'} is not part of this trial. Only the world's services and the hosts that this deployment allows can be reached.`
    return say(exchange, { status: 403, code: hidden ? 'private_address' : 'host_not_allowed', reason })
  }
  const limitBytes = exchange.options.bodyBytes ?? maxBodyBytes
  const body = await readBody(exchange.request, limitBytes)
  if (!body) {
    const reason = `The request's body is larger than ${limitBytes} bytes.`
    return say(exchange, { status: 413, code: 'body_too_large', reason })
  }
  return route.kind === 'twin' ? answerFromTwin(exchange, route, body) : forward(exchange, route, body)
}

/** Refuses in JSON that a person or a model can act on. */
const say = (exchange: Exchange, refusal: { status: number; code: string; reason: string }): Ending => {
  const { request, response } = exchange
  const body = JSON.stringify({ error: refusal.reason, code: refusal.code })
  if (response.headersSent) response.destroy()
  else {
    const finished = request.complete
    response.writeHead(refusal.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-diorama-gateway': refusal.code,
      // An unread body would be taken for the next request.
      ...(finished ? {} : { connection: 'close' }),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
    request.resume()
  }
  const { status, reason } = refusal
  return { outcome: 'refused', status, requestBytes: 0, responseBytes: body.length, reason }
}

const readBody = async (request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> => {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return undefined
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) chunks.push(chunk)
      else resolve(undefined)
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => reject(new Error('The client went away.')))
  })
}

const answerFromTwin = async (
  { request, response, target, options }: Exchange,
  route: Route & { kind: 'twin' },
  body: Buffer,
): Promise<Ending> => {
  const reply = await options.onRequest({
    host: target.host,
    service: route.service,
    method: request.method ?? 'GET',
    path: target.path,
    headers: endToEnd(request.headers),
    body,
  })
  const content = Buffer.from(reply.body)
  const bodiless = request.method === 'HEAD' || reply.status === 204 || reply.status === 304
  const headers = endToEnd(reply.headers)
  if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = String(content.length)
  response.writeHead(reply.status, headers)
  response.end(bodiless ? undefined : content)
  const sizes = { requestBytes: body.length, responseBytes: content.length }
  return { outcome: 'twin', status: reply.status, ...sizes, reason: undefined }
}

/** Connection matters concern one hop only, and what is meant for the proxy goes no further. */
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

const endToEnd = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> => {
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHopHeaders.has(name.toLowerCase())) kept[name.toLowerCase()] = value
  }
  return kept
}

/** Connections to allowed hosts, kept open between requests for as long as their gateway lives. */
export interface UpstreamAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

export const openUpstreamAgents = (): UpstreamAgents => {
  const options = { keepAlive: true, maxSockets: 64 }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

const forward = async (
  exchange: Exchange,
  route: Route & { kind: 'forward' },
  body: Buffer,
): Promise<Ending> => {
  const { request, response, target } = exchange
  const origin = new URL(route.origin)
  const address = origin.hostname.replace(/^\[|\]$/g, '')
  if (!route.allowPrivate && isPrivateAddress(address)) {
    throw new PrivateAddressError(`${address} is a private address; no trial can reach it.`)
  }
  const secure = origin.protocol === 'https:'
  const send = secure ? httpsRequest : httpRequest
  const headers = { ...endToEnd(request.headers), host: origin.host, ...route.headers }
  const path = `${origin.pathname.replace(/\/$/, '')}${target.path}`
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send({
      hostname: address,
      port: origin.port || (secure ? 443 : 80),
      method: request.method,
      path,
      headers: { ...headers, 'content-length': String(body.length) },
      agent: secure ? exchange.agents.https : exchange.agents.http,
      timeout: forwardTimeoutMs,
      ...(route.allowPrivate ? {} : { lookup: publicLookup }),
    })
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
    outgoing.once('timeout', () =>
      outgoing.destroy(new Error(`${hostOf(origin.host)} did not answer in time.`)),
    )
    response.once('close', () => outgoing.destroy())
    outgoing.end(body)
  })
  const status = answered.statusCode ?? 502
  response.writeHead(status, endToEnd(answered.headers))
  const copy = new MeteredCopy()
  try {
    await pipeline(answered, (source: AsyncIterable<Buffer>) => copy.through(source), response)
  } finally {
    // A client that leaves early has still used what was sent.
    exchange.options.onForwarded?.({
      host: target.host,
      method: request.method ?? 'GET',
      path: target.path,
      status,
      requestBody: body,
      responseHeaders: answered.headers,
      responseBody: Buffer.concat(copy.kept),
      truncated: copy.bytes > maxMeteredBytes,
    })
  }
  const sizes = { requestBytes: body.length, responseBytes: copy.bytes }
  return { outcome: 'forwarded', status, ...sizes, reason: undefined }
}

/** Lets an answer through as it comes, since models speak word by word, and keeps its beginning for the meter. */
class MeteredCopy {
  readonly kept: Buffer[] = []
  bytes = 0

  async *through(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (this.bytes < maxMeteredBytes) this.kept.push(chunk.subarray(0, maxMeteredBytes - this.bytes))
      this.bytes += chunk.length
      yield chunk
    }
  }
}
