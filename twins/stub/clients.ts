import type { ClientPlace, ClientSetting } from '@diorama/twin-kit/kernel/twin'

const mcpHost = 'mcp.services.internal'

/** The hosts that the documents name, and a variable with the address of each service. */
export const clients = ({ token, views }: ClientPlace): ClientSetting => {
  const places = [...(views?.().place?.all() ?? [])].map(({ service, host, base }) => ({
    service: String(service),
    host: String(host),
    url: `https://${String(host)}${String(base)}`,
  }))
  const addresses = places.toReversed().map(({ service, url }) => [`STUB_${variable(service)}_URL`, url])
  return {
    hosts: [...new Set(places.map(({ host }) => host)), mcpHost],
    baseUrl: places[0]?.url ?? `http://${mcpHost}`,
    mcpUrl: `http://${mcpHost}/mcp`,
    variables: { ...Object.fromEntries(addresses), STUB_TOKEN: token },
  }
}

const variable = (service: string): string => service.toUpperCase().replaceAll('-', '_')
