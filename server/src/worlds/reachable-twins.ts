import type { TwinRuntime } from '../twins/open.ts'
import type { WorldStore } from './store.ts'

/** A twin of a world, as a client outside the world reaches it. */
export interface ReachableTwin {
  readonly service: string
  readonly baseUrl: string | null
  readonly token: string
  /** A sentence that names the service. */
  readonly describes: string
}

export interface ReachableTwinDeps {
  readonly worlds: Pick<WorldStore, 'find'>
  readonly runtime: Pick<TwinRuntime, 'store' | 'twins' | 'registry'>
}

/** The twins of a world with their addresses and tokens; undefined when the organization has no such world. */
export const reachableTwins =
  ({ worlds, runtime }: ReachableTwinDeps) =>
  async (organizationId: string, worldId: string): Promise<readonly ReachableTwin[] | undefined> => {
    const world = await worlds.find(organizationId, worldId)
    if (!world) return undefined
    const rows = await runtime.store.ofWorlds([world.id])
    return rows.map((row) => {
      const { service, baseUrl = null, token } = runtime.twins.shown(row)
      const emulated = runtime.registry.find(service)?.twin.standsFor ?? service
      return { service, baseUrl, token, describes: `${emulated}.` }
    })
  }
