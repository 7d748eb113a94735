import { buffer } from 'node:stream/consumers'
import type {
  AgentRunRecord,
  evaluationRoutes,
  evaluationSummaryRoutes,
  FrozenTask,
  TraceCreate,
} from '@diorama/contract'
import type { Sandbox } from '@diorama/sandbox/sandbox'
import type { Handlers } from '../http/handler.ts'
import type { Metrics } from '../http/metrics.ts'
import type { ModelAccess } from '../models/access.ts'
import { CassetteMiss } from '../models/calls/answers.ts'
import type { ModelCatalog } from '../models/models.ts'
import type { Gradable, Scoring } from '../scoring/score.ts'
import { changesIn } from '../scoring/unasked.ts'
import type { Blobs } from '../storage/blobs.ts'
import type { Log } from '../storage/log.ts'
import type { Storage } from '../storage/storage.ts'
import { createRescore } from './grading/rescore.ts'
import { scoringStore } from './grading/scorings.ts'
import { evaluationHandlers } from './routes.ts'
import { openRunReader, type RunReader } from './runs.ts'
import { openStarter, type StartParts } from './start.ts'
import { headOf } from './storable.ts'
import { type EvaluationStore, evaluationStore, type JobRow, type TrialRow } from './store.ts'
import type { AgentDeps } from './trial/agents/run-agent.ts'
import type { BranchTrial } from './trial/branch-trial.ts'
import { gradableOf, grade } from './trial/grade.ts'
import { runTrial } from './trial/trial.ts'
import { type TrialWorldParts, untouchedState } from './trial/trial-world.ts'
import { AttemptVoided } from './trial/voided.ts'
import { countOutcomes, showTrials } from './trial-metrics.ts'
import { createEarlyStop } from './worker/early-stop.ts'
import { openOrders, rememberedSource } from './worker/orders.ts'
import { openRecorder, type TrialRecord } from './worker/recorder.ts'
import { recordOf, storedRecord } from './worker/trial-record.ts'
import { tryOut } from './worker/try-out.ts'
import { openWorker, type Worker } from './worker/worker.ts'
import { createWorkerHealth } from './worker/worker-health.ts'

/** How many trials of the outbox are recorded in one sweep, and how long after their end. */
const maxSwept = 200
const sweepGraceMs = 2_000
/** Before the second attempt; twice as long before each one after it. */
const backOffMs = 500

export interface EvaluationPartParts
  extends Omit<StartParts, 'store' | 'sandbox'>,
    Omit<TrialWorldParts, 'loopback'> {
  readonly storage: Storage
  readonly metrics: Metrics
  readonly blobs: Blobs
  readonly scoring: Scoring
  readonly modelAccess: ModelAccess
  readonly sandbox: () => Promise<{ readonly sandbox: Sandbox } | { readonly unavailable: string }>
  /** Models that the service drives itself, for agents of the kind chat. */
  readonly models: ModelCatalog
  readonly outsideAgents: readonly string[]
  readonly hostImages: AgentDeps['hostImages']
  /** How agents that wait to be called are called. */
  readonly deliveries: AgentDeps['deliveries']
  readonly frozen: (suiteId: string, versionId: string) => Promise<readonly FrozenTask[] | undefined>
  readonly requireSuite: (organizationId: string, suiteId: string) => Promise<unknown>
  readonly suiteNames: (suiteIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
  readonly recordTrace: (organizationId: string, trace: TraceCreate) => Promise<unknown>
  readonly recordRuns: (organizationId: string, runs: readonly AgentRunRecord[]) => Promise<unknown>
  /** Whether a trial left its trace, the last of what is recorded of it. */
  readonly hasTrace: (organizationId: string, trialId: string) => Promise<boolean>
  readonly branchTrial: BranchTrial
  readonly baseUrl: () => string
  readonly holder: string
  readonly slots: number
  readonly log: Log
}

export interface EvaluationPart {
  readonly store: EvaluationStore
  readonly runs: RunReader
  /** What the scorers of a finished trial were given; undefined when there is no such trial. */
  readonly graded: (organizationId: string, trialId: string) => Promise<Gradable | undefined>
  /** What the newest trial that passed a task left. */
  readonly lastPassing: (organizationId: string, taskId: string) => Promise<Gradable | undefined>
  readonly handlers: Handlers<typeof evaluationRoutes & typeof evaluationSummaryRoutes>
  /** Begins to claim trials; alone, it takes back what an earlier life of the process had claimed. */
  readonly startWorker: (alone: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** Everything about evaluations: starting, running, grading and reading them. */
export const openEvaluationPart = (parts: EvaluationPartParts): EvaluationPart => {
  const { storage, blobs, holder, log, now } = parts
  const store = countOutcomes(evaluationStore(storage.db), parts.metrics)
  const tasksOf = async (suiteId: string, versionId: string): Promise<readonly FrozenTask[]> =>
    (await parts.frozen(suiteId, versionId)) ?? []
  const scorings = scoringStore(storage.db)
  const stopEarly = createEarlyStop({ store, tasksOf, now })
  const runs = openRunReader({
    store,
    scorings,
    tasksOf,
    twinsOf: (trialId) => parts.runtime.store.ofTrial(trialId),
    suiteNames: parts.suiteNames,
  })
  const start = openStarter({
    ...parts,
    store,
    sandbox: async () => {
      const opened = await parts.sandbox()
      return 'sandbox' in opened ? { isolation: opened.sandbox.isolation } : opened
    },
  })

  const orderOf = openOrders({ store, agent: parts.agent, tasksOf })
  const source = rememberedSource(parts.source)
  const recorder = openRecorder({
    ...parts,
    markRecorded: store.markRecorded,
    overdue: async () => {
      const records: TrialRecord[] = []
      for (const trial of await store.unrecorded(maxSwept, sweepGraceMs)) {
        const job = await store.findJob(trial.organization_id, trial.job_id)
        if (job) records.push(storedRecord(trial, await runs.taskOf(job, trial.task_id)))
      }
      return records
    },
  })

  const run = async (trial: TrialRow, signal: AbortSignal): Promise<void> => {
    const opened = await parts.sandbox()
    if (!('sandbox' in opened)) throw new Error(opened.unavailable)
    const order = await orderOf(trial)
    const began = now()
    const loopback = opened.sandbox.isolation === 'process'
    const outcome = await runTrial(
      { ...parts, source, sandbox: opened.sandbox, loopback },
      order,
      () => store.setScoring(trial, holder).then(() => {}),
      signal,
    )
    signal.throwIfAborted()
    const finished = await store.finish(trial, holder, {
      status: outcome.status,
      error: outcome.error,
      cause: outcome.cause,
      passed: outcome.passed,
      scores: outcome.scores,
      ...(outcome.unaskedChanges ? { unasked_changes: outcome.unaskedChanges } : {}),
      ...(outcome.variantDetail ? { variant_detail: outcome.variantDetail } : {}),
      steps: outcome.steps,
      usage: outcome.usage,
      output: outcome.output,
      artifacts: outcome.artifacts,
      world_sha256: outcome.worldSha256,
      isolation: outcome.isolation,
      trace_id: trial.id,
      finished_at: new Date(now()),
      duration_ms: outcome.durationMs,
    })
    if (finished === 'lost') return
    await stopEarly(trial.organization_id, trial.job_id)
    recorder.add(recordOf({ trial, order, outcome, began }))
    if (finished !== 'ended') return
    void recorder.flush()
    // A list of evaluations would do this as well; done here, no list has to.
    const job = await store.findJob(trial.organization_id, trial.job_id)
    if (job) await runs.summaries.summarise(job)
  }

  /** An attempt that says nothing about the agent is counted, and run again unless it was the last one. */
  const failed = (trial: TrialRow, error: unknown, final: boolean) => {
    const message = headOf(error instanceof Error ? error.message : String(error), 2_000)
    const cause = error instanceof AttemptVoided ? error.blames : 'platform'
    const isLast = final || error instanceof CassetteMiss || (error instanceof AttemptVoided && error.isFinal)
    const at = new Date(now())
    const voided = { attempt: trial.attempt, cause, error: message, at: at.toISOString() }
    if (!isLast)
      return store.finish(trial, holder, {
        status: 'queued',
        voided,
        retry_at: new Date(now() + backOffMs * 2 ** (trial.attempt - 1)),
      })
    const steps = error instanceof AttemptVoided ? error.steps : []
    return store.finish(trial, holder, {
      status: 'errored',
      error: trial.attempt === 1 ? message : `${headOf(message, 1_900)} (${trial.attempt} attempts)`,
      cause,
      voided,
      ...(steps.length > 0 ? { steps } : {}),
      finished_at: at,
    })
  }

  const graded = async (organizationId: string, trialId: string): Promise<Gradable | undefined> => {
    const trial = await store.findEnded(organizationId, trialId)
    const job = trial && (await store.findJob(organizationId, trial.job_id))
    return job && gradableOf(...(await storedGrading(job, trial)))
  }

  const lastPassing = async (organizationId: string, taskId: string): Promise<Gradable | undefined> => {
    const trialId = await store.lastPassing(organizationId, taskId)
    return trialId === undefined ? undefined : graded(organizationId, trialId)
  }

  const storedGrading = async (job: JobRow, trial: TrialRow) => {
    const task = await runs.taskOf(job, trial.task_id)
    const order = {
      organizationId: trial.organization_id,
      agent: { reference: trial.agent },
      task,
      trialId: trial.id,
      environmentVersionId: task.environment_version_id ?? job.environment_version_id,
    }
    const state = await storedState(blobs, trial.world_sha256)
    const untouched = async () => {
      const version = order.environmentVersionId
      const environment =
        version === null ? undefined : await source.environment(job.organization_id, version)
      const seeds = environment?.services ?? []
      return untouchedState(
        { ...parts },
        seeds.map(({ service, seedSha256 }) => ({ service, seed_sha256: seedSha256 })),
      )
    }
    const changes = state && changesIn(state)
    return [order, { output: trial.output ?? '', state, changes, untouched }] as const
  }

  const rescore = createRescore({
    ...parts,
    store,
    scorings,
    stored: storedGrading,
    grade: (order, context) => grade(parts, order, context),
  })

  let worker: Worker | undefined
  showTrials({ ...parts, store, worker: () => worker })
  return {
    store,
    runs,
    graded,
    lastPassing,
    handlers: evaluationHandlers({
      store,
      runs,
      start,
      rescore,
      requireSuite: parts.requireSuite,
      branch: parts.branchTrial,
      ...{ blobs, now, baseUrl: parts.baseUrl },
      wake: storage.wake,
    }),
    startWorker: async (alone: boolean): Promise<void> => {
      if (alone) await store.freeAll()
      recorder.sweep()
      const health = createWorkerHealth({ probe: tryOut(parts.sandbox), now: () => performance.now(), log })
      worker = openWorker({ store, wake: storage.wake, holder, slots: parts.slots, health, log, run, failed })
    },
    close: async () => {
      await worker?.close()
      await recorder.close()
    },
  }
}

const storedState = async (blobs: Blobs, sha256: string | null): Promise<Uint8Array | undefined> => {
  const stream = sha256 === null ? undefined : await blobs.get(sha256)
  return stream && buffer(stream)
}
