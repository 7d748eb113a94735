import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table twin_deliveries (
      twin_id text not null references twins (id) on delete cascade,
      id text not null collate "C",
      organization_id text not null,
      epoch integer not null,
      cause text not null,
      channel text not null,
      kind text not null,
      receiver text not null,
      emission_id text not null,
      url text,
      emission text not null,
      status text not null default 'pending',
      attempts integer not null default 0,
      fault text,
      answer_status integer,
      created_at timestamptz(3) not null,
      next_at timestamptz(3),
      settled_at timestamptz(3),
      primary key (twin_id, id)
    )`.execute(db)
  await sql`create index twin_deliveries_due on twin_deliveries (next_at) where status = 'pending'`.execute(
    db,
  )
  await sql`create index twin_deliveries_pending on twin_deliveries (twin_id, id) where status = 'pending'`.execute(
    db,
  )
  await sql`create index twin_deliveries_cause on twin_deliveries (twin_id, cause)`.execute(db)
  await sql`
    create table twin_delivery_attempts (
      twin_id text not null,
      delivery_id text not null collate "C",
      number integer not null,
      at timestamptz(3) not null,
      duration_ms real not null,
      status integer,
      fault text,
      detail text not null,
      primary key (twin_id, delivery_id, number),
      foreign key (twin_id, delivery_id) references twin_deliveries (twin_id, id) on delete cascade
    )`.execute(db)
}
