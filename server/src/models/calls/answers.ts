import type { ModelCall } from '@diorama/contract'
import { ModelFailure } from '../model.ts'
import type { Provider } from '../providers/provider.ts'
import type { WireUsage } from '../wires/operation.ts'
import type { FoundOperation } from '../wires/operations.ts'
import { type Upstream, UpstreamFailure } from './upstream.ts'
import { askingForUsage, withoutUsageEvent } from './usage-event.ts'

/** What a call is answered with, before it is metered. */
export interface CallAnswer {
  readonly served: ModelCall['served']
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: AsyncIterable<Uint8Array>
  readonly outcome: ModelCall['outcome']
  readonly error: string | null
  /** Known beforehand, from a recording or a script. */
  readonly usage?: WireUsage | null
  readonly costUsd?: number | null
}

export interface LiveOrder {
  readonly name: string
  readonly provider: Provider
  /** `caller`: the caller's own credential goes with the request. */
  readonly credential: 'provider' | 'caller'
  readonly found: FoundOperation
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
  readonly parsedBody: unknown
  readonly stream: boolean
  readonly signal: AbortSignal
  /** The report of tokens that the caller did not ask for. */
  readonly onUsage: (event: string) => void
}

/** Headers of a request that mean something to a provider. */
const carried = ['content-type', 'accept', 'anthropic-version', 'anthropic-beta', 'openai-beta', 'user-agent']
const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'openai-organization', 'openai-project']
const returned = [
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'request-id',
  'x-request-id',
]
const maxErrorBytes = 1_048_576

/** A reply that is made here. */
export const madeAnswer = (
  { operation }: FoundOperation,
  given: { status: number; message: string } & Pick<CallAnswer, 'outcome' | 'served'>,
): CallAnswer => ({
  served: given.served,
  status: given.status,
  // The clients of both large vendors heed it: what cannot pass is not worth asking again.
  headers: {
    'content-type': 'application/json',
    ...(given.served === 'none' ? { 'x-should-retry': 'false' } : {}),
  },
  chunks: once(JSON.stringify(operation.error(given.status, given.message))),
  outcome: given.outcome,
  error: given.message,
})

/** Asks the provider. Its failures are replies too: the caller sees what it would see without us. */
export const liveAnswer = async (upstream: Upstream, order: LiveOrder): Promise<CallAnswer> => {
  const { provider, found, stream } = order
  const asking =
    stream && found.operation.name === 'chat.completions' ? askingForUsage(order.parsedBody) : undefined
  try {
    const reply = await upstream.send({
      provider,
      path: `${found.suffix}${queryOf(order)}`,
      headers: headersOf(order),
      body: asking ?? order.body,
      signal: order.signal,
    })
    if (reply.status >= 300) return await failedAnswer(order, reply)
    const clean = redacted(reply.chunks, order.credential === 'provider' ? provider.apiKey : undefined)
    return {
      served: 'live',
      status: reply.status,
      headers: returnedHeaders(reply.headers, order.credential === 'provider' ? provider.apiKey : undefined),
      chunks: asking === undefined ? clean : withoutUsageEvent(clean, order.onUsage),
      outcome: 'succeeded',
      error: null,
    }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    order.signal.throwIfAborted()
    const status = error.timedOut ? 504 : 502
    const { operation } = found
    return {
      served: 'live',
      status,
      headers: { 'content-type': 'application/json' },
      chunks: once(JSON.stringify(operation.error(status, `The provider ${order.name} did not answer.`))),
      outcome: 'provider_error',
      error: error.message,
    }
  }
}

const failedAnswer = async (
  { name, provider, found, credential }: LiveOrder,
  reply: { status: number; headers: Readonly<Record<string, unknown>>; chunks: AsyncIterable<Uint8Array> },
): Promise<CallAnswer> => {
  const kept: Uint8Array[] = []
  let size = 0
  for await (const chunk of reply.chunks) {
    size += chunk.length
    if (size <= maxErrorBytes) kept.push(chunk)
  }
  const { status } = reply
  const own = credential === 'provider'
  const said = Buffer.concat(kept).toString('utf8')
  const clean = own && provider.apiKey ? said.replaceAll(provider.apiKey, '[redacted]') : said
  // What a provider says of a key that it refuses can hold parts of it.
  const refusedKey = own && (status === 401 || status === 403)
  const message = `The provider ${name} refused the key of ${provider.keyName}.`
  const isFault = status === 429 || status >= 500 || refusedKey || status < 400
  return {
    served: 'live',
    status: status < 400 ? 502 : status,
    headers: refusedKey
      ? { 'content-type': 'application/json' }
      : returnedHeaders(reply.headers, own ? provider.apiKey : undefined),
    chunks: once(refusedKey ? JSON.stringify(found.operation.error(status, message)) : clean),
    outcome: isFault ? 'provider_error' : 'refused',
    error: refusedKey ? message : `${name} answered with the status ${status}: ${clean.slice(0, 500)}`,
  }
}

const returnedHeaders = (
  headers: Readonly<Record<string, unknown>>,
  key: string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(pick(headers, returned)).map(([name, value]) => [
      name,
      key === undefined ? value : value.replaceAll(key, '[redacted]'),
    ]),
  )

const headersOf = ({ provider, headers, credential }: LiveOrder): Record<string, string> => {
  const sent = pick(headers, credential === 'caller' ? [...carried, ...credentials] : carried)
  const key = credential === 'provider' ? provider.apiKey : undefined
  const signed: Record<string, string> =
    key === undefined
      ? {}
      : provider.wire === 'anthropic'
        ? { 'x-api-key': key }
        : provider.wire === 'gemini'
          ? { 'x-goog-api-key': key }
          : { authorization: `Bearer ${key}` }
  return { 'content-type': 'application/json', ...sent, ...signed, 'accept-encoding': 'identity' }
}

/** Gemini's clients may send their key in the query. */
const queryOf = ({ found, credential }: LiveOrder): string => {
  const query = new URLSearchParams(found.query)
  if (credential === 'provider') query.delete('key')
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

const pick = (headers: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : String(value)]]
    }),
  )

export async function* once(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body)
}

/**
 * No provider has a reason to send a key back; one that does must not hand it to an agent. The end of a chunk that may
 * be the beginning of the key waits for the next one, so that a key cut in two is found as well.
 */
async function* redacted(chunks: AsyncIterable<Buffer>, key: string | undefined): AsyncGenerator<Uint8Array> {
  if (key === undefined) return yield* chunks
  let held = ''
  for await (const chunk of chunks) {
    const text = (held + chunk.toString('latin1')).replaceAll(key, '[redacted]')
    const cut = text.length - beginningAtEnd(text, key)
    held = text.slice(cut)
    if (cut > 0) yield Buffer.from(text.slice(0, cut), 'latin1')
  }
  if (held !== '') yield Buffer.from(held, 'latin1')
}

/** How many characters at the end of a text are the beginning of a key. */
const beginningAtEnd = (text: string, key: string): number => {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length--)
    if (text.endsWith(key.slice(0, length))) return length
  return 0
}

/** A request that a replayed evaluation makes and its cassette does not hold. */
export class CassetteMiss extends ModelFailure {
  constructor(message: string) {
    super('refused', message)
  }
}
