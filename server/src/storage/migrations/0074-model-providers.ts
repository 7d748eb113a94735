import { type ColumnType, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export interface ModelProviderTables {
  model_providers: {
    organization_id: string
    name: string
    wire: string
    base_url: string | null
    /** The key, encrypted. */
    sealed_key: string | null
    /** Hosts, allow-lists and prices. */
    settings: ColumnType<unknown, string, string>
    created_by: string
    created_at: Date
    updated_at: Date
  }
}

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
