import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * Tokens of twins are sealed from here on. The key is no business of a migration, so the rows that are there are sealed by
 * the service, which finds them by this index.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index twins_plain_tokens on twins (id) where jsonb_typeof(principals) = 'array'`.execute(
    db,
  )
}
