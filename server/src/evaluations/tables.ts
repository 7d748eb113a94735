import type { FailureCause, UnaskedChanges, VariantDetail } from '@diorama/contract'
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Json, NullableJson } from '../storage/tables/columns.ts'

/** Evaluations (jobs on the wire), their trials, events, gradings and summaries. */
export interface EvaluationTables {
  eval_jobs: {
    id: string
    organization_id: string
    suite_id: string
    suite_version_id: string
    name: string
    mode: string
    status: string
    agents: string[]
    concurrency: number
    variants: ColumnType<string[], string[] | undefined, string[]>
    trials_per_task: number
    total_trials: number
    completed_trials: number
    environment_version_id: string | null
    baseline_job_id: string | null
    /** Scorers that were asked for beside the tasks' own, frozen at the start. */
    extra_scorers: Json<unknown[]>
    idempotency_key: string | null
    fingerprint: string
    isolation: string | null
    error: string | null
    created_by: string
    created_at: Date
    started_at: Date | null
    finished_at: Date | null
    /** What an evaluation was asked that stops when it knows the answer, and the answer (`0040-gradings.ts`). */
    sequential: ColumnType<unknown, string | null | undefined, string | null>
    stopped: ColumnType<unknown, string | null | undefined, string | null>
    /** The gate's verdict, once the evaluation is finished and summarised (`0085-run-summaries.ts`). */
    verdict: ColumnType<string | null, string | null | undefined, string | null>
    /** How its model calls are answered (`0075-model-calls.ts`). */
    models: ColumnType<unknown, string | null | undefined, string | null>
  }
  eval_trials: {
    id: string
    organization_id: string
    job_id: string
    position: number
    agent: string
    task_id: string
    repetition: number
    variant: ColumnType<string | null, string | null | undefined, string | null>
    status: string
    attempt: Generated<number>
    lease_holder: string | null
    lease_until: Date | null
    error: string | null
    cause: string | null
    passed: boolean | null
    scores: Json<unknown[]>
    steps: Json<unknown[]>
    usage: NullableJson<unknown>
    output: string | null
    artifacts: Json<unknown[]>
    /** The state that scorers read, as a blob: graded again without running the agent. */
    world_sha256: string | null
    isolation: string | null
    trace_id: string | null
    started_at: Date | null
    finished_at: Date | null
    duration_ms: number | null
    /** Attempts that said nothing about the agent, each with its cause (`0030-trial-attempts.ts`). */
    voided_attempts: ColumnType<unknown[], string | undefined, string>
    /** Not leased again before this. */
    retry_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    /** When its trace and run were written; null while they are due. */
    recorded_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    /** What the agent changed and no scorer accounts for (`0041-unasked-changes.ts`). */
    unasked_changes: ColumnType<unknown, string | null | undefined, string | null>
    /** What its variant did and found (`0116-variant-details.ts`). */
    variant_detail: ColumnType<unknown, string | null | undefined, string | null>
  }
  eval_events: {
    seq: Generated<number>
    job_id: string
    type: string
    trial_id: string | null
    status: string
    at: Date
  }
  /** A grading of a finished evaluation after its trials ran. It never replaces another. */
  eval_scorings: {
    id: string
    organization_id: string
    job_id: string
    label: string
    scorers: Json<unknown[]>
    created_by: string
    created_at: Date
    finished_at: Date | null
  }
  eval_scored_trials: {
    scoring_id: string
    trial_id: string
    status: string
    passed: boolean | null
    cause: string | null
    error: string | null
    scores: Json<unknown[]>
  }
  /** The result of one agent in one finished evaluation, computed once from its trials. */
  run_agent_results: {
    job_id: string
    agent: string
    organization_id: string
    agent_name: string
    agent_version: string
    suite_id: string
    scored_trials: number
    passed_trials: number
    pass_rate: number | null
    interval_low: number | null
    interval_high: number | null
    weighted_score: number | null
    cost_usd: number | null
    mean_duration_ms: number | null
    verdict: string
    finished_at: Date
  }
}

/** What is written of a trial when an attempt at it ends; what is left out stays as it was. */
export type TrialEnd = { readonly status: string } & Partial<
  Readonly<
    Pick<
      Selectable<EvaluationTables['eval_trials']>,
      | 'error'
      | 'cause'
      | 'passed'
      | 'usage'
      | 'output'
      | 'world_sha256'
      | 'isolation'
      | 'trace_id'
      | 'finished_at'
      | 'duration_ms'
      | 'retry_at'
    > & {
      unasked_changes: UnaskedChanges
      variant_detail: VariantDetail
      /** The attempt that ends says nothing about the agent, for this reason. */
      voided: VoidedAttempt
    } & { scores: readonly unknown[]; steps: readonly unknown[]; artifacts: readonly unknown[] }
  >
>

export interface VoidedAttempt {
  readonly attempt: number
  readonly cause: FailureCause
  readonly error: string
  readonly at: string
}
