import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db

  await schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('limits', 'jsonb', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
    .execute()

  await schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', sql`text[]`, (column) => column.notNull())
    .addColumn('class', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'bytea', (column) => column.notNull().unique())
    .addColumn('created_at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('expires_at', 'timestamptz(3)')
    .addColumn('revoked_at', 'timestamptz(3)')
    .addColumn('last_used_at', 'timestamptz(3)')
    .execute()
  await schema
    .createIndex('api_keys_by_organization')
    .on('api_keys')
    .columns(['organization_id', 'created_at', 'id'])
    .execute()

  await schema
    .createTable('idempotency_keys')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('reply', 'jsonb')
    .addColumn('created_at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('idempotency_keys_pkey', ['organization_id', 'key'])
    .execute()
  await schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('created_at').execute()

  // One sequence for all names: a token is larger than every token before it, even after its row was pruned.
  await sql`create sequence lease_tokens`.execute(db)
  await schema
    .createTable('leases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .addColumn('token', 'bigint', (column) => column.notNull())
    .addColumn('data', 'jsonb')
    // Leases are rewritten every few seconds; room on the page keeps those updates off the index.
    .modifyEnd(sql`with (fillfactor = 50)`)
    .execute()
}
