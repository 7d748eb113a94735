import type { WorldRow, WorldStore } from './store.ts'

/** The seeds of an environment version, and the slug of its company. */
export interface EnvironmentSource {
  readonly slug: string
  readonly services: readonly {
    readonly service: string
    readonly seedSha256: string
    readonly entityCount: number
  }[]
}

/** Finds what a trial forks. */
export const worldSource = (worlds: { readonly store: WorldStore }) => ({
  environment: async (
    organizationId: string,
    environmentVersionId: string,
  ): Promise<EnvironmentSource | undefined> => {
    const version = await worlds.store.environmentVersion(organizationId, environmentVersionId)
    if (!version) return undefined
    const slug = await slugFor(worlds.store, organizationId, version)
    if (slug === undefined) return undefined
    return {
      slug,
      services: version.services.map(({ service, seed_sha256, entity_count }) => ({
        service,
        seedSha256: seed_sha256,
        entityCount: entity_count,
      })),
    }
  },
})

/** The slug of the company behind an environment version: of its world, or of its dataset. */
const slugFor = async (
  store: WorldStore,
  organizationId: string,
  { id, world_id }: { id: string; world_id: string },
): Promise<string | undefined> => {
  if (world_id === '') {
    const company = (await store.datasetVersion(organizationId, id))?.company
    return (company?.organization as { slug?: string } | undefined)?.slug
  }
  const world = await store.find(organizationId, world_id)
  return world && slugOf(world)
}

export const slugOf = ({ blueprint }: WorldRow): string => {
  const organization = blueprint.organization as { slug?: string } | undefined
  return organization?.slug ?? 'company'
}
