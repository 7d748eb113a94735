import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Trials of a variant are stored beside the plain ones of the same agent, task and repetition. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table eval_jobs add column variants text[] not null default '{}'`.execute(db)
  await sql`alter table eval_trials add column variant text`.execute(db)
}
