import type { ScorerDefinition, ScorerWeight, WorldBlueprint, WorldEvaluation } from '@diorama/contract'
import { checksScorer } from './checks.ts'
import type { Suites } from './suites.ts'

export interface MaterializeParts {
  readonly suites: Suites
  readonly createScorer: (organizationId: string, definition: ScorerDefinition) => Promise<string>
}

interface Order {
  readonly organizationId: string
  readonly worldId: string
  readonly environmentVersionId: string
  readonly blueprint: WorldBlueprint
}

/** Makes a suite of a world's tasks: each scorer in the library, each task with its world, and a first frozen version. */
export const openMaterialize =
  ({ suites, createScorer }: MaterializeParts) =>
  async ({
    organizationId,
    worldId,
    environmentVersionId,
    blueprint,
  }: Order): Promise<Pick<WorldEvaluation, 'taskSuiteId' | 'taskSuiteVersionId' | 'tasks'>> => {
    const { scenario } = blueprint
    const suite = await suites.create(
      organizationId,
      { name: blueprint.name, description: scenario.title },
      worldId,
    )
    const tasks: WorldEvaluation['tasks'] = []
    for (const task of scenario.tasks) {
      const made = await makeScorers(organizationId, scorersOf(task), createScorer)
      const row = await suites.addTask(suite, {
        key: task.key,
        title: task.title,
        instruction: task.instruction,
        expected_outcome: task.expectedOutcome,
        environment_version_id: environmentVersionId,
        cutoff_event_id: null,
        bindings: made.map(({ scorerId, weight, passThreshold }) => ({
          scorer_id: scorerId,
          scorer_version: 1,
          weight,
          pass_threshold: passThreshold,
        })),
      })
      const scorers = made.map(({ key, scorerId }) => ({ key, scorerId }))
      tasks.push({
        key: task.key,
        membershipId: `${suite.id}:${row.id}`,
        taskId: row.id,
        title: task.title,
        scorers,
      })
    }
    const version = await suites.freeze(suite, { label: 'launch', always: false })
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
  organizationId: string,
  planned: readonly Planned[],
  create: MaterializeParts['createScorer'],
): Promise<(Planned & { scorerId: string })[]> => {
  const made: (Planned & { scorerId: string })[] = []
  // One after the other: slugs made from the same name must not race each other.
  for (const one of planned)
    made.push({ ...one, scorerId: await create(organizationId, { ...one.definition, slug: null }) })
  return made
}
