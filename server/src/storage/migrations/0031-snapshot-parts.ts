import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * A snapshot becomes a row of parts, each with what changed since the one before. Snapshots of the old kind are let go:
 * a twin is restored from its ledger without them, and new parts are written from then on.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from twin_snapshots`.execute(db)
  await sql`
    alter table twin_snapshots drop constraint twin_snapshots_pkey, add primary key (twin_id, epoch, seq),
      alter column body set storage external`.execute(db)
}
