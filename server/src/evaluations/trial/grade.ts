import type { FrozenTask, Score, TrialStep, UnaskedChanges } from '@diorama/contract'
import type { ModelSession } from '../../models/calls/session.ts'
import {
  type BoundDefinition,
  expectedOf,
  type Gradable,
  type Scoring,
  type TrialVerdict,
  verdictOf,
} from '../../scoring/score.ts'
import { failsByUnasked, unaskedReport, type WorldChanges } from '../../scoring/unasked.ts'
import { inTurns } from '../../storage/writers/in-turns.ts'
import { stepOf } from './step.ts'

/** Scorers of one trial that run at the same time. */
const scorersAtOnce = 4

export interface GradeDeps {
  readonly scoring: Scoring
  readonly now: () => number
}

/** What is graded: an answer and a world, and which task and agent they belong to. */
export interface GradedOrder {
  readonly organizationId: string
  readonly agent: { readonly reference: string }
  readonly task: FrozenTask
  readonly trialId: string
  readonly environmentVersionId: string | null
}

export interface GradeContext {
  readonly output: string
  readonly state: Uint8Array | undefined
  /** What happened to the world. */
  readonly changes: WorldChanges | undefined
  /** The world before the agent, for the control run of a scorer that fails. */
  readonly untouched: () => Promise<Uint8Array>
  readonly signal: AbortSignal
  /** The way of the judges' model calls; left out, they go to the providers. */
  readonly session?: ModelSession | undefined
}

export interface Graded {
  readonly scores: readonly Score[]
  readonly steps: readonly TrialStep[]
  readonly verdict: TrialVerdict
  readonly unaskedChanges: UnaskedChanges | null
}

/** What every scorer of a trial is given. */
export const gradableOf = (
  { agent, task, trialId, environmentVersionId }: GradedOrder,
  { output, state }: Pick<GradeContext, 'output' | 'state'>,
): Gradable => ({
  input: task.instruction,
  output,
  expected: expectedOf(task),
  metadata: {
    trial_id: trialId,
    agent: agent.reference,
    task: {
      ...{ id: task.id, key: task.key, title: task.title },
      ...(task.metadata === undefined ? {} : { metadata: task.metadata }),
    },
    world: environmentVersionId,
  },
  world: state,
})

/** Every scorer of the task and of the evaluation, some at the same time; each is a step, in the order of the task. */
export const grade = async (
  { scoring, now }: GradeDeps,
  order: GradedOrder & { readonly extraScorers: readonly BoundDefinition[] },
  { output, state, changes, untouched, signal, session }: GradeContext,
): Promise<Graded> => {
  const gradable = gradableOf(order, { output, state })
  const control = async () =>
    gradableOf(order, { output: '', state: state === undefined ? undefined : await untouched() })
  const bound = [...order.task.scorers, ...order.extraScorers]
  const graded = await inTurns(bound, scorersAtOnce, async (one) => {
    const began = now()
    const { score, accounted } = await scoring.grade(one, gradable, {
      organizationId: order.organizationId,
      session,
      ...{ signal, control, cache: true },
    })
    const detail = {
      score: score.score,
      ...(score.error ? { error: score.error, cause: score.cause } : {}),
    }
    const status = score.error !== null ? 'failed' : 'succeeded'
    const step = stepOf('scoring', score.name, status, { began, ended: now(), detail })
    return { score, accounted, step }
  })
  const scores = graded.map(({ score }) => score)
  const verdict = verdictOf(scores)
  const policy = order.task.unasked_changes ?? 'warn'
  const unasked =
    changes && verdict.passed !== null && policy !== 'ignore'
      ? unaskedReport(
          changes,
          graded.map(({ accounted }) => accounted),
          policy,
        )
      : null
  return {
    scores,
    steps: graded.map(({ step }) => step),
    verdict: verdict.passed && failsByUnasked(unasked) ? { passed: false } : verdict,
    unaskedChanges: unasked,
  }
}
