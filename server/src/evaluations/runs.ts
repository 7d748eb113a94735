import type {
  Artifact,
  FrozenTask,
  Job,
  Results,
  Score,
  Trial,
  TrialDetail,
  TrialStep,
  Usage,
} from '@diorama/contract'
import { ApiError, notFound } from '../http/api-error.ts'
import type { FrozenRunModels } from '../models/access.ts'
import type { ScoringStore } from './grading/scorings.ts'
import { createMatrixTasks, type MatrixTask } from './results/matrix.ts'
import { endedOf, notEmulatedIn, outcomeOf } from './results/outcome.ts'
import { resultsOf } from './results/results.ts'
import type { RunRecord } from './results/run-record.ts'
import type { EvaluationStore, JobRow, TrialRow, TrialSummary } from './store.ts'
import type { Summaries } from './summaries/summaries.ts'
import { createSummaries, type RunSummary } from './summaries/summaries.ts'
import { summaryStore } from './summaries/summary-store.ts'

export interface RunParts {
  readonly store: EvaluationStore
  /** The tasks of a frozen suite version. */
  readonly tasksOf: (suiteId: string, versionId: string) => Promise<readonly FrozenTask[]>
  readonly twinsOf: (trialId: string) => Promise<readonly { id: string; service: string }[]>
  readonly scorings: ScoringStore
  /** The names of suites, whichever still exist. */
  readonly suiteNames: (suiteIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export interface RunReader {
  readonly require: (organizationId: string, id: string) => Promise<JobRow>
  readonly requireTrial: (jobId: string, id: string) => Promise<TrialRow>
  readonly shown: (jobs: readonly JobRow[]) => Promise<Job[]>
  readonly results: (job: JobRow, scoringId?: string) => Promise<Results>
  /** The trials as a grading sees them; as they were graded when they ran if left out. */
  readonly graded: (job: JobRow, scoringId?: string) => Promise<readonly TrialSummary[]>
  readonly summaries: Summaries
  readonly taskOf: (job: JobRow, taskId: string) => Promise<FrozenTask>
  /** The tasks that it has trials of. */
  readonly matrixTasks: (job: JobRow) => Promise<readonly MatrixTask[]>
  readonly trials: (job: JobRow, rows: readonly TrialRow[]) => Promise<Trial[]>
  readonly detail: (row: TrialRow, task: FrozenTask) => Promise<TrialDetail>
}

/** Reading runs, trials and results. */
export const openRunReader = ({ store, tasksOf, twinsOf, scorings, suiteNames }: RunParts): RunReader => {
  const require = async (organizationId: string, id: string): Promise<JobRow> => {
    const job = await store.findJob(organizationId, id)
    if (!job) throw notFound('run')
    return job
  }
  const requireTrial = async (jobId: string, id: string): Promise<TrialRow> => {
    const trial = await store.findTrial(jobId, id)
    if (!trial) throw notFound('trial')
    return trial
  }
  const shown = async (jobs: readonly JobRow[]): Promise<Job[]> => {
    const ids = jobs.map(({ id }) => id)
    const [counts, gradings, summed] = await Promise.all([
      store.counts(ids),
      scorings.ofJobs(ids),
      summaries.ofJobs(jobs),
    ])
    return jobs.flatMap((job) => {
      const summary = summed.get(job.id)
      const scored = gradings.get(job.id) ?? []
      return summary ? [{ ...toJob(job, counts.get(job.id) ?? {}), ...summary, scorings: scored }] : []
    })
  }
  const recordOf = async (job: JobRow, scoringId?: string): Promise<RunRecord> => {
    const scoring = scoringId === undefined ? null : await scorings.find(job.id, scoringId)
    if (scoring === undefined) throw notFound('grading')
    const trials = await store.allTrials(job.id)
    return {
      job,
      trials: scoring === null ? trials : await scorings.applied(scoring.id, trials),
      tasks: await tasksOf(job.suite_id, job.suite_version_id),
      scoring,
    }
  }

  /** The evaluation that a regression is held against: the one named, or the newest before it with the same agent names. */
  const baselineOf = async (job: JobRow): Promise<JobRow | undefined> => {
    if (job.mode !== 'regression') return undefined
    if (job.baseline_job_id !== null) return store.findJob(job.organization_id, job.baseline_job_id)
    const names = (one: JobRow) => one.agents.map((agent) => agent.slice(0, agent.lastIndexOf('@')))
    const { items } = await store.listJobs(
      job.organization_id,
      { task_suite_id: job.suite_id, status: 'succeeded' },
      { limit: 200 },
    )
    return items.find(
      (one) =>
        one.id !== job.id &&
        one.created_at < job.created_at &&
        names(one).some((name) => names(job).includes(name)),
    )
  }
  const results = async (job: JobRow, scoringId?: string): Promise<Results> => {
    const baseline = await baselineOf(job)
    return resultsOf(await recordOf(job, scoringId), baseline && (await recordOf(baseline)))
  }

  const summaries = createSummaries({ store: summaryStore(store.db), results, suiteNames })

  return {
    require,
    requireTrial,
    shown,
    results,
    graded: async (job, scoringId) => (await recordOf(job, scoringId)).trials,
    summaries,
    taskOf: async (job: JobRow, taskId: string): Promise<FrozenTask> => {
      const task = (await tasksOf(job.suite_id, job.suite_version_id)).find(({ id }) => id === taskId)
      if (!task) throw new ApiError('internal', 'The frozen task of this trial is missing.')
      return task
    },
    matrixTasks: createMatrixTasks({ tasksOf, triedTasks: store.triedTasks }),
    trials: async (job: JobRow, rows: readonly TrialRow[]): Promise<Trial[]> => {
      const titles = new Map(
        (await tasksOf(job.suite_id, job.suite_version_id)).map(({ id, title }) => [id, title]),
      )
      return rows.map((row) => toTrial(row, titles.get(row.task_id) ?? ''))
    },
    detail: async (row: TrialRow, task: FrozenTask): Promise<TrialDetail> => ({
      ...toTrial(row, task.title),
      instruction: task.instruction,
      expected_outcome: task.expected_outcome,
      output: row.output,
      isolation: row.isolation,
      trace_id: row.trace_id,
      steps: row.steps as TrialStep[],
      artifacts: row.artifacts as Artifact[],
      twins: (await twinsOf(row.id)).map(({ id, service }) => ({ id, service })),
    }),
  }
}

const toJob = (job: JobRow, counts: Record<string, number>): Omit<Job, 'scorings' | keyof RunSummary> => ({
  id: job.id,
  name: job.name,
  status: job.status as Job['status'],
  mode: job.mode as Job['mode'],
  task_suite_id: job.suite_id,
  task_suite_version_id: job.suite_version_id,
  agents: job.agents,
  concurrency: job.concurrency,
  trials_per_task: job.trials_per_task,
  variants: job.variants as Job['variants'],
  completed_trials: job.completed_trials,
  total_trials: job.total_trials,
  counts,
  isolation: job.isolation,
  baseline_job_id: job.baseline_job_id,
  stopped: job.stopped as Job['stopped'],
  models: shownModels(job.models as FrozenRunModels | null),
  error: job.error,
  created_at: job.created_at.toISOString(),
  started_at: job.started_at?.toISOString() ?? null,
  finished_at: job.finished_at?.toISOString() ?? null,
})

const shownModels = (models: FrozenRunModels | null): Job['models'] => {
  if (models === null) return null
  const { mode, cassette, base_version, max_cost_usd, max_tokens } = models
  const [name] = cassette?.split('@') ?? []
  const reference = name !== undefined && base_version !== null ? `${name}@${base_version}` : cassette
  return { mode, cassette: reference, max_cost_usd, max_tokens }
}

const toTrial = (row: TrialRow, title: string): Trial => ({
  id: row.id,
  job_id: row.job_id,
  agent: row.agent,
  task_id: row.task_id,
  task_title: title,
  repetition: row.repetition,
  status: row.status as Trial['status'],
  attempt: row.attempt,
  passed: row.passed,
  outcome: outcomeOf({ ...row, ended: endedOf(row) }),
  error: row.error,
  cause: row.cause as Trial['cause'],
  voided_attempts: row.voided_attempts as Trial['voided_attempts'],
  scores: row.scores as Score[],
  variant: row.variant as Trial['variant'],
  variant_detail: row.variant_detail as Trial['variant_detail'],
  unasked_changes: row.unasked_changes as Trial['unasked_changes'],
  not_emulated: notEmulatedIn(row),
  usage: row.usage as Usage | null,
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
  duration_ms: row.duration_ms,
})
