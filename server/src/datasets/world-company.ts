import { DatasetCompany, WorldBlueprint } from '@diorama/contract'
import { companyOf } from '@diorama/twin-kit/kernel/company'
import type { Company } from '@diorama/twin-kit/kernel/twin'
import type { Registry } from '../twins/registry.ts'
import type { TwinRow } from '../twins/store.ts'
import type { WorldRow, WorldStore } from '../worlds/store.ts'

export interface WorldCompanyDeps {
  readonly worlds: WorldStore
  readonly registry: Registry
}

export interface WorldCompany {
  readonly ofWorld: (worldRow: WorldRow) => Promise<DatasetCompany>
  readonly ofTwin: (row: TwinRow) => Promise<DatasetCompany>
}

/** The company behind worlds and twins, as datasets describe it. */
export const createWorldCompany = ({ worlds, registry }: WorldCompanyDeps): WorldCompany => {
  const ofDataset = async (organizationId: string, id: string): Promise<DatasetCompany | undefined> => {
    const version = await worlds.datasetVersion(organizationId, id)
    return version && DatasetCompany.parse(version.company)
  }
  const ofWorld = async ({ organization_id, blueprint }: WorldRow): Promise<DatasetCompany> => {
    const id = blueprint.datasetVersionId
    const known = typeof id === 'string' ? await ofDataset(organization_id, id) : undefined
    if (known) return known
    const parsed = WorldBlueprint.safeParse(blueprint)
    if (parsed.success) return written(companyOf(parsed.data))
    return DatasetCompany.parse({ organization: blueprint.organization, clock: blueprint.clock })
  }
  return {
    ofWorld,
    ofTwin: async (row: TwinRow): Promise<DatasetCompany> => {
      const { organization_id, world_id, dataset_version_id, environment_version_id } = row
      const ofRows = dataset_version_id ? await ofDataset(organization_id, dataset_version_id) : undefined
      if (ofRows) return ofRows
      const version =
        environment_version_id === null
          ? undefined
          : await worlds.environmentVersion(organization_id, environment_version_id)
      const worldId = world_id ?? version?.world_id
      const world = worldId ? await worlds.find(organization_id, worldId) : undefined
      return world ? ofWorld(world) : written(registry.require(row.service).sample.company)
    },
  }
}

const written = ({ organization, people, apiOwner, clock }: Company): DatasetCompany => ({
  organization: { ...organization },
  clock: new Date(clock).toISOString(),
  actsAs: apiOwner.handle,
  people: people.map((person) => ({ ...person })),
})
