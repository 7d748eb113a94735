import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { silentLog } from './log.ts'
import { openStorage } from './storage.ts'
import { type TestStorage, testStorage } from './testing.ts'

const minute = 60_000

/** The database's clock judges, so time passes by moving the leases into the past. */
const pass = async (test: TestStorage, ms: number): Promise<void> => {
  await sql`update leases set expires_at = expires_at - ${ms}::float8 * interval '1 millisecond'`.execute(
    test.storage.db,
  )
}

test('a lease has one holder until it expires; then it is taken over under a larger token', async () => {
  await using test = await testStorage()
  const { leases } = test.storage
  const first = await leases.acquire('twin', { holder: 'a', ttlMs: minute, data: { at: 'http://a' } })
  assert.ok(first)
  assert.equal(await leases.acquire('twin', { holder: 'b', ttlMs: minute }), undefined)
  assert.equal(await leases.acquire('twin', { holder: 'a', ttlMs: minute }), undefined)
  const holder = await leases.holderOf('twin')
  assert.deepEqual([holder?.holder, holder?.data], ['a', { at: 'http://a' }])

  await pass(test, minute)
  assert.equal(await leases.holderOf('twin'), undefined)
  const second = await leases.acquire('twin', { holder: 'b', ttlMs: minute })
  assert.ok(second && second.token > first.token)
  assert.equal(await leases.renew(first), undefined)
  assert.equal(await leases.release(first), false)
  assert.equal((await leases.holderOf('twin'))?.holder, 'b')
})

test('a renewed lease lives on, a released one is free at once and cannot be renewed', async () => {
  await using test = await testStorage()
  const { leases } = test.storage
  const lease = await leases.acquire('twin', { holder: 'a', ttlMs: minute })
  assert.ok(lease)
  await pass(test, minute / 2)
  const renewed = await leases.renew(lease)
  assert.ok(renewed)
  assert.equal(renewed.token, lease.token)
  await pass(test, minute / 2)
  assert.equal((await leases.holderOf('twin'))?.holder, 'a')
  assert.equal(await leases.release(renewed), true)
  assert.equal(await leases.renew(renewed), undefined)
  const next = await leases.acquire('twin', { holder: 'b', ttlMs: minute })
  assert.ok(next && next.token > lease.token)
})

test('of many who race for an expired lease one wins, round after round, and tokens only grow', async () => {
  await using test = await testStorage()
  await using other = await openStorage({
    databaseUrl: test.url,
    dataDir: '/nonexistent',
    log: silentLog,
    now: Date.now,
    random: randomBytes,
  })
  let token = 0
  for (let round = 0; round < 20; round++) {
    const tries = Array.from({ length: 16 }, (_, index) =>
      (index % 2 ? other : test.storage).leases.acquire('twin', { holder: `h${index}`, ttlMs: minute }),
    )
    const won = (await Promise.all(tries)).filter((lease) => lease !== undefined)
    assert.equal(won.length, 1)
    assert.ok((won[0]?.token ?? 0) > token)
    token = won[0]?.token ?? 0
    await pass(test, minute)
  }
})

test('what a holder writes in a transaction is written before anyone takes over, or refused', async () => {
  await using test = await testStorage()
  const { db, leases, pool } = test.storage
  const lease = await leases.acquire('trial', { holder: 'a', ttlMs: minute })
  assert.ok(lease)
  await pass(test, minute)
  let taken = false
  const takeOver = await db.transaction().execute(async (trx) => {
    await leases.assertIn(trx, lease)
    const attempt = leases.acquire('trial', { holder: 'b', ttlMs: minute }).then((got) => {
      taken = true
      return got
    })
    for (let look = 0; look < 1_000 && !(await someoneWaits(pool)); look++);
    assert.equal(taken, false)
    return { attempt }
  })
  assert.equal((await takeOver.attempt)?.holder, 'b')
  await assert.rejects(
    db.transaction().execute((trx) => leases.assertIn(trx, lease)),
    { code: 'lease_lost' },
  )
})

const someoneWaits = async (pool: pg.Pool): Promise<boolean> => {
  const { rows } = await pool.query(
    `select exists (select 1 from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock') as waits`,
  )
  return rows[0].waits
}

test('ten thousand leases are taken and renewed in one statement each, and two hosts never deadlock', async () => {
  await using test = await testStorage()
  const { leases } = test.storage
  const names = Array.from({ length: 10_000 }, (_, index) => `twin-${index}`)
  const [a, b] = await Promise.all([
    leases.acquireMany(names, { holder: 'a', ttlMs: minute }),
    leases.acquireMany([...names].reverse(), { holder: 'b', ttlMs: minute }),
  ])
  assert.equal(a.length + b.length, 10_000)
  assert.equal(new Set([...a, ...b].map((lease) => lease.name)).size, 10_000)
  const [renewedA, renewedB] = await Promise.all([
    leases.renewMany(a),
    leases.renewMany([...b].reverse()),
    leases.acquireMany(names, { holder: 'c', ttlMs: minute }),
  ])
  assert.equal(renewedA.length + renewedB.length, 10_000)
  assert.equal((await leases.releaseMany(a)) + (await leases.releaseMany(b)), 10_000)
})

test('rows without a holder are pruned after a while, and a token is still larger afterwards', async () => {
  await using test = await testStorage()
  const { leases } = test.storage
  const lease = await leases.acquire('twin', { holder: 'a', ttlMs: minute })
  assert.ok(lease)
  await leases.acquire('kept', { holder: 'a', ttlMs: 10 * minute })
  await pass(test, 2 * minute)
  assert.equal(await leases.prune({ unheldForMs: 5 * minute }), 0)
  assert.equal(await leases.prune({ unheldForMs: minute / 2 }), 1)
  const next = await leases.acquire('twin', { holder: 'b', ttlMs: minute })
  assert.ok(next && next.token > lease.token)
})

test('a lease that has expired is not renewed, even where no one took it over', async () => {
  await using storage = await testStorage()
  const { leases, pool } = storage.storage
  const lease = await leases.acquire('late', { holder: 'one', ttlMs: 60_000 })
  assert.ok(lease && (await leases.renew(lease)))
  await pool.query(
    `update leases set expires_at = clock_timestamp() - interval '1 second' where name = 'late'`,
  )
  assert.equal(await leases.renew(lease), undefined)
  const again = await leases.acquire('late', { holder: 'one', ttlMs: 60_000 })
  assert.ok(again && again.token > lease.token)
})
