import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * Writes and reads of a twin become two lanes of its ledger, each numbered from 1. `preceding` counts the steps of the
 * other lane that came before, so seq + preceding is the place in the twin's life. A write's number is taken once in a
 * life, which fences off a node that has lost the twin; it no longer depends on whether earlier reads were recorded.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table twin_payloads (
      twin_id text not null references twins (id) on delete cascade,
      sha256 bytea not null,
      body bytea not null,
      primary key (twin_id, sha256)
    )`.execute(db)
  await sql`alter table twin_payloads alter column body set storage external`.execute(db)
  await sql`
    update twin_snapshots set seq = (
      select count(*) from twin_steps where twin_steps.twin_id = twin_snapshots.twin_id
        and twin_steps.epoch = twin_snapshots.epoch and twin_steps.changes is not null
        and twin_steps.seq <= twin_snapshots.seq)`.execute(db)
  await sql`
    alter table twin_steps
      add column is_read boolean not null default false,
      add column preceding bigint not null default 0,
      add column exchange bytea,
      add column reply bytea,
      add column reply_headers text,
      add column reply_size integer,
      alter column detail drop not null,
      alter column records drop not null,
      drop constraint twin_steps_pkey`.execute(db)
  await sql`
    update twin_steps set is_read = numbered.is_read, seq = numbered.seq, preceding = numbered.total - numbered.seq
    from (
      select twin_id, epoch, seq as was, changes is null as is_read,
        row_number() over (partition by twin_id, epoch, changes is null order by seq) as seq,
        row_number() over (partition by twin_id, epoch order by seq) as total
      from twin_steps) as numbered
    where twin_steps.twin_id = numbered.twin_id and twin_steps.epoch = numbered.epoch
      and twin_steps.seq = numbered.was`.execute(db)
  await sql`alter table twin_steps add primary key (twin_id, is_read, epoch, seq)`.execute(db)
}
