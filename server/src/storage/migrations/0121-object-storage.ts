import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Large blobs may be in an object store. What is removed there is noted here first, so that a crash forgets nothing. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table blobs add column in_objects boolean not null default false`.execute(db)
  await sql`create table blob_removals (id text primary key)`.execute(db)
}
