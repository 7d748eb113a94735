import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import pg from 'pg'
import { testService } from '../../testing.ts'
import { readStream } from '../testing.ts'
import { eventSource } from './event-source.ts'
import { eventStore } from './event-store.ts'
import { writersLock } from './order.ts'

const event = (n: number, more: object = {}) => ({
  source: 'shop',
  topic: 'orders',
  event_type: 'created',
  entities: { order: String(n % 10) },
  payload: { n },
  ...more,
})
const batch = (count: number, from = 0) => Array.from({ length: count }, (_, n) => event(from + n))
const numbers = (messages: readonly { data: { payload: { n: number } } }[]) =>
  messages.map(({ data }) => data.payload.n)

describe('the event stream', () => {
  it('shows new events that fit the filters, each with its resume point', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/events', event(0))
    const all = await readStream(service)
    const some = await readStream({ ...service, query: '?entity_type=order&entity_id=3&source=shop' })
    await service.call('POST', '/v1/events/batch', batch(20, 1))
    await all.until(20)
    await some.until(2)
    assert.deepEqual(numbers(all.messages), numbers(batch(20, 1).map((data) => ({ data }))))
    assert.deepEqual(numbers(some.messages), [3, 13])
    assert.equal(all.messages[0]?.event, 'event')
    assert.equal(all.messages[0]?.data.source, 'shop')
    assert.equal(new Set(all.messages.map(({ id }) => id)).size, 20)
    await all.cut()
    await some.cut()
  })

  it('resumes after any message, by header or by query or by event id, without loss or repeat', async () => {
    await using service = await testService()
    const first = await readStream(service)
    const start = first.lastId
    await service.call('POST', '/v1/events/batch', batch(10))
    await first.until(10)
    await first.cut()
    const [third] = first.messages.slice(2)
    for (const resume of [
      { lastId: third?.id },
      { query: `?after=${third?.id}` },
      { query: `?after=${third?.data.id}` },
    ]) {
      const again = await readStream({ ...service, ...resume })
      await again.until(7)
      assert.deepEqual(numbers(again.messages), [3, 4, 5, 6, 7, 8, 9])
      await again.cut()
    }
    const fromStart = await readStream({ ...service, lastId: start })
    await fromStart.until(10)
    assert.equal(fromStart.messages.length, 10)
    await fromStart.cut()
    const bad = await service.call('GET', '/v1/events/stream?after=nonsense')
    assert.equal(bad.status, 400)
    assert.equal(bad.body.code, 'invalid_cursor')
  })

  it('replays a window that since names, then goes on', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/events', event(1, { timestamp: '2020-01-01T00:00:00Z' }))
    await service.call('POST', '/v1/events', event(2))
    const reader = await readStream({ ...service, query: '?since=last_1h' })
    await reader.until(1)
    await service.call('POST', '/v1/events', event(3))
    await reader.until(2)
    assert.deepEqual(numbers(reader.messages), [2, 3])
    await reader.cut()
  })

  it('replays a thousand events and refuses one more, saying where to go on', async () => {
    await using service = await testService()
    const reader = await readStream(service)
    const start = reader.lastId
    await reader.cut()
    await service.call('POST', '/v1/events/batch', batch(1_000))
    const whole = await readStream({ ...service, lastId: start })
    await whole.until(1_000)
    assert.equal(whole.messages.at(-1)?.data.payload.n, 999)
    await whole.cut()
    await service.call('POST', '/v1/events', event(1_000))
    const refused = await readStream({ ...service, lastId: start })
    await refused.ended
    assert.equal(refused.messages.length, 1)
    const [message] = refused.messages
    assert.equal(message?.event, 'error')
    assert.equal(message?.data.code, 'replay_limit_exceeded')
    const filtered = await readStream({
      ...service,
      lastId: start,
      query: '?entity_type=order&entity_id=3',
    })
    await filtered.until(100)
    assert.equal(filtered.messages.length, 100)
    await filtered.cut()
    const further = await readStream({ ...service, lastId: message?.data.resume_from })
    await service.call('POST', '/v1/events', event(2_000))
    await further.until(1)
    assert.deepEqual(numbers(further.messages), [2_000])
    await further.cut()
  })

  it('shows each organization its own events alone', async () => {
    await using service = await testService()
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const theirs = await readStream({ baseUrl: service.baseUrl, key: other.body.key.secret })
    const ours = await readStream(service)
    await service.call('POST', '/v1/events', event(1))
    await service.call('POST', '/v1/events', event(2), { key: other.body.key.secret })
    await theirs.until(1)
    await ours.until(1)
    assert.deepEqual(numbers(theirs.messages), [2])
    assert.deepEqual(numbers(ours.messages), [1])
    await theirs.cut()
    await ours.cut()
  })

  it('waits for an older write that commits late, and misses nothing', async () => {
    await using service = await testService()
    const { rows } = await service.storage.pool.query('select id from organizations')
    const source = eventSource(eventStore(service.storage), rows[0]?.id)
    const from = await source.start()
    const reader = await readStream(service)
    const late = new pg.Client({ connectionString: service.databaseUrl })
    await late.connect()
    await late.query('begin')
    await late.query(`select ${writersLock}`)
    await late.query(
      `insert into events (id, organization_id, event_time, recorded_at, source, topic, event_type, entities, payload, ord)
       select 'evt_late', id, now(), now(), 'late', 't', 'e', '{}', '{"n": 1}', 0 from organizations`,
    )
    await service.call('POST', '/v1/events', event(2))
    assert.deepEqual(await source.after(from), { entries: [], held: true })
    await late.query('commit')
    await late.end()
    const { entries, held } = await source.after(from)
    assert.deepEqual([entries.map(({ row }) => row.payload), held], [[{ n: 1 }, { n: 2 }], false])
    await reader.until(2)
    assert.deepEqual(numbers(reader.messages), [1, 2])
    await reader.cut()
  })

  it('cuts off a reader that does not read, and holds no more than a bounded buffer for it', async () => {
    await using service = await testService()
    const url = new URL(service.baseUrl)
    const socket = connect(Number(url.port), url.hostname)
    socket.write(`GET /v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.key}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    const bulky = Array.from({ length: 100 }, (_, n) =>
      event(n, { payload: { n, text: 'x'.repeat(20_000) } }),
    )
    const readers = async () => {
      const { text } = await service.call('GET', '/metrics')
      return Number(/^diorama_event_stream_readers (\d+)/m.exec(text)?.[1])
    }
    assert.equal(await readers(), 1)
    for (let round = 0; round < 20 && (await readers()) > 0; round++)
      await service.call('POST', '/v1/events/batch', bulky)
    assert.equal(await readers(), 0)
    socket.resume()
    await closed
  })

  it('ends when the service drains, so that readers resume elsewhere', async () => {
    const service = await testService()
    const reader = await readStream(service)
    await service[Symbol.asyncDispose]()
    await reader.ended
  })
})
