import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table eval_jobs (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      suite_id text not null,
      suite_version_id text not null,
      name text not null,
      mode text not null,
      status text not null,
      agents text[] not null,
      concurrency integer not null,
      trials_per_task integer not null,
      total_trials integer not null,
      completed_trials integer not null,
      environment_version_id text,
      baseline_job_id text,
      extra_scorers jsonb not null,
      idempotency_key text,
      fingerprint text not null,
      isolation text,
      error text,
      created_by text not null,
      created_at timestamptz(3) not null,
      started_at timestamptz(3),
      finished_at timestamptz(3),
      unique (organization_id, idempotency_key)
    )`.execute(db)
  await sql`create index eval_jobs_by_time on eval_jobs (organization_id, created_at desc, id desc)`.execute(
    db,
  )
  await sql`create index eval_jobs_of_suite on eval_jobs (suite_id, created_at desc, id desc)`.execute(db)
  await sql`create index eval_jobs_open on eval_jobs (created_at) where status in ('queued', 'running')`.execute(
    db,
  )
  await trials(db)
}

async function trials(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table eval_trials (
      id text primary key,
      organization_id text not null,
      job_id text not null references eval_jobs (id) on delete cascade,
      position integer not null,
      agent text not null,
      task_id text not null,
      repetition integer not null,
      status text not null,
      attempt integer not null default 0,
      lease_holder text,
      lease_until timestamptz,
      error text,
      cause text,
      passed boolean,
      scores jsonb not null,
      steps jsonb not null,
      usage jsonb,
      output text,
      artifacts jsonb not null,
      world_sha256 text,
      isolation text,
      trace_id text,
      started_at timestamptz(3),
      finished_at timestamptz(3),
      duration_ms real,
      unique (job_id, position)
    )`.execute(db)
  await sql`
    create index eval_trials_open on eval_trials (job_id, position)
    where status in ('queued', 'running', 'scoring')`.execute(db)
  await sql`
    create index eval_trials_held on eval_trials (organization_id)
    where status in ('running', 'scoring')`.execute(db)
  await sql`
    create table eval_events (
      seq bigint generated always as identity,
      job_id text not null references eval_jobs (id) on delete cascade,
      type text not null,
      trial_id text,
      status text not null,
      at timestamptz(3) not null,
      primary key (job_id, seq)
    )`.execute(db)
  await sql`create unique index eval_events_once on eval_events (job_id) where type = 'run_finished'`.execute(
    db,
  )
}
