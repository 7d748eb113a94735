import { Kysely, PostgresDialect } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'
import { openPool } from './connection.ts'
import { StorageFailure } from './failure.ts'
import { applyFunctions, changedFunctions, type SqlFunction } from './functions/functions.ts'
import type { Log } from './log.ts'

/** Any number will do, as long as no other lock of ours on the same database has it. */
const migrationLock = 4_400_001

const oldestVersion = 150_000

export interface MigrateOptions {
  readonly connection: pg.ClientConfig
  readonly migrations: Readonly<Record<string, Migration>>
  /** Applied after the migrations, each only when its text changed. */
  readonly functions?: readonly SqlFunction[]
  readonly log: Log
}

/** Refuses a server that is too old, then brings the database up to this code: forward only, whole or not at all, one node at a time. */
export const migrate = async ({
  connection,
  migrations,
  functions = [],
  log,
}: MigrateOptions): Promise<void> => {
  const known = Object.keys(migrations)
  // A migration may take longer than any statement of the running service is allowed to.
  const client = await reach({ ...connection, statement_timeout: 0 })
  try {
    await checkVersion(client)
    if (
      (await pending(client, known)).length === 0 &&
      (await changedFunctions(client, functions)).length === 0
    )
      return
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const names = await pending(client, known)
    if (names.length > 0) await run({ connection: { ...connection, statement_timeout: 0 }, migrations, log })
    const changed = await changedFunctions(client, functions)
    if (changed.length > 0) await applyFunctions(client, changed)
    if (names.length === 0 && changed.length === 0) return
    log.info(
      { event: 'schema.migrated', migrations: names, functions: changed.map(({ name }) => name) },
      'the database schema is up to date',
    )
  } finally {
    await client.end()
  }
}

const reach = async (connection: pg.ClientConfig): Promise<pg.Client> => {
  const client = new pg.Client(connection)
  // The same fault reaches us as the rejection of the call under way.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    throw new StorageFailure(
      'unreachable',
      `The database cannot be reached: ${messageOf(error)}. Check the address and the credentials in DATABASE_URL.`,
      { cause: error },
    )
  }
}

const checkVersion = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  )
  const version = rows[0]
  if (version !== undefined && version.number >= oldestVersion) return
  throw new StorageFailure(
    'server_too_old',
    `The database server is PostgreSQL ${version?.name}; version 15 or newer is needed.`,
  )
}

/** The names that have not run yet. Refuses a database that has run others than we know. */
const pending = async (client: pg.Client, known: readonly string[]): Promise<readonly string[]> => {
  const table = await client.query<{ there: boolean }>(
    `select to_regclass('kysely_migration') is not null as there`,
  )
  if (table.rows[0]?.there !== true) return known
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration')
  const done = new Set(rows.map((row) => row.name))
  const unknown = [...done].filter((name) => !known.includes(name)).sort()
  if (unknown.length > 0) {
    throw new StorageFailure(
      'database_newer',
      `The database was created by a newer version: it has the migration ${unknown.join(', ')}, which this ` +
        'version does not know. Start the newer version, or use another database.',
    )
  }
  return known.filter((name) => !done.has(name))
}

const run = async ({ connection, migrations, log }: MigrateOptions): Promise<void> => {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: openPool(connection, log) }) })
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
    const { error, results } = await migrator.migrateToLatest()
    if (error === undefined) return
    const failed = results?.find((result) => result.status === 'Error')?.migrationName
    throw new StorageFailure(
      'migration_failed',
      `The migration ${failed ?? 'of the database'} failed and was undone: ${messageOf(error)}`,
      { cause: error },
    )
  } finally {
    await db.destroy()
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
