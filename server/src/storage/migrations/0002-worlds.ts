import { type ColumnType, type Generated, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Json<T> = ColumnType<T, string, string>

export interface WorldTables {
  /** Compiled sections, stored once by their hash. */
  seeds: { sha256: string; kind: string; entity_count: number; body: Buffer }
  environments: {
    id: string
    organization_id: string
    root_world_id: string
    name: string
    created_at: Date
  }
  environment_versions: {
    id: string
    environment_id: string
    organization_id: string
    world_id: string
    number: number
    clock: Date
    services: Json<{ service: string; entity_count: number; seed_sha256: string }[]>
    created_at: Date
  }
  worlds: {
    id: string
    organization_id: string
    root_world_id: string
    parent_world_id: string | null
    version_number: number
    name: string
    summary: string
    blueprint: Json<Record<string, unknown>>
    created_by: string
    created_at: Date
    updated_at: Date
    launch_error: string | null
    /** True until the launch has ended, well or badly. */
    launching: boolean
    idempotency_key: string | null
    fingerprint: string
    environment_version_id: string | null
    evaluation: ColumnType<unknown, string | null, string | null>
  }
  twins: {
    id: string
    organization_id: string
    world_id: string | null
    position: number
    service: string
    status: string
    seed_sha256: string
    entity_count: number
    /** The native credentials, `[{subject, token}]`; the first is the twin's own. */
    principals: Json<{ subject: string; token: string }[]>
    environment_version_id: string | null
    /** The trial whose copy this is. */
    trial_id: string | null
    created_by: string
    created_at: Date
    updated_at: Date
    expires_at: Date
    /** When the world's clock started to run from the blueprint's. */
    seeded_at: Date
    error: string | null
    /** Counts resets: steps of an earlier life are history and no part of the state. */
    epoch: Generated<number>
    /** The node that runs it. */
    owner: string | null
  }
  twin_snapshots: { twin_id: string; epoch: number; seq: number; body: Buffer }
  twin_steps: {
    id: string
    organization_id: string
    twin_id: string
    world_id: string | null
    epoch: number
    /** The number among the writes, or among the reads, of the twin's present life. */
    seq: number
    is_read: Generated<boolean>
    /** How many steps of the other lane came before. */
    preceding: Generated<number>
    service: string
    at: Date
    world_time: Date
    duration_ms: number
    operation: string
    actor: ColumnType<{ id: string; name: string; subject: string } | null, string | null, string | null>
    method: string
    path: string
    status: number
    mutations: number
    not_emulated: string[]
    /** Request and response as recorded, as JSON text; null where they are among the payloads. */
    detail: string | null
    /** The payload with the request and the headers of the response. */
    exchange: Buffer | null
    /** The payload with the body of the response. */
    reply: Buffer | null
    /** Headers of the response whose values differ from those in the exchange, as JSON. */
    reply_headers: string | null
    reply_size: number | null
    /** Whole rows before and after, internal ones too, as JSON text; null when nothing changed. */
    changes: string | null
    /** `collection:id` of each changed record. */
    records: string[] | null
  }
}

export const migration: Migration = { up }

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table seeds (
      sha256 text primary key, kind text not null, entity_count integer not null, body bytea not null
    )`.execute(db)
  await sql`alter table seeds alter column body set storage external`.execute(db)
  await worlds(db)
  await twins(db)
}

async function worlds(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table worlds (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      root_world_id text not null,
      parent_world_id text,
      version_number integer not null,
      name text not null,
      summary text not null,
      blueprint jsonb not null,
      created_by text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      launch_error text,
      launching boolean not null,
      idempotency_key text,
      fingerprint text not null,
      environment_version_id text,
      evaluation jsonb,
      unique (root_world_id, version_number),
      unique (organization_id, idempotency_key)
    )`.execute(db)
  await sql`create index worlds_by_time on worlds (organization_id, created_at desc, id desc)`.execute(db)
  await sql`create index worlds_launching on worlds (created_at) where launching`.execute(db)
  await sql`
    create table environments (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      root_world_id text not null unique,
      name text not null,
      created_at timestamptz(3) not null
    )`.execute(db)
  await sql`create index environments_by_time on environments (organization_id, created_at desc, id desc)`.execute(
    db,
  )
  await sql`
    create table environment_versions (
      id text primary key,
      environment_id text not null references environments (id) on delete cascade,
      organization_id text not null,
      world_id text not null references worlds (id) on delete cascade,
      number integer not null,
      clock timestamptz(3) not null,
      services jsonb not null,
      created_at timestamptz(3) not null,
      unique (environment_id, number)
    )`.execute(db)
}

async function twins(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table twins (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      world_id text references worlds (id) on delete cascade,
      position integer not null,
      service text not null,
      status text not null,
      seed_sha256 text not null references seeds (sha256),
      entity_count integer not null,
      principals jsonb not null,
      environment_version_id text,
      trial_id text,
      created_by text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      seeded_at timestamptz(3) not null,
      error text,
      epoch integer not null default 0,
      owner text
    )`.execute(db)
  await sql`create index twins_by_time on twins (organization_id, created_at desc, id desc) where trial_id is null`.execute(
    db,
  )
  await sql`create index twins_by_world on twins (world_id, position)`.execute(db)
  await sql`
    create index twins_live on twins (organization_id, expires_at)
    where status in ('provisioning', 'running', 'degraded')`.execute(db)
  await sql`create index twins_by_trial on twins (trial_id) where trial_id is not null`.execute(db)
  await sql`
    create table twin_snapshots (
      twin_id text primary key references twins (id) on delete cascade,
      epoch integer not null, seq bigint not null, body bytea not null
    )`.execute(db)
  await sql`
    create table twin_steps (
      id text not null,
      organization_id text not null,
      twin_id text not null,
      world_id text,
      epoch integer not null,
      seq bigint not null,
      service text not null,
      at timestamptz(3) not null,
      world_time timestamptz(3) not null,
      duration_ms real not null,
      operation text not null,
      actor jsonb,
      method text not null,
      path text not null,
      status integer not null,
      mutations integer not null,
      not_emulated text[] not null,
      detail text not null,
      changes text,
      records text[] not null,
      primary key (twin_id, epoch, seq)
    )`.execute(db)
  await sql`create unique index twin_steps_by_id on twin_steps (twin_id, id desc)`.execute(db)
  await sql`create index twin_steps_by_world on twin_steps (world_id, id desc) where world_id is not null`.execute(
    db,
  )
  await sql`create index twin_steps_by_record on twin_steps using gin (records) where mutations > 0`.execute(
    db,
  )
}
