import type { FrozenTask, Score, TaskProof } from '@diorama/contract'
import { type BoundDefinition, expectedOf, type Gradable, type Scoring, verdictOf } from './score.ts'
import { changesIn, failsByUnasked, unaskedReport } from './unasked.ts'
import { vandalised } from './vandal.ts'

export interface ProveParts {
  readonly scoring: Pick<Scoring, 'grade'>
  /** The world of an environment version as it is before anybody touches it. */
  readonly untouchedWorld: (
    organizationId: string,
    environmentVersionId: string,
  ) => Promise<Uint8Array | undefined>
  /** What the newest trial that passed this task left, if there is one. */
  readonly lastPassing: (organizationId: string, taskId: string) => Promise<Gradable | undefined>
}

type Graded = { readonly bound: BoundDefinition; readonly first: Score; readonly second: Score }

/** Grades each task twice as an agent that did nothing would leave it, and once as a vandal would. */
export const openProver =
  ({ scoring, untouchedWorld, lastPassing }: ProveParts) =>
  async (organizationId: string, task: FrozenTask, signal: AbortSignal): Promise<TaskProof> => {
    const { environment_version_id: environment } = task
    const world = environment === null ? undefined : await untouchedWorld(organizationId, environment)
    const gradable = nothingDone(task, world)
    const graded: Graded[] = []
    for (const bound of task.scorers) {
      const { score: first } = await scoring.grade(bound, gradable, { organizationId, signal })
      const { score: second } = await scoring.grade(bound, gradable, { organizationId, signal })
      graded.push({ bound, first, second })
    }
    const done = await lastPassing(organizationId, task.id)
    const vandal = await vandalOn({ scoring, task, organizationId, signal }, done ?? gradable)
    return proofOf(task, graded, { passes: vandal, on: done ? 'passing trial' : 'untouched world' })
  }

/** Whether an agent that also changes, deletes and makes what was not asked for passes. */
const vandalOn = async (
  {
    scoring,
    task,
    organizationId,
    signal,
  }: Pick<ProveParts, 'scoring'> & { task: FrozenTask; organizationId: string; signal: AbortSignal },
  gradable: Gradable,
): Promise<boolean> => {
  if (!gradable.world) return false
  // Ids differ from import to import; by what the task says, the same task meets the same vandal wherever it is.
  const world = vandalised(gradable.world, `${task.key ?? task.title}\n${task.instruction}`)
  const graded = []
  for (const bound of task.scorers)
    graded.push(await scoring.grade(bound, { ...gradable, world }, { organizationId, signal }))
  if (verdictOf(graded.map(({ score }) => score)).passed !== true) return false
  const accounted = graded.map((one) => one.accounted)
  return !failsByUnasked(unaskedReport(changesIn(world), accounted, task.unasked_changes ?? 'warn'))
}

interface Vandal {
  readonly passes: boolean
  readonly on: TaskProof['vandal_on']
}

const nothingDone = (task: FrozenTask, world: Uint8Array | undefined): Gradable => ({
  input: task.instruction,
  output: '',
  expected: expectedOf(task),
  metadata: {
    trial_id: 'check',
    agent: 'do-nothing',
    task: { id: task.id, key: task.key, title: task.title },
    world: task.environment_version_id,
  },
  world,
})

const proofOf = (task: FrozenTask, graded: readonly Graded[], vandal: Vandal): TaskProof => {
  const scorers = graded.map(({ bound, first, second }) => ({
    scorer_id: bound.scorer_id,
    name: first.name,
    scores: [first.score, second.score],
    threshold: first.threshold,
    passed: first.passed,
    repeats: first.score === second.score,
    reason: first.reason,
    error: first.error ?? second.error,
  }))
  const unsteady = scorers.filter(({ repeats }) => !repeats)
  const problem = doNothingProblem(graded.map(({ first }) => first))
  const problems = [
    ...(problem === undefined ? [] : [problem]),
    ...(vandal.passes
      ? ['An agent that also changes, deletes and makes records that nobody asked for passes this task.']
      : []),
    ...unsteady.map(
      ({ name, scores }) => `${name} does not repeat itself: ${scores.map(String).join(', then ')}.`,
    ),
  ]
  return {
    task_id: task.id,
    title: task.title,
    ok: problems.length === 0,
    do_nothing_fails: problem === undefined,
    vandal_fails: !vandal.passes,
    vandal_on: vandal.on,
    repeatable: unsteady.length === 0,
    problems,
    scorers,
  }
}

/** A scorer that broke down shows nothing: another one must have failed the agent by a score. */
const doNothingProblem = (scores: readonly Score[]): string | undefined => {
  if (scores.every(({ threshold }) => threshold === null))
    return 'No scorer of this task has a threshold, so every agent passes it; give one a pass_threshold.'
  const verdict = verdictOf(scores)
  if (verdict.passed === false) return undefined
  if (!('error' in verdict)) return 'An agent that does nothing passes this task.'
  return `A scorer fails on the untouched world, so it can grade no agent. ${verdict.error}`.slice(0, 2_000)
}
