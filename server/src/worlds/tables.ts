import type { ColumnType } from 'kysely'
import type { Json } from '../storage/tables/columns.ts'

/** Worlds and the versions of their environments. */
export interface WorldTables {
  environments: {
    id: string
    organization_id: string
    root_world_id: string
    name: string
    created_at: Date
  }
  environment_versions: {
    id: string
    environment_id: string
    organization_id: string
    world_id: string
    number: number
    clock: Date
    services: Json<{ service: string; entity_count: number; seed_sha256: string }[]>
    created_at: Date
  }
  worlds: {
    id: string
    organization_id: string
    root_world_id: string
    parent_world_id: string | null
    version_number: number
    name: string
    summary: string
    blueprint: Json<Record<string, unknown>>
    created_by: string
    created_at: Date
    updated_at: Date
    launch_error: string | null
    /** True until the launch has ended, well or badly. */
    launching: boolean
    idempotency_key: string | null
    fingerprint: string
    environment_version_id: string | null
    evaluation: ColumnType<unknown, string | null, string | null>
  }
}
