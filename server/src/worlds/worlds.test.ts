import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { testService } from '../testing.ts'
import { add, type Bent, cut, drop, put, sample, whole } from './testing-blueprints.ts'

describe('launching a world', () => {
  it('answers with a living company whose twins share the same people', async () => {
    await using service = await testService()
    const launched = await service.call('POST', '/v1/builder/worlds', { blueprint: sample() })
    assert.equal(launched.status, 201, launched.text)
    assert.equal(launched.body.status, 'ready', launched.body.launchError)
    assert.deepEqual(launched.body.world.blueprint, sample())
    assert.deepEqual(launched.body.version, {
      number: 1,
      rootWorldId: launched.body.world.id,
      parentWorldId: null,
    })
    assert.deepEqual(launched.body.warnings, [])
    for (const twin of launched.body.twins) {
      const { body } = await service.call('GET', `/v1/twins/${twin.id}/identities`)
      assert.ok(
        body.items.some(({ email }: { email: string }) => email === 'bram.dewit@fernwright.example'),
        twin.service,
      )
    }
    const read = await service.call('GET', `/v1/builder/worlds/${launched.body.world.id}`)
    const { warnings: _, ...rest } = launched.body
    assert.deepEqual(read.body, rest)
  })

  it('takes every optional field there is, reads it back as it was sent, and seeds the same again', async () => {
    await using service = await testService()
    const blueprint = whole()
    const launched = await service.call('POST', '/v1/builder/worlds', {
      blueprint,
      ttlHours: 720,
      idempotencyKey: 'a.b:c-d_1',
      sourceWorldId: null,
    })
    assert.equal(launched.body.status, 'ready', launched.text.slice(0, 500))
    assert.equal(launched.body.evaluation.status, 'ready', launched.body.evaluation.error)
    assert.deepEqual(launched.body.world.blueprint, blueprint)
    const again = await service.call('POST', '/v1/builder/worlds', { blueprint })
    const seeds = ({ body }: { body: Bent }) => body.world.twins.map(({ seedSha256 }: Bent) => seedSha256)
    assert.deepEqual(seeds(again), seeds(launched))
    const tasks = await service.call('GET', `/v1/task-suites/${launched.body.evaluation.taskSuiteId}/tasks`)
    assert.equal(tasks.body.items[0].scorers.at(-1).name, 'Checks: Escalate the Calder Valley case')
  })

  it('compiles the same blueprint to the same seeds, and keeps both versions', async () => {
    await using service = await testService()
    const first = await service.call('POST', '/v1/builder/worlds', { blueprint: sample() })
    const sourceWorldId = first.body.world.id
    const more = await Promise.all(
      Array.from({ length: 5 }, () =>
        service.call('POST', '/v1/builder/worlds', { blueprint: sample(), sourceWorldId }),
      ),
    )
    assert.deepEqual(more.map(({ body }) => body.version.number).sort(), [2, 3, 4, 5, 6])
    for (const { body } of more) {
      assert.equal(body.version.rootWorldId, sourceWorldId)
      assert.equal(body.version.parentWorldId, sourceWorldId)
      const seeds = (twins: { seedSha256: string }[]) => twins.map(({ seedSha256 }) => seedSha256)
      assert.deepEqual(seeds(body.world.twins), seeds(first.body.world.twins))
    }
    const versions = await service.call('GET', `/v1/builder/worlds/${sourceWorldId}/versions`)
    assert.equal(versions.body.items.length, 6)
    const environments = await service.call('GET', '/v1/environments')
    assert.equal(environments.body.items.length, 1)
  })

  it('makes one world of twenty requests with the same key, and refuses other inputs with it', async () => {
    await using service = await testService()
    const body = { blueprint: sample(), idempotencyKey: 'launch:1' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/v1/builder/worlds', body)),
    )
    assert.equal(new Set(replies.map((reply) => reply.body.world.id)).size, 1)
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(19).fill(200), 201])
    const other = await service.call('POST', '/v1/builder/worlds', { ...body, ttlHours: 5 })
    assert.deepEqual([other.status, other.body.code], [409, 'idempotency_conflict'])
    const bad = await service.call('POST', '/v1/builder/worlds', { ...body, idempotencyKey: 'a b' })
    assert.deepEqual([bad.status, bad.body.details[0].pointer], [400, '/idempotencyKey'])
  })

  it('takes either casing and the other spellings of the sections', async () => {
    await using service = await testService()
    const blueprint = sample()
    blueprint.twins = { slack: blueprint.twins.chat }
    blueprint.scenario.threads = []
    blueprint.scenario.tasks = []
    blueprint.organization.email_domain = blueprint.organization.emailDomain
    delete blueprint.organization.emailDomain
    const launched = await service.call('POST', '/v1/builder/worlds', { blueprint, ttl_hours: 2 })
    assert.equal(launched.status, 201, launched.text)
    assert.deepEqual(
      launched.body.twins.map(({ service: kind }: { service: string }) => kind),
      ['chat'],
    )
    const hours =
      (Date.parse(launched.body.twins[0].expiresAt) - Date.parse(launched.body.twins[0].createdAt)) /
      3_600_000
    assert.equal(hours, 2)
  })

  it('is refused without a key, with another organization as source, and beyond capacity', async () => {
    await using service = await testService()
    const body = { blueprint: sample() }
    assert.equal((await service.call('POST', '/v1/builder/worlds', body, { key: null })).status, 401)
    const own = await service.call('POST', '/v1/builder/worlds', body)
    const other = await service.call('POST', '/v1/organizations', {
      name: 'Small',
      limits: { live_twins: 0 },
    })
    const theirs = { key: other.body.key.secret }
    const foreign = await service.call(
      'POST',
      '/v1/builder/worlds',
      { ...body, sourceWorldId: own.body.world.id },
      theirs,
    )
    assert.equal(foreign.status, 404)
    assert.deepEqual(
      (await service.call('POST', '/v1/builder/worlds', body, theirs)).body.code,
      'capacity_exceeded',
    )
    assert.equal(
      (await service.call('GET', `/v1/builder/worlds/${own.body.world.id}`, undefined, theirs)).status,
      404,
    )
  })
})

describe('a world', () => {
  it('shows activity and differences over all its twins, resets and stops them at once', async () => {
    await using service = await testService()
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sample() })
    const path = `/v1/builder/worlds/${body.world.id}`
    const chat = body.twins.find(({ service: kind }: { service: string }) => kind === 'chat')
    const posted = await fetch(`${chat.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${chat.token}`, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ channel: '#general', text: 'Hello' }),
    })
    assert.equal(((await posted.json()) as { ok: boolean }).ok, true)
    const activity = await service.call(
      'GET',
      `${path}/activity?service=chat&mutations_only=true&since=last_1h`,
    )
    assert.deepEqual(
      activity.body.items.map(({ operation }: { operation: string }) => operation),
      ['chat.postMessage'],
    )
    const diff = await service.call('GET', `${path}/diff`)
    assert.ok(
      diff.body.items.some((item: Bent) => item.collection === 'message' && item.after.text === 'Hello'),
    )
    assert.equal((await service.call('POST', `${path}/reset`)).body.status, 'forging')
    await eventually(async () => (await service.call('GET', path)).body.status === 'ready')
    assert.deepEqual((await service.call('GET', `${path}/diff`)).body.items, [])
    assert.equal((await service.call('POST', `${path}/stop`)).body.status, 'retired')
  })
})

describe('a blueprint that does not fit', () => {
  const shape: [string, (blueprint: Bent) => void, string][] = [
    ['a missing field', drop('/clock'), '/blueprint/clock'],
    ['a wrong type', put('/identities/0/handle', 3), '/blueprint/identities/0/handle'],
    ['an unknown department', put('/identities/1/department', 'space'), '/blueprint/identities/1/department'],
    [
      'an unknown stage',
      put('/twins/crm/opportunities/0/stage', 'won'),
      '/blueprint/twins/crm/opportunities/0/stage',
    ],
    [
      'a priority that is no byte',
      put('/twins/tracker/issues/0/priority', 256),
      '/blueprint/twins/tracker/issues/0/priority',
    ],
  ]
  const meaning: [string, (blueprint: Bent) => void, string][] = [
    ['two people', cut('/identities', 2), '/blueprint/identities'],
    ['a repeated handle', put('/identities/1/handle', 'imogen.hale'), '/blueprint/identities/1/handle'],
    ['an upper-case handle', put('/identities/1/handle', 'Tomas'), '/blueprint/identities/1/handle'],
    ['two API owners', put('/identities/1/isApiOwner', true), '/blueprint/identities/1/isApiOwner'],
    ['an unknown time zone', put('/identities/1/timezone', 'Mars/Base'), '/blueprint/identities/1/timezone'],
    ['a short slug', put('/organization/slug', 'ab'), '/blueprint/organization/slug'],
    ['no general channel', put('/twins/chat/channels/0/name', 'lobby'), '/blueprint/twins/chat/channels'],
    [
      'a member nobody knows',
      add('/twins/chat/channels/1/members', 'ghost'),
      '/blueprint/twins/chat/channels/1/members/4',
    ],
    ['nine messages', cut('/twins/chat/messages', 9), '/blueprint/twins/chat/messages'],
    [
      'a reply to nothing',
      put('/twins/chat/messages/3/replyTo', 'nothing'),
      '/blueprint/twins/chat/messages/3/replyTo',
    ],
    [
      'a reply above its parent',
      put('/twins/chat/messages/1/replyTo', 'calder-report'),
      '/blueprint/twins/chat/messages/1/replyTo',
    ],
    [
      'an outsider in a private channel',
      put('/twins/chat/messages/10/author', 'gus'),
      '/blueprint/twins/chat/messages/10/author',
    ],
    [
      'an archived general channel',
      put('/twins/chat/channels/0/isArchived', true),
      '/blueprint/twins/chat/channels/0/isArchived',
    ],
    [
      'a team key of six letters',
      put('/twins/tracker/teams/0/key', 'ABCDEF'),
      '/blueprint/twins/tracker/teams/0/key',
    ],
    [
      'an issue of no team',
      put('/twins/tracker/issues/0/team', 'ZZ'),
      '/blueprint/twins/tracker/issues/0/team',
    ],
    [
      'a label of no team',
      add('/twins/tracker/issues/0/labels', 'Purple'),
      '/blueprint/twins/tracker/issues/0/labels/1',
    ],
    ['two accounts', cut('/twins/crm/accounts', 2), '/blueprint/twins/crm/accounts'],
    [
      'a contact of no account',
      put('/twins/crm/contacts/0/account', 'x'),
      '/blueprint/twins/crm/contacts/0/account',
    ],
    [
      'a probability of 101',
      put('/twins/crm/opportunities/2/probability', 101),
      '/blueprint/twins/crm/opportunities/2/probability',
    ],
    [
      'a date that is none',
      put('/twins/crm/opportunities/0/closeDate', '2026-02-30'),
      '/blueprint/twins/crm/opportunities/0/closeDate',
    ],
    [
      'a long search term',
      put('/twins/erp/businessPartners/0/searchTerm', 'A'.repeat(21)),
      '/blueprint/twins/erp/businessPartners/0/searchTerm',
    ],
    [
      'an order for nobody',
      put('/twins/erp/salesOrders/0/soldTo', 'x'),
      '/blueprint/twins/erp/salesOrders/0/soldTo',
    ],
    [
      'an order outside the sales areas',
      put('/twins/erp/salesOrders/0/salesOrganization', '9999'),
      '/blueprint/twins/erp/salesOrders/0/salesOrganization',
    ],
    [
      'a touchpoint of nothing',
      put('/scenario/threads/0/touchpoints/0/key', 'x'),
      '/blueprint/scenario/threads/0/touchpoints/0/key',
    ],
    ['one task', cut('/scenario/tasks', 1), '/blueprint/scenario/tasks'],
    [
      'a code scorer without code',
      drop('/scenario/tasks/0/scorers/0/scorer/code'),
      '/blueprint/scenario/tasks/0/scorers/0/scorer/code',
    ],
  ]
  it('has every fault named by its exact pointer: 422 for the shape, 400 for the meaning', async () => {
    await using service = await testService()
    for (const [cases, status] of [
      [shape, 422],
      [meaning, 400],
    ] as const)
      for (const [name, bend, pointer] of cases) {
        const blueprint = sample()
        bend(blueprint)
        const reply = await service.call('POST', '/v1/builder/worlds', { blueprint })
        assert.equal(reply.status, status, `${name}: ${reply.text}`)
        assert.ok(
          reply.body.details.some((detail: Bent) => detail.pointer === pointer),
          `${name}: ${reply.text}`,
        )
      }
    const range = await service.call('POST', '/v1/builder/worlds', { blueprint: sample(), ttlHours: 721 })
    assert.deepEqual([range.status, range.body.details[0].pointer], [400, '/ttlHours'])
  })

  it('gets minor faults as warnings, also a misspelt field', async () => {
    await using service = await testService()
    const blueprint = sample()
    blueprint.identities[0].timezon = 'x'
    blueprint.twins.chat.messages[1].at = '2027-01-01T00:00:00Z'
    const reply = await service.call('POST', '/v1/builder/worlds/validate', { blueprint })
    assert.equal(reply.body.valid, true)
    const said = reply.body.warnings.join('\n')
    assert.match(
      said,
      /\/identities\/0\/timezon is not a known field and is ignored; did you mean timezone\?/,
    )
    assert.match(said, /\/twins\/chat\/messages\/1\/at lies after the clock/)
    assert.match(said, /\/twins\/chat\/messages\/2\/at lies before the message above it/)
  })
})
