import type { ColumnType, Generated } from 'kysely'
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
    /** Words to find a world by, and since when lists may leave it out (`0110-world-labels.ts`). */
    tags: ColumnType<string[], string[] | undefined, string[]>
    archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  }
  /** The clock that the twins of one world, or of one trial, share. Twins without one run at the wall's speed. */
  world_clocks: {
    id: string
    organization_id: string
    world_id: string | null
    trial_id: string | null
    mode: string
    /** How many times faster than the wall a wall clock runs. */
    factor: number
    /** The story's time at `wall_at`. In story mode the steps of the ledger carry it further. */
    story_at: Date
    wall_at: Date
    /** What the clock starts from, again after a reset. */
    starts_at: Date
    /** What happens on its own in this world, as JSON: costs, events, people. */
    script: string
    /** Counts resets. */
    life: Generated<number>
    /** Why nothing happens on its own any more, if so. */
    halted: string | null
    /** The node that runs all of its twins. */
    owner: string | null
  }
  /** Events that were added to a running world. */
  world_events: {
    clock_id: string
    life: number
    key: string
    definition: string
    /** The story's time when it was added. */
    added_at: Date
  }
}
