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
    const world = version && (await worlds.store.find(organizationId, version.world_id))
    if (!version || !world) return undefined
    return {
      slug: slugOf(world),
      services: version.services.map(({ service, seed_sha256, entity_count }) => ({
        service,
        seedSha256: seed_sha256,
        entityCount: entity_count,
      })),
    }
  },
})

export const slugOf = ({ blueprint }: WorldRow): string => {
  const organization = blueprint.organization as { slug?: string } | undefined
  return organization?.slug ?? 'company'
}
