import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** How many decoy servers a task has beside those of its services. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column crowding integer not null default 0`.execute(db)
}
