import type { Log } from '../../storage/log.ts'
import { isToolCall } from '../otlp/genai.ts'
import { isError, viewOf } from './spans.ts'
import type { TraceStore } from './trace-store.ts'
import { sentOf, type TraceRow } from './trace-writes.ts'

/** An agent's run, derived from its trace. Reported again, with more, as long as spans arrive. */
export interface ObservedRun {
  readonly organizationId: string
  readonly traceId: string
  readonly agentName: string
  readonly agentVersion: string | null
  readonly startedAt: Date
  /** Null while a span of the trace has no end yet. */
  readonly finishedAt: Date | null
  readonly status: 'running' | 'succeeded' | 'failed'
  readonly toolCalls: readonly {
    readonly name: string
    readonly status: 'succeeded' | 'failed'
    readonly durationMs: number | null
  }[]
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Must be safe to call twice with the same trace; an agent that is not registered is passed over. */
export type RecordRun = (run: ObservedRun) => Promise<void>

const tracesPerTurn = 100
const maxToolCalls = 1_000

/** Tells each trace of an agent as its run, at least once for each state of the trace. */
export const tellRuns =
  ({ store, recordRun, log }: { store: TraceStore; recordRun: RecordRun; log: Log }) =>
  async (): Promise<void> => {
    for (const trace of await store.withoutRun(tracesPerTurn)) {
      try {
        const run = await observed(store, trace)
        if (run) await recordRun(run)
        await store.runTold(trace)
      } catch (error) {
        log.warn(
          { event: 'trace.run_failed', error, trace: trace.trace_id },
          'A trace could not be recorded as a run; retrying.',
        )
      }
    }
  }

const observed = async (store: TraceStore, trace: TraceRow): Promise<ObservedRun | undefined> => {
  if (!trace.agent_name) return undefined
  const { rows: spans } = await store.spansOf(trace.organization_id, trace.trace_id, maxToolCalls)
  const ids = new Set(spans.map(({ span_id }) => span_id))
  const roots = spans.filter(({ parent_span_id }) => parent_span_id === null || !ids.has(parent_span_id))
  const tools = spans.flatMap((span) => {
    const view = viewOf(sentOf(span))
    return view && isToolCall(view) ? [{ span, name: view.tool_name ?? span.name }] : []
  })
  return {
    organizationId: trace.organization_id,
    traceId: trace.trace_id,
    agentName: trace.agent_name,
    agentVersion: trace.agent_version,
    startedAt: trace.started_at,
    finishedAt: trace.ended_at,
    // A tool may fail and the agent recover; only the outermost span speaks for the run.
    status: !trace.ended_at ? 'running' : roots.some(isError) ? 'failed' : 'succeeded',
    toolCalls: tools.map(({ span, name }) => ({
      name: name.slice(0, 200),
      status: isError(span) ? 'failed' : 'succeeded',
      durationMs: span.duration_ms,
    })),
    usage: { inputTokens: trace.input_tokens, outputTokens: trace.output_tokens },
  }
}
