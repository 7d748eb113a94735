import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What the variant of a trial did to its world, and what it found there. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table eval_trials add column variant_detail jsonb`.execute(db)
}
