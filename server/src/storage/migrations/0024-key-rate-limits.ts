import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** How often a key may be used; null for as often as its organization. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys add column requests_per_minute integer`.execute(db)
}
