import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

const statements = [
  `create table events (
    id text primary key,
    organization_id text not null,
    event_time timestamptz(3) not null,
    recorded_at timestamptz(3) not null,
    source text not null,
    topic text not null,
    event_type text not null,
    entities jsonb not null,
    payload jsonb not null,
    tx xid8 not null default pg_current_xact_id(),
    ord integer not null
  )`,
  'create index events_newest on events (organization_id, event_time, id)',
  'create index events_by_source on events (organization_id, source, event_time, id)',
  'create index events_by_topic on events (organization_id, topic, event_time, id)',
  'create index events_by_type on events (organization_id, event_type, event_time, id)',
  'create index events_in_order on events (organization_id, tx, ord)',

  // The time is in the key, so that a page of an entity is one walk along the index.
  `create table event_entities (
    organization_id text not null,
    entity_type text not null,
    entity_id text not null,
    event_time timestamptz(3) not null,
    event_id text not null,
    kind text not null,
    primary key (organization_id, entity_type, entity_id, event_time, event_id)
  )`,

  `create table signals (
    id text primary key,
    organization_id text not null,
    event_id text not null,
    signal_name text not null,
    properties jsonb not null,
    created_at timestamptz(3) not null
  )`,
  'create index signals_newest on signals (organization_id, created_at, id)',
  'create index signals_by_event on signals (event_id, created_at, id)',

  `create table traces (
    organization_id text not null,
    trace_id text not null,
    name text,
    attributes jsonb not null,
    root_name text,
    started_at timestamptz(3) not null,
    ended_at timestamptz(3),
    span_count integer not null default 0,
    error_count integer not null default 0,
    model_calls integer not null default 0,
    tool_calls integer not null default 0,
    input_tokens float8 not null default 0,
    output_tokens float8 not null default 0,
    models text[] not null default '{}',
    source text,
    agent_name text,
    agent_version text,
    updated_at timestamptz(3) not null,
    run_pending boolean not null default false,
    primary key (organization_id, trace_id)
  ) with (fillfactor = 80)`,
  'create index traces_newest on traces (organization_id, started_at, trace_id)',
  `create index traces_by_agent on traces (organization_id, agent_name, started_at, trace_id)
    where agent_name is not null`,
  'create index traces_without_run on traces (updated_at) where run_pending',

  `create table spans (
    organization_id text not null,
    trace_id text not null,
    span_id text not null,
    id text not null unique,
    parent_span_id text,
    name text not null,
    kind text,
    status text,
    status_message text,
    given_start timestamptz(3),
    given_end timestamptz(3),
    given_duration_ms float8,
    started_at timestamptz(3) not null,
    ended_at timestamptz(3),
    duration_ms float8,
    attributes jsonb not null,
    entities jsonb not null,
    otlp jsonb,
    gen_ai jsonb,
    source text,
    recorded_at timestamptz(3) not null,
    tx xid8 not null default pg_current_xact_id(),
    ord integer not null,
    primary key (organization_id, trace_id, span_id)
  )`,
  'create index spans_in_order on spans (organization_id, tx, ord)',

  // Long values are kept beside the rows: a scan by meaning reads the short bits of every row and nothing else.
  `create table search_entries (
    event_id text primary key,
    organization_id text not null,
    kind text not null,
    event_time timestamptz(3) not null,
    source text not null,
    topic text not null,
    event_type text not null,
    embedder text not null,
    bits varbit not null,
    vector bytea not null,
    words tsvector not null
  ) with (toast_tuple_target = 128)`,
  'alter table search_entries alter column vector set storage external',
  'create index search_entries_by_word on search_entries using gin (words)',
  'create index search_entries_by_organization on search_entries (organization_id, embedder)',

  `create table search_positions (
    organization_id text not null,
    kind text not null,
    embedder text not null,
    tx xid8 not null,
    ord integer not null,
    primary key (organization_id, kind, embedder)
  )`,
]

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
