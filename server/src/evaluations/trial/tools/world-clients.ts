import type { WorldClient } from '@diorama/contract'
import { ApiError } from '../../../http/api-error.ts'
import type { TwinRuntime } from '../../../twins/open.ts'
import { isLive } from '../../../twins/placement/placements.ts'
import { slugOf } from '../../../worlds/source.ts'
import type { Worlds } from '../../../worlds/worlds.ts'
import { stateNow } from '../trial-world.ts'
import { variablesOf } from '../world-access.ts'
import { settingOf } from './mcp-servers.ts'

/** What programs beside a running world need: the way to its services, and what scorers see of it. */
export interface WorldClients {
  readonly list: (organizationId: string, worldId: string) => Promise<WorldClient[]>
  readonly state: (organizationId: string, worldId: string) => Promise<Uint8Array>
}

export const createWorldClients = ({
  worlds,
  runtime,
}: {
  readonly worlds: Worlds
  readonly runtime: TwinRuntime
}): WorldClients => {
  const running = async (organizationId: string, worldId: string) => {
    const world = await worlds.require(organizationId, worldId)
    const rows = await runtime.store.ofWorlds([world.id])
    if (!rows.every(isLive)) throw new ApiError('gone', 'The twins of the world have been stopped.')
    return { world, rows }
  }
  return {
    list: async (organizationId, worldId) => {
      const { world, rows } = await running(organizationId, worldId)
      return Promise.all(
        rows.map(async (row): Promise<WorldClient> => {
          const setting = await settingOf(runtime, row, slugOf(world))
          const { service, baseUrl = null, mcpUrl = null, token } = runtime.twins.shown(row)
          const hosts = new Set([...setting.hosts, ...runtime.registry.require(service).twin.hosts])
          return {
            ...{ service, baseUrl, mcpUrl, token },
            hosts: [...hosts],
            variables: variablesOf(row, setting),
          }
        }),
      )
    },
    state: async (organizationId, worldId) =>
      stateNow({ runtime }, (await running(organizationId, worldId)).rows),
  }
}
