import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What agents depend on: installed once for each organization, lock and platform. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent_versions add column lock_sha256 text`.execute(db)
  await sql`
    create table agent_dependencies (
      organization_id text not null references organizations (id) on delete cascade,
      lock_sha256 text not null,
      -- Empty until a node has taken it up.
      platform text not null,
      status text not null,
      error text,
      log text not null default '',
      archive_sha256 text,
      size bigint,
      attempts integer not null default 0,
      claim text,
      claimed_until timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      used_at timestamptz(3) not null,
      primary key (organization_id, lock_sha256, platform)
    )`.execute(db)
  await sql`create index agent_dependencies_open on agent_dependencies (created_at)
    where status in ('queued', 'installing')`.execute(db)
}
