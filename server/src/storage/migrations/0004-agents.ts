import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table agents (
    organization_id text not null references organizations(id) on delete cascade,
    name text not null,
    description text not null,
    metadata jsonb not null,
    current_version text,
    version_count integer not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (organization_id, name)
  )`,
  'create index agents_by_age on agents (organization_id, created_at, name)',
  `create table agent_versions (
    organization_id text not null,
    agent text not null,
    version text not null,
    status text not null,
    framework text,
    model jsonb,
    tools jsonb not null,
    instructions text not null,
    run jsonb,
    files jsonb not null,
    bundle_sha256 text,
    bundle_size bigint,
    content_sha256 text not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, agent, version),
    foreign key (organization_id, agent) references agents (organization_id, name) on delete cascade
  )`,
  'create index agent_versions_by_age on agent_versions (organization_id, agent, created_at, version)',
  // The last line of defence: whatever the code does, an agent has one current version at most.
  `create unique index agent_versions_current on agent_versions (organization_id, agent) where status = 'current'`,
  `create table agent_runs (
    organization_id text not null references organizations(id) on delete cascade,
    run_id text not null,
    agent text not null,
    version text not null,
    origin text not null,
    status text not null,
    started_at timestamptz(3) not null,
    finished_at timestamptz(3),
    duration_ms double precision,
    tool_calls jsonb not null,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double precision,
    trace_id text,
    error text,
    metadata jsonb not null,
    primary key (organization_id, run_id)
  )`,
  'create index agent_runs_by_start on agent_runs (organization_id, started_at, run_id)',
  'create index agent_runs_by_agent on agent_runs (organization_id, agent, started_at, run_id)',
  'create index agent_runs_by_trace on agent_runs (organization_id, trace_id) where trace_id is not null',
  `create table agent_run_stats (
    organization_id text not null references organizations(id) on delete cascade,
    agent text not null,
    version text not null,
    succeeded bigint not null,
    failed bigint not null,
    cancelled bigint not null,
    shortest_ms double precision,
    longest_ms double precision,
    durations integer[] not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd double precision not null,
    priced bigint not null,
    tool_calls bigint not null,
    tool_failures bigint not null,
    primary key (organization_id, agent, version)
  ) with (fillfactor = 50)`,
  `create table agent_chats (
    id text primary key,
    organization_id text not null,
    agent text not null,
    version text not null,
    world_id text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    message_count integer not null,
    turn_id text,
    turn_until timestamptz(3),
    foreign key (organization_id, agent) references agents (organization_id, name) on delete cascade
  )`,
  'create index agent_chats_by_age on agent_chats (organization_id, agent, created_at, id)',
  `create table agent_turns (
    id text primary key,
    session_id text not null references agent_chats(id) on delete cascade,
    status text not null,
    asked text not null,
    answered text,
    asked_at timestamptz(3) not null,
    answered_at timestamptz(3),
    steps jsonb not null,
    trace_id text not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_usd double precision,
    error text
  )`,
  'create index agent_turns_by_session on agent_turns (session_id, id)',
  `create table blobs (
    id text primary key,
    sha256 text unique,
    size bigint not null,
    created_at timestamptz(3) not null default now()
  )`,
  'create index blobs_by_age on blobs (created_at)',
  `create table blob_chunks (
    blob_id text not null references blobs(id) on delete cascade,
    number integer not null,
    bytes bytea not null,
    primary key (blob_id, number)
  )`,
  // Bundles and most artifacts are compressed already.
  'alter table blob_chunks alter column bytes set storage external',
  `create table blob_owners (
    sha256 text not null references blobs(sha256),
    owner text not null,
    primary key (sha256, owner)
  )`,
  'create index blob_owners_by_owner on blob_owners (owner)',
]
