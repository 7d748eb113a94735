import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import pg from 'pg'
import { connectionTo } from './connection.ts'
import { silentLog } from './log.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openStorage } from './storage.ts'
import { startWriting } from './testing/crash-parent.ts'
import { testDatabase } from './testing.ts'

const ask = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client(connectionTo(url))
  await client.connect()
  const { rows } = await client.query({ text, rowMode: 'array' })
  await client.end()
  return rows.flat()
}

test('four processes that start at once on an empty database all open it, migrated once', async () => {
  await using database = await testDatabase({ migrated: false })
  const starters = Array.from({ length: 4 }, () =>
    startWriting({ dataDir: '/nonexistent', rows: 3, databaseUrl: database.url }),
  )
  await Promise.all(starters.map((starter) => starter.opened))
  await Promise.all(starters.map((starter) => starter.ended))
  assert.deepEqual(
    await ask(database.url, 'select name from kysely_migration order by name'),
    Object.keys(migrations).sort(),
  )
  assert.deepEqual(await ask(database.url, 'select count(*) from organizations'), [12])
})

test('many starters in one process migrate once', async () => {
  await using database = await testDatabase({ migrated: false })
  const connection = connectionTo(database.url)
  await Promise.all(Array.from({ length: 8 }, () => migrate({ connection, migrations, log: silentLog })))
  assert.deepEqual(await ask(database.url, 'select count(*) from kysely_migration'), [
    Object.keys(migrations).length,
  ])
})

test('a function whose text changed is replaced at the next start, and one that fails leaves the old one', async () => {
  await using database = await testDatabase()
  const connection = connectionTo(database.url)
  const start = (text: string) =>
    migrate({
      connection,
      migrations,
      functions: [{ name: 'answer.sql', text, sha256: text }],
      log: silentLog,
    })
  await start('create or replace function answer() returns integer language sql as $$ select 41 $$')
  await start('create or replace function answer() returns integer language sql as $$ select 42 $$')
  assert.deepEqual(await ask(database.url, 'select answer()'), [42])
  await assert.rejects(
    start('create or replace function answer() returns integer language sql as $$ select $$'),
  )
  assert.deepEqual(await ask(database.url, 'select answer()'), [42])
})

test('a database that a newer version made is refused and left alone', async () => {
  await using database = await testDatabase()
  await ask(database.url, `insert into kysely_migration values ('9999-future', now()::text)`)
  const opening = openStorage({
    databaseUrl: database.url,
    dataDir: '/nonexistent',
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  await assert.rejects(opening, { code: 'database_newer', message: /9999-future/ })
})

test('a migration that fails is undone whole, with those that ran before it in the same start', async () => {
  await using database = await testDatabase({ migrated: false })
  const connection = connectionTo(database.url)
  const good: Migration = { up: async (db) => void (await sql`create table good (id int)`.execute(db)) }
  const bad: Migration = { up: async (db) => void (await sql`create table bad (id nonsense)`.execute(db)) }
  await assert.rejects(
    migrate({ connection, migrations: { '1-good': good, '2-bad': bad }, log: silentLog }),
    {
      code: 'migration_failed',
      message: /2-bad.*nonsense/,
    },
  )
  assert.deepEqual(await ask(database.url, `select to_regclass('good')::text, to_regclass('bad')::text`), [
    null,
    null,
  ])
  await migrate({ connection, migrations: { '1-good': good }, log: silentLog })
  assert.deepEqual(await ask(database.url, `select to_regclass('good')::text`), ['good'])
})

test('an address where no database answers is named as the fault, without its password', async () => {
  const opening = openStorage({
    databaseUrl: 'postgresql://me:hush@127.0.0.1:1/none',
    dataDir: '/nonexistent',
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  await assert.rejects(opening, (error: Error) => {
    assert.match(error.message, /cannot be reached.*DATABASE_URL/)
    assert.doesNotMatch(error.message, /hush/)
    return true
  })
})
