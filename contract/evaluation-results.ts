import { z } from 'zod'
import { JobStatus, Usage, Variant } from './evaluation-kinds.ts'
import { variantFindings } from './evaluation-variants.ts'
import { Timestamp } from './pages.ts'

/** Whether an agent may be released, decided once for every client. */
export const Gate = z
  .object({ verdict: z.enum(['pass', 'fail', 'inconclusive']), reasons: z.array(z.string()) })
  .meta({ id: 'Gate' })
export type Gate = z.infer<typeof Gate>

/** Trials without a verdict on the agent, by whose fault that is. */
export const Unscored = z
  .object({ scorer: z.int(), model_provider: z.int(), platform: z.int() })
  .meta({ id: 'UnscoredTrials' })
export type Unscored = z.infer<typeof Unscored>

export const TaskResult = z
  .object({
    task_id: z.string(),
    title: z.string(),
    passed: z.boolean(),
    failed_scorers: z.array(z.string()),
    trials: z.int(),
    passed_trials: z.int(),
    errored_trials: z.int(),
    unscored: Unscored,
    unasked_trials: z
      .int()
      .meta({ description: 'Trials in which the agent changed what no scorer accounts for.' }),
    crashed_trials: z.int().meta({
      description: "Trials in which the agent's command crashed, timed out or went over a limit.",
    }),
    crash: z.string().nullable().meta({ description: 'The first of those errors, shortened.' }),
    flaky: z.boolean(),
  })
  .meta({ id: 'TaskResult' })
export type TaskResult = z.infer<typeof TaskResult>

export const Interval = z.object({ low: z.number(), high: z.number() })

export const AgentResult = z
  .object({
    agent: z.string(),
    trials: z.int(),
    scored_trials: z.int(),
    passed_trials: z.int(),
    errored_trials: z.int(),
    unscored: Unscored,
    attempts: z.int().meta({ description: 'Attempts at its trials, voided ones included.' }),
    voided_attempts: z.int().meta({ description: 'Attempts that said nothing about the agent.' }),
    void_rate: z.number().nullable().meta({
      description:
        'Voided attempts as a share of all. An agent that voids attempts gets more of them, so above a threshold the gate is inconclusive.',
    }),
    pass_rate: z.number().nullable(),
    interval: Interval.nullable().meta({
      description: 'Wilson, 95 %, clustered by task: repeats of a task are not independent.',
    }),
    effective_trials: z
      .number()
      .nullable()
      .meta({ description: 'How many independent trials would say as much.' }),
    pass_at: z.record(z.string(), z.number()).meta({ description: 'pass@k: at least one of k.' }),
    pass_all: z.record(z.string(), z.number()).meta({ description: 'pass^k: all of k.' }),
    weighted_score: z.number().nullable().meta({
      description: 'Null where a scorer gave no score, since leaving it out would move the mean.',
    }),
    mean_duration_ms: z.number().nullable(),
    usage: Usage.nullable(),
    cost_per_pass_usd: z
      .number()
      .nullable()
      .meta({ description: 'Cost of all its trials by passed trial; null without a price or a pass.' }),
    gate: Gate,
    tasks: z.array(TaskResult),
  })
  .meta({ id: 'AgentResult' })
export type AgentResult = z.infer<typeof AgentResult>

export const Comparison = z
  .object({
    baseline: z.string(),
    agent: z.string(),
    wins: z.int(),
    losses: z.int(),
    ties: z.int(),
    tasks: z.int(),
    difference: z
      .number()
      .nullable()
      .meta({ description: 'Mean of the pass rates by task, agent less baseline.' }),
    interval: Interval.nullable().meta({
      description: '95 %, paired and clustered by task, never outside -1 to 1.',
    }),
    p_value: z.number().nullable().meta({ description: 'Two-sided, paired by task.' }),
    minimum_detectable_difference: z.number().nullable().meta({
      description: 'The smallest difference that so many tasks find four times out of five.',
    }),
    tasks_needed: z
      .object({ for_observed: z.int().nullable(), for_ten_points: z.int().nullable() })
      .meta({ description: 'Tasks with which the difference is found four times out of five.' }),
    cost_per_pass_usd: z
      .object({ baseline: z.number().nullable(), agent: z.number().nullable() })
      .meta({ description: 'Cost of all trials by passed trial.' }),
    summary: z.string().meta({ description: 'The comparison in words.' }),
    differing: z.array(
      z.object({ task_id: z.string(), title: z.string(), baseline: z.number(), agent: z.number() }),
    ),
  })
  .meta({ id: 'Comparison' })
export type Comparison = z.infer<typeof Comparison>

/** One agent in one variant, beside its plain trials of the same tasks. */
export const VariantResult = z
  .object({
    variant: Variant,
    agent: z.string(),
    plain_pass_rate: z.number().nullable(),
    pass_rate: z.number().nullable(),
    comparison: Comparison.meta({ description: 'With its plain trials, paired by task.' }),
    ...variantFindings,
  })
  .meta({ id: 'VariantResult' })
export type VariantResult = z.infer<typeof VariantResult>

const changedTask = { agent: z.string(), task_id: z.string(), title: z.string() }

export const Regression = z
  .object({
    baseline_job_id: z.string().nullable(),
    baseline_name: z.string().nullable(),
    regressed: z.array(
      z.object({
        ...changedTask,
        p_value: z.number().meta({ description: 'Fisher, one-sided, corrected for the number of tasks.' }),
      }),
    ),
    fixed: z.array(z.object(changedTask)),
    agents: z.array(
      z.object({
        agent: z.string(),
        baseline_agent: z.string(),
        tasks: z.int(),
        still_failing: z.int().meta({ description: 'Tasks that failed before and fail now.' }),
        difference: z.number().nullable(),
        interval: Interval.nullable(),
        p_value: z.number().nullable().meta({ description: 'One-sided for a drop, over all tasks.' }),
        regressed: z.boolean().nullable().meta({
          description: 'True at an error rate of 5 %; null where chance may explain what regressed.',
        }),
      }),
    ),
  })
  .meta({ id: 'Regression' })
export type Regression = z.infer<typeof Regression>

/** One rescoring of an evaluation's trials, beside the scores given when they ran. */
export const RunScoring = z
  .object({
    id: z.string(),
    label: z.string(),
    scorers: z.array(z.object({ scorer_id: z.string(), version: z.int(), name: z.string() })),
    created_by: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'RunScoring' })
export type RunScoring = z.infer<typeof RunScoring>

/** Why a sequential evaluation ended before all its trials. */
export const RunStopped = z
  .object({
    answer: z.enum(['above', 'below']).nullable(),
    reason: z.string(),
    tasks: z.int(),
    error_rate: z.number(),
    evidence: z.object({ above: z.number(), below: z.number() }),
    at: Timestamp,
  })
  .meta({ id: 'RunStopped' })
export type RunStopped = z.infer<typeof RunStopped>

export const Results = z
  .object({
    job_id: z.string(),
    status: JobStatus,
    scoring: RunScoring.nullable().meta({
      description: 'The rescoring that was read; null for the scores given when the trials ran.',
    }),
    stopped: RunStopped.nullable(),
    gate: Gate.meta({
      description: 'All agents together; in a comparison all but the baseline.',
    }),
    pass_rate: z
      .number()
      .nullable()
      .meta({ description: 'Null for an evaluation of several agents; each has a rate.' }),
    interval: Interval.nullable(),
    task_results: z.array(TaskResult),
    trials: z.object({
      planned: z.int(),
      finished: z.int(),
      scored: z.int(),
      errored: z.int(),
      cancelled: z.int(),
    }),
    agents: z.array(AgentResult),
    variants: z.array(VariantResult).meta({ description: 'Empty for an evaluation without variants.' }),
    comparisons: z.array(Comparison),
    regression: Regression.nullable(),
  })
  .meta({ id: 'Results' })
export type Results = z.infer<typeof Results>
