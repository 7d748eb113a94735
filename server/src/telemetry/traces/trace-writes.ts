import type { GenAi } from '@diorama/contract'
import { type Selectable, sql, type Transaction } from 'kysely'
import { writersLock } from '../events/order.ts'
import type { TelemetryTables } from '../tables.ts'
import { impliedEntities, type KnownSpan, know, mergeSent, type SentSpan } from './spans.ts'

type Trx = Transaction<TelemetryTables>
export type TraceRow = Selectable<TelemetryTables['traces']>
export type SpanRow = Omit<Selectable<TelemetryTables['spans']>, 'tx' | 'ord'>

/** What one call says about a trace. */
export interface TraceWrite {
  readonly organizationId: string
  readonly traceId: string
  readonly name: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly spans: readonly SentSpan[]
  /** The writer has recorded the run itself, so the trace need not be recorded as one. */
  readonly runKnown?: boolean
}

export interface TraceWriteParts {
  readonly makeId: (prefix: string) => string
  readonly at: Date
}

export const spansPerTrace = 10_000
const rowsPerStatement = 2_000

/** Writes everything and returns the ids of each write's spans. */
export const writeTraces = async (
  trx: Trx,
  writes: readonly TraceWrite[],
  parts: TraceWriteParts,
): Promise<string[][]> => {
  const known = await lockTraces(trx, writes, parts.at)
  const spans = await knowSpans(trx, writes, known, parts)
  const rows = [...spans.values()]
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await putSpans(trx, rows.slice(from, from + rowsPerStatement), from)
  await sumUp(trx, writes, parts.at)
  return writes.map((write) =>
    write.spans.map((sent) => spans.get(keyOf(write.organizationId, sent))?.span.id ?? ''),
  )
}

const keyOf = (organizationId: string, { traceId, spanId }: { traceId: string; spanId: string }) =>
  `${organizationId}\n${traceId}\n${spanId}`

/** Returns the traces that were there before. */
const lockTraces = async (trx: Trx, writes: readonly TraceWrite[], at: Date): Promise<Set<string>> => {
  const merged = new Map<string, TraceWrite>()
  for (const write of writes) {
    const key = `${write.organizationId}\n${write.traceId}`
    const before = merged.get(key)
    const attributes = { ...before?.attributes, ...write.attributes }
    merged.set(key, { ...write, name: write.name ?? before?.name, attributes })
  }
  const sent = [...merged.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { organizationId, traceId, name, attributes }]) => ({
      organization_id: organizationId,
      trace_id: traceId,
      name: name ?? null,
      attributes,
    }))
  const { rows } = await sql<{ organization_id: string; trace_id: string; created: boolean }>`
    insert into traces (organization_id, trace_id, name, attributes, started_at, updated_at)
    select organization_id, trace_id, name, attributes, ${at}, ${at}
    from (select ${sql.raw(writersLock)}) as writing, json_to_recordset(${JSON.stringify(sent)}::json)
      as sent (organization_id text, trace_id text, name text, attributes jsonb)
    on conflict (organization_id, trace_id) do update set
      name = coalesce(excluded.name, traces.name), attributes = traces.attributes || excluded.attributes
    returning organization_id, trace_id, (xmax = 0) as created`.execute(trx)
  return new Set(
    rows.filter(({ created }) => !created).map((row) => `${row.organization_id}\n${row.trace_id}`),
  )
}

interface Put {
  readonly organizationId: string
  readonly span: KnownSpan
  readonly replaces: boolean
}

/** Every span of the writes once, over what was known of it before. */
const knowSpans = async (
  trx: Trx,
  writes: readonly TraceWrite[],
  known: ReadonlySet<string>,
  { makeId, at }: TraceWriteParts,
): Promise<Map<string, Put>> => {
  const wanted = writes.flatMap(({ organizationId, spans }) =>
    spans
      .filter(({ traceId }) => known.has(`${organizationId}\n${traceId}`))
      .map(({ traceId, spanId }) => ({
        organization_id: organizationId,
        trace_id: traceId,
        span_id: spanId,
      })),
  )
  const before = new Map<string, SpanRow>()
  for (const row of await findSpans(trx, wanted))
    before.set(keyOf(row.organization_id, { traceId: row.trace_id, spanId: row.span_id }), row)
  const sents = new Map<string, { organizationId: string; sent: SentSpan }>()
  for (const { organizationId, spans } of writes)
    for (const span of spans) {
      const key = keyOf(organizationId, span)
      const there = before.get(key)
      const earlier = sents.get(key)?.sent ?? (there && sentOf(there))
      sents.set(key, { organizationId, sent: earlier ? mergeSent(earlier, span) : span })
    }
  const puts = new Map<string, Put>()
  for (const [key, { organizationId, sent }] of sents) {
    const there = before.get(key)
    const span = know(sent, there?.id ?? makeId('evt'), there?.recorded_at ?? at)
    puts.set(key, { organizationId, span, replaces: there !== undefined })
  }
  return puts
}

const findSpans = async (
  trx: Trx,
  wanted: readonly { organization_id: string; trace_id: string; span_id: string }[],
): Promise<SpanRow[]> => {
  if (wanted.length === 0) return []
  const { rows } = await sql<SpanRow>`
    select spans.* from json_to_recordset(${JSON.stringify(wanted)}::json)
      as wanted (organization_id text, trace_id text, span_id text)
    join spans using (organization_id, trace_id, span_id)`.execute(trx)
  return rows
}

/** Writes spans whole, and links them to the entities they are about now. */
const putSpans = async (db: Trx, puts: readonly Put[], firstOrd: number): Promise<void> => {
  const replaced = puts.filter(({ replaces }) => replaces).map(({ span }) => span.id)
  if (replaced.length > 0)
    await sql`
      delete from event_entities using spans, jsonb_each_text(spans.entities) as link
      where spans.id = any(${replaced}::text[]) and event_entities.organization_id = spans.organization_id
        and entity_type = link.key and entity_id = link.value and event_time = spans.started_at
        and event_id = spans.id`.execute(db)
  const sent = JSON.stringify(puts.map((put, index) => toRow(put, firstOrd + index)))
  await sql`
    with sent as materialized (
      select * from json_to_recordset(${sent}::json) as sent (
        organization_id text, trace_id text, span_id text, id text, parent_span_id text, name text, kind text,
        status text, status_message text, given_start timestamptz, given_end timestamptz,
        given_duration_ms float8, started_at timestamptz, ended_at timestamptz, duration_ms float8,
        attributes jsonb, entities jsonb, otlp jsonb, gen_ai jsonb, source text, recorded_at timestamptz,
        ord integer)
    ), linked as (
      insert into event_entities (organization_id, entity_type, entity_id, event_time, event_id, kind)
      select organization_id, key, value, started_at, id, 'span' from sent, jsonb_each_text(entities)
      on conflict do nothing
    )
    insert into spans (organization_id, trace_id, span_id, id, parent_span_id, name, kind, status,
      status_message, given_start, given_end, given_duration_ms, started_at, ended_at, duration_ms, attributes,
      entities, otlp, gen_ai, source, recorded_at, ord)
    select * from sent
    on conflict (organization_id, trace_id, span_id) do update set
      parent_span_id = excluded.parent_span_id, name = excluded.name, kind = excluded.kind,
      status = excluded.status, status_message = excluded.status_message, given_start = excluded.given_start,
      given_end = excluded.given_end, given_duration_ms = excluded.given_duration_ms,
      started_at = excluded.started_at, ended_at = excluded.ended_at, duration_ms = excluded.duration_ms,
      attributes = excluded.attributes, entities = excluded.entities, otlp = excluded.otlp,
      gen_ai = excluded.gen_ai, source = excluded.source, tx = ordered_transaction(), ord = excluded.ord`.execute(
    db,
  )
}

/** The sums of the traces that were written to; tokens of agents count only where no model call says its own. */
const sumUp = async (trx: Trx, writes: readonly TraceWrite[], at: Date): Promise<void> => {
  const touched = writes.map(({ organizationId, traceId, runKnown = false }) => ({
    organization_id: organizationId,
    trace_id: traceId,
    run_known: runKnown,
  }))
  await sql`
    with touched as (
      select organization_id, trace_id, bool_and(run_known) as run_known
      from json_to_recordset(${JSON.stringify(touched)}::json)
        as touched (organization_id text, trace_id text, run_known boolean)
      group by 1, 2
    ), sums as (
      select organization_id, trace_id, bool_and(run_known) as run_known, count(*) as spans, min(started_at) as started_at,
        case when count(*) = count(ended_at) then max(ended_at) end as ended_at,
        count(*) filter (where status ~* '^(error|failed|failure|errored|status_code_error)$') as errors,
        count(*) filter (where gen_ai ->> 'operation' = 'execute_tool') as tools,
        count(*) filter (where gen_ai ->> 'model' is not null and not summary) as models_called,
        sum((gen_ai ->> 'input_tokens')::float8) filter (where not summary) as input_tokens,
        sum((gen_ai ->> 'output_tokens')::float8) filter (where not summary) as output_tokens,
        max((gen_ai ->> 'input_tokens')::float8) filter (where summary) as summed_input,
        max((gen_ai ->> 'output_tokens')::float8) filter (where summary) as summed_output,
        sum((gen_ai ->> 'cost_usd')::float8) filter (where not summary) as cost_usd,
        max((gen_ai ->> 'cost_usd')::float8) filter (where summary) as summed_cost,
        (array_agg(distinct gen_ai ->> 'model') filter (where gen_ai ->> 'model' is not null))[1:20] as models,
        (array_agg(name order by parent_span_id is not null, started_at, id))[1] as root_name,
        (array_agg(source order by parent_span_id is not null, started_at, id)
          filter (where source is not null))[1] as source,
        (array_agg(array[gen_ai ->> 'agent_name', gen_ai ->> 'agent_version']
          order by parent_span_id is not null, started_at, id)
          filter (where gen_ai ->> 'agent_name' is not null))[1:1] as agent
      from (
        select spans.*, run_known, coalesce(gen_ai ->> 'operation' in
          ('invoke_agent', 'invoke_workflow', 'create_agent'), false) as summary
        from touched join spans using (organization_id, trace_id)) as all_spans
      group by organization_id, trace_id)
    update traces set
      span_count = sums.spans, started_at = sums.started_at, ended_at = sums.ended_at,
      error_count = sums.errors, tool_calls = sums.tools, model_calls = sums.models_called,
      input_tokens = coalesce(sums.input_tokens, sums.summed_input, 0),
      output_tokens = coalesce(sums.output_tokens, sums.summed_output, 0),
      cost_usd = coalesce(sums.cost_usd, sums.summed_cost),
      models = coalesce(sums.models, '{}'), root_name = sums.root_name, source = sums.source,
      agent_name = coalesce(sums.agent[1][1], split_part(nullif(traces.attributes ->> 'agent', ''), '@', 1)),
      agent_version = coalesce(sums.agent[1][2],
        nullif(split_part(traces.attributes ->> 'agent', '@', 2), '')),
      updated_at = greatest(${at}, traces.updated_at + interval '1 millisecond'),
      run_pending = not sums.run_known
        and (sums.agent is not null or nullif(traces.attributes ->> 'agent', '') is not null)
    from sums where traces.organization_id = sums.organization_id and traces.trace_id = sums.trace_id`.execute(
    trx,
  )
}

const toRow = ({ organizationId, span }: Put, ord: number) => ({
  organization_id: organizationId,
  trace_id: span.traceId,
  span_id: span.spanId,
  id: span.id,
  parent_span_id: span.parentSpanId,
  name: span.name,
  kind: span.kind,
  status: span.status,
  status_message: span.statusMessage,
  given_start: span.start,
  given_end: span.end,
  given_duration_ms: span.durationMs,
  started_at: span.startedAt,
  ended_at: span.endedAt,
  duration_ms: span.tookMs,
  attributes: span.attributes,
  entities: span.entities,
  otlp: span.otlp,
  gen_ai: span.genAi && facts(span.genAi),
  source: span.source,
  recorded_at: span.recordedAt,
  ord,
})

/** What sums are made of. The messages are in the attributes, from which the whole view is read again. */
const facts = ({ tool_arguments: _a, tool_result: _r, input: _i, output: _o, ...rest }: GenAi) => rest

/** What was sent of a span that is kept; entities that follow from its attributes are left to follow again. */
export const sentOf = (row: SpanRow): SentSpan => {
  const sent = sentWithout(row)
  const implied = impliedEntities(sent)
  const said = Object.entries(row.entities).filter(([type, id]) => implied[type] !== id)
  return { ...sent, entities: Object.fromEntries(said) }
}

const sentWithout = (row: SpanRow): SentSpan => ({
  traceId: row.trace_id,
  spanId: row.span_id,
  parentSpanId: row.parent_span_id ?? undefined,
  name: row.name,
  kind: row.kind ?? undefined,
  status: row.status ?? undefined,
  statusMessage: row.status_message ?? undefined,
  start: row.given_start ?? undefined,
  end: row.given_end ?? undefined,
  durationMs: row.given_duration_ms ?? undefined,
  attributes: row.attributes,
  entities: {},
  otlp: row.otlp ?? undefined,
  source: row.source ?? undefined,
})
