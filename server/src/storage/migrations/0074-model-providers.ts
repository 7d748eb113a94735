import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/** Where models are reached and with which key, by organization. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table model_providers (
      organization_id text not null references organizations (id) on delete cascade,
      name text not null,
      wire text not null,
      base_url text,
      sealed_key text,
      settings jsonb not null,
      created_by text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, name)
    )`.execute(db)
}
