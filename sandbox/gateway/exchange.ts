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
import { BudgetExhausted, type ByteBudget, type HeldBytes } from './byte-budget.ts'
import type { GatewayOptions, GatewayStep, Route } from './options.ts'

const maxBodyBytes = 8 * 2 ** 20
const maxMeteredBytes = 4 * 2 ** 20
const forwardTimeoutMs = 600_000
/** What is held for a reply before its size is known. */
const replyReserveBytes = 2 ** 20
/** How long a request may wait for room, its body may take to arrive, and its reply to be read. */
const defaultPatienceMs = 60_000
/** After a refusal, what the client is still sending is read for so long, so that it comes to read the reply. */
const lingerMs = 5_000
const maxLingerBytes = 64 * 2 ** 20

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
  readonly budget: ByteBudget
}

type Ending = Pick<GatewayStep, 'outcome' | 'status' | 'requestBytes' | 'responseBytes' | 'reason'>

/** Answers one request, reports it, and resolves when nothing of it is held any longer; never throws. */
export const answerRequest = async (exchange: Exchange & { overloaded: boolean }): Promise<void> => {
  const { target, options, request } = exchange
  const startedAt = performance.now()
  const { host, path } = target
  const method = request.method ?? 'GET'
  const route = options.route(host, { method, path })
  const ended = options.onExchange?.(host)
  using held = new LateDisposal()
  let ending: Ending
  try {
    ending = await answer(exchange, route, held)
  } catch (error) {
    ending = refuse(exchange, refusalOf(error))
  }
  ended?.()
  const service = route?.kind === 'twin' ? route.service : undefined
  const durationMs = performance.now() - startedAt
  const toModel = route?.kind === 'model'
  options.onStep?.({ ...ending, host, service, toModel, method, path, durationMs })
  await untilRead(exchange)
}

/** What is held for a request is known only after it was admitted. */
class LateDisposal implements Disposable {
  bytes: HeldBytes | undefined;

  [Symbol.dispose](): void {
    this.bytes?.[Symbol.dispose]()
  }
}

/** A reply that is not read is held in memory until the connection is cut. */
const untilRead = async ({ response, options }: Exchange): Promise<void> => {
  if (response.writableFinished || response.destroyed) return
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => response.destroy(), options.patienceMs ?? defaultPatienceMs)
  response.once('finish', over.resolve)
  response.once('close', over.resolve)
  await over.promise
  clearTimeout(timer)
}

interface Refusal {
  readonly status: number
  readonly code: string
  readonly reason: string
  readonly outcome?: GatewayStep['outcome']
}

const refusalOf = (error: unknown): Refusal => {
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof PrivateAddressError) return { status: 403, code: 'private_address', reason }
  if (error instanceof BudgetExhausted) return { status: 503, code: 'too_many_bytes', reason }
  if (error instanceof SlowBody) return { status: 408, code: 'body_too_slow', reason }
  return { status: 502, code: 'upstream_failed', reason, outcome: 'failed' }
}

class SlowBody extends Error {
  override readonly name = 'SlowBody'
}

const answer = async (
  exchange: Exchange & { overloaded: boolean },
  route: Route | undefined,
  held: LateDisposal,
): Promise<Ending> => {
  const { target, overloaded } = exchange
  if (overloaded) {
    const reason = 'Too many requests at once in this trial; send fewer in parallel.'
    return refuse(exchange, { status: 503, code: 'too_many_requests', reason })
  }
  if (target.claimed && target.claimed !== target.host) {
    const reason = `The connection is for ${target.host} but the request names ${target.claimed}.`
    return refuse(exchange, { status: 421, code: 'misdirected', reason })
  }
  if (!route) {
    const hidden = isIP(target.host) !== 0 && isPrivateAddress(target.host)
    const reason = hidden
      ? `${target.host} is a private address; no trial can reach it.`
      : `${target.host || 'The host'} is not part of this trial. Only the world's services and the hosts that this deployment allows can be reached.`
    return refuse(exchange, { status: 403, code: hidden ? 'private_address' : 'host_not_allowed', reason })
  }
  const { bodyBytes: limitBytes = maxBodyBytes, patienceMs = defaultPatienceMs } = exchange.options
  const announced = announcedBytes(exchange.request, limitBytes)
  if (announced <= limitBytes) {
    const bytes = await exchange.budget.hold(announced + replyReserveBytes, patienceMs)
    held.bytes = bytes
    const body = await readBody(exchange.request, { limitBytes, timeoutMs: patienceMs })
    if (body) {
      bytes.resize(body.length + replyReserveBytes)
      const answering = { exchange, body, bytes }
      if (route.kind === 'model') return answerFromModel(answering)
      return route.kind === 'twin' ? answerFromTwin(answering, route) : forward(answering, route)
    }
  }
  const reason = `The request's body is larger than ${limitBytes} bytes.`
  return refuse(exchange, { status: 413, code: 'body_too_large', reason })
}

/** What a request's body may come to, by its own word; one that is sent in chunks may be as large as any. */
const announcedBytes = ({ headers }: IncomingMessage, limitBytes: number): number => {
  if (headers['transfer-encoding'] !== undefined) return limitBytes
  return Number(headers['content-length'] ?? 0)
}

/** Refuses in JSON that a person or a model can act on. */
const refuse = (exchange: Exchange, refusal: Refusal): Ending => {
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
    if (request.method !== 'HEAD') response.write(body)
    if (finished) response.end()
    else lingerBeforeEnd(request, response)
  }
  const { status, reason, outcome = 'refused' } = refusal
  return { outcome, status, requestBytes: 0, responseBytes: body.length, reason }
}

/** Closing at once would reset the connection of a client that is still sending, before it reads why it was refused. */
const lingerBeforeEnd = (request: IncomingMessage, response: ServerResponse): void => {
  let drainedBytes = 0
  const timer = setTimeout(() => response.destroy(), lingerMs)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  request.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length
    if (drainedBytes > maxLingerBytes) response.destroy()
  })
  request.once('end', end)
  request.once('close', end)
  request.resume()
}

const readBody = (
  request: IncomingMessage,
  { limitBytes, timeoutMs }: { limitBytes: number; timeoutMs: number },
): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new SlowBody(`The request's body did not arrive within ${timeoutMs / 1000} seconds.`)),
      timeoutMs,
    )
    const settle = (body: Buffer | undefined) => {
      clearTimeout(timer)
      resolve(body)
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) chunks.push(chunk)
      else settle(undefined)
    })
    request.once('end', () => settle(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => {
      clearTimeout(timer)
      reject(new Error('The client went away.'))
    })
  })
}

/** A request whose body has arrived, and the share of the budget that is held for it. */
interface Answering {
  readonly exchange: Exchange
  readonly body: Buffer
  readonly bytes: HeldBytes
}

const answerFromTwin = async (
  { exchange: { request, response, target, options }, body, bytes }: Answering,
  route: Route & { kind: 'twin' },
): Promise<Ending> => {
  const reply = await options.onRequest({
    host: target.host,
    service: route.service,
    method: request.method ?? 'GET',
    path: target.path,
    headers: endToEnd(request.headers),
    body,
  })
  if (reply.isDropped) {
    request.socket.destroy()
    return { outcome: 'twin', status: 0, requestBytes: body.length, responseBytes: 0, reason: undefined }
  }
  const content = Buffer.from(reply.body)
  bytes.resize(content.length)
  const bodiless = request.method === 'HEAD' || reply.status === 204 || reply.status === 304
  const headers = endToEnd(reply.headers)
  if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = String(content.length)
  response.writeHead(reply.status, headers)
  response.end(bodiless ? undefined : content)
  const sizes = { requestBytes: body.length, responseBytes: content.length }
  return { outcome: 'twin', status: reply.status, ...sizes, reason: undefined }
}

/** Passes a model's reply on as it comes, since models speak word by word. */
const answerFromModel = async ({ exchange, body }: Answering): Promise<Ending> => {
  const { request, response, target, options } = exchange
  if (!options.onModel) throw new Error('no handler answers for models')
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { host, path } = target
  const asked = { host, path, method: request.method ?? 'GET', headers: endToEnd(request.headers), body }
  const reply = await options.onModel(asked, gone.signal)
  response.writeHead(reply.status, endToEnd(reply.headers))
  let responseBytes = 0
  await pipeline(
    reply.body,
    async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        responseBytes += chunk.length
        yield chunk
      }
    },
    response,
  )
  return {
    outcome: 'model',
    status: reply.status,
    requestBytes: body.length,
    responseBytes,
    reason: undefined,
  }
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
  { exchange, body, bytes }: Answering,
  route: Route & { kind: 'forward' },
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
  const copy = new MeteredCopy((kept) => bytes.resize(body.length + Math.max(kept, replyReserveBytes)))
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
  readonly #onKept: (bytes: number) => void
  bytes = 0

  constructor(onKept: (bytes: number) => void) {
    this.#onKept = onKept
  }

  async *through(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (this.bytes < maxMeteredBytes) this.kept.push(chunk.subarray(0, maxMeteredBytes - this.bytes))
      this.bytes += chunk.length
      this.#onKept(Math.min(this.bytes, maxMeteredBytes))
      yield chunk
    }
  }
}
