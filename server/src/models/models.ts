import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ModelAccess } from './access.ts'
import type { CallSource } from './calls/call.ts'
import { sessionFetch } from './calls/fetch.ts'
import type { ModelSession } from './calls/session.ts'
import { failureOf } from './failures.ts'
import { type Model, ModelFailure, type ModelReply, type ModelRequest, type ModelUsage } from './model.ts'
import { costIn, isAllowed, isUsable, type Prices, type Provider } from './providers/provider.ts'
import type { ModelProviders } from './providers/providers.ts'
import { type RetryParts, retrying, waitFor } from './retry.ts'
import { fromNative, type NativeContent, type NativeModel, type NativeResult, toNative } from './translate.ts'
import { endpoints } from './wires/endpoints.ts'

export interface ModelParts {
  readonly providers: Readonly<Record<string, Provider>>
  /** By `provider/id`, or by `id`. */
  readonly prices: Prices
  /** The path that every call takes. */
  readonly session: ModelSession
  readonly source: CallSource
  readonly timeoutMs: number
  readonly jitter: () => number
  readonly wait?: RetryParts['wait']
}

export interface ModelName {
  readonly provider: string
  readonly id: string
}

const defaultMaxOutputTokens = 8_192

/** The models of one organization. */
export interface Models {
  /** Throws `not_configured` when the model cannot be reached or is not allowed. */
  open(name: ModelName): Model
  /** Null where there is no price for the model. */
  costOf(name: ModelName, usage: ModelUsage): number | null
}

/** For whom a model is asked. */
export interface ModelUse {
  readonly source: CallSource
  /** The calls of a trial's judges go where the calls of its agent go; left out, they go to the providers. */
  readonly session?: ModelSession | undefined
}

/** The models of every organization. */
export interface ModelCatalog {
  of(organizationId: string, use: ModelUse): Promise<Models>
}

export interface CatalogDeps extends Pick<ModelParts, 'timeoutMs' | 'jitter'> {
  readonly providers: Pick<ModelProviders, 'of'>
  readonly access: Pick<ModelAccess, 'live'>
}

export const createModelCatalog = ({ providers, access, ...parts }: CatalogDeps): ModelCatalog => ({
  of: async (organizationId, { source, session }) => {
    const live = session
      ? { session, ...(await providers.of(organizationId)) }
      : await access.live(organizationId, source)
    return createModels({ ...parts, ...live, source })
  },
})

/** The one place that knows providers. */
export const createModels = (parts: ModelParts): Models => {
  const { providers, prices, session, timeoutMs, jitter, wait = waitFor } = parts
  const costOf: Models['costOf'] = (name, usage) => costIn(prices, name, usage)

  const open = (name: ModelName): Model => {
    const provider = providerOf(providers, name, session)
    const native = nativeModel(name, provider, parts)
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
      endpoint: provider.baseUrl ?? endpoints[provider.wire].baseUrl,
      generate: async (request, signal) => {
        const prepared = prepare(request, provider)
        const result = await retrying(
          () => attempt(signal, (limited) => native.doGenerate(toNative(prepared, limited))),
          { wait, jitter },
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
          { wait, jitter },
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

/** `provider/id` or `provider:id` as one text; the id itself may contain slashes and colons. */
export const parseModelName = (text: string): ModelName => {
  const mark = text.search(/[/:]/)
  if (mark <= 0 || mark === text.length - 1)
    throw new ModelFailure(
      'not_configured',
      `A model is named provider/id, such as openai/some-model; not ${text}.`,
    )
  return { provider: text.slice(0, mark), id: text.slice(mark + 1) }
}

const providerOf = (
  providers: Readonly<Record<string, Provider>>,
  { provider, id }: ModelName,
  session: ModelSession,
): Provider => {
  const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (session.isOffline && (found === undefined || !isUsable(found))) {
    const wire = session.wireOf(provider) ?? found?.wire ?? 'openai'
    return { wire, baseUrl: undefined, apiKey: undefined, keyName: provider }
  }
  if (!found)
    throw new ModelFailure(
      'not_configured',
      `No endpoint is configured for the provider ${provider} of the model ${id}. Known are ${Object.keys(providers).join(', ')}; add others with \`diorama models put\`, in the console or in DIORAMA_MODEL_PROVIDERS.`,
    )
  if (!isUsable(found))
    throw new ModelFailure(
      'not_configured',
      `The model ${provider}/${id} needs a key: set ${found.keyName} and start the service again, or add a model provider ${provider} with a key.`,
    )
  if (!isAllowed(id, found.models))
    throw new ModelFailure(
      'not_configured',
      `The model ${provider}/${id} is not on the allow-list of the model provider ${provider}.`,
    )
  if (found.wire === 'gemini')
    throw new ModelFailure(
      'not_configured',
      `Judges and chats cannot use the gemini wire of ${provider}; name its OpenAI-compatible endpoint as a separate provider.`,
    )
  return found
}

/** The packages insist on a key; the real one is put in on the way. */
const nativeModel = (
  { provider, id }: ModelName,
  settings: Provider,
  { session, source }: Pick<ModelParts, 'session' | 'source'>,
): NativeModel => {
  const { wire, baseUrl } = settings
  const baseURL = baseUrl ?? endpoints[wire].baseUrl
  const shared = {
    baseURL,
    apiKey: 'none',
    fetch: sessionFetch({ session, source, name: provider, settings }),
  }
  return wire === 'anthropic'
    ? createAnthropic(shared)(id)
    : createOpenAICompatible({
        ...shared,
        name: provider,
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
