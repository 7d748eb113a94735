import { Instance } from '@diorama/twin-kit/kernel/instance'
import { serviceText, worldFile } from '../../scoring/world-file.ts'
import type { TwinRuntime } from '../../twins/open.ts'
import { stateOf } from '../../twins/records.ts'
import type { WorldStore } from '../../worlds/store.ts'
import { stateNow } from '../trial/trial-world.ts'

export interface WorldFileDeps {
  readonly worlds: Pick<WorldStore, 'find' | 'environmentVersion'>
  readonly runtime: TwinRuntime
}

/** Worlds as scorers read them, apart from any trial; undefined when the organization has no such thing. */
export interface WorldFiles {
  /** The world of an environment version as it is before anybody touches it. */
  readonly untouchedWorld: (organizationId: string, versionId: string) => Promise<Uint8Array | undefined>
  /** A running world as it is now. */
  readonly currentWorld: (organizationId: string, worldId: string) => Promise<Uint8Array | undefined>
}

export const createWorldFiles = ({ worlds, runtime }: WorldFileDeps): WorldFiles => ({
  untouchedWorld: async (organizationId, versionId) => {
    const version = await worlds.environmentVersion(organizationId, versionId)
    if (!version) return undefined
    const seeds = await Promise.all(version.services.map((one) => runtime.seeds.load(one.seed_sha256)))
    const services = seeds.map((seed) => {
      const service = seed.twin.kind
      return { service, text: serviceText(stateOf(service, new Instance({ seed, principals: [] }))) }
    })
    return worldFile(services, [])
  },
  currentWorld: async (organizationId, worldId) => {
    const world = await worlds.find(organizationId, worldId)
    if (!world) return undefined
    return stateNow({ runtime }, await runtime.store.ofWorlds([world.id]))
  },
})
