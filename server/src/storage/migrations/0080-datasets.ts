import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Worlds from rows: datasets, their immutable versions, and seeds of any size. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table seed_parts (
      sha256 text not null references seeds (sha256) on delete cascade,
      number integer not null,
      table_name text not null,
      body bytea not null,
      primary key (sha256, number)
    )`.execute(db)
  await sql`alter table seed_parts alter column body set storage external`.execute(db)
  await sql`
    create table datasets (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      name text not null,
      description text not null,
      created_by text not null,
      created_at timestamptz(3) not null,
      unique (organization_id, name)
    )`.execute(db)
  await sql`create index datasets_by_time on datasets (organization_id, created_at desc, id desc)`.execute(db)
  await sql`
    create table dataset_versions (
      id text primary key,
      dataset_id text not null references datasets (id) on delete cascade,
      organization_id text not null references organizations (id) on delete cascade,
      number integer not null,
      clock timestamptz(3) not null,
      company jsonb not null,
      services jsonb not null,
      source jsonb not null,
      pseudonyms jsonb,
      warnings jsonb not null,
      created_by text not null,
      created_at timestamptz(3) not null,
      unique (dataset_id, number)
    )`.execute(db)
  await sql`
    create index dataset_versions_by_world on dataset_versions (organization_id, (source ->> 'world_id'))
    where source ->> 'world_id' is not null`.execute(db)
  await sql`alter table twins add column dataset_version_id text`.execute(db)
  await sql`
    create index twins_by_dataset on twins (dataset_version_id) where dataset_version_id is not null`.execute(
    db,
  )
}
