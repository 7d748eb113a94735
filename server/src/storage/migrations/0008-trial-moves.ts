import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What the functions that lease and finish trials look up; the functions are in `../functions/`. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index eval_jobs_unfinished on eval_jobs (created_at) where finished_at is null`.execute(db)
  await sql`create index eval_trials_ended on eval_trials (finished_at) where finished_at is not null`.execute(
    db,
  )
}
