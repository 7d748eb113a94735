import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { connectionTo, openPool } from './connection.ts'
import { type DatabaseClock, openDatabaseClock } from './database-clock.ts'
import { startEmbedded } from './embedded/embedded.ts'
import { readFunctions } from './functions/functions.ts'
import { type MakeId, makeIds } from './ids.ts'
import { Leases } from './leases.ts'
import type { Log } from './log.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Database } from './schema.ts'
import { openWake, type Wake } from './wake.ts'

export interface StorageOptions {
  /** A PostgreSQL server from version 15 on. Without it our own server runs in the data folder. */
  readonly databaseUrl?: string
  readonly dataDir: string
  readonly log: Log
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

export interface Storage {
  readonly db: Kysely<Database>
  readonly pool: pg.Pool
  readonly wake: Wake
  readonly leases: Leases
  readonly makeId: MakeId
  /** The time that all nodes share. */
  readonly clock: DatabaseClock
  /** Where threads of this process connect to. It holds a password. */
  readonly url: string
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the database, brings its schema up to date, and listens for wake-ups. */
export const openStorage = async (options: StorageOptions): Promise<Storage> => {
  if (options.databaseUrl !== undefined) return connect(options, options.databaseUrl)
  const server = await startEmbedded(options)
  try {
    return await connect(options, server.url, () => server.close())
  } catch (error) {
    await server.close()
    throw error
  }
}

const connect = async (
  options: StorageOptions,
  url: string,
  stop?: () => Promise<void>,
): Promise<Storage> => {
  const { log, now, random } = options
  const connection = connectionTo(url)
  await migrate({ connection, migrations, functions: readFunctions(), log })
  const pool = openPool(connection, log)
  await pool.query('select continue_transactions()')
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const endPool = async (error: unknown) => {
    await pool.end()
    throw error
  }
  const clock = await openDatabaseClock({ now, ask: () => timeOf(pool) }).catch(endPool)
  const wake = await openWake({ connection, pool, log }).catch(endPool)

  let closing: Promise<void> | undefined
  const shut = async (): Promise<void> => {
    await wake.close()
    await db.destroy()
    // kysely leaves a pool alone that it never used itself.
    if (!pool.ending) await pool.end()
    await stop?.()
  }
  const close = (): Promise<void> => {
    closing ??= shut()
    return closing
  }
  return {
    db,
    pool,
    wake,
    leases: new Leases(db),
    makeId: makeIds({ now: clock.now, random }),
    clock,
    url,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const timeOf = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  )
  return rows[0]?.ms ?? Number.NaN
}
