import { WorldBlueprint } from '@diorama/contract'
import { moves } from './clock/script.ts'
import type { WorldStore } from './store.ts'

/** What can be told elsewhere of the world behind an environment version. */
export interface PortableWorld {
  /** Null where the world has no blueprint, such as one made from a dataset. */
  readonly blueprint: Readonly<Record<string, unknown>> | null
  /** Whether it moves by a story clock: events, coworkers, its own time. */
  readonly moves: boolean
  readonly services: readonly { readonly service: string; readonly hasMcp: boolean }[]
}

export const portableWorld =
  ({ store, hasMcp }: { readonly store: WorldStore; readonly hasMcp: (service: string) => boolean }) =>
  async (organizationId: string, environmentVersionId: string): Promise<PortableWorld | undefined> => {
    const version = await store.environmentVersion(organizationId, environmentVersionId)
    if (!version) return undefined
    const services = version.services.map(({ service }) => ({ service, hasMcp: hasMcp(service) }))
    const unplanned = { blueprint: null, moves: false, services }
    if (version.world_id === '') return unplanned
    const world = await store.find(organizationId, version.world_id)
    if (!world) return undefined
    const parsed = WorldBlueprint.safeParse(world.blueprint)
    // A world from a dataset, or a branch of another, keeps what it was made from in place of a blueprint.
    if (!parsed.success) return unplanned
    return { blueprint: world.blueprint, moves: moves(parsed.data), services }
  }
