import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinService, testService } from '../../testing.ts'
import { type Bent, sample } from '../testing-blueprints.ts'
import { after, launch, moving, post, start } from './testing-moving.ts'

const bram = sample().identities[0].handle
const ticks = { key: 'ticks', every: '20m', until: '1h', as: bram, do: [post('tick')] }
const lively = [
  {
    key: 'answers',
    when: { request: { service: 'chat', operation: 'chat.postMessage', actor: 'agent' } },
    delay: '5m',
    as: bram,
    do: [post('hello to you')],
  },
  ticks,
  { key: 'asks', when: { quiet: { for: '30m' } }, as: bram, do: [post('is anybody there?')] },
]

describe('the clock of a world', () => {
  it('costs story time by the request and is moved by hand; what is due happens in order', async () => {
    await using service = await testService()
    const [person] = sample().identities
    const world = await launch(
      service,
      moving({
        events: [
          { key: 'b', at: '2h', as: person.handle, do: [post('second')] },
          { key: 'a', at: '1h', as: person.handle, do: [post('first')] },
          { key: 'c', after: ['b'], delay: '30m', as: person.handle, do: [post('third'), post('fourth')] },
        ],
      }),
    )
    assert.equal((await world.clock()).now, after(0))
    assert.equal((await world.chat('auth.test')).ok, true)
    const asked = await world.clock()
    assert.deepEqual([asked.now, asked.mode, asked.pending], [after(1 / 3), 'story', 2])
    const moved = await world.clock({ advance: '3h' })
    assert.equal(moved.now, new Date(start + 3 * 3_600_000 + 20_000).toISOString())
    assert.equal(moved.fired, 4)
    const caused = await world.activity('&cause=world')
    assert.deepEqual(
      caused.map(({ cause, world_time }: Bent) => [cause, world_time]),
      [
        ['event:a', after(60)],
        ['event:b', after(120)],
        ['event:c', after(150)],
        ['event:c', after(150)],
      ],
    )
    assert.equal(caused[0].actor.subject, person.handle)
    assert.deepEqual(
      (await world.activity('&cause=agent')).map(({ operation }: Bent) => operation),
      ['auth.test'],
    )
    assert.equal((await service.call('POST', `${world.path}/clock`, { to: after(0) })).status, 400)
  })

  it('makes things happen when something was done, again and again, and after a while of quiet', async () => {
    await using service = await testService()
    const world = await launch(service, moving({ events: lively }))
    assert.deepEqual((await world.chat('chat.postMessage', { channel: '#general', text: 'hello' })).ok, true)
    await world.clock({ advance: '1h' })
    assert.deepEqual(await world.happened(), [
      ['event:answers', after(5)],
      ['event:ticks', after(20)],
      ['event:asks', after(30)],
      ['event:ticks', after(40)],
      ['event:ticks', after(60)],
    ])
    const { items } = (await service.call('GET', `${world.path}/events`)).body
    assert.deepEqual(
      items.map(({ key, status, fired }: Bent) => [key, status, fired]),
      [
        ['answers', 'done', 1],
        ['ticks', 'done', 3],
        ['asks', 'done', 1],
      ],
    )
  })

  it('goes on in another node where it was, and does nothing twice', async () => {
    await using stays = await testService()
    const path = await (async () => {
      await using leaves = await joinService(stays)
      const world = await launch(leaves, moving({ events: lively }))
      assert.equal((await world.chat('chat.postMessage', { channel: '#general', text: 'hello' })).ok, true)
      await world.clock({ advance: '25m' })
      return world.path
    })()
    const moved = await stays.call('POST', `${path}/clock`, { advance: '35m' })
    assert.deepEqual(
      [moved.status, moved.body.now, moved.body.fired],
      [200, after(60 + 1 / 3), 5],
      moved.text,
    )
    const { items } = (await stays.call('GET', `${path}/activity?limit=200&cause=world`)).body
    assert.deepEqual(
      items.toReversed().map(({ cause, world_time }: Bent) => [cause, world_time]),
      [
        ['event:answers', after(5)],
        ['event:ticks', after(20)],
        ['event:asks', after(30)],
        ['event:ticks', after(40)],
        ['event:ticks', after(60)],
      ],
    )
  })

  it('begins again with a reset, and forgets what was added', async () => {
    await using service = await testService()
    const world = await launch(service, moving({ events: [{ ...ticks, until: '20m' }] }))
    const event = { key: 'added', after: ['ticks'], delay: '1m', as: bram, do: [post('and this')] }
    const added = await service.call('POST', `${world.path}/events`, { event })
    assert.deepEqual([added.status, added.body.status], [201, 'waiting'], added.text)
    assert.equal((await service.call('POST', `${world.path}/events`, { event })).status, 400)
    assert.equal((await world.clock({ advance: '1h' })).fired, 2)
    assert.equal((await service.call('POST', `${world.path}/reset`)).status, 200)
    const fresh = await world.clock()
    assert.deepEqual([fresh.now, fresh.fired, fresh.pending], [after(0), 0, 1])
    assert.equal((await world.clock({ advance: '1h' })).fired, 1)
  })

  it('refuses events that make no sense, each at its place', async () => {
    await using service = await testService()
    const elsewhere = { service: 'tracker', operation: 'issueFold', input: {} }
    const blueprint = moving({
      events: [
        { key: 'other', at: '1h', as: bram, do: [elsewhere] },
        { key: 'nobody', at: '1h', as: 'nobody', do: [post('x')] },
        { key: 'unknown', at: '1h', as: bram, do: [post('x', { operation: 'chat.shout' })] },
        { key: 'round', after: ['trip'], as: bram, do: [post('x')] },
        { key: 'trip', after: ['round'], as: bram, do: [post('x')] },
      ],
    })
    const { status, body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    assert.equal(status, 400)
    assert.deepEqual(
      body.details.map(({ pointer }: Bent) => pointer),
      [
        '/blueprint/scenario/events/0/do/0/operation',
        '/blueprint/scenario/events/1/as',
        '/blueprint/scenario/events/2/do/0/operation',
        '/blueprint/scenario/events/3/after',
      ],
    )
    assert.match(body.details[0].message, /is not an operation of tracker/)
  })

  it('warns of conditions that can never hold, and refuses a service that the company does not have', async () => {
    await using service = await testService()
    const never = [
      { request: { service: 'chat', operation: 'chat.shout' } },
      { record: { service: 'crm', key: 'no-such-case', field: 'Status' } },
      { record: { service: 'tracker', collection: 'tickets', field: 'title' } },
    ].map((when, n) => ({ key: `never-${n}`, when, as: bram, do: [post('x')] }))
    const over = { key: 'over', every: '1h', until: '30m', as: bram, do: [post('x')] }
    const warned = await launch(service, moving({ events: [...never, over] }))
    assert.deepEqual(
      warned.body.warnings.map((text: string) => text.split(' ')[0]),
      [
        '/scenario/events/0/when/request/operation',
        '/scenario/events/1/when/record/key',
        '/scenario/events/2/when/record/collection',
        '/scenario/events/3/until',
      ],
    )
    await warned.clock({ advance: '3h' })
    assert.deepEqual(await warned.happened(), [])
    assert.equal((await warned.chat('auth.test')).ok, true)
    const absent = { service: 'erp', operation: 'PATCH A_SalesOrder', input: {} }
    const blueprint = moving({
      events: [{ key: 'absent', at: '1h', as: bram, do: [absent] }],
      threads: [],
      tasks: [],
    })
    blueprint.twins.erp = null
    const { status, body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    assert.equal(status, 400)
    assert.deepEqual(
      body.details.map(({ pointer }: Bent) => pointer),
      ['/blueprint/scenario/events/0/do/0/service'],
    )
    const strange = moving({
      events: [{ key: 'strange', at: '1h', as: bram, do: [{ ...absent, service: 'fax' }] }],
    })
    const shape = await service.call('POST', '/v1/builder/worlds', { blueprint: strange })
    assert.equal(shape.status, 422)
    assert.equal(shape.body.details[0].pointer, '/blueprint/scenario/events/0/do/0/service')
  })

  it('stops a chain of events that trigger each other, and the services still answer', async () => {
    await using service = await testService()
    const when = { request: { service: 'chat', operation: 'chat.postMessage' } }
    const world = await launch(
      service,
      moving({ events: [{ key: 'echo', when, times: 1_000, as: bram, do: [post('echo')] }] }),
    )
    await world.chat('chat.postMessage', { channel: '#general', text: 'hello' })
    const clock = await world.clock()
    assert.match(clock.error, /trigger each other/)
    assert.equal(clock.fired, 100)
    assert.equal((await world.chat('auth.test')).ok, true)
  })
})
