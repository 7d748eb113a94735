import { errorCodes, type RouteSpec } from '@diorama/contract'
import { DioramaError, readRefusal } from './core/error.ts'

/** What a client does not make up on its own. */
export interface Surroundings {
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number
  readonly makeKey: () => string
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export interface Connection extends Surroundings {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly retries: number
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** For one attempt, its answer read to the end. */
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** For requests that create something; made by the client when left out. */
  readonly idempotencyKey?: string | undefined
  /** Of a body of bytes. */
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Outgoing {
  readonly route: RouteSpec
  /** With the parameters in their places and the query behind. */
  readonly path: string
  readonly body?: unknown
  readonly options: RequestOptions
}

/** A wait that the service asks for and that is longer than this is the caller's to decide on. */
const maxRetryAfterMs = 30_000
const firstDelayMs = 250
const maxDelayMs = 8_000

/** Sends a request, again where that is safe, and reads the answer. */
export const send = async <T>(
  connection: Connection,
  outgoing: Outgoing,
  read: (response: Response) => Promise<T>,
): Promise<T> => {
  const { route, options } = outgoing
  const headers = headersOf(connection, outgoing)
  const retries = options.retries ?? connection.retries
  const isSafe = route.method === 'GET' || route.method === 'PUT' || route.method === 'DELETE'
  const repeatable = isSafe || headers.has('idempotency-key')
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendOnce(connection, outgoing, headers, read)
    } catch (error) {
      if (!(error instanceof DioramaError) || attempt >= retries) throw error
      const delayMs = retryDelay(error, { repeatable, attempt, random: connection.random })
      if (delayMs === undefined) throw error
      await connection.sleep(delayMs, options.signal)
    }
  }
}

/** How long to wait before another attempt; undefined where there should be none. */
export const retryDelay = (
  error: DioramaError,
  { repeatable, attempt, random }: { repeatable: boolean; attempt: number; random: () => number },
): number | undefined => {
  const backOff = Math.min(maxDelayMs, firstDelayMs * 2 ** attempt) * (0.5 + random() / 2)
  const { status, code, retryAfterMs } = error
  // The service says "later" only of requests that it has not acted on, so that any of them can be sent again.
  if (retryAfterMs !== undefined && (status === 409 || status === 429 || status === 503))
    return retryAfterMs > maxRetryAfterMs ? undefined : Math.max(retryAfterMs, backOff)
  if (!repeatable) return undefined
  const proxySaidSo = !isServiceCode(code)
  if (status === 0) return code === 'network_error' || code === 'timeout' ? backOff : undefined
  if (status === 408 || status === 429) return backOff
  if (status === 500) return backOff
  return (status === 502 || status === 503 || status === 504) && proxySaidSo ? backOff : undefined
}

const sendOnce = async <T>(
  connection: Connection,
  { route, path, body, options }: Outgoing,
  headers: Headers,
  read: (response: Response) => Promise<T>,
): Promise<T> => {
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal
  try {
    options.signal?.throwIfAborted()
    const response = await connection.fetch(`${connection.baseUrl}${path}`, {
      method: route.method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: bytesOf(body, route) }),
    })
    if (!response.ok) throw await readRefusal(response, connection.now())
    return await read(response)
  } catch (error) {
    if (error instanceof DioramaError) throw error
    if (options.signal?.aborted) throw options.signal.reason
    throw limit.signal.aborted ? tooSlow(timeoutMs, error) : unreachable(connection.baseUrl, error)
  } finally {
    clearTimeout(timer)
  }
}

/** Opens a stream: the time-out holds until the headers are there, and the caller's signal to the end. */
export const openStream = async (
  connection: Connection,
  { path, options }: Outgoing,
  lastEventId: string | undefined,
): Promise<{ response: Response; close: () => void }> => {
  const own = new AbortController()
  const close = () => own.abort()
  const timer = setTimeout(close, options.timeoutMs ?? connection.timeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, own.signal]) : own.signal
  try {
    options.signal?.throwIfAborted()
    const response = await connection.fetch(`${connection.baseUrl}${path}`, {
      headers: {
        accept: 'text/event-stream',
        ...(connection.apiKey === undefined ? {} : { authorization: `Bearer ${connection.apiKey}` }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...options.headers,
      },
      signal,
    })
    if (!response.ok) throw await readRefusal(response, connection.now())
    return { response, close }
  } catch (error) {
    close()
    if (error instanceof DioramaError) throw error
    if (options.signal?.aborted) throw options.signal.reason
    throw unreachable(connection.baseUrl, error)
  } finally {
    clearTimeout(timer)
  }
}

const tooSlow = (timeoutMs: number, cause: unknown) =>
  new DioramaError(`The service did not answer within ${timeoutMs} ms.`, {
    status: 0,
    code: 'timeout',
    cause,
  })

const unreachable = (baseUrl: string, cause: unknown) =>
  new DioramaError(`The service at ${baseUrl} could not be reached: ${reasonOf(cause)}`, {
    status: 0,
    code: 'network_error',
    cause,
  })

/** Runtimes say "fetch failed" and keep the reason below. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const below = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : '') : ''
  return below === '' ? error.message : `${error.message} (${below})`
}

const headersOf = ({ apiKey, makeKey }: Connection, { route, body, options }: Outgoing): Headers => {
  const headers = new Headers({ accept: route.gives ?? 'application/json', ...options.headers })
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
  if (body !== undefined)
    headers.set('content-type', options.contentType ?? route.takes?.[0] ?? 'application/json')
  if (options.idempotencyKey !== undefined) headers.set('idempotency-key', options.idempotencyKey)
  else if (route.creates) headers.set('idempotency-key', makeKey())
  return headers
}

const bytesOf = (body: unknown, route: RouteSpec): Blob | string =>
  body instanceof Blob
    ? body
    : route.takes && (body instanceof Uint8Array || typeof body === 'string')
      ? new Blob([typeof body === 'string' ? body : new Uint8Array(body)])
      : JSON.stringify(body)

/** True for a code that the service itself gives; a proxy's answer has none. */
const isServiceCode = (code: string): boolean => Object.hasOwn(errorCodes, code)
