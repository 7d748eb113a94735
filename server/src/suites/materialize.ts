import type { ScorerDefinition, ScorerWeight, WorldBlueprint, WorldEvaluation } from '@diorama/contract'
import type { Kysely, Transaction } from 'kysely'
import { checksScorer } from './checks.ts'
import type { Suites } from './suites.ts'
import type { SuiteTables } from './tables.ts'

export interface MaterializeParts {
  readonly db: Kysely<SuiteTables>
  readonly suites: Suites
  readonly createScorer: (
    organizationId: string,
    definition: ScorerDefinition,
    trx: Transaction<SuiteTables>,
  ) => Promise<string>
}

interface Order {
  readonly organizationId: string
  readonly worldId: string
  readonly environmentVersionId: string
  readonly blueprint: WorldBlueprint
}

/**
 * Makes a suite of a world's tasks: each scorer in the library, each task with its world, and a first frozen version.
 * All of it or nothing, and one write to the disk.
 */
export const openMaterialize =
  (parts: MaterializeParts) =>
  (order: Order): Promise<Made> =>
    parts.db.transaction().execute((trx) => materialize(parts, order, trx))

type Made = Pick<WorldEvaluation, 'taskSuiteId' | 'taskSuiteVersionId' | 'tasks'>

const materialize = async (
  { suites, createScorer }: MaterializeParts,
  { organizationId, worldId, environmentVersionId, blueprint }: Order,
  trx: Transaction<SuiteTables>,
): Promise<Made> => {
  const { scenario } = blueprint
  const fields = { name: blueprint.name, description: scenario.title, worldId }
  const suite = await suites.addSuite(organizationId, fields, trx)
  const tasks: WorldEvaluation['tasks'] = []
  for (const task of scenario.tasks) {
    const made = await makeScorers(scorersOf(task), (definition) =>
      createScorer(organizationId, definition, trx),
    )
    const row = await suites.addTask(
      suite,
      {
        key: task.key,
        title: task.title,
        instruction: task.instruction,
        expected_outcome: task.expectedOutcome,
        environment_version_id: environmentVersionId,
        cutoff_event_id: null,
        turns: task.turns,
        crowding: task.crowding,
        bindings: made.map(({ scorerId, weight, passThreshold }) => ({
          scorer_id: scorerId,
          scorer_version: 1,
          weight,
          pass_threshold: passThreshold,
        })),
      },
      trx,
    )
    const scorers = made.map(({ key, scorerId }) => ({ key, scorerId }))
    tasks.push({
      key: task.key,
      membershipId: `${suite.id}:${row.id}`,
      taskId: row.id,
      title: task.title,
      scorers,
    })
  }
  const version = await suites.freezeIn(trx, suite, { label: 'launch', always: false })
  return { taskSuiteId: suite.id, taskSuiteVersionId: version.id, tasks }
}

interface Planned {
  readonly key: string
  readonly definition: ScorerDefinition
  readonly weight: ScorerWeight
  readonly passThreshold: number | null
}

const scorersOf = ({ title, scorers, checks }: WorldBlueprint['scenario']['tasks'][number]): Planned[] => [
  ...scorers.map(({ key, scorer, weight, passThreshold }) => ({
    key,
    definition: scorer,
    weight,
    passThreshold,
  })),
  ...(checks.length > 0
    ? [
        {
          key: 'checks',
          definition: checksScorer(title, checks),
          weight: 'high' as const,
          passThreshold: null,
        },
      ]
    : []),
]

const makeScorers = async (
  planned: readonly Planned[],
  create: (definition: ScorerDefinition) => Promise<string>,
): Promise<(Planned & { scorerId: string })[]> => {
  const made: (Planned & { scorerId: string })[] = []
  // One after the other: slugs made from the same name must not race each other.
  for (const one of planned) made.push({ ...one, scorerId: await create({ ...one.definition, slug: null }) })
  return made
}
