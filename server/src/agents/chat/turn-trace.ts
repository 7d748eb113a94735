import type { AgentRunRecord, AgentStep, SpanCreate, TraceCreate } from '@diorama/contract'
import type { FinishedTurn } from './chat-store.ts'
import type { TurnRequest } from './turn.ts'

export interface EndedTurn {
  readonly request: TurnRequest
  readonly turn: FinishedTurn
  readonly traceId: string
  readonly startedAt: Date
}

const statusOf = (status: string) => (status === 'succeeded' ? 'ok' : 'error')

/** A trace of one turn: the turn itself as the root, and a span for each of its steps. */
export const traceOf = (
  { request, turn, traceId, startedAt }: EndedTurn,
  spanId: () => string,
): TraceCreate => {
  const { version } = request
  const root = spanId()
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': version.agent,
    'gen_ai.agent.version': version.version,
    'gen_ai.conversation.id': request.sessionId,
    'gen_ai.usage.input_tokens': turn.usage.input_tokens,
    'gen_ai.usage.output_tokens': turn.usage.output_tokens,
    ...(version.model
      ? { 'gen_ai.provider.name': version.model.provider, 'gen_ai.request.model': version.model.id }
      : {}),
    ...(request.worldId === null ? {} : { 'diorama.world.id': request.worldId }),
  }
  const name = `chat ${version.agent}@${version.version}`
  return {
    trace_id: traceId,
    name,
    attributes,
    spans: [
      {
        span_id: root,
        name,
        kind: 'agent',
        status: statusOf(turn.status),
        started_at: startedAt.toISOString(),
        ended_at: turn.answeredAt.toISOString(),
        duration_ms: turn.answeredAt.getTime() - startedAt.getTime(),
        attributes,
      },
      ...turn.steps.map((step) => spanOf(step, spanId(), root)),
    ],
  }
}

const spanOf = (step: AgentStep, spanId: string, root: string): SpanCreate => ({
  span_id: spanId,
  parent_span_id: root,
  name: step.name.slice(0, 500).toWellFormed(),
  kind: step.kind,
  status: statusOf(step.status),
  started_at: step.started_at,
  ended_at: new Date(Date.parse(step.started_at) + step.duration_ms).toISOString(),
  duration_ms: step.duration_ms,
  attributes: step.detail,
})

/** The same turn as a run of the agent. */
export const runOf = ({ request, turn, traceId, startedAt }: EndedTurn): AgentRunRecord => ({
  run_id: turn.id,
  agent: `${request.version.agent}@${request.version.version}`,
  started_at: startedAt.toISOString(),
  finished_at: turn.answeredAt.toISOString(),
  status: turn.status,
  tool_calls: turn.steps
    .filter(({ kind }) => kind === 'tool_call')
    .map(({ name, status, duration_ms }) => ({
      name: name.slice(0, 200).toWellFormed(),
      status,
      duration_ms,
    })),
  usage: request.version.content.run ? null : turn.usage,
  trace_id: traceId,
  error: turn.error?.slice(0, 10_000).toWellFormed() ?? null,
  metadata: { session_id: request.sessionId },
})
