import type { TaskContainer, TaskTurns } from '@diorama/contract'
import type { Generated } from 'kysely'
import type { Json, NullableJson } from '../storage/tables/columns.ts'

export interface StoredBinding {
  readonly scorer_id: string
  readonly scorer_version: number
  readonly weight: 'low' | 'med' | 'high'
  readonly pass_threshold: number | null
}

/** Task suites and their frozen versions. */
export interface SuiteTables {
  task_suites: {
    id: string
    organization_id: string
    name: string
    description: string
    world_id: string | null
    /** What becomes of a trial with changes that no scorer accounts for (`0041-unasked-changes.ts`). */
    unasked_changes: Generated<string>
    created_at: Date
    updated_at: Date
    archived_at: Date | null
  }
  tasks: {
    id: string
    organization_id: string
    suite_id: string
    position: Generated<number>
    key: string | null
    title: string
    instruction: string
    expected_outcome: string
    environment_version_id: string | null
    cutoff_event_id: string | null
    trace_id: string | null
    /** See `0087-task-turns.ts`. */
    turns: NullableJson<TaskTurns>
    /** How many decoys are beside the services, see `0088-crowding.ts`. */
    crowding: Generated<number>
    /** See `0101-task-metadata.ts`. */
    metadata: NullableJson<Record<string, unknown>>
    /** See `0102-task-containers.ts`. */
    container: NullableJson<TaskContainer>
    events: Json<unknown[]>
    bindings: Json<StoredBinding[]>
    created_at: Date
    updated_at: Date
  }
  suite_versions: {
    id: string
    organization_id: string
    suite_id: string
    number: number
    label: string | null
    digest: string
    task_count: number
    content: Json<unknown>
    proof: NullableJson<Record<string, unknown>>
    created_at: Date
  }
}
