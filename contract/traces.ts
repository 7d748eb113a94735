import { z } from 'zod'
import { Entities, FreeForm, RecordedTime } from './events.ts'
import { pageOf, pageQuery, queryInteger, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { Since } from './since.ts'

export const spansPerCall = 1_000

const identifier = z.string().min(1).max(128)

export const SpanCreate = z
  .object({
    span_id: identifier,
    name: z.string().min(1).max(500),
    parent_span_id: identifier.nullish(),
    started_at: RecordedTime.nullish(),
    ended_at: RecordedTime.nullish(),
    duration_ms: z.number().min(0).max(3_155_760_000_000).nullish(),
    kind: z.string().min(1).max(100).nullish(),
    status: z.string().min(1).max(100).nullish(),
    attributes: FreeForm.nullish(),
    entities: Entities.nullish().meta({ description: 'The records that the span is about, as on an event.' }),
  })
  .meta({ id: 'SpanCreate' })
export type SpanCreate = z.infer<typeof SpanCreate>

export const TraceCreate = z
  .object({
    trace_id: identifier.nullish().meta({ description: 'Made by the service when left out.' }),
    name: z.string().min(1).max(500).nullish(),
    attributes: FreeForm.nullish(),
    spans: z.array(SpanCreate).max(spansPerCall).default([]),
  })
  .meta({ id: 'TraceCreate' })
export type TraceCreate = z.infer<typeof TraceCreate>

/** What a span says about a model, a tool or an agent, whichever convention it was written in. */
export const GenAi = z
  .object({
    operation: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    agent_name: z.string().nullable(),
    agent_version: z.string().nullable(),
    conversation_id: z.string().nullable(),
    tool_name: z.string().nullable(),
    tool_call_id: z.string().nullable(),
    tool_arguments: z.unknown(),
    tool_result: z.unknown(),
    input_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    cache_read_tokens: z.number().nullable(),
    cache_creation_tokens: z.number().nullable(),
    reasoning_tokens: z.number().nullable(),
    cost_usd: z.number().nullable().meta({ description: 'What the call cost, where the span states it.' }),
    input: z.unknown(),
    output: z.unknown(),
  })
  .meta({ id: 'GenAi' })
export type GenAi = z.infer<typeof GenAi>

export const Span = z
  .object({
    id: z.string().meta({ description: 'The span as an event: signals can be attached to it.' }),
    span_id: z.string(),
    parent_span_id: z.string().nullable(),
    name: z.string(),
    kind: z.string().nullable(),
    status: z.string().nullable(),
    status_message: z.string().nullable(),
    started_at: Timestamp,
    ended_at: Timestamp.nullable(),
    duration_ms: z.number().nullable(),
    attributes: FreeForm,
    entities: z.record(z.string(), z.string()),
    gen_ai: GenAi.nullable(),
    otlp: FreeForm.nullable().meta({ description: 'What else an exporter sent, such as events and links.' }),
    depth: z.int(),
    child_span_ids: z.array(z.string()),
    parent_missing: z.boolean(),
  })
  .meta({ id: 'Span' })
export type Span = z.infer<typeof Span>

const TraceStatus = z.enum(['ok', 'error', 'unset'])

const summary = {
  trace_id: z.string(),
  name: z.string(),
  status: TraceStatus,
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  duration_ms: z.number().nullable(),
  source: z.string().nullable(),
  agent_name: z.string().nullable(),
  agent_version: z.string().nullable(),
  totals: z.object({
    spans: z.int(),
    errors: z.int(),
    model_calls: z.int(),
    tool_calls: z.int(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z
      .number()
      .nullable()
      .meta({ description: 'The sum of the model calls that state a cost; null where none does.' }),
  }),
  models: z.array(z.string()),
  trial: z
    .object({
      trial_id: z.string(),
      job_id: z.string().nullable(),
      task_id: z.string().nullable(),
      task_title: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'The trial that the trace records, where it is one.' }),
  updated_at: Timestamp,
}

export const TraceSummary = z.object(summary).meta({ id: 'TraceSummary' })
export type TraceSummary = z.infer<typeof TraceSummary>

export const Trace = z
  .object({
    ...summary,
    attributes: FreeForm,
    root_span_ids: z.array(z.string()),
    spans: z.array(Span).meta({ description: 'Depth first: each span stands right after its parent.' }),
    truncated: z.boolean().meta({ description: 'True where the trace has more than 10,000 spans.' }),
  })
  .meta({ id: 'Trace' })
export type Trace = z.infer<typeof Trace>

const durationMs = queryInteger(0, 999_999_999).optional()
const isAttribute = (text: string) => !text.startsWith('=') && text.trim() !== ''

export const TraceQuery = z.object({
  agent: z.string().max(200).optional().meta({ description: 'An agent name, or name@version.' }),
  task: z.string().max(200).optional().meta({
    description: 'The id of the task of a trial, or text in its title, in either case.',
  }),
  status: TraceStatus.optional(),
  min_duration_ms: durationMs.meta({ description: 'Only traces that took at least this long.' }),
  max_duration_ms: durationMs.meta({ description: 'Only traces that took at most this long.' }),
  attribute: z
    .string()
    .max(1_000)
    .refine(isAttribute, 'must be name=value, or a name alone')
    .optional()
    .meta({
      description: 'An attribute of the trace or of one of its spans: `name=value`, or `name` alone.',
    }),
  q: z.string().max(200).optional().meta({ description: 'Text in the name, in either case.' }),
  since: Since.optional(),
  ...pageQuery,
})
export type TraceQuery = z.infer<typeof TraceQuery>

const tag = 'Telemetry'

export const traceRoutes = routes({
  trackTrace: {
    method: 'POST',
    path: '/v1/traces/track',
    tag,
    summary: 'Record a trace or more spans of one; they may come in any order and in several calls.',
    scope: 'traces:write',
    body: TraceCreate,
    status: 201,
    reply: z.object({
      trace_id: z.string(),
      items: z.array(z.object({ id: z.string(), span_id: z.string() })),
    }),
    errors: ['unavailable'],
    creates: true,
  },
  exportTraces: {
    method: 'POST',
    path: '/v1/traces',
    tag,
    summary: 'OTLP/HTTP: ExportTraceServiceRequest in protobuf or JSON, answered in the same encoding.',
    scope: 'traces:write',
    takes: ['application/x-protobuf', 'application/json'],
    // In protobuf a request without spans has no bytes.
    bodyOptional: true,
    reply: z.unknown(),
    repliesAs: ['application/x-protobuf'],
    errors: ['malformed', 'unavailable'],
  },
  listTraces: {
    method: 'GET',
    path: '/v1/traces',
    tag,
    summary: 'List traces, newest first.',
    scope: 'events:read',
    query: TraceQuery,
    reply: pageOf(TraceSummary),
    errors: ['invalid_cursor'],
  },
  readTrace: {
    method: 'GET',
    path: '/v1/traces/{traceId}',
    tag,
    summary: 'Read a trace: its spans as a tree, with totals.',
    scope: 'events:read',
    params: z.object({ traceId: z.string() }),
    reply: Trace,
    errors: ['not_found'],
  },
})
