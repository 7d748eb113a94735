import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testStorage } from './testing.ts'

test('storage reads back what was written, and no other database sees it', async () => {
  await using mine = await testStorage()
  await using other = await testStorage()
  const { db } = mine.storage
  await db
    .insertInto('organizations')
    .values({ id: 'org_1', name: 'One', limits: '{"live_twins":3}' })
    .execute()
  const row = await db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(row.limits, { live_twins: 3 })
  assert.ok(row.created_at instanceof Date)
  const { rows } = await other.storage.pool.query('select count(*) as count from organizations')
  assert.deepEqual(rows, [{ count: 0 }])
})

test('whole numbers of any size arrive as numbers, times as dates', async () => {
  await using test = await testStorage()
  const { rows } = await test.storage.pool.query(
    `select 9007199254740991::bigint as large, array[1, null]::bigint[] as list, now() as at, null::bigint as none`,
  )
  assert.equal(rows[0].large, Number.MAX_SAFE_INTEGER)
  assert.deepEqual(rows[0].list, [1, null])
  assert.ok(rows[0].at instanceof Date)
  assert.equal(rows[0].none, null)
})

test('every connection limits how long a statement and an idle transaction may last', async () => {
  await using test = await testStorage()
  const { rows } = await test.storage.pool.query(
    `select current_setting('statement_timeout') as statement,
            current_setting('idle_in_transaction_session_timeout') as idle`,
  )
  assert.deepEqual(rows, [{ statement: '30s', idle: '1min' }])
})

test('storage can be closed twice', async () => {
  await using test = await testStorage()
  await Promise.all([test.storage.close(), test.storage.close()])
})

test('a connection that is killed inside a transaction fails that transaction and nothing else', async () => {
  await using test = await testStorage()
  const { db, pool } = test.storage
  const done = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    const pid = rows[0]?.pid
    await pool.query('select pg_terminate_backend($1, 5000)', [pid])
    // A turn of the event loop in which the loss is heard while no statement is under way.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await trx.insertInto('organizations').values({ id: 'org_1', name: 'One', limits: '{}' }).execute()
  })
  await assert.rejects(done)
  assert.deepEqual(await db.selectFrom('organizations').selectAll().execute(), [])
})
