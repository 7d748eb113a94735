import { endpoints } from '../wires/endpoints.ts'
import type { Provider } from './provider.ts'

/** The host names at which a provider answers: those of its settings, of its base URL, and by its name the vendor's. */
export const hostsOf = (name: string, provider: Provider): string[] => [
  ...(provider.hosts ?? []),
  ...(provider.baseUrl !== undefined && URL.canParse(provider.baseUrl)
    ? [new URL(provider.baseUrl).hostname]
    : []),
  ...(provider.baseUrl === undefined || name === provider.wire ? [endpoints[provider.wire].host] : []),
]

/** The provider that answers at a host: one that names it first, then the one called like the wire, then any. */
export const providerAt = (
  host: string,
  providers: Readonly<Record<string, Provider>>,
): { readonly name: string; readonly provider: Provider } | undefined => {
  const at = Object.entries(providers).filter(([name, one]) => hostsOf(name, one).includes(host))
  const found =
    at.find(([, one]) => one.hosts?.includes(host)) ?? at.find(([name, one]) => name === one.wire) ?? at[0]
  return found && { name: found[0], provider: found[1] }
}
