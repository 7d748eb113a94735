import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Clocks that the twins of a world share, and what made the world take a step on its own. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table world_clocks (
      id text primary key,
      organization_id text not null references organizations (id) on delete cascade,
      world_id text references worlds (id) on delete cascade,
      trial_id text,
      mode text not null,
      factor float8 not null,
      story_at timestamptz(3) not null,
      wall_at timestamptz(3) not null,
      starts_at timestamptz(3) not null,
      script text not null,
      life integer not null default 0,
      halted text,
      owner text
    )`.execute(db)
  await sql`create unique index world_clocks_by_world on world_clocks (world_id) where world_id is not null`.execute(
    db,
  )
  await sql`create index world_clocks_by_trial on world_clocks (trial_id) where trial_id is not null`.execute(
    db,
  )
  await sql`
    create table world_events (
      clock_id text not null references world_clocks (id) on delete cascade,
      life integer not null,
      key text not null,
      definition text not null,
      added_at timestamptz(3) not null,
      primary key (clock_id, life, key)
    )`.execute(db)
  await sql`alter table twins add column clock_id text`.execute(db)
  await sql`create index twins_by_clock on twins (clock_id) where clock_id is not null`.execute(db)
  await sql`
    alter table twin_steps
      add column cause text,
      add column mark text,
      add column sets text`.execute(db)
  await sql`create index twin_steps_moving on twin_steps (twin_id) where mark is not null or sets is not null`.execute(
    db,
  )
  // Whatever two nodes believe of themselves: an action of the world is recorded once.
  await sql`create unique index twin_steps_by_mark on twin_steps (mark) where mark is not null`.execute(db)
}
