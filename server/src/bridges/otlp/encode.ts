import { createHash } from 'node:crypto'
import type { TraceCreate } from '@diorama/contract'

type Span = NonNullable<TraceCreate['spans']>[number]

/** The bodies of the two requests that one batch of trials makes. */
export interface OtlpBodies {
  readonly traces: unknown
  readonly logs: unknown
}

const evaluation = 'gen_ai.evaluation.result'
const contentAttributes = ['gen_ai.input.messages', 'gen_ai.output.messages']
const scope = { name: 'diorama.evaluations' }

/**
 * Trials in the JSON form of OTLP: a trace for each, and a log record `gen_ai.evaluation.result` for each score, whose
 * parent is the span of the agent. Ids of OTLP are bytes, so they are digests of ours: the same trial that is sent twice
 * has the same ids.
 */
export const otlpBodies = (
  traces: readonly TraceCreate[],
  { includeContent }: { includeContent: boolean },
): OtlpBodies => {
  const all = traces.flatMap((trace) => (trace.spans ?? []).map((span) => ({ trace, span })))
  const isVerdict = ({ span }: { span: Span }) => span.name === evaluation
  const resource = { attributes: attributesOf({ 'service.name': 'diorama' }) }
  return {
    traces: {
      resourceSpans: [
        {
          resource,
          scopeSpans: [
            {
              scope,
              spans: all
                .filter((one) => !isVerdict(one))
                .map(({ trace, span }) => spanOf(trace, span, includeContent)),
            },
          ],
        },
      ],
    },
    logs: {
      resourceLogs: [
        {
          resource,
          scopeLogs: [
            { scope, logRecords: all.filter(isVerdict).map(({ trace, span }) => recordOf(trace, span)) },
          ],
        },
      ],
    },
  }
}

const digest = (text: string, characters: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, characters)
const traceIdOf = ({ trace_id }: TraceCreate): string => digest(`trace ${trace_id}`, 32)
const spanIdOf = (id: string): string => digest(`span ${id}`, 16)

const kinds: Readonly<Record<string, number>> = { internal: 1, server: 2, client: 3 }

const spanOf = (trace: TraceCreate, span: Span, includeContent: boolean) => {
  const began = momentOf(span.started_at)
  const ended = span.ended_at
    ? momentOf(span.ended_at)
    : began + BigInt(Math.round((span.duration_ms ?? 0) * 1e6))
  const own = Object.entries({ ...trace.attributes, ...span.attributes })
  const kept = own.filter(([name]) => includeContent || !contentAttributes.includes(name))
  return {
    traceId: traceIdOf(trace),
    spanId: spanIdOf(span.span_id ?? ''),
    ...(span.parent_span_id ? { parentSpanId: spanIdOf(span.parent_span_id) } : {}),
    name: span.name,
    kind: kinds[String(span.kind)] ?? 1,
    startTimeUnixNano: String(began),
    endTimeUnixNano: String(ended),
    attributes: attributesOf(Object.fromEntries(kept)),
    status: { code: span.status === 'error' ? 2 : 1 },
  }
}

const recordOf = (trace: TraceCreate, span: Span) => ({
  timeUnixNano: String(momentOf(span.started_at)),
  observedTimeUnixNano: String(momentOf(span.started_at)),
  severityNumber: 9,
  severityText: 'INFO',
  eventName: evaluation,
  // The name of the event stands among the attributes too, for receivers older than the field.
  attributes: attributesOf({ 'event.name': evaluation, ...trace.attributes, ...span.attributes }),
  traceId: traceIdOf(trace),
  spanId: spanIdOf(span.parent_span_id ?? ''),
})

const momentOf = (at: string | number | null | undefined): bigint =>
  BigInt(Math.round((typeof at === 'number' ? at : Date.parse(at ?? '')) || 0)) * 1_000_000n

/** Values that are no scalars are sent as JSON: not every receiver takes lists of maps. */
const attributesOf = (fields: Readonly<Record<string, unknown>>) =>
  Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: encoded(value, key) }],
  )

const encoded = (value: unknown, key: string) => {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { stringValue: JSON.stringify(value) }
  return Number.isSafeInteger(value) && !key.endsWith('.score.value')
    ? { intValue: String(value) }
    : { doubleValue: value }
}
