import type { FrozenTask, RunScoring } from '@diorama/contract'
import { ApiError } from '../../http/api-error.ts'
import type { BoundDefinition } from '../../scoring/score.ts'
import type { StartParts } from '../start.ts'
import type { EvaluationStore, JobRow, TrialRow } from '../store.ts'
import type { GradeContext, Graded, GradedOrder } from '../trial/grade.ts'
import type { ScoredTrial, ScoringStore } from './scorings.ts'

const gradeTimeoutMs = 600_000

export interface RescoreDeps {
  readonly store: EvaluationStore
  readonly scorings: ScoringStore
  readonly scorers: StartParts['scorers']
  /** What the scorers of a finished trial are given. */
  readonly stored: (
    job: JobRow,
    trial: TrialRow,
  ) => Promise<readonly [GradedOrder, Omit<GradeContext, 'signal'>]>
  readonly grade: (
    order: GradedOrder & { readonly extraScorers: readonly BoundDefinition[] },
    context: GradeContext,
  ) => Promise<Graded>
  readonly now: () => number
  readonly makeId: (prefix: string) => string
}

export interface RescoreRequest {
  readonly scorers: readonly string[] | null
  readonly label: string | null
  readonly createdBy: string
}

/** Grades what a finished evaluation left, with other scorers if some are named. The grading it makes replaces none. */
export const createRescore =
  (deps: RescoreDeps) =>
  async (job: JobRow, { scorers, label, createdBy }: RescoreRequest): Promise<string> => {
    const extra = scorers === null ? undefined : await boundTo(deps, job.organization_id, scorers)
    const used = new Map<string, RunScoring['scorers'][number]>()
    const graded: ScoredTrial[] = []
    for (const id of await deps.store.gradableIds(job.id)) {
      const trial = await deps.store.findTrial(job.id, id)
      if (!trial) continue
      const [order, answer] = await deps.stored(job, trial)
      const task: FrozenTask = extra ? { ...order.task, scorers: extra } : order.task
      const extraScorers = extra ? [] : (job.extra_scorers as BoundDefinition[])
      for (const { scorer_id, scorer_version, definition } of [...task.scorers, ...extraScorers])
        used.set(`${scorer_id} ${scorer_version}`, {
          scorer_id,
          version: scorer_version,
          name: definition.name,
        })
      const signal = AbortSignal.timeout(gradeTimeoutMs)
      const { scores, verdict } = await deps.grade({ ...order, task, extraScorers }, { ...answer, signal })
      graded.push({ trialId: trial.id, scores, ...outcomeOf(trial, verdict) })
    }
    const scoringId = deps.makeId('scg')
    const at = new Date(deps.now())
    await deps.scorings.insert(
      {
        id: scoringId,
        organization_id: job.organization_id,
        job_id: job.id,
        label: label ?? (scorers === null ? 'rescored' : 'rescored by other scorers'),
        scorers: JSON.stringify([...used.values()]),
        created_by: createdBy,
        created_at: at,
        finished_at: at,
      },
      graded,
    )
    return scoringId
  }

/** An agent that failed to run fails in every grading; otherwise the scores decide. */
const outcomeOf = (trial: TrialRow, verdict: Graded['verdict']): Omit<ScoredTrial, 'trialId' | 'scores'> => {
  if (trial.status === 'failed')
    return { status: 'failed', passed: false, cause: trial.cause, error: trial.error }
  return 'error' in verdict
    ? { status: 'errored', passed: null, cause: verdict.cause, error: verdict.error }
    : { status: 'succeeded', passed: verdict.passed, cause: null, error: null }
}

const boundTo = async (
  { scorers }: Pick<RescoreDeps, 'scorers'>,
  organizationId: string,
  ids: readonly string[],
): Promise<BoundDefinition[]> => {
  const found = await scorers(organizationId, ids)
  return ids.map((id, n) => {
    const scorer = found.get(id)
    const message = 'names no scorer of the library'
    if (!scorer)
      throw new ApiError('invalid_reference', `/scorers/${n} ${message}.`, {
        details: [{ pointer: `/scorers/${n}`, message }],
      })
    return {
      scorer_id: id,
      scorer_version: scorer.version,
      weight: 'med' as const,
      pass_threshold: null,
      definition: scorer,
    }
  })
}
