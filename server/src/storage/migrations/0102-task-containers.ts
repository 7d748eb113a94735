import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** The container that an imported task runs in; null for a task of a world, or of a text alone. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column container jsonb`.execute(db)
}
