import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What is known of a task besides its text, for its scorers; null for nothing. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column metadata jsonb`.execute(db)
}
