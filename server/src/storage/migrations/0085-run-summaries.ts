import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * The verdict and the rates of finished evaluations, so that lists and histories read rows instead of every trial. They are
 * filled in when a run ends; for runs that ended before this, or whose worker died at that moment, on the first read.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table eval_jobs add column verdict text`.execute(db)
  await sql`
    create table run_agent_results (
      job_id text not null references eval_jobs (id) on delete cascade,
      agent text not null,
      organization_id text not null,
      agent_name text not null,
      agent_version text not null,
      suite_id text not null,
      scored_trials integer not null,
      passed_trials integer not null,
      pass_rate double precision,
      interval_low double precision,
      interval_high double precision,
      weighted_score double precision,
      cost_usd double precision,
      mean_duration_ms double precision,
      verdict text not null,
      finished_at timestamptz(3) not null,
      primary key (job_id, agent)
    )`.execute(db)
  await sql`
    create index run_agent_results_by_agent
    on run_agent_results (organization_id, agent_name, finished_at desc, job_id desc)`.execute(db)
  await sql`
    create index run_agent_results_by_suite
    on run_agent_results (organization_id, suite_id, finished_at desc, job_id desc)`.execute(db)
  await sql`
    create index eval_jobs_by_verdict on eval_jobs (organization_id, verdict, created_at desc, id desc)`.execute(
    db,
  )
  await sql`
    create index eval_jobs_unsummarised on eval_jobs (organization_id)
    where finished_at is not null and verdict is null`.execute(db)
}
