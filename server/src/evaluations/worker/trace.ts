import type { TraceCreate, TrialStep } from '@diorama/contract'
import type { TrialOrder, TrialOutcome } from '../trial/trial.ts'

/** The order and the outcome, as far as a trace shows them. */
export type TracedOrder = Pick<TrialOrder, 'trialId'> & {
  readonly jobId: string
  readonly agent: { readonly reference: string }
  readonly task: { readonly id: string; readonly title: string }
}
export type TracedOutcome = Pick<
  TrialOutcome,
  'status' | 'error' | 'cause' | 'steps' | 'scores' | 'usage' | 'durationMs'
>

const maxSpans = 900

/** A finished trial as a trace in the GenAI conventions: the agent, its calls, and a result for each score. */
export const trialTrace = (
  order: TracedOrder,
  outcome: TracedOutcome,
  times: { began: number; ended: number },
): TraceCreate => {
  const [name = '', version = ''] = split(order.agent.reference)
  const root = `${order.trialId}-agent`
  const identity = { 'gen_ai.agent.name': name, 'gen_ai.agent.version': version }
  return {
    trace_id: order.trialId,
    name: `trial of ${order.agent.reference}`,
    attributes: {
      'diorama.trial.id': order.trialId,
      'diorama.evaluation.id': order.jobId,
      'diorama.task.id': order.task.id,
      'diorama.task.title': order.task.title,
    },
    spans: [
      {
        span_id: root,
        name: `invoke_agent ${name}`,
        kind: 'internal',
        status: outcome.status === 'failed' ? 'error' : 'ok',
        started_at: new Date(times.began).toISOString(),
        ended_at: new Date(times.ended).toISOString(),
        attributes: {
          ...identity,
          'gen_ai.operation.name': 'invoke_agent',
          ...(outcome.usage
            ? {
                'gen_ai.usage.input_tokens': outcome.usage.input_tokens,
                'gen_ai.usage.output_tokens': outcome.usage.output_tokens,
              }
            : {}),
          ...(outcome.error === null
            ? {}
            : { 'error.type': outcome.cause ?? 'agent', 'error.message': outcome.error }),
        },
      },
      ...outcome.steps
        .filter(({ kind }) => kind === 'tool_call' || kind === 'model_call')
        .slice(0, maxSpans)
        .map((step, n) => (step.kind === 'model_call' ? modelSpan(step, root, n) : toolSpan(step, root, n))),
      ...outcome.scores.map((score, n) => ({
        span_id: `${order.trialId}-score-${n}`,
        parent_span_id: root,
        name: 'gen_ai.evaluation.result',
        started_at: new Date(times.ended).toISOString(),
        ended_at: new Date(times.ended).toISOString(),
        attributes: {
          'gen_ai.evaluation.name': score.name,
          ...(score.score === null ? {} : { 'gen_ai.evaluation.score.value': score.score }),
          ...(score.passed === null
            ? {}
            : { 'gen_ai.evaluation.score.label': score.passed ? 'pass' : 'fail' }),
          ...(score.reason === null ? {} : { 'gen_ai.evaluation.explanation': score.reason }),
        },
      })),
    ],
  }
}

const toolSpan = (step: TrialStep, parent: string, n: number) => ({
  span_id: `${parent}-${n}`,
  parent_span_id: parent,
  name: `execute_tool ${step.name}`,
  kind: 'client',
  status: step.status === 'succeeded' ? 'ok' : 'error',
  started_at: step.started_at,
  duration_ms: step.duration_ms,
  attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': step.name, ...step.detail },
})

/** A call of a model, with its messages in the form of the conventions. */
const modelSpan = (step: TrialStep, parent: string, n: number) => {
  const { detail = {} } = step
  const { input_messages, output_message, error, ...rest } = detail
  return {
    span_id: `${parent}-${n}`,
    parent_span_id: parent,
    name: `chat ${step.name.slice(step.name.indexOf('/') + 1)}`,
    kind: 'client',
    status: step.status === 'succeeded' ? 'ok' : 'error',
    started_at: step.started_at,
    duration_ms: step.duration_ms,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': rest.provider,
      'gen_ai.request.model': rest.model,
      'gen_ai.usage.input_tokens': rest.input_tokens,
      'gen_ai.usage.output_tokens': rest.output_tokens,
      'gen_ai.usage.cache_read.input_tokens': rest.cached_input_tokens,
      ...(input_messages ? { 'gen_ai.input.messages': JSON.stringify(conventional(input_messages)) } : {}),
      ...(output_message ? { 'gen_ai.output.messages': JSON.stringify(conventional([output_message])) } : {}),
      ...(error ? { 'error.type': rest.outcome, 'error.message': error } : {}),
      'diorama.model_call.id': rest.call_id,
      'diorama.model_call.served': rest.served,
      ...(typeof rest.cost_usd === 'number' ? { 'diorama.model_call.cost_usd': rest.cost_usd } : {}),
    },
  }
}

interface StepMessage {
  readonly role?: string
  readonly text: string
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly tool_call_id?: string
  readonly finish?: string | null
}

const conventional = (messages: unknown) =>
  (messages as readonly StepMessage[]).map(({ role, text, tool_calls = [], tool_call_id, finish }) => ({
    role: role ?? 'assistant',
    parts: [
      ...(tool_call_id === undefined
        ? text === ''
          ? []
          : [{ type: 'text', content: text }]
        : [{ type: 'tool_call_response', id: tool_call_id, response: text }]),
      ...tool_calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, arguments: input })),
    ],
    ...(finish == null ? {} : { finish_reason: finish }),
  }))

const split = (reference: string): string[] => {
  const at = reference.lastIndexOf('@')
  return [reference.slice(0, at), reference.slice(at + 1)]
}
