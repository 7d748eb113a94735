import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { failureOf } from './failures.ts'
import { type Model, ModelFailure, type ModelReply, type ModelRequest, type ModelUsage } from './model.ts'
import { type RetryParts, retrying, waitFor } from './retry.ts'
import { fromNative, type NativeContent, type NativeModel, type NativeResult, toNative } from './translate.ts'

/** An endpoint that answers for models, and the name of the setting that holds its key. */
export interface Provider {
  readonly wire: 'openai' | 'anthropic'
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly keyName: string
}

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
}

export interface ModelParts {
  readonly providers: Readonly<Record<string, Provider>>
  /** By `provider/id`, or by `id`. */
  readonly prices: Readonly<Record<string, Price>>
  readonly timeoutMs: number
  readonly chance: () => number
  readonly wait?: RetryParts['wait']
}

export interface ModelName {
  readonly provider: string
  readonly id: string
}

const defaultUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
} as const
const defaultMaxOutputTokens = 8_192

/** The one place that knows providers. Keys come from the configuration alone. */
export const openModels = ({ providers, prices, timeoutMs, chance, wait = waitFor }: ModelParts) => {
  const costOf = ({ provider, id }: ModelName, usage: ModelUsage): number | null => {
    const price = prices[`${provider}/${id}`] ?? prices[id]
    if (!price) return null
    return (usage.inputTokens * price.input + usage.outputTokens * price.output) / 1_000_000
  }

  /** Throws `not_configured` when the deployment cannot reach the model. */
  const open = (name: ModelName): Model => {
    const provider = providerOf(providers, name)
    const native = nativeModel(name, provider)
    const about = { model: `${name.provider}/${name.id}`, keyName: provider.keyName, apiKey: provider.apiKey }

    const attempt = async <Result>(
      signal: AbortSignal,
      work: (limited: AbortSignal) => PromiseLike<Result>,
    ) => {
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        return await work(AbortSignal.any([signal, timeout]))
      } catch (error) {
        signal.throwIfAborted()
        throw failureOf(error, { ...about, timedOut: timeout.aborted })
      }
    }

    const finish = (request: ModelRequest, result: Parameters<typeof fromNative>[0]): ModelReply => {
      const reply = fromNative(result, request.output !== undefined)
      if (request.output && reply.object === undefined)
        throw new ModelFailure(
          'bad_output',
          `The model ${about.model} did not answer with JSON: ${reply.text.slice(0, 200)}`,
        )
      return { ...reply, costUsd: costOf(name, reply.usage) }
    }

    return {
      ...name,
      generate: async (request, signal) => {
        const prepared = prepare(request, provider)
        const result = await retrying(
          () => attempt(signal, (limited) => native.doGenerate(toNative(prepared, limited))),
          { wait, chance },
          signal,
        )
        return finish(request, result)
      },
      stream: async function* (request, signal) {
        const prepared = prepare(request, provider)
        const timeout = AbortSignal.timeout(timeoutMs)
        const limited = AbortSignal.any([signal, timeout])
        const { stream } = await retrying(
          () => attempt(signal, () => native.doStream(toNative(prepared, limited))),
          { wait, chance },
          signal,
        )
        const gathered = gatherer()
        try {
          for await (const part of stream) {
            if (part.type === 'error') throw part.error
            if (part.type === 'text-delta') yield { type: 'text', text: part.delta }
            gathered.add(part)
          }
        } catch (error) {
          signal.throwIfAborted()
          throw failureOf(error, { ...about, timedOut: timeout.aborted })
        }
        yield { type: 'reply', reply: finish(request, gathered.result(about.model)) }
      },
    }
  }

  return { open, costOf }
}
export type Models = ReturnType<typeof openModels>

/** `provider/id` or `provider:id` as one text; the id may hold slashes and colons of its own. */
export const parseModelName = (text: string): ModelName => {
  const mark = text.search(/[/:]/)
  if (mark <= 0 || mark === text.length - 1)
    throw new ModelFailure(
      'not_configured',
      `A model is named provider/id, such as openai/some-model; not ${text}.`,
    )
  return { provider: text.slice(0, mark), id: text.slice(mark + 1) }
}

const providerOf = (providers: Readonly<Record<string, Provider>>, { provider, id }: ModelName): Provider => {
  const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (!found)
    throw new ModelFailure(
      'not_configured',
      `No endpoint is configured for the provider ${provider} of the model ${id}. Known are ${Object.keys(providers).join(', ')}; add others in DIORAMA_MODEL_PROVIDERS.`,
    )
  if (found.apiKey === undefined && found.baseUrl === undefined)
    throw new ModelFailure(
      'not_configured',
      `The model ${provider}/${id} needs a key: set ${found.keyName} and start the service again.`,
    )
  return found
}

/** Local endpoints often take no key; the packages insist on one. */
const nativeModel = (
  { provider, id }: ModelName,
  { wire, baseUrl, apiKey = 'none' }: Provider,
): NativeModel => {
  const baseURL = baseUrl ?? defaultUrls[wire]
  return wire === 'anthropic'
    ? createAnthropic({ baseURL, apiKey })(id)
    : createOpenAICompatible({
        name: provider,
        baseURL,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(id)
}

/** Not every endpoint of the OpenAI kind heeds a schema, so the instructions say it too. */
const prepare = (request: ModelRequest, { wire }: Provider): ModelRequest => {
  const bounded = { maxOutputTokens: defaultMaxOutputTokens, ...request }
  if (!request.output || wire === 'anthropic') return bounded
  const demand = `Answer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(request.output.schema)}`
  return { ...bounded, instructions: [request.instructions, demand].filter(Boolean).join('\n\n') }
}

type StreamPart =
  Awaited<ReturnType<NativeModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

/** Puts the parts of a stream together into what one answer would have been. */
const gatherer = () => {
  const content: NativeContent[] = []
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>()
  let end: Pick<NativeResult, 'finishReason' | 'usage'> | undefined
  return {
    add: (part: StreamPart): void => {
      if (part.type === 'text-start' || part.type === 'reasoning-start')
        open.set(part.id, { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' })
      else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const block = open.get(part.id)
        if (block) block.text += part.delta
      } else if (part.type === 'text-end' || part.type === 'reasoning-end') {
        const block = open.get(part.id)
        const metadata = part.providerMetadata ? { providerMetadata: part.providerMetadata } : {}
        if (block) content.push({ ...block, ...metadata })
        open.delete(part.id)
      } else if (part.type === 'tool-call') content.push(part)
      else if (part.type === 'finish') end = part
    },
    result: (model: string) => {
      if (!end)
        throw new ModelFailure('unavailable', `The stream of the model ${model} ended before its answer.`)
      return { content: [...content, ...open.values()], ...end }
    },
  }
}
