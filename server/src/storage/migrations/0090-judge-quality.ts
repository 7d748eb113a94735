import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** What judges decided, by content, and how far they agree with people. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table judge_verdicts (
      organization_id text not null references organizations (id) on delete cascade,
      sha256 text not null,
      score double precision,
      choice text,
      reason text,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, sha256)
    )`.execute(db)
  await sql`create index judge_verdicts_by_time on judge_verdicts (organization_id, created_at)`.execute(db)
  await sql`
    create table scorer_calibrations (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      scorer_id text not null references scorers (id) on delete cascade,
      scorer_version integer not null,
      model text,
      report jsonb not null,
      created_by text not null,
      created_at timestamptz(3) not null
    )`.execute(db)
  await sql`create index scorer_calibrations_of_scorer
    on scorer_calibrations (scorer_id, created_at desc, id desc)`.execute(db)
}
