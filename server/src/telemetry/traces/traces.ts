import type { Happening, Span, Trace, TraceCreate, TraceQuery, TraceSummary } from '@diorama/contract'
import { ApiError, notFound } from '../../http/api-error.ts'
import { isRowFault } from '../../storage/failure.ts'
import type { Page } from '../../storage/pages.ts'
import { GroupWriter, QueueFull } from '../../storage/writers/group.ts'
import { busy } from '../events/events.ts'
import { type SentSpan, viewOf } from './spans.ts'
import { toTraceFilter } from './trace-filter.ts'
import type { TraceStore } from './trace-store.ts'
import { type SpanRow, sentOf, spansPerTrace, type TraceRow, type TraceWrite } from './trace-writes.ts'
import { type FlatSpan, treeOf } from './tree.ts'

export interface TraceParts {
  readonly store: TraceStore
  readonly now: () => number
  readonly makeId: (prefix: string) => string
  /** Called with each organization whose spans became durable. */
  readonly recorded: (organizationIds: ReadonlySet<string>) => void
}

const maxWaitingBytes = 64 * 1_048_576

export interface Traces {
  readonly track: (
    organizationId: string,
    sent: TraceCreate,
    bytes: number,
    options?: { runKnown?: boolean | undefined },
  ) => Promise<{ trace_id: string; items: { id: string; span_id: string }[] }>
  /** Records a trace that another part of the service made. */
  readonly record: (
    organizationId: string,
    trace: TraceCreate,
    options?: { runKnown?: boolean | undefined },
  ) => Promise<unknown>
  /** Records the spans of an export, whichever traces they belong to. */
  readonly take: (organizationId: string, spans: readonly SentSpan[], bytes: number) => Promise<void>
  readonly list: (organizationId: string, query: TraceQuery) => Promise<Page<TraceSummary>>
  readonly has: (organizationId: string, traceId: string) => Promise<boolean>
  readonly read: (organizationId: string, traceId: string) => Promise<Trace>
  readonly drain: () => Promise<void>
}

/** The rules of traces: spans come by either door, in any order and in several calls. */
export const openTraces = ({ store, now, makeId, recorded }: TraceParts): Traces => {
  let waitingBytes = 0
  const writer = new GroupWriter<readonly TraceWrite[], string[][]>({
    lanes: 2,
    maxBatch: 64,
    maxQueue: 5_000,
    retrySingly: isRowFault,
    flush: async (calls) => {
      const ids = await store.write(calls.flat(), { makeId, at: new Date(now()) })
      recorded(new Set(calls.flat().map(({ organizationId }) => organizationId)))
      let from = 0
      return calls.map((call) => {
        from += call.length
        return ids.slice(from - call.length, from)
      })
    },
  })

  const write = async (writes: readonly TraceWrite[], bytes: number): Promise<string[][]> => {
    if (waitingBytes + bytes > maxWaitingBytes) throw busy()
    waitingBytes += bytes
    try {
      return await writer.write(writes)
    } catch (error) {
      throw error instanceof QueueFull ? busy() : error
    } finally {
      waitingBytes -= bytes
    }
  }

  const track: Traces['track'] = async (organizationId, sent, bytes, { runKnown = false } = {}) => {
    const traceId = sent.trace_id ?? makeId('trc')
    const spans = sent.spans.map((span, index) => toSent(traceId, span, index))
    const [ids = []] = await write(
      [
        {
          organizationId,
          traceId,
          name: sent.name ?? undefined,
          attributes: sent.attributes ?? {},
          spans,
          runKnown,
        },
      ],
      bytes,
    )
    return {
      trace_id: traceId,
      items: spans.map(({ spanId }, index) => ({ id: ids[index] ?? '', span_id: spanId })),
    }
  }

  return {
    track,
    record: (organizationId, trace, options) =>
      track(organizationId, trace, JSON.stringify(trace).length, options),

    take: async (organizationId: string, spans: readonly SentSpan[], bytes: number): Promise<void> => {
      if (spans.length === 0) return
      const byTrace = Map.groupBy(spans, ({ traceId }) => traceId)
      const writes = [...byTrace].map(([traceId, inTrace]) => ({
        organizationId,
        traceId,
        name: undefined,
        attributes: {},
        spans: inTrace,
      }))
      await write(writes, bytes)
    },

    list: async (organizationId: string, query: TraceQuery): Promise<Page<TraceSummary>> => {
      const { items, nextCursor } = await store.list(organizationId, toTraceFilter(query, now()), query)
      return { items: items.map(toSummary), nextCursor }
    },

    has: async (organizationId: string, traceId: string): Promise<boolean> =>
      (await store.find(organizationId, traceId)) !== undefined,

    read: async (organizationId: string, traceId: string): Promise<Trace> => {
      const row = await store.find(organizationId, traceId)
      if (!row) throw notFound('trace')
      const { rows, cut } = await store.spansOf(organizationId, traceId, spansPerTrace + 1)
      const tree = treeOf(rows.slice(0, spansPerTrace).map(toSpan))
      return {
        ...toSummary(row),
        attributes: row.attributes,
        root_span_ids: tree.roots,
        spans: tree.spans,
        truncated: cut || rows.length > spansPerTrace,
      }
    },

    drain: () => writer.drain(),
  }
}

const toSent = (traceId: string, span: TraceCreate['spans'][number], index: number): SentSpan => {
  const start = span.started_at == null ? undefined : new Date(span.started_at)
  const end = span.ended_at == null ? undefined : new Date(span.ended_at)
  if (start && end && end < start) {
    const pointer = `/spans/${index}/ended_at`
    throw new ApiError('malformed', `${pointer} lies before started_at.`, {
      details: [{ pointer, message: 'lies before started_at' }],
    })
  }
  return {
    traceId,
    spanId: span.span_id,
    parentSpanId: span.parent_span_id ?? undefined,
    name: span.name,
    kind: span.kind ?? undefined,
    status: span.status ?? undefined,
    statusMessage: undefined,
    start,
    end,
    durationMs: span.duration_ms ?? undefined,
    attributes: span.attributes ?? {},
    entities: span.entities ?? {},
    otlp: undefined,
    source: undefined,
  }
}

export const toSummary = (row: TraceRow): TraceSummary => ({
  trace_id: row.trace_id,
  name: row.name ?? row.root_name ?? row.trace_id,
  status: row.error_count > 0 ? 'error' : row.ended_at ? 'ok' : 'unset',
  started_at: row.started_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  duration_ms: row.ended_at ? row.ended_at.getTime() - row.started_at.getTime() : null,
  source: row.source,
  agent_name: row.agent_name,
  agent_version: row.agent_version,
  totals: {
    spans: row.span_count,
    errors: row.error_count,
    model_calls: row.model_calls,
    tool_calls: row.tool_calls,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost_usd: row.cost_usd,
  },
  models: row.models,
  trial: trialOf(row.attributes),
  updated_at: row.updated_at.toISOString(),
})

/** A trial's trace names it in its attributes. */
const trialOf = (attributes: TraceRow['attributes']): TraceSummary['trial'] => {
  const text = (name: string) => {
    const value = attributes[name]
    return typeof value === 'string' ? value : null
  }
  const trialId = text('diorama.trial.id')
  if (trialId === null) return null
  return {
    trial_id: trialId,
    job_id: text('diorama.evaluation.id'),
    task_id: text('diorama.task.id'),
    task_title: text('diorama.task.title'),
  }
}

const toSpan = (row: SpanRow): FlatSpan & Pick<Span, 'id'> => ({
  id: row.id,
  span_id: row.span_id,
  parent_span_id: row.parent_span_id,
  name: row.name,
  kind: row.kind,
  status: row.status,
  status_message: row.status_message,
  started_at: row.started_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  duration_ms: row.duration_ms,
  attributes: row.attributes,
  entities: row.entities,
  gen_ai: viewOf(sentOf(row)) ?? null,
  otlp: row.otlp,
})

/** A span as an event, for lists that show both. */
export const spanHappening = (row: SpanRow): Happening => {
  const span = toSpan(row)
  return {
    kind: 'span',
    id: row.id,
    event_time: span.started_at,
    event_type: row.name,
    source: row.source ?? 'trace',
    topic: span.gen_ai?.operation ?? row.kind ?? 'span',
    payload: { trace_id: row.trace_id, ...span },
    entities: row.entities,
    recorded_at: row.recorded_at.toISOString(),
    signals: [],
  }
}
