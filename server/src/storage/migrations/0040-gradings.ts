import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Gradings beside the first one, and runs that stop when their answer is known. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table eval_jobs add column sequential jsonb, add column stopped jsonb`.execute(db)
  await sql`
    create table eval_scorings (
      id text primary key,
      organization_id text not null,
      job_id text not null references eval_jobs (id) on delete cascade,
      label text not null,
      scorers jsonb not null,
      created_by text not null,
      created_at timestamptz(3) not null,
      finished_at timestamptz(3)
    )`.execute(db)
  await sql`create index eval_scorings_of_job on eval_scorings (job_id, created_at desc)`.execute(db)
  await sql`
    create table eval_scored_trials (
      scoring_id text not null references eval_scorings (id) on delete cascade,
      trial_id text not null references eval_trials (id) on delete cascade,
      status text not null,
      passed boolean,
      cause text,
      error text,
      scores jsonb not null,
      primary key (scoring_id, trial_id)
    )`.execute(db)
}
