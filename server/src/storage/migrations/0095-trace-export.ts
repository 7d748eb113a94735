import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Trials that are to be sent to an organization's collector. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table trace_destinations (
      organization_id text primary key references organizations (id) on delete cascade,
      endpoint text not null,
      sealed_headers text,
      include_content boolean not null,
      dropped integer not null default 0,
      last_error text,
      last_sent_at timestamptz(3),
      created_by text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db)
  await sql`
    create table trace_outbox (
      trial_id text primary key references eval_trials (id) on delete cascade,
      job_id text not null,
      organization_id text not null references trace_destinations (organization_id) on delete cascade,
      attempts integer not null default 0,
      next_at timestamptz(3) not null default clock_timestamp(),
      created_at timestamptz(3) not null default clock_timestamp()
    )`.execute(db)
  await sql`create index trace_outbox_due on trace_outbox (organization_id, next_at)`.execute(db)
}
