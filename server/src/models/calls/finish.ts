import { gzipSync } from 'node:zlib'
import type { Recording } from '../cassettes/recording.ts'
import { costIn, type Prices } from '../providers/provider.ts'
import { noReply, type WireReply, type WireUsage } from '../wires/operation.ts'
import type { CallAnswer } from './answers.ts'
import type { FinishedCall, OpenCall } from './call.ts'
import { textChunks } from './replayed.ts'

const noUsage: WireUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }

export interface Finishing {
  readonly call: OpenCall
  readonly given: CallAnswer
  readonly chunks: readonly Buffer[]
  readonly firstByteAt: number | undefined
  readonly ending: Pick<FinishedCall, 'outcome' | 'error'>
  readonly usageEvents: readonly string[]
  readonly options: {
    readonly prices: Prices
    readonly now: () => number
    readonly makeId: (prefix: string) => string
  }
}

/** What is left of a call when it has ended: its record, and where it went well the recording of it. */
export const finishCall = (
  finishing: Finishing,
): { readonly call: FinishedCall; readonly recording: Recording | undefined } => {
  const { call, given, chunks, firstByteAt, options } = finishing
  const { order, asked, canonical, startedAt } = call
  const texts = textChunks(chunks)
  const answered = given.status < 300 ? readReply(finishing, texts) : noReply
  const ending = endingOf(finishing, answered, texts)
  const usage = given.usage ?? answered.usage
  const counted = usage ?? noUsage
  const price = { provider: order.name, id: asked.model ?? '' }
  const costUsd = usage === null ? null : (given.costUsd ?? costIn(options.prices, price, counted))
  const latencyMs = options.now() - startedAt
  const finished: FinishedCall = {
    id: options.makeId('mdc'),
    source: order.source,
    provider: order.name,
    model: asked.model,
    operation: order.found.operation.name,
    served: given.served,
    streamed: asked.stream,
    status: given.status,
    ...ending,
    ...counted,
    costUsd,
    latencyMs,
    firstByteMs: firstByteAt === undefined ? null : firstByteAt - startedAt,
    requestSha256: canonical.sha256,
    startedAt,
    request: kept(order.body),
    response: kept(Buffer.concat(chunks)),
    asked,
    answered,
  }
  const recording = {
    provider: order.name,
    wire: order.found.operation.wire,
    operation: finished.operation,
    model: asked.model,
    request: canonical.canonical,
    volatile: [...canonical.volatile],
    reply: {
      status: given.status,
      content_type: given.headers['content-type'] ?? 'application/json',
      chunks: texts,
    },
    usage: usage && {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_input_tokens: usage.cachedInputTokens,
    },
    cost_usd: costUsd,
    latency_ms: latencyMs,
  }
  return { call: finished, recording: ending.outcome === 'succeeded' ? recording : undefined }
}

const maxKeptBytes = 1_048_576

const kept = (bytes: Buffer): Buffer => gzipSync(bytes.subarray(0, maxKeptBytes), { level: 1 })

/** Tokens that the caller did not ask for are reported apart from what it was sent. */
const readReply = ({ call, usageEvents }: Finishing, texts: readonly string[]): WireReply => {
  const { operation } = call.order.found
  const reply = operation.readReply(texts.join(''))
  if (reply.usage !== null || usageEvents.length === 0) return reply
  return { ...reply, usage: operation.readReply(usageEvents.join('')).usage }
}

/**
 * A stream that ends without its end is broken, even where the connection closed in order. One that the caller left
 * after its last event is whole: some clients hang up as soon as they know everything.
 */
const endingOf = (
  { ending, call, given }: Finishing,
  answered: WireReply,
  texts: readonly string[],
): Pick<FinishedCall, 'outcome' | 'error'> => {
  if (!call.asked.stream || given.status >= 300) return ending
  const isAtEnd = call.order.found.operation.lastEvent.test(texts.slice(-2).join(''))
  if (ending.outcome === 'aborted' && isAtEnd) return { outcome: 'succeeded', error: null }
  const isWhole = answered.finish !== null || given.served !== 'live'
  if (ending.outcome !== 'succeeded' || isWhole) return ending
  return { outcome: 'provider_error', error: `The stream of ${call.order.name} ended before its answer.` }
}
