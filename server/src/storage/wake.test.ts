import assert from 'node:assert/strict'
import { EventEmitter, on, once } from 'node:events'
import { test } from 'node:test'
import { connectionTo } from './connection.ts'
import { silentLog } from './log.ts'
import { startWriting } from './testing/crash-parent.ts'
import { testStorage } from './testing.ts'
import { openWake, type Wake } from './wake.ts'

const patience = () => ({ signal: AbortSignal.timeout(60_000) })

/** The next payload of a topic. */
const next = async (wake: Wake, topic: string): Promise<string | undefined> => {
  const heard = new EventEmitter()
  const stop = wake.on(topic, (payload) => heard.emit('wake', payload))
  const [payload] = await once(heard, 'wake', patience())
  stop()
  return payload
}

test('a listener hears its own topic with the payload, and nothing after it stopped', async () => {
  await using test = await testStorage()
  const { wake } = test.storage
  const heard: (string | undefined)[] = []
  const stop = wake.on('one', (payload) => heard.push(payload))
  wake.on('one', () => {
    throw new Error('a listener that fails does not keep the others from hearing')
  })
  const last = next(wake, 'end')
  await Promise.all([wake.send('one', 'a\nb'), wake.send('two', 'x'), wake.send('one'), wake.send('end')])
  assert.equal(await last, '')
  assert.deepEqual(heard, ['a\nb', ''])
  stop()
  const again = next(wake, 'end')
  await wake.send('one', 'late')
  await wake.send('end')
  await again
  assert.equal(heard.length, 2)
})

test('a wake-up in a transaction fires on commit and not on rollback', async () => {
  await using test = await testStorage()
  const { db, wake } = test.storage
  const heard: (string | undefined)[] = []
  wake.on('row', (payload) => heard.push(payload))
  await assert.rejects(
    db.transaction().execute(async (trx) => {
      await wake.sendIn(trx, 'row', 'undone')
      throw new Error('rolled back')
    }),
  )
  const done = next(wake, 'row')
  await db.transaction().execute((trx) => wake.sendIn(trx, 'row', 'done'))
  assert.equal(await done, 'done')
  assert.deepEqual(heard, ['done'])
})

test('wake-ups cross processes', async () => {
  await using test = await testStorage()
  const heard = new EventEmitter()
  test.storage.wake.on('row', (payload) => heard.emit('row', payload))
  const rows = on(heard, 'row', patience())
  await using writer = startWriting({ dataDir: '/nonexistent', rows: 5, databaseUrl: test.url })
  const ids: string[] = []
  for await (const [id] of rows) {
    ids.push(id)
    if (ids.length === 5) break
  }
  await writer.ended
  assert.deepEqual(ids.sort(), [...writer.wrote].sort())
})

test('after its connection was killed, every listener learns that it may have missed something, and listens again', async () => {
  await using test = await testStorage()
  const { wake, pool } = test.storage
  const told = [next(wake, 'one'), next(wake, 'two')]
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query = 'listen diorama_wake'`,
  )
  assert.equal(rowCount, 1)
  assert.deepEqual(await Promise.all(told), [undefined, undefined])
  const heard = next(wake, 'one')
  await wake.send('one', 'again')
  assert.equal(await heard, 'again')
})

test('a connection that falls silent without ending is given up for a new one', {
  skip:
    process.env.TEST_DATABASE_URL !== undefined && 'stops a process of the server, which may be elsewhere',
}, async () => {
  await using test = await testStorage()
  const { pool } = test.storage
  const wake = await openWake({
    connection: { ...connectionTo(test.url), application_name: 'silent' },
    pool,
    log: silentLog,
    heartbeat: { everyMs: 20, patienceMs: 100 },
  })
  const { rows } = await pool.query(`select pid from pg_stat_activity where application_name = 'silent'`)
  const told = next(wake, 'topic')
  process.kill(rows[0].pid, 'SIGSTOP')
  try {
    assert.equal(await told, undefined)
    const heard = next(wake, 'topic')
    await wake.send('topic', 'again')
    assert.equal(await heard, 'again')
    await wake.close()
  } finally {
    process.kill(rows[0].pid, 'SIGCONT')
  }
})

test('a payload that the channel cannot carry is refused, and the largest it can is carried', async () => {
  await using test = await testStorage()
  const { wake } = test.storage
  await assert.rejects(wake.send('topic', 'x'.repeat(7_169)), { code: 'wake_too_large' })
  await assert.rejects(wake.send('two\nlines'), { code: 'wake_too_large' })
  const topic = 't'.repeat(256)
  const heard = next(wake, topic)
  await wake.send(topic, 'é'.repeat(3_584))
  assert.equal((await heard)?.length, 3_584)
})
