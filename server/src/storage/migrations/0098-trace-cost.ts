import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What the model calls of a trace cost; null where no span states it. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table traces add column cost_usd double precision`.execute(db)
}
