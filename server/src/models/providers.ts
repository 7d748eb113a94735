interface ProviderSettings {
  readonly providers: {
    readonly openai: { readonly baseUrl: string | undefined }
    readonly anthropic: { readonly baseUrl: string | undefined }
  }
  readonly models: { readonly providers: Readonly<Record<string, { readonly base_url: string }>> }
}

/** The provider that answers at a host, so that the same model can have a price at each. */
export const providersByHost = ({ providers, models }: ProviderSettings): ((host: string) => string) => {
  const bases: [string, string][] = [
    ['openai', providers.openai.baseUrl ?? 'https://api.openai.com'],
    ['anthropic', providers.anthropic.baseUrl ?? 'https://api.anthropic.com'],
    ...Object.entries(models.providers).map(([name, { base_url }]): [string, string] => [name, base_url]),
  ]
  const byHost = new Map(
    bases.flatMap(([name, base]) => (URL.canParse(base) ? [[new URL(base).hostname, name] as const] : [])),
  )
  return (host) => byHost.get(host) ?? host
}
