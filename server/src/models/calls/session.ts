import type { ModelMode, ModelScript, ModelWire } from '@diorama/contract'
import { jsonIn } from '@diorama/contract/records'
import { canonicalRequest, rebinding, rebound } from '../cassettes/canonical.ts'
import type { LoadedCassette } from '../cassettes/cassettes.ts'
import type { CassetteEntry, Recording } from '../cassettes/recording.ts'
import { isAllowed, isUsable, type Prices } from '../providers/provider.ts'
import { answerByScript } from '../script/script.ts'
import { type CallAnswer, CassetteMiss, liveAnswer, madeAnswer } from './answers.ts'
import type { CallOrder, CallReply, FinishedCall, OpenCall } from './call.ts'
import { finishCall } from './finish.ts'
import { replayedChunks } from './replayed.ts'
import type { Upstream } from './upstream.ts'

/** How calls are answered, and who hears of them. */
export interface SessionOptions {
  readonly mode: ModelMode
  readonly script?: ModelScript | null
  readonly cassette?: LoadedCassette | undefined
  /** Agent, task and repetition: which of several recordings of the same request is meant. */
  readonly scope: string
  /** When the clocks that the caller can read started. */
  readonly clocks: readonly number[]
  readonly prices: Prices
  readonly upstream: Upstream
  readonly now: () => number
  readonly makeId: (prefix: string) => string
  /** Why a call may not be made now, such as a budget that is spent. */
  readonly refusal?: (order: CallOrder) => string | undefined
  readonly onCall?: (call: FinishedCall) => void
  /** A request that the cassette does not hold, or no rule answers; the caller gets an error. */
  readonly onMiss?: (reason: string) => void
}

/** The one path of model calls: those of an agent in a trial, of its judges, of a chat. */
export interface ModelSession {
  readonly mode: ModelMode
  exchange(order: CallOrder): Promise<CallReply>
  /** Whether calls are answered without any provider. */
  readonly isOffline: boolean
  /** The wire of a provider, as far as the cassette knows it. */
  wireOf(provider: string): ModelWire | undefined
  readonly calls: readonly FinishedCall[]
  /** What is to be kept on the cassette. */
  readonly recorded: readonly CassetteEntry[]
  /** Resolves when every call that began has ended. */
  settled(): Promise<void>
}

const settleMs = 5_000
const maxReplyBytes = 64 * 1_048_576

export const createModelSession = (options: SessionOptions): ModelSession => {
  const { mode, cassette, now } = options
  const calls: FinishedCall[] = []
  const recorded: CassetteEntry[] = []
  const ordinals = new Map<string, number>()
  const open = new Set<Promise<void>>()

  const begin = (order: CallOrder, body: unknown): OpenCall => {
    const { operation, model } = order.found
    const asked = operation.readRequest(body, { model })
    const { stream } = asked
    const parts = { operation: operation.name, model: asked.model, stream, body, clocks: options.clocks }
    const canonical = canonicalRequest(parts)
    const ordinal = ordinals.get(canonical.sha256) ?? 0
    ordinals.set(canonical.sha256, ordinal + 1)
    return { order, asked, canonical, ordinal, startedAt: now() }
  }

  /** A miss ends an agent's trial; anybody else hears of it as an error. */
  const missing = (call: OpenCall, reason: string): CallAnswer => {
    options.onMiss?.(reason)
    if (call.order.source !== 'agent') throw new CassetteMiss(reason)
    return madeAnswer(call.order.found, { status: 500, message: reason, outcome: 'missing', served: 'none' })
  }

  const replayed = async (call: OpenCall): Promise<CallAnswer | undefined> => {
    const found = await cassette?.find(call.canonical.sha256, { scope: options.scope, ordinal: call.ordinal })
    return found && replayedAnswer(call, found)
  }

  const answer = async (
    call: OpenCall,
    body: unknown,
    onUsage: (event: string) => void,
  ): Promise<CallAnswer> => {
    const { order } = call
    const refusal = options.refusal?.(order)
    if (refusal !== undefined)
      return madeAnswer(order.found, { status: 429, message: refusal, outcome: 'refused', served: 'none' })
    if (mode === 'scripted') return scriptedAnswer(call, options.script) ?? missing(call, noRule(call))
    if (mode === 'replay' || mode === 'auto') {
      const found = await replayed(call)
      if (found) return found
      if (mode === 'replay') return missing(call, await missInWords(call, cassette))
    }
    const { provider, name } = order
    const fault = faultOf(order, call.asked.model)
    if (provider === undefined || fault !== undefined) {
      const message = fault ?? `No model provider answers for ${name}.`
      return madeAnswer(order.found, { status: 403, message, outcome: 'refused', served: 'none' })
    }
    const { stream } = call.asked
    return liveAnswer(options.upstream, { ...order, provider, parsedBody: body, stream, onUsage })
  }

  const pump = async function* (call: OpenCall, given: CallAnswer, usageEvents: readonly string[]) {
    const done = Promise.withResolvers<void>()
    open.add(done.promise)
    const chunks: Buffer[] = []
    let firstByteAt: number | undefined
    let size = 0
    let ending: Pick<FinishedCall, 'outcome' | 'error'> = { outcome: 'aborted', error: null }
    try {
      for await (const chunk of given.chunks) {
        firstByteAt ??= now()
        size += chunk.length
        if (size > maxReplyBytes) throw new Error(`The reply is larger than ${maxReplyBytes} bytes.`)
        chunks.push(Buffer.from(chunk))
        yield chunk
      }
      ending = given
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      if (!call.order.signal.aborted) ending = { outcome: 'provider_error', error: said }
      throw error
    } finally {
      const finished = finishCall({ call, given, chunks, firstByteAt, ending, usageEvents, options })
      calls.push(finished.call)
      const keeps = (mode === 'record' || mode === 'auto') && given.served === 'live'
      if (keeps && finished.recording) recorded.push(entryOf(call, finished.recording, options.scope))
      options.onCall?.(finished.call)
      open.delete(done.promise)
      done.resolve()
    }
  }

  return {
    mode,
    exchange: async (order) => {
      const body = jsonIn(order.body.toString('utf8'))
      const call = begin(order, body)
      const usageEvents: string[] = []
      const given =
        body === undefined
          ? madeAnswer(order.found, {
              ...{ status: 400, message: 'The body is not JSON.', outcome: 'refused', served: 'none' },
            })
          : await answer(call, body, (event) => usageEvents.push(event))
      return { status: given.status, headers: given.headers, body: pump(call, given, usageEvents) }
    },
    isOffline: mode === 'replay' || mode === 'scripted',
    wireOf: (provider) => cassette?.wireOf(provider),
    calls,
    recorded,
    settled: async () => {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, settleMs).unref())
      await Promise.race([Promise.all(open), timeout])
    },
  }
}

const entryOf = (call: OpenCall, recording: Recording, scope: string): CassetteEntry => ({
  requestSha256: call.canonical.sha256,
  scope,
  ordinal: call.ordinal,
  recording,
})

/** Why a provider does not answer this call, by its own settings. */
const faultOf = ({ provider, source, name, credential }: CallOrder, model: string | null) => {
  if (provider === undefined || credential === 'caller') return undefined
  if (!isUsable(provider)) return `The model provider ${name} has no key; set ${provider.keyName}.`
  if (!isAllowed(model ?? '', provider.models))
    return `The model ${name}/${model} is not on the allow-list of its provider.`
  const { agentModels = [] } = provider
  if (source === 'agent' && !isAllowed(model ?? '', agentModels))
    return `Agents may not call the model ${name}/${model}: the model provider, or DIORAMA_AGENT_MODELS, does not allow it.`
  return undefined
}

const noRule = ({ asked }: OpenCall): string =>
  `No rule of the script answers a request to ${asked.model}; its last message: ${JSON.stringify(asked.messages.at(-1)?.text.slice(0, 300) ?? '')}`

const missInWords = async (
  { asked, canonical, order }: OpenCall,
  cassette: LoadedCassette | undefined,
): Promise<string> => {
  const { name } = order.found.operation
  const near = await cassette?.nearest(canonical.canonical, { operation: name, model: asked.model })
  return `The cassette holds no reply to a request of ${name} to ${asked.model} (${canonical.sha256.slice(0, 12)}). ${near ?? 'It holds no request of this kind.'}`
}

const scriptedAnswer = (
  { asked, order }: OpenCall,
  script: ModelScript | null | undefined,
): CallAnswer | undefined => {
  const answer = script && answerByScript(script, asked)
  if (!answer) return undefined
  const { operation } = order.found
  if ('status' in answer)
    return {
      ...madeAnswer(order.found, {
        ...{ status: answer.status, message: 'An error of the script.', served: 'script' },
        outcome: answer.status === 429 || answer.status >= 500 ? 'provider_error' : 'refused',
      }),
    }
  const { model, stream } = asked
  const { contentType, chunks } = operation.render(answer.reply, {
    model: model ?? '',
    stream,
    seed: answer.seed,
  })
  return {
    served: 'script',
    status: 200,
    headers: { 'content-type': contentType },
    chunks: replayedChunks(chunks),
    outcome: 'succeeded',
    error: null,
    usage: answer.reply.usage,
  }
}

const replayedAnswer = (call: OpenCall, recording: Recording): CallAnswer => {
  const { reply, usage } = recording
  const map = rebinding(recording.volatile, call.canonical.volatile)
  return {
    served: 'cassette',
    status: reply.status,
    headers: { 'content-type': reply.content_type },
    chunks: replayedChunks(reboundChunks(call, recording, map)),
    outcome: 'succeeded',
    error: null,
    usage: usage && {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cachedInputTokens: usage.cached_input_tokens,
    },
    costUsd: recording.cost_usd,
  }
}

/**
 * The recorded chunks with ids and times as they are now. A value that a stream cut into pieces is in no chunk: then
 * the reply is put together and streamed anew.
 */
const reboundChunks = (
  { asked, order, canonical }: OpenCall,
  { reply }: Recording,
  map: ReadonlyMap<string, string>,
): readonly string[] => {
  const { operation } = order.found
  const whole = operation.readReply(reply.chunks.join(''))
  const said = `${whole.text}\n${JSON.stringify(whole.toolCalls)}`
  const used = [...map].filter(([old]) => said.includes(old))
  if (used.length === 0) return reply.chunks
  const once = new Map(used)
  const chunks = reply.chunks.map((chunk) => rebound(chunk, once))
  const now = operation.readReply(chunks.join(''))
  const wanted = rebound(said, once)
  if (`${now.text}\n${JSON.stringify(now.toolCalls)}` === wanted || whole.usage === null) return chunks
  const made = {
    text: whole.text === '' && whole.toolCalls.length > 0 ? null : rebound(whole.text, once),
    toolCalls: JSON.parse(rebound(JSON.stringify(whole.toolCalls), once)),
    usage: whole.usage,
  }
  const context = { model: asked.model ?? '', stream: asked.stream, seed: canonical.sha256.slice(0, 16) }
  return operation.render(made, context).chunks
}
