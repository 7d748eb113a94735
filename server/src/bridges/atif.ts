import type { ModelCallDetail, TrialDetail, TrialStep } from '@diorama/contract'
import { argumentsOf, requestResult, systemPromptOf, type Transcript, type Turn } from './transcript.ts'

/**
 * A trial as an ATIF 1.7 trajectory. The schema is closed: anything of ours goes into `extra`. Each model call is an
 * agent step with what the model asked tools for and the requests that followed; requests that no model call came
 * before are steps with `llm_call_count` 0.
 */
export const trajectoryOf = (transcript: Transcript): Trajectory => {
  const { trial, before, turns } = transcript
  const [name, version] = splitReference(trial.agent)
  const prompt = systemPromptOf(transcript)
  const models = [...new Set(turns.flatMap(({ call }) => call.model ?? []))]
  const unnumbered: Unnumbered[] = [
    { ...startOf(trial), source: 'user', message: trial.instruction },
    ...(prompt === undefined ? [] : [{ ...startOf(trial), source: 'system' as const, message: prompt }]),
    ...before.map(requestStep),
    ...turns.map((turn) => modelStep(turn, transcript)),
    ...answerSteps(transcript),
  ]
  const steps = unnumbered.map((step, n) => ({ step_id: n + 1, ...step }))
  return {
    schema_version: 'ATIF-v1.7',
    session_id: trial.job_id,
    trajectory_id: trial.id,
    agent: { name, version, ...(models.length === 1 ? { model_name: models[0] } : {}) },
    steps,
    final_metrics: finalMetrics(trial, steps.length),
    extra: { diorama: outcomeOf(trial) },
  }
}

export interface Trajectory {
  readonly schema_version: 'ATIF-v1.7'
  readonly session_id: string
  readonly trajectory_id: string
  readonly agent: {
    readonly name: string
    readonly version: string
    readonly model_name?: string | undefined
  }
  readonly steps: readonly Step[]
  readonly final_metrics: Readonly<Record<string, unknown>>
  readonly extra: Readonly<Record<string, unknown>>
}

interface Unnumbered {
  readonly timestamp?: string
  readonly source: 'system' | 'user' | 'agent'
  readonly message: string
  readonly model_name?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly observation?: { readonly results: readonly { source_call_id: string; content: string }[] }
  readonly metrics?: Readonly<Record<string, unknown>>
  readonly llm_call_count?: 0 | 1
  readonly extra?: Readonly<Record<string, unknown>>
}

interface Step extends Unnumbered {
  readonly step_id: number
}

interface ToolCall {
  readonly tool_call_id: string
  readonly function_name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly extra?: Readonly<Record<string, unknown>>
}

const startOf = ({ started_at }: TrialDetail) => (started_at === null ? {} : { timestamp: started_at })

/** `name@version`; the name itself may contain an @. */
export const splitReference = (reference: string): [name: string, version: string] => {
  const at = reference.lastIndexOf('@')
  return at <= 0 ? [reference, 'unknown'] : [reference.slice(0, at), reference.slice(at + 1)]
}

/** Requests to services are distinguished from the model's own tool calls by what is in `extra`. */
const requestCall = (step: TrialStep, n: number): ToolCall => {
  const { method, path, host, status: _, reason: __, ...extra } = step.detail ?? {}
  return {
    tool_call_id: `request_${n + 1}`,
    function_name: step.name,
    arguments: withoutNulls({ method, host, path }),
    extra: { diorama: withoutNulls({ ...extra, duration_ms: step.duration_ms }) },
  }
}

const requestStep = (step: TrialStep): Unnumbered => ({
  timestamp: step.started_at,
  source: 'agent',
  message: '',
  tool_calls: [requestCall(step, 0)],
  observation: { results: [{ source_call_id: 'request_1', content: requestResult(step) }] },
  llm_call_count: 0,
})

const modelStep = ({ call, requests }: Turn, { toolResults }: Transcript): Unnumbered => {
  const asked = call.reply.tool_calls.map(({ id, name, input }, n) => ({
    tool_call_id: id || `call_${n + 1}`,
    function_name: name,
    arguments: argumentsOf(input),
  }))
  const made = requests.map(requestCall)
  const results = [
    ...call.reply.tool_calls.flatMap(({ id }) => {
      const content = toolResults.get(id)
      return content === undefined ? [] : [{ source_call_id: id, content }]
    }),
    ...requests.map((step, n) => ({ source_call_id: `request_${n + 1}`, content: requestResult(step) })),
  ]
  return {
    timestamp: call.started_at,
    source: 'agent',
    message: call.reply.text,
    ...(call.model === null ? {} : { model_name: call.model }),
    ...(asked.length + made.length === 0 ? {} : { tool_calls: [...asked, ...made] }),
    ...(results.length === 0 ? {} : { observation: { results } }),
    metrics: withoutNulls({
      prompt_tokens: call.input_tokens,
      completion_tokens: call.output_tokens,
      cached_tokens: call.cached_input_tokens,
      cost_usd: call.cost_usd,
    }),
    llm_call_count: 1,
    extra: { diorama: modelFacts(call) },
  }
}

const modelFacts = (call: Omit<ModelCallDetail, 'request' | 'response'>) =>
  withoutNulls({
    model_call_id: call.id,
    provider: call.provider,
    operation: call.operation,
    served: call.served,
    outcome: call.outcome,
    error: call.error,
    finish: call.reply.finish,
    latency_ms: call.latency_ms,
  })

/** What the agent handed in is a separate step, unless it is word for word what its model said last. */
const answerSteps = ({ trial: { output, finished_at }, turns }: Transcript): Unnumbered[] => {
  const said = turns.at(-1)
  if (output === null) return []
  if (said && said.requests.length === 0 && said.call.reply.text.trim() === output.trim()) return []
  return [{ ...(finished_at === null ? {} : { timestamp: finished_at }), source: 'agent', message: output }]
}

const finalMetrics = ({ usage }: TrialDetail, steps: number) =>
  withoutNulls({
    total_prompt_tokens: usage?.input_tokens,
    total_completion_tokens: usage?.output_tokens,
    total_cached_tokens: usage?.cached_input_tokens,
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
