import { type StoredScript, scriptFrom } from './clock/script.ts'
import type { WorldRow, WorldStore } from './store.ts'

/** The seeds of an environment version, the slug of its company, and how its world moves. */
export interface EnvironmentSource {
  readonly slug: string
  /** The story's time at the start. */
  readonly startsAt: number
  readonly script: StoredScript
  readonly services: readonly {
    readonly service: string
    readonly seedSha256: string
    readonly entityCount: number
  }[]
}

export interface WorldSource {
  readonly environment: (
    organizationId: string,
    environmentVersionId: string,
  ) => Promise<EnvironmentSource | undefined>
}

/** Finds what a trial forks. */
export const worldSource = (worlds: { readonly store: WorldStore }): WorldSource => ({
  environment: async (organizationId, environmentVersionId) => {
    const version = await worlds.store.environmentVersion(organizationId, environmentVersionId)
    if (!version) return undefined
    const company = await companyOf(worlds.store, organizationId, version)
    if (!company) return undefined
    return {
      ...company,
      startsAt: version.clock.getTime(),
      services: version.services.map(({ service, seed_sha256, entity_count }) => ({
        service,
        seedSha256: seed_sha256,
        entityCount: entity_count,
      })),
    }
  },
})

/** The company behind an environment version: of its world, or of its dataset, in which nothing happens on its own. */
const companyOf = async (
  store: WorldStore,
  organizationId: string,
  { id, world_id }: { id: string; world_id: string },
): Promise<Pick<EnvironmentSource, 'slug' | 'script'> | undefined> => {
  if (world_id === '') {
    const company = (await store.datasetVersion(organizationId, id))?.company
    const slug = (company?.organization as { slug?: string } | undefined)?.slug
    return slug === undefined ? undefined : { slug, script: scriptFrom(undefined) }
  }
  const world = await store.find(organizationId, world_id)
  return world && { slug: slugOf(world), script: scriptFrom(world.blueprint) }
}

export const slugOf = ({ blueprint }: WorldRow): string => {
  const organization = blueprint.organization as { slug?: string } | undefined
  return organization?.slug ?? 'company'
}
