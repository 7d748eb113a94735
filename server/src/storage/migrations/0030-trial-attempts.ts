import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * Attempts are limited where they are counted: at the claim. A trial whose worker crashed is leased again only while it
 * has attempts left and its run was not cancelled; otherwise the claim ends it. Every attempt that was voided is kept
 * with its cause. The rows of ended trials are also the outbox of their traces and runs (`recorded_at`).
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table eval_trials
      add column voided_attempts jsonb not null default '[]',
      add column retry_at timestamptz,
      add column recorded_at timestamptz`.execute(db)
  await sql`update eval_trials set recorded_at = finished_at where finished_at is not null`.execute(db)
  await sql`
    create index eval_trials_unrecorded on eval_trials (finished_at)
    where recorded_at is null and trace_id is not null`.execute(db)
}
