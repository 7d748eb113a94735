import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Suites that were there before report unasked changes and go on passing; new ones fail by default. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table task_suites add column unasked_changes text not null default 'warn'`.execute(db)
  await sql`alter table eval_trials add column unasked_changes jsonb`.execute(db)
}
