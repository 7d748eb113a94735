import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'

const order = (n: number, more: object = {}) => ({
  source: 'shop',
  topic: 'orders',
  event_type: 'order.created',
  entities: { order: `7${n}`, customer: 'acme' },
  payload: { n },
  ...more,
})

describe('events', () => {
  it('are recorded with the time they happened, and read back as they were sent', async () => {
    await using service = await testService()
    const made = await service.call('POST', '/v1/events', {
      ...order(1),
      timestamp: '2026-03-02T10:00:00.5+01:00',
    })
    assert.equal(made.status, 201)
    assert.match(made.body.id, /^evt_/)
    assert.equal(made.body.event_time, '2026-03-02T09:00:00.500Z')
    const read = await service.call('GET', `/v1/events/${made.body.id}`)
    assert.deepEqual(read.body, { ...made.body, kind: 'event' })
    assert.deepEqual(read.body.entities, { order: '71', customer: 'acme' })
    const now = await service.call('POST', '/v1/events', order(2))
    assert.ok(Math.abs(Date.parse(now.body.event_time) - Date.now()) < 10_000)
  })

  it('take either casing, and name a field that is not known', async () => {
    await using service = await testService()
    const camel = await service.call('POST', '/v1/events', { source: 's', topic: 't', eventType: 'e' })
    assert.equal(camel.status, 201)
    const misspelt = await service.call('POST', '/v1/events', { ...order(1), paylod: {} })
    assert.equal(misspelt.status, 400)
    assert.match(misspelt.body.error, /paylod.*payload/)
    for (const missing of ['source', 'topic', 'event_type']) {
      const refused = await service.call('POST', '/v1/events', { ...order(1), [missing]: undefined })
      assert.equal(refused.status, 400)
      assert.equal(refused.body.details[0].pointer, `/${missing}`)
    }
  })

  it('are taken a thousand at a time, all or none, and a bad one is named by its index', async () => {
    await using service = await testService()
    const thousand = Array.from({ length: 1_000 }, (_, n) => order(n))
    const made = await service.call('POST', '/v1/events/batch', thousand)
    assert.equal(made.status, 201)
    assert.equal(made.body.items.length, 1_000)
    assert.equal(new Set(made.body.items.map(({ id }: { id: string }) => id)).size, 1_000)
    const under = await service.call('POST', '/v1/events/batch', { events: [order(1)] })
    assert.equal(under.status, 201)
    const tooMany = await service.call('POST', '/v1/events/batch', [...thousand, order(1)])
    assert.equal(tooMany.status, 400)
    const spoilt = thousand.with(613, { ...order(1), source: 7 as unknown as string })
    const refused = await service.call('POST', '/v1/events/batch', spoilt)
    assert.equal(refused.status, 400)
    assert.equal(refused.body.details[0].pointer, '/613/source')
    const nested = await service.call('POST', '/v1/events/batch', { events: spoilt })
    assert.equal(nested.body.details[0].pointer, '/events/613/source')
    const empty = await service.call('POST', '/v1/events/batch', [])
    assert.equal(empty.status, 400)
    const { rows } = await service.storage.pool.query('select count(*) as n from events')
    assert.equal(rows[0].n, 1_001)
  })

  it('are listed newest first by every filter, and pages neither repeat nor skip while others arrive', async () => {
    await using service = await testService()
    const at = (n: number) => new Date(Date.UTC(2026, 2, 1) + n * 60_000).toISOString()
    const events = Array.from({ length: 30 }, (_, n) => ({
      ...order(n, { timestamp: at(n) }),
      source: n % 2 ? 'shop' : 'mail',
      topic: n % 3 ? 'orders' : 'returns',
    }))
    await service.call('POST', '/v1/events/batch', events)
    const seen: number[] = []
    let cursor: string | null = null
    for (let page = 0; page < 10; page++) {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await service.call('GET', `/v1/events?limit=7${query}`)
      seen.push(...body.items.map(({ payload }: { payload: { n: number } }) => payload.n))
      await service.call('POST', '/v1/events', order(100 + page))
      cursor = body.next_cursor
      if (cursor === null) break
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, n) => 29 - n),
    )
    const numbers = async (query: string) =>
      (await service.call('GET', `/v1/events?limit=200&${query}`)).body.items.map(
        ({ payload }: { payload: { n: number } }) => payload.n,
      )
    assert.equal((await numbers('source=mail')).length, 15)
    assert.equal((await numbers('source=mail&topic=returns')).length, 5)
    assert.deepEqual(await numbers('entity_type=order&entity_id=77'), [7])
    assert.equal((await numbers('event_type=order.created&since=2026-03-01T00:25:00Z')).length, 10)
    assert.equal((await numbers('since=last_30m')).length, 5)
    assert.equal((await numbers('since=last_30m&entity_type=customer&entity_id=acme')).length, 5)
    assert.deepEqual(await numbers('event_type=unheard'), [])
  })

  it('refuse half an entity, a window that is none, and a cursor of another list', async () => {
    await using service = await testService()
    for (const [query, pointer] of [
      ['entity_type=order', '/query/entity_id'],
      ['entity_id=7', '/query/entity_id'],
      ['since=yesterday', '/query/since'],
      ['limit=201', '/query/limit'],
      ['limit=0', '/query/limit'],
    ]) {
      const refused = await service.call('GET', `/v1/events?${query}`)
      assert.equal(refused.status, 400, query)
      assert.equal(refused.body.details[0].pointer, pointer)
    }
    const other = Buffer.from(JSON.stringify([1, 's', 'text', 'id'])).toString('base64url')
    for (const path of ['/v1/events', '/v1/signals', '/v1/traces', '/v1/timeline/a/b']) {
      const bad = await service.call('GET', `${path}?cursor=${other}`)
      assert.equal(bad.status, 400, path)
      assert.equal(bad.body.code, 'invalid_cursor')
    }
    assert.equal((await service.call('GET', '/v1/events?limit=200')).status, 200)
  })

  it('belong to their organization alone, and need the scope of what is done', async () => {
    await using service = await testService()
    const event = (await service.call('POST', '/v1/events', order(1))).body
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const theirs = { key: other.body.key.secret }
    assert.equal((await service.call('GET', `/v1/events/${event.id}`, undefined, theirs)).status, 404)
    assert.deepEqual((await service.call('GET', '/v1/events', undefined, theirs)).body.items, [])
    const about = await service.call('GET', '/v1/timeline/customer/acme', undefined, theirs)
    assert.deepEqual(about.body.items, [])
    const signal = { event_id: event.id, signal_name: 'bad' }
    assert.equal((await service.call('POST', '/v1/signals/track', signal, theirs)).status, 404)
    const scoped = async (scope: string) => {
      const { body } = await service.call('POST', '/v1/api-keys', { name: scope, scopes: [scope] })
      return { key: body.secret }
    }
    const trace = { trace_id: 't', spans: [] }
    const doors: [string, string, string, unknown][] = [
      ['events:write', 'POST', '/v1/events', order(1)],
      ['events:write', 'POST', '/v1/events/batch', [order(1)]],
      ['events:read', 'GET', '/v1/events', undefined],
      ['events:read', 'GET', `/v1/events/${event.id}`, undefined],
      ['events:read', 'GET', '/v1/timeline/a/b', undefined],
      ['events:read', 'GET', '/v1/traces', undefined],
      ['events:read', 'GET', '/v1/signals', undefined],
      ['events:read', 'POST', '/v1/search', { query: 'x' }],
      ['traces:write', 'POST', '/v1/traces/track', trace],
      ['traces:write', 'POST', '/v1/traces', {}],
      ['signals:write', 'POST', '/v1/signals/track', signal],
    ]
    const keys = new Map<string, { key: string }>()
    for (const scope of ['events:write', 'events:read', 'traces:write', 'signals:write'])
      keys.set(scope, await scoped(scope))
    for (const [scope, method, path, body] of doors)
      for (const [held, key] of keys) {
        const { status } = await service.call(method, path, body, key)
        assert.equal(status === 403, held !== scope, `${method} ${path} with ${held} answered ${status}`)
      }
  })
})

describe('signals', () => {
  it('are attached to an event and listed with it', async () => {
    await using service = await testService()
    const event = (await service.call('POST', '/v1/events', order(1))).body
    const sent = { event_id: event.id, signal_name: 'thumbs_down', properties: { by: 'maya' } }
    const made = await service.call('POST', '/v1/signals/track', sent)
    assert.equal(made.status, 201)
    assert.match(made.body.id, /^sig_/)
    const read = await service.call('GET', `/v1/events/${event.id}`)
    assert.deepEqual(read.body.signals, [made.body])
    const listed = await service.call('GET', '/v1/events')
    assert.deepEqual(listed.body.items[0].signals, [made.body])
    const all = await service.call('GET', `/v1/signals?event_id=${event.id}`)
    assert.deepEqual(all.body.items, [made.body])
    const unknown = await service.call('POST', '/v1/signals/track', { ...sent, event_id: 'evt_none' })
    assert.equal(unknown.status, 404)
  })
})

describe('a timeline', () => {
  it('shows events and spans about an entity across sources, newest first and in pages', async () => {
    await using service = await testService()
    const at = (n: number) => new Date(Date.UTC(2026, 2, 1) + n * 60_000).toISOString()
    await service.call('POST', '/v1/events/batch', [
      order(1, { timestamp: at(1) }),
      { ...order(1, { timestamp: at(3) }), source: 'mail' },
      order(2, { timestamp: at(4) }),
    ])
    await service.call('POST', '/v1/traces/track', {
      trace_id: 'trace-1',
      spans: [{ span_id: 'a', name: 'look up', started_at: at(2), attributes: { 'entity.order': '71' } }],
    })
    const { body } = await service.call('GET', '/v1/timeline/order/71')
    assert.deepEqual(
      body.items.map((item: { kind: string; source: string }) => [item.kind, item.source]),
      [
        ['event', 'mail'],
        ['span', 'trace'],
        ['event', 'shop'],
      ],
    )
    const first = await service.call('GET', '/v1/timeline/order/71?limit=2')
    const second = await service.call('GET', `/v1/timeline/order/71?limit=2&cursor=${first.body.next_cursor}`)
    assert.deepEqual([...first.body.items, ...second.body.items], body.items)
    assert.equal(second.body.next_cursor, null)
    const span = await service.call('GET', `/v1/events/${body.items[1].id}`)
    assert.equal(span.body.payload.trace_id, 'trace-1')
  })
})
