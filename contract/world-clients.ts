import { z } from 'zod'
import { routes } from './route.ts'

const worldParams = z.object({ worldId: z.string() })

/** How programs reach one service of a world: what their real clients expect, and where it is in fact. */
export const WorldClient = z
  .object({
    service: z.string(),
    hosts: z.array(z.string()).meta({
      description: 'Names that the real clients ask for; a leading *. matches any name.',
    }),
    baseUrl: z.string().nullable(),
    mcpUrl: z.string().nullable(),
    token: z.string(),
    variables: z.record(z.string(), z.string()).meta({
      description: 'Environment variables that the real clients read.',
    }),
  })
  .meta({ id: 'WorldClient' })
export type WorldClient = z.infer<typeof WorldClient>

/** What programs beside a world need: the way in, and what scorers see of it. */
export const worldClientRoutes = routes({
  listWorldClients: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/clients',
    tag: 'Worlds',
    summary: 'How programs reach the services of a world that runs: addresses, real host names, variables.',
    scope: 'worlds:read',
    params: worldParams,
    reply: z.object({ items: z.array(WorldClient) }),
    errors: ['not_found', 'gone'],
  },
  readWorldState: {
    method: 'GET',
    path: '/v1/builder/worlds/{worldId}/state.json',
    tag: 'Worlds',
    summary:
      'The file by which scorers see a world: its records, its changes and its activity, as they are now.',
    scope: 'worlds:read',
    params: worldParams,
    gives: 'application/json; charset=utf-8',
    errors: ['not_found', 'gone'],
  },
})
