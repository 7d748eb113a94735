import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { allRoutes } from '@diorama/contract'
import { type TestService, testService } from '../server/src/testing.ts'
import { type Client, createClient, DioramaError, namespaces } from './index.ts'

const sample = JSON.parse(
  readFileSync(new URL('../server/src/worlds/sample-company.json', import.meta.url), 'utf8'),
)

describe('the table of namespaces', () => {
  it('names every route of the service exactly once, and nothing else', () => {
    const named = Object.values(namespaces).flatMap((methods) => Object.values(methods))
    assert.deepEqual(named.toSorted(), Object.keys(allRoutes).toSorted())
  })
})

describe('a client of the running service', () => {
  let service: TestService
  let client: Client
  before(async () => {
    service = await testService()
    client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
  })

  it('launches a company, waits for it, acts in a twin and reads what changed', async () => {
    const world = await client.worlds.launchAndWait({ blueprint: sample, ttlHours: 2 })
    assert.equal(world.status, 'ready')
    assert.deepEqual(world.warnings, [])
    assert.equal(world.evaluation?.tasks.length, 4)
    const chat = world.twins.find((twin) => twin.service === 'chat')
    const twin = await client.twins.waitUntilRunning(chat?.id ?? '')
    const reply = await fetch(`${twin.baseUrl}/api/conversations.create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${twin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'launch-day' }),
    })
    assert.equal(reply.status, 200)
    const { items } = await client.worlds.listActivity(world.world.id, { mutationsOnly: true, limit: 5 })
    assert.equal(items[0]?.operation, 'conversations.create')
    assert.equal(items[0]?.twinId, twin.id)
    const detail = await client.twins.getActivity(twin.id, items[0]?.requestId ?? '')
    assert.equal(detail.mutations[0]?.operation, 'create')
    const diff = await client.worlds.diff(world.world.id)
    assert.ok(diff.summary.created >= 1)
    const reset = await client.worlds.reset(world.world.id)
    assert.equal(reset.world.id, world.world.id)
    await client.worlds.waitUntilReady(world.world.id)
    assert.deepEqual((await client.worlds.diff(world.world.id)).items, [])
    assert.equal((await client.worlds.stop(world.world.id)).status, 'retired')
    await assert.rejects(client.twins.waitUntilRunning(twin.id), /is stopped/)
  })

  it('gives camelCase names to the service’s own fields and leaves free-form objects alone', async () => {
    const made = await client.events.create({
      source: 'billing',
      topic: 'invoices',
      eventType: 'invoice_paid',
      entities: { sales_order: '7001' },
      payload: { amount_due: 12, nested_field: { deep_one: true } },
    })
    assert.equal(made.eventType, 'invoice_paid')
    assert.deepEqual(made.entities, { sales_order: '7001' })
    assert.deepEqual(made.payload, { amount_due: 12, nested_field: { deep_one: true } })
    const timeline = await client.events.timeline('sales_order', '7001')
    assert.equal(timeline.items[0]?.id, made.id)
    const signal = await client.signals.track({
      eventId: made.id,
      signalName: 'thumbs',
      properties: { was_up: true },
    })
    assert.deepEqual(signal.properties, { was_up: true })
  })

  it('walks over all pages of a list', async () => {
    await client.events.createMany(
      Array.from({ length: 25 }, (_, n) => ({ source: 'pages', topic: 't', eventType: `e${n}` })),
    )
    const seen: string[] = []
    for await (const event of client.events.list({ source: 'pages', limit: 10 })) seen.push(event.eventType)
    assert.equal(new Set(seen).size, 25)
    const page = await client.events.list({ source: 'pages', limit: 10 })
    assert.equal(page.items.length, 10)
    assert.ok(page.nextCursor)
  })

  it('registers an agent, uploads its bundle as bytes and gets the same bytes back', async () => {
    const { gzipSync } = await import('node:zlib')
    const registered = await client.agents.register({
      name: 'bundled',
      version: '1',
      run: { command: 'node agent.mjs', timeoutSeconds: 30 },
    })
    assert.equal(registered.run?.timeoutSeconds, 30)
    const header = Buffer.alloc(1536)
    header.write('agent.mjs')
    header.write('0000644\0', 100)
    header.write('00000000000\0', 124)
    header.write('00000000000\0', 136)
    header.write('        0', 148)
    header.write('ustar\x0000', 257)
    const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const bundle = gzipSync(header)
    const uploaded = await client.agents.uploadBundle('bundled', '1', bundle)
    assert.equal(uploaded.bundle?.size, bundle.length)
    assert.deepEqual(Buffer.from(await client.agents.getBundle('bundled', '1')), bundle)
  })

  it('gives one error with the status, the code, the request id and each fault', async () => {
    const refused = await client.worlds
      .launch({ blueprint: { ...sample, identities: [{ handle: 1 }] } })
      .catch((error: unknown) => error)
    assert.ok(refused instanceof DioramaError)
    assert.equal(refused.status, 422)
    assert.equal(refused.code, 'invalid_shape')
    assert.match(refused.requestId ?? '', /\w/)
    assert.ok(refused.details.some(({ pointer }) => pointer === '/blueprint/identities/0/handle'))
    const stranger = createClient({ baseUrl: service.baseUrl, apiKey: `dk_${'x'.repeat(40)}` })
    await assert.rejects(stranger.me.get(), { status: 401, code: 'unauthorized' })
    assert.throws(() => client.worlds.get(''), /worlds\.get needs worldId/)
  })

  it('answers 204 with nothing, and text and operations without a key as they are', async () => {
    const key = await client.apiKeys.create({ name: 'short', scopes: ['events:read'] })
    assert.match(key.secret, /^dk_/)
    assert.equal(await client.apiKeys.revoke(key.id), undefined)
    const anybody = createClient({ baseUrl: service.baseUrl })
    assert.match(await anybody.health.metrics(), /# TYPE/)
    assert.equal((await anybody.health.ready()).status, 'ready')
  })

  it('streams events from the current position until the caller stops', async () => {
    const first = await client.events.create({ source: 'live', topic: 't', eventType: 'zero' })
    const seen: string[] = []
    const stream = client.events.stream({ source: 'live', after: first.id })
    await client.events.createMany(
      ['one', 'two', 'three'].map((eventType) => ({ source: 'live', topic: 't', eventType })),
    )
    for await (const event of stream) {
      seen.push(event.eventType)
      if (seen.length === 3) break
    }
    assert.deepEqual(seen.toSorted(), ['one', 'three', 'two'])
  })

  it('streams the requests to a twin and to a world, filtered by the service', async () => {
    const twin = await client.twins.create({ service: 'chat' })
    const ask = (method: string) =>
      fetch(`${twin.baseUrl}/api/${method}`).then((reply) => reply.arrayBuffer())
    await ask('users.list')
    await ask('auth.test')
    for await (const request of client.twins.streamActivity(twin.id, {
      operation: 'auth.test',
      since: 'last_1h',
    })) {
      assert.equal(request.operation, 'auth.test')
      assert.equal(request.twinId, twin.id)
      break
    }
    const nowhere = client.worlds.streamActivity('wld_none', { status: 'failed' })
    await assert.rejects(
      async () => {
        for await (const _ of nowhere) break
      },
      { code: 'not_found' },
    )
  })

  it('surfaces the replay limit with the place to go on from', async () => {
    const first = await client.events.create({ source: 'flood', topic: 't', eventType: 'e' })
    const flood = Array.from({ length: 1_000 }, () => ({ source: 'flood', topic: 't', eventType: 'e' }))
    await client.events.createMany(flood)
    await client.events.createMany(flood.slice(0, 10))
    const read = async () => {
      for await (const event of client.events.stream({ source: 'flood', after: first.id })) return event
    }
    const error = await read().catch((thrown: unknown) => thrown)
    assert.ok(error instanceof DioramaError)
    assert.equal(error.code, 'replay_limit_exceeded')
    assert.ok(error.resumeFrom)
  })
})
