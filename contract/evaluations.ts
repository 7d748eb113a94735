import { z } from 'zod'
import {
  EvaluationMode,
  FailureCause,
  JobStatus,
  NotEmulated,
  TrialOutcome,
  Usage,
  Variant,
  variants,
} from './evaluation-kinds.ts'
import { Results, RunScoring, RunStopped, TaskResult } from './evaluation-results.ts'
import { RunAgentSummary, RunVerdict } from './evaluation-summaries.ts'
import { VariantDetail } from './evaluation-variants.ts'
import { idempotencyKeyForm, idempotencyKeyRule } from './idempotency-key.ts'
import { pageOf, pageQuery, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { JobModels, RunModels } from './run-models.ts'
import { Since } from './since.ts'
import { UnaskedChanges } from './unasked-changes.ts'
import { BranchRequest, WorldResponse } from './worlds.ts'

export const TrialStatus = z.enum([
  'queued',
  'running',
  'scoring',
  'succeeded',
  'failed',
  'errored',
  'cancelled',
])
export type TrialStatus = z.infer<typeof TrialStatus>

const id = z.string().min(1).max(200)

export const JobStart = z
  .object({
    task_suite_id: id,
    agents: z.array(id).min(1),
    idempotency_key: z.string().regex(idempotencyKeyForm, idempotencyKeyRule).nullable().default(null),
    name: z.string().max(200).nullable().default(null),
    mode: EvaluationMode.default('suite'),
    concurrency: z.int().min(1).default(4),
    tasks: z.array(id).max(1_000).nullable().default(null),
    scorers: z.array(id).max(50).default([]),
    environment_version_id: id.nullable().default(null),
    trials_per_task: z.int().min(1).max(20).default(1),
    baseline_job_id: id.nullable().default(null),
    variants: z.array(Variant).max(variants.length).default([]).meta({
      description:
        'Run every task in each of these as well, in pairs with the plain trials. Gates and rates are those of the plain trials.',
    }),
    sequential: z
      .object({
        error_rate: z.number().min(0.001).max(0.5).default(0.05),
        target_pass_rate: z.number().min(0.01).max(0.99).nullable().default(null).meta({
          description: 'Of one agent: whether its pass rate is above this. Null to compare two agents.',
        }),
      })
      .nullable()
      .default(null)
      .meta({ description: 'Stop as soon as the answer is known at this error rate.' }),
    models: RunModels.nullable().default(null),
  })
  .meta({ id: 'EvaluationStart' })
export type JobStart = z.infer<typeof JobStart>

export const Job = z
  .object({
    id: z.string(),
    name: z.string(),
    status: JobStatus,
    mode: EvaluationMode,
    task_suite_id: z.string(),
    task_suite_name: z.string().nullable().meta({ description: 'Null where the suite was deleted.' }),
    task_suite_version_id: z.string(),
    agents: z.array(z.string()),
    concurrency: z.int(),
    trials_per_task: z.int(),
    variants: z.array(Variant),
    completed_trials: z.int(),
    total_trials: z.int(),
    counts: z.record(z.string(), z.int()).meta({ description: 'Trials by status.' }),
    isolation: z.string().nullable(),
    baseline_job_id: z.string().nullable(),
    stopped: RunStopped.nullable(),
    verdict: RunVerdict.nullable().meta({
      description: 'Of the gate, as in the results. Null until the evaluation is finished.',
    }),
    results: z.array(RunAgentSummary).meta({
      description: 'Pass rate and cost of each agent, so far where the evaluation is not finished.',
    }),
    history: z.array(z.number()).meta({
      description:
        'Pass rates of the finished evaluations of the suite up to this one, the oldest first, at most twelve; the mean where an evaluation has several agents.',
    }),
    cost_usd: z.number().nullable().meta({
      description: 'Of all its trials whose model has a price.',
    }),
    models: JobModels,
    scorings: z.array(RunScoring).meta({ description: 'Later gradings of its trials, newest first.' }),
    error: z.string().nullable(),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'EvaluationRun' })
export type Job = z.infer<typeof Job>

export const Score = z
  .object({
    name: z.string(),
    scorer_id: z.string(),
    score: z.number().nullable(),
    threshold: z.number().nullable(),
    passed: z.boolean().nullable().meta({
      description: 'Null where the scorer has no threshold, or gave no score for no fault of the agent.',
    }),
    weight: z.enum(['low', 'med', 'high']),
    reason: z.string().nullable(),
    error: z.string().nullable(),
    cause: FailureCause.nullable()
      .default(null)
      .meta({ description: 'Whose fault it is that there is no score.' }),
    duration_ms: z.number(),
  })
  .meta({ id: 'Score' })
export type Score = z.infer<typeof Score>

export const VoidedAttempt = z
  .object({ attempt: z.int(), cause: FailureCause, error: z.string(), at: Timestamp })
  .meta({ id: 'VoidedAttempt' })

const trialFields = {
  id: z.string(),
  job_id: z.string(),
  agent: z.string(),
  task_id: z.string(),
  task_title: z.string(),
  repetition: z.int(),
  variant: Variant.nullable().meta({ description: 'Null for a plain trial.' }),
  variant_detail: VariantDetail.nullable().meta({
    description: 'What the variant did and found; null for a plain trial, and until the trial has ended.',
  }),
  status: TrialStatus,
  attempt: z.int(),
  passed: z.boolean().nullable(),
  outcome: TrialOutcome.nullable().meta({
    description: 'Null until it has ended, and where it was cancelled.',
  }),
  error: z.string().nullable(),
  cause: FailureCause.nullable().meta({
    description: 'Whose fault the error is. Only the agent’s lowers a pass rate.',
  }),
  voided_attempts: z.array(VoidedAttempt).meta({
    description: 'Earlier attempts that said nothing about the agent and were run again from a fresh world.',
  }),
  scores: z.array(Score),
  unasked_changes: UnaskedChanges.nullable().meta({
    description:
      'What the agent changed and no scorer accounts for; null where there was no world or no verdict.',
  }),
  not_emulated: z.array(NotEmulated).meta({
    description:
      'What the agent asked for and the twins lack. A trial that failed with such calls may say more about the twin than about the agent.',
  }),
  usage: Usage.nullable(),
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
  duration_ms: z.number().nullable(),
}

export const Trial = z.object(trialFields).meta({ id: 'Trial' })
export type Trial = z.infer<typeof Trial>

export const TrialStep = z
  .object({
    kind: z.enum(['setup', 'agent', 'tool_call', 'model_call', 'scoring']),
    name: z.string(),
    status: z.string(),
    started_at: Timestamp,
    duration_ms: z.number(),
    detail: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'TrialStep' })
export type TrialStep = z.infer<typeof TrialStep>

export const Artifact = z.object({ name: z.string(), size: z.int(), sha256: z.string() })
export type Artifact = z.infer<typeof Artifact>

export const TrialDetail = z
  .object({
    ...trialFields,
    instruction: z.string(),
    expected_outcome: z.string(),
    output: z.string().nullable(),
    isolation: z.string().nullable(),
    trace_id: z.string().nullable(),
    steps: z.array(TrialStep),
    artifacts: z.array(Artifact),
    twins: z.array(z.object({ id: z.string(), service: z.string() })),
  })
  .meta({ id: 'TrialDetail' })
export type TrialDetail = z.infer<typeof TrialDetail>

const EvalRun = Results.pick({ job_id: true, pass_rate: true, task_results: true })
  .extend({ name: z.string(), agents: z.array(z.string()), finished_at: Timestamp.nullable() })
  .meta({ id: 'EvalRun' })

const scoringQuery = z.object({
  scoring_id: id
    .optional()
    .meta({ description: 'A later rescoring; the scores given when the trials ran if left out.' }),
})
const jobParams = z.object({ jobId: z.string() })
const trialParams = z.object({ jobId: z.string(), trialId: z.string() })

export const evaluationRoutes = routes({
  startJob: {
    method: 'POST',
    path: '/v1/backtests/jobs',
    tag: 'Evaluations',
    summary: 'Start an evaluation: agents × tasks, each trial in a fresh copy of the world.',
    scope: 'evals:write',
    body: JobStart,
    status: 201,
    otherStatus: 200,
    reply: Job,
    errors: [
      'invalid_reference',
      'sandbox_denied',
      'idempotency_conflict',
      'limit_exceeded',
      'sandbox_unavailable',
    ],
    creates: true,
  },
  listJobs: {
    method: 'GET',
    path: '/v1/backtests/jobs',
    tag: 'Evaluations',
    summary: 'List evaluations, newest first.',
    scope: 'evals:read',
    query: z.object({
      ...pageQuery,
      task_suite_id: id.optional(),
      status: JobStatus.optional(),
      verdict: RunVerdict.optional(),
      agent: id.optional().meta({ description: 'An agent by its name, or by name@version.' }),
      since: Since.optional(),
    }),
    reply: pageOf(Job),
    errors: ['invalid_cursor'],
  },
  readJob: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}',
    tag: 'Evaluations',
    summary: 'Read status and progress.',
    scope: 'evals:read',
    params: jobParams,
    reply: Job,
    errors: ['not_found'],
  },
  streamJob: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/stream',
    tag: 'Evaluations',
    summary: 'Progress as server-sent events; ends after run_finished.',
    scope: 'evals:read',
    params: jobParams,
    query: z.object({ after: z.string().max(40).optional() }),
    gives: 'text/event-stream',
    errors: ['not_found', 'malformed'],
  },
  cancelJob: {
    method: 'POST',
    path: '/v1/backtests/jobs/{jobId}/cancel',
    tag: 'Evaluations',
    summary: 'Stop queued trials; those that run are finished and kept.',
    scope: 'evals:write',
    params: jobParams,
    reply: Job,
    errors: ['not_found', 'conflict'],
  },
  listTrials: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/trials',
    tag: 'Evaluations',
    summary: 'Every trial with its scores, in the order of the evaluation.',
    scope: 'evals:read',
    params: jobParams,
    query: z.object({
      ...pageQuery,
      agent: id.optional(),
      task_id: id.optional(),
      status: TrialStatus.optional(),
    }),
    reply: pageOf(Trial),
    errors: ['not_found', 'invalid_cursor'],
  },
  readTrial: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/trials/{trialId}',
    tag: 'Evaluations',
    summary: 'One trial with the instruction it received, its steps and artifacts.',
    scope: 'evals:read',
    params: trialParams,
    reply: TrialDetail,
    errors: ['not_found'],
  },
  branchTrial: {
    method: 'POST',
    path: '/v1/backtests/jobs/{jobId}/trials/{trialId}/branch',
    tag: 'Evaluations',
    summary:
      "Start a world as a trial's copy of it was after one of the agent's requests, to try another reply from there.",
    scope: 'worlds:write',
    params: trialParams,
    body: BranchRequest,
    status: 201,
    reply: WorldResponse,
    errors: ['not_found', 'conflict', 'capacity_exceeded'],
    creates: true,
  },
  readArtifact: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/trials/{trialId}/artifacts/{name}',
    tag: 'Evaluations',
    summary: "One artifact's bytes. Slashes of its name are written %2F.",
    scope: 'evals:read',
    params: trialParams.extend({ name: z.string() }),
    gives: 'application/octet-stream',
    errors: ['not_found'],
  },
  readResults: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/results',
    tag: 'Evaluations',
    summary:
      'Pass rate, task results and statistics, by the scores given when the trials ran or by a later rescoring.',
    scope: 'evals:read',
    params: jobParams,
    query: scoringQuery,
    reply: Results,
    errors: ['not_found'],
  },
  readJunit: {
    method: 'GET',
    path: '/v1/backtests/jobs/{jobId}/results.junit.xml',
    tag: 'Evaluations',
    summary: 'The results as JUnit XML, for CI.',
    scope: 'evals:read',
    params: jobParams,
    query: scoringQuery,
    gives: 'application/xml; charset=utf-8',
    errors: ['not_found'],
  },
  rescoreJob: {
    method: 'POST',
    path: '/v1/backtests/jobs/{jobId}/rescore',
    tag: 'Evaluations',
    summary:
      'Rescore a finished evaluation, with other scorers if named, without running the agent. The earlier scores are kept.',
    scope: 'evals:write',
    params: jobParams,
    body: z
      .object({
        scorers: z.array(id).max(50).nullable().default(null),
        label: z.string().min(1).max(200).nullable().default(null),
      })
      .meta({ id: 'Rescore' }),
    reply: Job,
    errors: ['not_found', 'conflict', 'invalid_reference', 'sandbox_unavailable'],
  },
  listEvalRuns: {
    method: 'GET',
    path: '/v1/task-suites/{suiteId}/eval-runs',
    tag: 'Evaluations',
    summary:
      'Pass or fail by task, of the newest finished evaluation or of the one named, and the evaluations before it.',
    scope: 'evals:read',
    params: z.object({ suiteId: z.string() }),
    query: z.object({ ...pageQuery, job_id: id.optional() }),
    reply: z
      .object({
        job_id: z.string().nullable(),
        pass_rate: z.number().nullable(),
        task_results: z.array(TaskResult),
        items: z.array(EvalRun),
        next_cursor: z.string().nullable(),
      })
      .meta({ id: 'EvalRuns' }),
    errors: ['not_found', 'invalid_cursor'],
  },
})
