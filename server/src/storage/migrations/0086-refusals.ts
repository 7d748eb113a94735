import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Vendors refuse with a status of 200 as well, and say so in the body; steps recorded before have their status alone. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table twin_steps add column refused text`.execute(db)
}
