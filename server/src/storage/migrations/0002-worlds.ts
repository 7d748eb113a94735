import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

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
