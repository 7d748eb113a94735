import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** The ids of the keys that secrets in this database were encrypted with; never the keys themselves. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table encryption_keys (
    key_id text primary key,
    created_at timestamptz not null default now()
  )`.execute(db)
}
