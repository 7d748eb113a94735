import type { TrialDetail, TrialStep } from '@diorama/contract'

/**
 * A trial as an ATIF 1.7 trajectory. The schema is closed: anything of ours goes into `extra`. Model calls are not
 * separated from the agent's other work, so each request to a service is an agent step with `llm_call_count` 0, and
 * usage is reported for the whole trial.
 */
export const trajectoryOf = (trial: TrialDetail): Trajectory => {
  const [name, version] = splitReference(trial.agent)
  const calls = trial.steps.filter(({ kind }) => kind === 'tool_call')
  const steps: Step[] = [
    { step_id: 1, ...startOf(trial), source: 'user', message: trial.instruction },
    ...calls.map((step, n) => callStep(step, n + 2)),
    ...answerSteps(trial, calls.length + 2),
  ]
  return {
    schema_version: 'ATIF-v1.7',
    session_id: trial.job_id,
    trajectory_id: trial.id,
    agent: { name, version },
    steps,
    final_metrics: finalMetrics(trial, steps.length),
    extra: { diorama: outcomeOf(trial) },
  }
}

export interface Trajectory {
  readonly schema_version: 'ATIF-v1.7'
  readonly session_id: string
  readonly trajectory_id: string
  readonly agent: { readonly name: string; readonly version: string }
  readonly steps: readonly Step[]
  readonly final_metrics: Readonly<Record<string, unknown>>
  readonly extra: Readonly<Record<string, unknown>>
}

interface Step {
  readonly step_id: number
  readonly timestamp?: string
  readonly source: 'user' | 'agent'
  readonly message: string
  readonly tool_calls?: readonly ToolCall[]
  readonly observation?: { readonly results: readonly { source_call_id: string; content: string }[] }
  readonly llm_call_count?: 0
  readonly extra?: Readonly<Record<string, unknown>>
}

interface ToolCall {
  readonly tool_call_id: string
  readonly function_name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const startOf = ({ started_at }: TrialDetail) => (started_at === null ? {} : { timestamp: started_at })

/** `name@version`; a name may hold an @ of its own. */
export const splitReference = (reference: string): [name: string, version: string] => {
  const at = reference.lastIndexOf('@')
  return at <= 0 ? [reference, 'unknown'] : [reference.slice(0, at), reference.slice(at + 1)]
}

const callStep = (step: TrialStep, id: number): Step => {
  const { method, path, host, status, reason, ...extra } = step.detail ?? {}
  const call = `call_${id}`
  return {
    step_id: id,
    timestamp: step.started_at,
    source: 'agent',
    message: '',
    tool_calls: [
      { tool_call_id: call, function_name: step.name, arguments: withoutNulls({ method, host, path }) },
    ],
    observation: {
      results: [
        {
          source_call_id: call,
          content: [`${step.status}${status === undefined ? '' : ` (HTTP ${status})`}`, reason]
            .filter((part) => part !== undefined)
            .join(': '),
        },
      ],
    },
    llm_call_count: 0,
    extra: { diorama: withoutNulls({ ...extra, duration_ms: step.duration_ms }) },
  }
}

const answerSteps = ({ output, finished_at }: TrialDetail, id: number): Step[] =>
  output === null
    ? []
    : [
        {
          step_id: id,
          ...(finished_at === null ? {} : { timestamp: finished_at }),
          source: 'agent',
          message: output,
        },
      ]

const finalMetrics = ({ usage }: TrialDetail, steps: number) =>
  withoutNulls({
    total_prompt_tokens: usage?.input_tokens,
    total_completion_tokens: usage?.output_tokens,
    total_cost_usd: usage?.cost_usd,
    total_steps: steps,
  })

const outcomeOf = (trial: TrialDetail) =>
  withoutNulls({
    status: trial.status,
    passed: trial.passed,
    error: trial.error,
    cause: trial.cause,
    task_id: trial.task_id,
    task_title: trial.task_title,
    repetition: trial.repetition,
    isolation: trial.isolation,
    trace_id: trial.trace_id,
    model_calls: trial.usage?.model_calls,
    scores: trial.scores.map((score) => withoutNulls({ ...score })),
  })

/** The format wants absent fields left out instead of null. */
const withoutNulls = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
