import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Recorded model calls. Versions share the recordings that they have in common. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cassette_versions (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      name text not null,
      version integer not null,
      job_id text unique,
      created_by text not null,
      created_at timestamptz(3) not null,
      unique (organization_id, name, version)
    )`.execute(db)
  await sql`create index cassette_versions_by_time on cassette_versions (organization_id, created_at desc, id desc)`.execute(
    db,
  )
  await sql`
    create table model_recordings (
      organization_id text not null references organizations (id) on delete cascade,
      sha256 text not null,
      data bytea not null,
      primary key (organization_id, sha256)
    )`.execute(db)
  await sql`
    create table cassette_entries (
      version_id text not null references cassette_versions (id) on delete cascade,
      request_sha256 text not null,
      scope text not null,
      ordinal integer not null,
      recording_sha256 text not null,
      provider text not null,
      wire text not null,
      operation text not null,
      model text,
      primary key (version_id, request_sha256, scope, ordinal)
    )`.execute(db)
}
