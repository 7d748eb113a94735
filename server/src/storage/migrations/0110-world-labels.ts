import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Tags and the archive tell worlds apart. A blueprint keeps the order of keys in which its author wrote it: `json` does, `jsonb` does not. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table worlds add column tags text[] not null default '{}',
    add column archived_at timestamptz(3),
    alter column blueprint type json using blueprint::json`.execute(db)
}
