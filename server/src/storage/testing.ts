import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { connectionTo } from './connection.ts'
import { readFunctions } from './functions/functions.ts'
import { silentLog } from './log.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openStorage, type Storage } from './storage.ts'
import { joinTestServer } from './testing/testing-server.ts'

export interface TestStorage {
  readonly storage: Storage
  /** Of this test's own database: other processes of the test may open it too. */
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

export interface TestDatabase {
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

const templateLock = 4_400_002

/** A migrated database of this test's own, with storage open on it: `await using test = await testStorage()`. */
export const testStorage = async (): Promise<TestStorage> => {
  const database = await testDatabase()
  const storage = await openStorage({
    databaseUrl: database.url,
    dataDir: '/nonexistent',
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  return {
    storage,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await storage.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/**
 * A database of this test's own: a copy of a migrated one, or an empty one. The server is the one named by
 * TEST_DATABASE_URL, or one that all test processes of this user share and that ends after the last of them.
 */
export const testDatabase = async ({ migrated = true } = {}): Promise<TestDatabase> => {
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await joinTestServer() : { url: given, leave() {} }
  const name = `diorama_test_${randomBytes(8).toString('hex')}`
  await administer(server.url, async (admin) => {
    const from = migrated ? await template(admin, server.url) : 'template0'
    // Copying files wants a checkpoint, which is cheap only on a server that does not sync.
    const strategy = given === undefined ? 'file_copy' : 'wal_log'
    await admin.query(`create database ${name} template ${from} strategy ${strategy}`)
  })
  return {
    url: at(server.url, name),
    async [Symbol.asyncDispose]() {
      await administer(server.url, (admin) => admin.query(`drop database if exists ${name} with (force)`))
      server.leave()
    },
  }
}

/** The name of the database that has the schema and nothing else, made by the first test that asks. */
const template = async (admin: pg.Client, serverUrl: string): Promise<string> => {
  const name = `diorama_template_${migrationsHash()}`
  if (await exists(admin, name)) return name
  await admin.query('select pg_advisory_lock($1)', [templateLock])
  try {
    if (await exists(admin, name)) return name
    const draft = `${name}_draft`
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft} template template0`)
    await migrate({
      connection: connectionTo(at(serverUrl, draft)),
      migrations,
      functions: readFunctions(),
      log: silentLog,
    })
    await admin.query(`alter database ${draft} rename to ${name}`)
    return name
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [templateLock])
  }
}

const exists = async (admin: pg.Client, name: string): Promise<boolean> => {
  const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [name])
  return rowCount === 1
}

const migrationsHash = (): string => {
  const hash = createHash('sha256')
  for (const folder of ['./migrations/', './functions/'].map((path) => new URL(path, import.meta.url)))
    for (const file of readdirSync(folder).sort()) hash.update(readFileSync(new URL(file, folder)))
  return hash.digest('hex').slice(0, 16)
}

const administer = async <Result>(
  url: string,
  work: (admin: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

const at = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
