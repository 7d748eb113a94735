import type { ModelPrice, ModelWire } from '@diorama/contract'

export type Prices = Readonly<Record<string, ModelPrice>>

/** An endpoint that answers for models, and the name of the setting that holds its key. */
export interface Provider {
  readonly wire: ModelWire
  /** Undefined for the wire's own endpoint. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly keyName: string
  /** Set only where the operator names the endpoint: organizations must not reach into the deployment's network. */
  readonly allowPrivate?: boolean
  /** Ids that may be called, with * as a wildcard; all of them when null or left out. */
  readonly models?: readonly string[] | null
  /** The same for agents in trials; none when left out. */
  readonly agentModels?: readonly string[] | null
  /** Host names, beside that of the base URL, at which agents find it. */
  readonly hosts?: readonly string[]
  /** By model id. */
  readonly prices?: Prices
}

/** Whether a model is on an allow-list. */
export const isAllowed = (id: string, allowed: readonly string[] | null | undefined): boolean =>
  allowed == null || allowed.some((pattern) => matches(id, pattern))

const matches = (id: string, pattern: string): boolean =>
  new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 'i').test(id)

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A provider without a key is usable only where it names an endpoint, which may need none. */
export const isUsable = ({ apiKey, baseUrl }: Provider): boolean =>
  apiKey !== undefined || baseUrl !== undefined

/** What tokens cost. Null where unknown. */
export const costIn = (
  prices: Prices,
  { provider, id }: { readonly provider: string; readonly id: string },
  usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cachedInputTokens?: number | undefined
  },
): number | null => {
  const price = prices[`${provider}/${id}`] ?? prices[id]
  if (!price) return null
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const input = (usage.inputTokens - cached) * price.input + cached * (price.cached_input ?? price.input)
  return (input + usage.outputTokens * price.output) / 1_000_000
}
