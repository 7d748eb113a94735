import type {
  ScorerDefinition,
  ScorerWeight,
  TaskContainer,
  TaskCreate,
  UnaskedPolicy,
} from '@diorama/contract'
import type { Transaction } from 'kysely'
import type { MaterializeParts } from './materialize.ts'
import type { StoredBinding, SuiteTables } from './tables.ts'

/** A task that comes from elsewhere, with its scorers whole. */
export interface PlannedTask
  extends Pick<
    TaskCreate,
    'title' | 'instruction' | 'expected_outcome' | 'environment_version_id' | 'metadata'
  > {
  readonly key: string | null
  readonly container?: TaskContainer | null
  readonly scorers: readonly {
    readonly definition: ScorerDefinition
    readonly weight: ScorerWeight
    readonly pass_threshold: number | null
  }[]
}

export interface PlannedSuite {
  readonly organizationId: string
  readonly name: string
  readonly description: string
  readonly unasked_changes: UnaskedPolicy
  readonly tasks: readonly PlannedTask[]
}

export interface SavedSuite {
  readonly suiteId: string
  /** In the order of the tasks. */
  readonly taskIds: readonly string[]
}

export type CreatePlannedSuite = (
  planned: PlannedSuite,
  /** Writes what the suite refers to elsewhere, in its transaction. */
  alongside?: (trx: Transaction<SuiteTables>, suiteId: string) => Promise<void>,
) => Promise<SavedSuite>

/** Makes a suite with its tasks and scorers: all of it or nothing. Scorers that are the same are made once. */
export const createPlannedSuite =
  ({ db, suites, createScorer }: MaterializeParts): CreatePlannedSuite =>
  ({ organizationId, tasks, ...fields }, alongside) =>
    db.transaction().execute(async (trx) => {
      const suite = await suites.addSuite(organizationId, { ...fields, worldId: null }, trx)
      const known = new Map<string, string>()
      const taskIds: string[] = []
      for (const { key, scorers, ...task } of tasks) {
        const bindings: StoredBinding[] = []
        for (const { definition, weight, pass_threshold } of scorers) {
          const text = JSON.stringify(definition)
          const id =
            known.get(text) ?? (await createScorer(organizationId, { ...definition, slug: null }, trx))
          known.set(text, id)
          // A task binds a scorer once; the same check twice says the same.
          if (bindings.some((one) => one.scorer_id === id)) continue
          bindings.push({ scorer_id: id, scorer_version: 1, weight, pass_threshold })
        }
        const row = await suites.addTask(
          suite,
          {
            ...task,
            cutoff_event_id: null,
            turns: null,
            crowding: 0,
            bindings,
            ...(key === null ? {} : { key }),
          },
          trx,
        )
        taskIds.push(row.id)
      }
      await alongside?.(trx, suite.id)
      return { suiteId: suite.id, taskIds }
    })
