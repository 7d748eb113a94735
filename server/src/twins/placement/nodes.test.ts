import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import { eventually } from '../../../../test/eventually.ts'
import { silentLog } from '../../storage/log.ts'
import { type TestStorage, testStorage } from '../../storage/testing.ts'
import { joinService, testService } from '../../testing.ts'
import { openNode } from './nodes.ts'

const models = [{ twin: notes, sample: { section: { notes: [] }, company: testCompany } }]

const write = async (base: string, twin: { id: string; token: string }, text: string): Promise<number> => {
  const reply = await fetch(`${base}/t/${twin.id}/write`, {
    method: 'POST',
    headers: { authorization: `Bearer ${twin.token}` },
    body: JSON.stringify({ text }),
  })
  await reply.text()
  return reply.status
}
const list = async (base: string, twin: { id: string; token: string }): Promise<string[]> => {
  const headers = { authorization: `Bearer ${twin.token}` }
  const reply = await fetch(`${base}/t/${twin.id}/list`, { method: 'POST', headers })
  return ((await reply.json()) as { text: string }[]).map(({ text }) => text)
}

describe('several nodes on one database', () => {
  it('answer for each other: a twin runs on one and is reached through any', async () => {
    await using first = await testService({}, models)
    await using second = await joinService(first, models)
    const { body: twin } = await first.call('POST', '/v1/twins', { service: 'notes' })
    assert.equal(await write(second.baseUrl, twin, 'through the second'), 200)
    assert.equal(await write(first.baseUrl, twin, 'through the first'), 200)
    assert.deepEqual(await list(second.baseUrl, twin), ['through the second', 'through the first'])
    assert.equal(second.app.runtime.host.size, 0)
    const diff = await second.call('GET', `/v1/twins/${twin.id}/diff`)
    assert.equal(diff.body.summary.created, 2)
  })

  it('stop and reset a twin wherever it runs', async () => {
    await using first = await testService({}, models)
    await using second = await joinService(first, models)
    const { body: twin } = await first.call('POST', '/v1/twins', { service: 'notes' })
    await write(first.baseUrl, twin, 'gone soon')
    await second.call('POST', `/v1/twins/${twin.id}/reset`)
    await eventually(async () => (await first.call('GET', `/v1/twins/${twin.id}`)).body.status === 'running')
    await eventually(async () => (await list(first.baseUrl, twin)).length === 0)
    await second.call('DELETE', `/v1/twins/${twin.id}`)
    await eventually(async () => (await write(first.baseUrl, twin, 'too late')) === 410)
  })

  it('take over the twins of a node that has gone, with everything it acknowledged', async () => {
    await using first = await testService({}, models)
    let moved: { id: string; token: string }
    {
      await using second = await joinService(first, models)
      moved = (await second.call('POST', '/v1/twins', { service: 'notes' })).body
      for (let n = 0; n < 20; n++) assert.equal(await write(second.baseUrl, moved, `note ${n}`), 200)
    }
    assert.equal((await list(first.baseUrl, moved)).length, 20)
    assert.equal(await write(first.baseUrl, moved, 'and one more'), 200)
  })
})

describe('a node that was taken for dead', () => {
  it('answers no longer from memory for twins that another node has taken over', async () => {
    await using first = await testService({}, models)
    await using second = await joinService(first, models)
    const { body: twin } = await first.call('POST', '/v1/twins', { service: 'notes' })
    assert.equal(await write(first.baseUrl, twin, 'before'), 200)
    const { rows } = await first.storage.pool.query('select owner from twins where id = $1', [twin.id])
    await first.storage.pool.query(
      `update leases set expires_at = clock_timestamp() - interval '1 second' where name = 'node:' || $1`,
      [rows[0].owner],
    )
    assert.equal(await write(second.baseUrl, twin, 'after'), 200)
    // The takeover was announced: what the first one has in memory is stale, and it forwards.
    await eventually(async () => first.app.runtime.host.size === 0)
    assert.deepEqual(await list(first.baseUrl, twin), ['before', 'after'])
    assert.equal(second.app.runtime.host.size, 1)
  })
})

/** Ends the connections by which the nodes of this database show that they live. */
const cutConnections = (pool: TestStorage['storage']['pool']) =>
  pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and mode = 'ShareLock' and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())`,
  )

describe('a node whose connection to the database is cut', () => {
  it('renews its lease once for all requests that wait for it', async () => {
    await using test = await testStorage()
    const { leases, wake, pool } = test.storage
    let losses = 0
    const node = openNode({
      ...{ leases, wake, holder: 'cut', address: () => 'http://127.0.0.1:1', log: silentLog, isAlone: false },
      onLost: () => losses++,
    })
    await node.start()
    try {
      assert.ok(node.isLeased())
      // Other nodes have taken it for dead meanwhile.
      await pool.query('update leases set expires_at = clock_timestamp()')
      await cutConnections(pool)
      await eventually(() => losses > 0 && wake.isListening())
      assert.ok(!node.isLeased())
      assert.deepEqual(
        await Promise.all(Array.from({ length: 8 }, () => node.confirm())),
        Array.from({ length: 8 }, () => true),
      )
      assert.ok(node.isLeased())
      await node.beat()
      assert.ok(node.isLeased())
    } finally {
      await node.stop()
    }
  })

  it('forgets what it has in memory, and goes on with everything that was acknowledged', async () => {
    await using first = await testService({}, models)
    await using second = await joinService(first, models)
    const { body: twin } = await first.call('POST', '/v1/twins', { service: 'notes' })
    assert.equal(await write(first.baseUrl, twin, 'before'), 200)
    const cut = await cutConnections(first.storage.pool)
    assert.equal(cut.rowCount, 2)
    await eventually(async () => (await write(second.baseUrl, twin, 'after')) === 200)
    assert.deepEqual(await list(second.baseUrl, twin), ['before', 'after'])
    await eventually(async () => (await list(first.baseUrl, twin)).length === 2)
  })
})
