import type { Artifact, evaluationRoutes, evaluationSummaryRoutes, JobStart } from '@diorama/contract'
import { sinceMoment } from '@diorama/contract/since'
import { ApiError, notFound } from '../http/api-error.ts'
import { Answer, type Caller, EventStream, type Handlers } from '../http/handler.ts'
import type { Blobs } from '../storage/blobs.ts'
import type { Wake } from '../storage/wake.ts'
import type { RescoreRequest } from './grading/rescore.ts'
import { junitXml } from './results/junit.ts'
import { matrixOf } from './results/matrix.ts'
import type { RunReader } from './runs.ts'
import type { EvaluationStore, JobRow } from './store.ts'
import { jobEvents } from './stream.ts'
import type { BranchTrial } from './trial/branch-trial.ts'
import { jobMoved, trialsWaiting } from './worker/worker.ts'

export interface EvaluationRouteParts {
  readonly store: EvaluationStore
  readonly runs: RunReader
  readonly start: (caller: Caller, body: JobStart) => Promise<{ job: JobRow; fresh: boolean }>
  readonly rescore: (job: JobRow, request: RescoreRequest) => Promise<string>
  readonly requireSuite: (organizationId: string, suiteId: string) => Promise<unknown>
  /** Starts a world as a trial's copy was after a request. */
  readonly branch: BranchTrial
  readonly blobs: Blobs
  /** Where this service is reached, for links. */
  readonly baseUrl: () => string
  readonly wake: Wake
  readonly now: () => number
}

export const evaluationHandlers = (
  parts: EvaluationRouteParts,
): Handlers<typeof evaluationRoutes & typeof evaluationSummaryRoutes> => {
  const { store, runs, wake } = parts
  const jobFor = (caller: Caller, id: string) => runs.require(caller.organizationId, id)
  const one = async (job: JobRow) => {
    const [shown] = await runs.shown([job])
    if (!shown) throw notFound('run')
    return shown
  }
  return {
    startJob: async ({ caller, body }) => {
      const { job, fresh } = await parts.start(caller, body)
      if (fresh) await wake.send(trialsWaiting)
      return new Answer(fresh ? 201 : 200, await one(job))
    },
    listJobs: async ({ caller, query: { limit, cursor, since, ...filter } }) => {
      if (filter.verdict) await runs.summaries.summariseAll(caller.organizationId)
      const createdAfter = since === undefined ? undefined : sinceMoment(since, parts.now())
      const { items, nextCursor } = await store.listJobs(
        caller.organizationId,
        { ...filter, createdAfter },
        { limit, cursor },
      )
      return { items: await runs.shown(items), next_cursor: nextCursor }
    },
    listAgentResults: ({ caller, query: { limit, cursor, ...filter } }) =>
      runs.summaries.list(caller.organizationId, filter, { limit, cursor }),
    readMatrix: async ({ caller, params, query: { first_tasks } }) => {
      const job = await jobFor(caller, params.jobId)
      const tasks = await runs.matrixTasks(job)
      const wanted = first_tasks === undefined ? undefined : tasks.slice(0, first_tasks).map(({ id }) => id)
      return matrixOf(job, tasks, await store.matrixTrials(job.id, wanted))
    },
    readJob: async ({ caller, params }) => one(await jobFor(caller, params.jobId)),
    streamJob: async ({ caller, params, query, headers, signal }) => {
      const job = await jobFor(caller, params.jobId)
      const after = resumePoint(query.after ?? headers['last-event-id'])
      return new EventStream(jobEvents({ store, wake }, job.id, after, signal))
    },
    cancelJob: async ({ caller, params }) => {
      const job = await jobFor(caller, params.jobId)
      const done = await store.cancel(job.id)
      if (!done && job.status !== 'cancelled')
        throw new ApiError('conflict', `The evaluation is ${job.status} already.`)
      await wake.send(jobMoved, job.id)
      return one(await jobFor(caller, job.id))
    },
    listTrials: async ({ caller, params, query: { limit, cursor, ...filter } }) => {
      const job = await jobFor(caller, params.jobId)
      const { items, nextCursor } = await store.listTrials(job.id, filter, { limit, cursor })
      return { items: await runs.trials(job, items), next_cursor: nextCursor }
    },
    readTrial: async ({ caller, params }) => {
      const job = await jobFor(caller, params.jobId)
      const trial = await runs.requireTrial(job.id, params.trialId)
      return runs.detail(trial, await runs.taskOf(job, trial.task_id))
    },
    branchTrial: async ({ caller, params, body }) => {
      const job = await jobFor(caller, params.jobId)
      const trial = await runs.requireTrial(job.id, params.trialId)
      return parts.branch(caller, trial.id, body)
    },
    readArtifact: async ({ caller, params }) => {
      const job = await jobFor(caller, params.jobId)
      const trial = await runs.requireTrial(job.id, params.trialId)
      const artifact = (trial.artifacts as Artifact[]).find(({ name }) => name === params.name)
      const bytes = artifact && (await parts.blobs.get(artifact.sha256))
      if (!bytes) throw notFound('artifact')
      const file = encodeURIComponent(params.name.split('/').at(-1) ?? 'artifact')
      return new Answer(200, bytes, {
        'content-disposition': `attachment; filename*=UTF-8''${file}`,
        'x-content-type-options': 'nosniff',
      })
    },
    readResults: async ({ caller, params, query }) =>
      runs.results(await jobFor(caller, params.jobId), query.scoring_id),
    readJunit: async ({ caller, params, query }) => {
      const job = await jobFor(caller, params.jobId)
      const results = await runs.results(job, query.scoring_id)
      const trials = await runs.graded(job, query.scoring_id)
      const xml = junitXml({ results, name: job.name, trials, baseUrl: parts.baseUrl() })
      return new Answer(200, Buffer.from(xml))
    },
    rescoreJob: async ({ caller, params, body }) => {
      const job = await jobFor(caller, params.jobId)
      if (job.finished_at === null)
        throw new ApiError(
          'conflict',
          `The evaluation is ${job.status}; only a finished evaluation can be rescored.`,
        )
      await parts.rescore(job, { ...body, createdBy: caller.keyId })
      return one(await jobFor(caller, job.id))
    },
    listEvalRuns: async ({ caller, params, query: { job_id, ...page } }) => {
      await parts.requireSuite(caller.organizationId, params.suiteId)
      const { items, nextCursor } = await store.listJobs(
        caller.organizationId,
        { task_suite_id: params.suiteId, finished: true },
        page,
      )
      const shown = await Promise.all(items.map((job) => evalRun(runs, job)))
      const named = job_id === undefined ? shown[0] : await namedRun(runs, caller, params.suiteId, job_id)
      return {
        job_id: named?.job_id ?? null,
        pass_rate: named?.pass_rate ?? null,
        task_results: named?.task_results ?? [],
        items: shown,
        next_cursor: nextCursor,
      }
    },
  }
}

const evalRun = async (runs: RunReader, job: JobRow) => {
  const { job_id, pass_rate, task_results } = await runs.results(job)
  return {
    job_id,
    pass_rate,
    task_results,
    name: job.name,
    agents: job.agents,
    finished_at: job.finished_at?.toISOString() ?? null,
  }
}

const namedRun = async (runs: RunReader, caller: Caller, suiteId: string, jobId: string) => {
  const job = await runs.require(caller.organizationId, jobId)
  if (job.suite_id !== suiteId) throw notFound('run')
  return evalRun(runs, job)
}

const resumePoint = (given: string | string[] | undefined): number => {
  if (given === undefined || given === '') return 0
  const text = String(given)
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const message = 'is not the id of an event of this stream'
  throw new ApiError('malformed', `/query/after ${message}.`, {
    details: [{ pointer: '/query/after', message }],
  })
}
