import { type Models, openModels, type Price, type Provider } from './models.ts'

interface Endpoint {
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
}

export interface ModelSettings {
  readonly providers: { readonly openai: Endpoint; readonly anthropic: Endpoint }
  readonly models: {
    readonly providers: Readonly<
      Record<string, { wire: 'openai' | 'anthropic'; base_url: string; api_key?: string | undefined }>
    >
    readonly prices: Readonly<Record<string, Price>>
    readonly timeoutMs: number
  }
}

/** The models that the configuration opens up. */
export const configuredModels = ({ providers, models }: ModelSettings, chance: () => number): Models => {
  const openai: Provider = { wire: 'openai', ...providers.openai, keyName: 'OPENAI_API_KEY' }
  const others = Object.entries(models.providers).map(([name, { wire, base_url, api_key }]) => [
    name,
    { wire, baseUrl: base_url, apiKey: api_key, keyName: `DIORAMA_MODEL_PROVIDERS (${name})` } as const,
  ])
  return openModels({
    providers: {
      openai,
      'openai-compatible': openai,
      anthropic: { wire: 'anthropic', ...providers.anthropic, keyName: 'ANTHROPIC_API_KEY' },
      ...Object.fromEntries(others),
    },
    prices: models.prices,
    timeoutMs: models.timeoutMs,
    chance,
  })
}
