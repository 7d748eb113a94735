import type { Reply } from '@diorama/sdk/index.ts'

type Client = Reply<'listWorldClients'>['items'][number]

/** The variables of the world's clients as a shell file, for programs in the agent's container. */
export const worldEnv = (clients: readonly Client[], front: string): string => {
  const redirects = Object.fromEntries(
    clients.flatMap(({ service, hosts }) => hosts.map((host) => [host, `${front}/${service}`])),
  )
  const variables = Object.assign(
    {},
    ...clients.map(({ service, variables: own, mcpUrl }) => {
      const name = `SVC_${service.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
      return {
        ...own,
        [`${name}_BASE_URL`]: `${front}/${service}`,
        ...(mcpUrl === null ? {} : { [`${name}_MCP_URL`]: `${front}/mcp/${service}` }),
      }
    }),
    // For Node programs that ask for the real hosts; the preload beside an oracle reads it.
    { DIORAMA_REDIRECTS: JSON.stringify(redirects) },
  ) as Record<string, string>
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('')
}
