import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRowFault } from '../failure.ts'
import { testStorage } from '../testing.ts'
import { bulkInsert } from './bulk.ts'
import { GroupWriter } from './group.ts'

const insertKeys = bulkInsert({
  table: 'api_keys',
  columns: {
    id: 'text',
    organization_id: 'text',
    name: 'text',
    scopes: 'text[]',
    class: 'text',
    secret_hash: 'bytea',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
  skipExisting: true,
})
const insertOrganizations = bulkInsert({
  table: 'organizations',
  columns: { id: 'text', name: 'text', limits: 'jsonb', created_at: 'timestamptz' },
})

test('rows written in bulk read back as they were given, whatever their types', async () => {
  await using test = await testStorage()
  const { db, pool } = test.storage
  const at = new Date('2026-01-02T03:04:05.678Z')
  const name = 'quotes " \' backslash \\ newline \n é 😀'
  await insertOrganizations(db, [{ id: 'org_1', name, limits: '{"a":[1,"x",null]}', created_at: at }])
  const key = {
    id: 'key_1',
    organization_id: 'org_1',
    name,
    scopes: ['a,b', '{"c"}', ''],
    class: 'platform',
    secret_hash: Buffer.from([0, 1, 254, 255]),
    created_at: at,
    expires_at: null,
  }
  assert.equal(await insertKeys(db, [key]), 1)
  assert.deepEqual(await db.selectFrom('organizations').selectAll().execute(), [
    { id: 'org_1', name, limits: { a: [1, 'x', null] }, created_at: at },
  ])
  assert.deepEqual(await db.selectFrom('api_keys').selectAll().execute(), [
    { ...key, revoked_at: null, last_used_at: null, requests_per_minute: null },
  ])
  const other = { ...key, id: 'key_2', secret_hash: Buffer.from('other') }
  assert.equal(await insertKeys(pool, [key, other]), 1)
  assert.equal(await insertKeys(pool, [key, other]), 0)
  assert.equal(await insertKeys(pool, []), 0)
})

test('one bad row leaves none of the others behind', async () => {
  await using test = await testStorage()
  const { db } = test.storage
  const row = (id: string) => ({ id, name: 'Row', limits: '{}', created_at: new Date(0) })
  await assert.rejects(insertOrganizations(db, [row('org_1'), row('org_2'), row('org_1')]), { code: '23505' })
  assert.deepEqual(await db.selectFrom('organizations').selectAll().execute(), [])
})

test('behind a group writer a bad row fails alone', async () => {
  await using test = await testStorage()
  const { db, pool } = test.storage
  const writer = new GroupWriter<string, void>({
    retrySingly: isRowFault,
    async flush(ids) {
      await insertOrganizations(
        pool,
        ids.map((id) => ({ id, name: 'Row', limits: '{}', created_at: new Date(0) })),
      )
      return ids.map(() => undefined)
    },
  })
  const outcomes = await Promise.allSettled(
    ['org_1', 'org_\0', 'org_1', 'org_2'].map((id) => writer.write(id)),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  const rows = await db.selectFrom('organizations').select('id').orderBy('id').execute()
  assert.deepEqual(rows, [{ id: 'org_1' }, { id: 'org_2' }])
  assert.equal(isRowFault(new Error('Connection terminated unexpectedly')), false)
  assert.equal(isRowFault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), false)
})
