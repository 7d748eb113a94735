import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStorage } from './testing.ts'

test('storage opens on a database of its own and reads back what was written', async () => {
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
  const count = (fn: { countAll<T>(): T }) => fn
  void count
  const { rows } = await other.storage.pool.query('select count(*) as count from organizations')
  assert.deepEqual(rows, [{ count: 0 }])
})

test('test databases are cheap', async () => {
  await using first = await testStorage()
  void first
  const started = performance.now()
  for (let i = 0; i < 10; i++) await (await testStorage())[Symbol.asyncDispose]()
  console.log('ms each', (performance.now() - started) / 10)
})
