import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table task_suites (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      name text not null,
      description text not null,
      world_id text,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      archived_at timestamptz(3)
    )`.execute(db)
  await sql`create index task_suites_by_time on task_suites (organization_id, created_at desc, id desc)`.execute(
    db,
  )
  await sql`
    create table tasks (
      id text primary key,
      organization_id text not null,
      suite_id text not null references task_suites (id) on delete cascade,
      position bigint generated always as identity,
      key text,
      title text not null,
      instruction text not null,
      expected_outcome text not null,
      environment_version_id text,
      cutoff_event_id text,
      trace_id text,
      events jsonb not null,
      bindings jsonb not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db)
  await sql`create index tasks_in_order on tasks (suite_id, position)`.execute(db)
  await sql`
    create table suite_versions (
      id text primary key,
      organization_id text not null,
      suite_id text not null references task_suites (id) on delete cascade,
      number integer not null,
      label text,
      digest text not null,
      task_count integer not null,
      content jsonb not null,
      proof jsonb,
      created_at timestamptz(3) not null,
      unique (suite_id, number)
    )`.execute(db)
  await sql`
    create table scorers (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      slug text not null,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      archived_at timestamptz(3),
      unique (organization_id, slug)
    )`.execute(db)
  await sql`create index scorers_by_time on scorers (organization_id, created_at desc, id desc)`.execute(db)
  await sql`
    create table scorer_versions (
      scorer_id text not null references scorers (id) on delete cascade,
      version integer not null,
      definition jsonb not null,
      primary key (scorer_id, version)
    )`.execute(db)
}
