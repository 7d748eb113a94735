import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Secrets that agents are given when they are started. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent_secrets (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      name text not null,
      description text not null,
      sealed text not null,
      created_by text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db)
  await sql`create index agent_secrets_by_time on agent_secrets (organization_id, created_at desc, id desc)`.execute(
    db,
  )
}
