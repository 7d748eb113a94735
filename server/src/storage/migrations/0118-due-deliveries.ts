import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * A sweep asks which twins have something due. By the time alone it read every row that waits, also those behind a
 * receiver that hangs; by twin and time it reads one row of each twin.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index twin_deliveries_due_of_twin on twin_deliveries (twin_id, next_at) where status = 'pending'`.execute(
    db,
  )
  await sql`drop index twin_deliveries_due`.execute(db)
}
