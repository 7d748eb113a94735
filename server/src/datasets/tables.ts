import type { Json, NullableJson } from '../storage/tables/columns.ts'

/** Datasets and their immutable versions. */
export interface DatasetTables {
  datasets: {
    id: string
    organization_id: string
    name: string
    description: string
    created_by: string
    created_at: Date
  }
  dataset_versions: {
    id: string
    dataset_id: string
    organization_id: string
    number: number
    clock: Date
    company: Json<Record<string, unknown>>
    services: Json<
      {
        service: string
        entity_count: number
        seed_sha256: string
        collections: { name: string; count: number }[]
      }[]
    >
    source: Json<{ kind: string; format: string; world_id: string | null }>
    pseudonyms: NullableJson<Record<string, number>>
    warnings: Json<string[]>
    created_by: string
    created_at: Date
  }
}
