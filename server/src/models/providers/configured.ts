import type { ModelWire } from '@diorama/contract'
import { isAllowed, type Prices, type Provider } from './provider.ts'

interface Endpoint {
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
}

/** The part of the configuration that is about models. */
export interface ModelSettings {
  readonly providers: {
    readonly openai: Endpoint
    readonly anthropic: Endpoint
    readonly gemini?: Endpoint | undefined
  }
  readonly models: {
    readonly providers: Readonly<
      Record<string, { wire: ModelWire; base_url: string; api_key?: string | undefined }>
    >
    readonly prices: Prices
    readonly timeoutMs: number
    readonly forAgents?: readonly string[]
    readonly privateHosts?: readonly string[]
  }
}

/** The providers that the environment opens up, for organizations that have none of the same name. */
export const configuredProviders = ({
  providers,
  models,
}: ModelSettings): Readonly<Record<string, Provider>> => {
  const from = (
    name: string,
    provider: Omit<Provider, 'allowPrivate' | 'agentModels'>,
  ): [string, Provider] => [
    name,
    { ...provider, allowPrivate: true, agentModels: agentModelsOf(name, models.forAgents ?? []) },
  ]
  const openai = { wire: 'openai', ...providers.openai, keyName: 'OPENAI_API_KEY' } as const
  return Object.fromEntries([
    from('openai', openai),
    from('openai-compatible', openai),
    from('anthropic', { wire: 'anthropic', ...providers.anthropic, keyName: 'ANTHROPIC_API_KEY' }),
    from('gemini', {
      wire: 'gemini',
      apiKey: providers.gemini?.apiKey,
      baseUrl: providers.gemini?.baseUrl,
      keyName: 'GEMINI_API_KEY',
    }),
    ...Object.entries(models.providers).map(([name, { wire, base_url, api_key }]) =>
      from(name, { wire, baseUrl: base_url, apiKey: api_key, keyName: `DIORAMA_MODEL_PROVIDERS (${name})` }),
    ),
  ])
}

/** `provider/id` entries of this provider, as ids. */
const agentModelsOf = (name: string, entries: readonly string[]): string[] =>
  entries.flatMap((entry) => {
    const [provider = '', ...id] = entry.split('/')
    return isAllowed(name, [provider]) ? [id.join('/') || '*'] : []
  })
