import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Every call of a model, and how the calls of a run are answered. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table model_calls (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      job_id text references eval_jobs (id) on delete cascade,
      trial_id text,
      attempt integer not null,
      source text not null,
      agent text,
      provider text not null,
      model text,
      operation text not null,
      served text not null,
      streamed boolean not null,
      status integer not null,
      outcome text not null,
      error text,
      input_tokens integer not null,
      output_tokens integer not null,
      cached_input_tokens integer not null,
      cost_usd double precision,
      latency_ms double precision not null,
      first_byte_ms double precision,
      request_sha256 text not null,
      started_at timestamptz(3) not null,
      request bytea not null,
      response bytea not null
    )`.execute(db)
  await sql`create index model_calls_of_job on model_calls (job_id, trial_id) where job_id is not null`.execute(
    db,
  )
  await sql`create index model_calls_by_time on model_calls (organization_id, started_at desc, id desc)`.execute(
    db,
  )
  await sql`alter table eval_jobs add column models jsonb`.execute(db)
}
