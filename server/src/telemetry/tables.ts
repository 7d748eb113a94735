import type { ColumnType } from 'kysely'
import type { Json, Maybe, StreamOrder } from '../storage/tables/columns.ts'
import type { StorageTables } from '../storage/tables/tables.ts'

/** Events, signals, traces and the index that searches them. */
export interface TelemetryTables extends Pick<StorageTables, 'organizations'> {
  events: StreamOrder & {
    id: string
    organization_id: string
    event_time: Date
    recorded_at: Date
    source: string
    topic: string
    event_type: string
    entities: Json<Record<string, string>>
    payload: Json<Record<string, unknown>>
  }
  event_entities: {
    organization_id: string
    entity_type: string
    entity_id: string
    event_time: Date
    event_id: string
    kind: string
  }
  signals: {
    id: string
    organization_id: string
    event_id: string
    signal_name: string
    properties: Json<Record<string, unknown>>
    created_at: Date
  }
  traces: {
    organization_id: string
    trace_id: string
    name: Maybe<string>
    attributes: Json<Record<string, unknown>>
    root_name: Maybe<string>
    started_at: Date
    ended_at: Maybe<Date>
    span_count: number
    error_count: number
    model_calls: number
    tool_calls: number
    input_tokens: number
    output_tokens: number
    cost_usd: Maybe<number>
    models: string[]
    source: Maybe<string>
    agent_name: Maybe<string>
    agent_version: Maybe<string>
    updated_at: Date
    /** The agent's run does not reflect this state of the trace yet. */
    run_pending: boolean
  }
  spans: StreamOrder & {
    organization_id: string
    trace_id: string
    span_id: string
    id: string
    parent_span_id: string | null
    name: string
    kind: string | null
    status: string | null
    status_message: string | null
    given_start: Date | null
    given_end: Date | null
    given_duration_ms: number | null
    started_at: Date
    ended_at: Date | null
    duration_ms: number | null
    attributes: Json<Record<string, unknown>>
    entities: Json<Record<string, string>>
    otlp: ColumnType<Record<string, unknown> | null, string | null, string | null>
    gen_ai: ColumnType<Record<string, unknown> | null, string | null, string | null>
    source: string | null
    recorded_at: Date
  }
  search_entries: {
    organization_id: string
    event_id: string
    kind: string
    event_time: Date
    source: string
    topic: string
    event_type: string
    embedder: string
    bits: string
    vector: Buffer
    words: unknown
  }
  search_positions: {
    organization_id: string
    kind: string
    embedder: string
    tx: string
    ord: number
  }
}
