import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { Usage } from '@diorama/contract'
import { jsonIn } from '@diorama/contract/records'
import { jsonMessagesIn } from '@diorama/contract/server-sent-events'
import { z } from 'zod'

const count = z.number().int().min(0).catch(0)
const Counted = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    input_tokens: count,
    output_tokens: count,
    promptTokenCount: count,
    candidatesTokenCount: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
  })
  .partial()
const Reporting = z.object({
  usage: Counted.nullish().catch(undefined),
  usageMetadata: Counted.nullish().catch(undefined),
  model: z.string().optional().catch(undefined),
})
/** A reply, or one event of a stream: some wires report usage in the event, others in the message inside it. */
const Body = Reporting.extend({
  message: Reporting.optional().catch(undefined),
  response: Reporting.optional().catch(undefined),
})

export interface ModelCall {
  readonly model: string | null
  readonly inputTokens: number
  readonly outputTokens: number
}

const maxInflatedBytes = 8 * 1_048_576

/** What a model's answer says it used: a JSON body, or the events of a stream, compressed or not. */
export const readUsage = (
  body: Uint8Array,
  encoding: string | readonly string[] | undefined,
): ModelCall | undefined => {
  const text = inflated(body, encoding).toString('utf8')
  const parts = text.trimStart().startsWith('{') ? [jsonIn(text)] : jsonMessagesIn(text)
  let call: ModelCall | undefined
  for (const part of parts) {
    const { data } = Body.safeParse(part)
    for (const found of data ? [data, data.message, data.response] : []) {
      const counted = found?.usage ?? found?.usageMetadata
      if (counted) call = merged(call, counted, found?.model ?? null)
    }
  }
  return call
}

/** Later events of a stream report totals so far: each count is the last one that was given. */
const merged = (
  call: ModelCall | undefined,
  counted: z.infer<typeof Counted>,
  model: string | null,
): ModelCall => {
  const cached = (counted.cache_creation_input_tokens ?? 0) + (counted.cache_read_input_tokens ?? 0)
  const input = (counted.input_tokens || counted.prompt_tokens || counted.promptTokenCount || 0) + cached
  const output = counted.output_tokens || counted.completion_tokens || counted.candidatesTokenCount || 0
  return {
    model: model ?? call?.model ?? null,
    inputTokens: input || call?.inputTokens || 0,
    outputTokens: output || call?.outputTokens || 0,
  }
}

/** The bytes without their compression; of a body that was cut, as much as can be read. */
const inflated = (body: Uint8Array, encoding: string | readonly string[] | undefined): Buffer => {
  const names = String(encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  let bytes = Buffer.from(body)
  for (const name of names.toReversed()) {
    const inflate = inflaters[name]
    if (!inflate) return Buffer.alloc(0)
    try {
      bytes = inflate(bytes)
    } catch {
      return Buffer.alloc(0)
    }
  }
  return bytes
}

const limit = { maxOutputLength: maxInflatedBytes }
const zlibOptions = { ...limit, finishFlush: constants.Z_SYNC_FLUSH }
const inflaters: Readonly<Record<string, (bytes: Buffer) => Buffer<ArrayBuffer>>> = {
  gzip: (bytes) => gunzipSync(bytes, zlibOptions),
  'x-gzip': (bytes) => gunzipSync(bytes, zlibOptions),
  deflate: (bytes) => inflateSync(bytes, zlibOptions),
  br: (bytes) => brotliDecompressSync(bytes, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: (bytes) => zstdDecompressSync(bytes, { ...limit, finishFlush: constants.ZSTD_e_flush }),
}

export const noUsage: Usage = {
  ...{ input_tokens: 0, output_tokens: 0, cost_usd: null, model_calls: 0 },
  ...{ cached_input_tokens: 0, replayed_calls: 0, latency_ms: 0 },
}

export const addUsage = (sum: Usage, call: ModelCall, cost: number | null): Usage => ({
  ...sum,
  input_tokens: sum.input_tokens + call.inputTokens,
  output_tokens: sum.output_tokens + call.outputTokens,
  cost_usd: cost === null ? sum.cost_usd : (sum.cost_usd ?? 0) + cost,
  model_calls: sum.model_calls + 1,
})

export const sumUsage = (one: Usage, other: Usage): Usage => ({
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
  cost_usd:
    one.cost_usd === null && other.cost_usd === null ? null : (one.cost_usd ?? 0) + (other.cost_usd ?? 0),
  model_calls: one.model_calls + other.model_calls,
  cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
  replayed_calls: one.replayed_calls + other.replayed_calls,
  latency_ms: one.latency_ms + other.latency_ms,
})
