import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** How often the command of an agent is started in a task; older tasks start it once. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column turns jsonb`.execute(db)
}
