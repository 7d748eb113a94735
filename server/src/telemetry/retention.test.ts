import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../testing.ts'
import { openRetention } from './retention.ts'

const dayMs = 86_400_000

describe('retention', () => {
  it('removes what is older than an organization keeps, with all that hangs on it, and nothing else', async () => {
    await using service = await testService()
    const { db, leases } = service.storage
    const short = await service.call('POST', '/v1/organizations', {
      name: 'Short',
      limits: { event_retention_days: 7 },
    })
    const theirs = { key: short.body.key.secret }
    const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
    const events = (count: number, days: number) =>
      Array.from({ length: count }, (_, n) => ({
        source: 's',
        topic: 't',
        event_type: 'e',
        entities: { thing: String(n % 5) },
        timestamp: ago(days),
      }))
    const old = await service.call('POST', '/v1/events/batch', events(1_000, 8), theirs)
    await service.call('POST', '/v1/events/batch', events(200, 8), theirs)
    await service.call('POST', '/v1/events/batch', events(10, 6), theirs)
    await service.call('POST', '/v1/events/batch', events(10, 400))
    const signal = { event_id: old.body.items[0].id, signal_name: 'seen' }
    await service.call('POST', '/v1/signals/track', signal, theirs)
    const trace = (id: string, days: number) => ({
      trace_id: id,
      spans: [{ span_id: 's', name: 'n', started_at: ago(days), attributes: { 'entity.thing': '1' } }],
    })
    await service.call('POST', '/v1/traces/track', trace('old', 9), theirs)
    await service.call('POST', '/v1/traces/track', trace('new', 1), theirs)
    const parts = { db, leases, holder: 'test', now: Date.now }
    assert.equal(await openRetention({ ...parts, defaultDays: undefined })(), 1_201)
    const count = async (table: string) =>
      (await service.storage.pool.query(`select count(*) as n from ${table}`)).rows[0].n
    assert.equal(await count('events'), 20)
    assert.equal(await count('spans'), 1)
    assert.equal(await count('traces'), 1)
    assert.equal(await count('event_entities'), 21)
    assert.equal(await count('signals'), 0)
    assert.equal((await service.call('GET', '/v1/traces/old', undefined, theirs)).status, 404)
    assert.equal(await openRetention({ ...parts, defaultDays: 30 })(), 10)
    assert.equal(await count('events'), 10)
  })
})
