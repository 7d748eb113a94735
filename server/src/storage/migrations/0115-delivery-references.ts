import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * Each checked reference is a query and a row lock for every delivery and attempt. As with the ledger, the rows of a twin
 * are deleted before the twin, and an attempt is written only where its delivery is.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table twin_delivery_attempts drop constraint twin_delivery_attempts_twin_id_delivery_id_fkey`.execute(
    db,
  )
  await sql`alter table twin_deliveries drop constraint twin_deliveries_twin_id_fkey`.execute(db)
}
