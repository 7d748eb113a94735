import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * The order of streams is that of transaction numbers, which start again in a new cluster: rows of a restored dump would
 * lie in its future. The offset is added to every number of this cluster; continue_transactions() raises it.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table database_origin (system_identifier text not null)`.execute(db)
  await sql`
    create function transaction_offset() returns bigint language sql immutable parallel safe
      as 'select 0::bigint'`.execute(db)
  await sql`
    create function ordered_transaction() returns xid8 language sql volatile
      as 'select (pg_current_xact_id()::text::numeric + transaction_offset())::text::xid8'`.execute(db)
  await sql`alter table events alter column tx set default ordered_transaction()`.execute(db)
  await sql`alter table spans alter column tx set default ordered_transaction()`.execute(db)
}
