import type { FrozenTask, RunStopped } from '@diorama/contract'
import { clustersOf } from '../results/compare.ts'
import { sequentialTest } from '../results/sequential.ts'
import type { EvaluationStore, JobRow } from '../store.ts'

export interface EarlyStopDeps {
  readonly store: EvaluationStore
  readonly tasksOf: (suiteId: string, versionId: string) => Promise<readonly FrozenTask[]>
  readonly now: () => number
}

/** What a sequential evaluation was asked. */
export interface Sequential {
  readonly error_rate: number
  readonly target_pass_rate: number | null
}

/**
 * Ends a sequential evaluation when its answer is known. Tasks count in the order in which they were planned and only when all
 * their trials are over, so that quick trials are not heard before slow ones.
 */
export const createEarlyStop =
  ({ store, tasksOf, now }: EarlyStopDeps) =>
  async (organizationId: string, jobId: string): Promise<void> => {
    const job = await store.findJob(organizationId, jobId)
    if (!job || job.sequential === null || job.stopped !== null || job.status === 'cancelled') return
    const trials = await store.allTrials(jobId)
    const order = [...new Set(trials.map(({ task_id }) => task_id))]
    const open = order.findIndex((id) =>
      trials.some(({ task_id, status }) => task_id === id && openStatuses.has(status)),
    )
    const complete = open === -1 ? order : order.slice(0, open)
    const tasks = await tasksOf(job.suite_id, job.suite_version_id)
    const stopped = stateOf(job, { trials, tasks, order: complete, at: new Date(now()) })
    if (stopped.answer !== null || open === -1) await store.stop(jobId, stopped)
  }

const openStatuses = new Set(['queued', 'running', 'scoring'])

const stateOf = (
  job: JobRow,
  seen: {
    trials: Awaited<ReturnType<EvaluationStore['allTrials']>>
    tasks: readonly FrozenTask[]
    order: readonly string[]
    at: Date
  },
): RunStopped => {
  const { error_rate, target_pass_rate } = job.sequential as Sequential
  const run = { job, trials: seen.trials, tasks: seen.tasks, scoring: null }
  const [first = '', second] = job.agents
  const base = clustersOf(run, first)
  const other = second === undefined ? undefined : clustersOf(run, second)
  const values = seen.order.flatMap((id) => {
    const a = base.get(id)
    if (!other) return a ? [a.passed / a.total] : []
    const b = other.get(id)
    return a && b ? [(b.passed / b.total - a.passed / a.total + 1) / 2] : []
  })
  const limit = other ? 0.5 : (target_pass_rate ?? 0.5)
  const { answer, evidence, observations } = sequentialTest(values, { limit, errorRate: error_rate })
  const claim = other
    ? `${second} is ${answer === 'above' ? 'better' : 'worse'} than ${first}`
    : `The pass rate of ${first} is ${answer} ${Math.round(limit * 100)} %`
  const reason =
    answer === null
      ? `After ${observations} tasks the answer is not known.`
      : `${claim}, known after ${observations} tasks at an error rate of ${error_rate}.`
  return { answer, reason, tasks: observations, error_rate, evidence, at: seen.at.toISOString() }
}
