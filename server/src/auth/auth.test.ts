import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testClock, testService } from '../testing.ts'

describe('API keys', () => {
  it('are shown once, work at once, and stop working when they are revoked', async () => {
    await using service = await testService()
    const made = await service.call('POST', '/v1/api-keys', { name: 'reader', scopes: ['events:read'] })
    assert.equal(made.status, 201)
    assert.match(made.body.secret, /^dk_[\w-]{32,}$/)
    const me = await service.call('GET', '/v1/me', undefined, { key: made.body.secret })
    assert.equal(me.status, 200)
    assert.deepEqual(me.body.key.scopes, ['events:read'])
    const listed = await service.call('GET', '/v1/api-keys')
    assert.equal(listed.body.items.length, 2)
    assert.ok(!listed.text.includes(made.body.secret))
    assert.equal((await service.call('DELETE', `/v1/api-keys/${made.body.id}`)).status, 204)
    assert.equal((await service.call('GET', '/v1/me', undefined, { key: made.body.secret })).status, 401)
  })

  it('are refused beyond their scope, and cannot make a key that may do more', async () => {
    await using service = await testService()
    const { body } = await service.call('POST', '/v1/api-keys', { name: 'keys', scopes: ['keys:write'] })
    const narrow = { key: body.secret }
    assert.equal((await service.call('GET', '/v1/organizations', undefined, narrow)).status, 403)
    const wider = await service.call(
      'POST',
      '/v1/api-keys',
      { name: 'more', scopes: ['worlds:write'] },
      narrow,
    )
    assert.equal(wider.status, 403)
    const platform = await service.call('POST', '/v1/api-keys', { name: 'more', class: 'platform' }, narrow)
    assert.equal(platform.status, 403)
  })

  it('expire', async () => {
    const clock = testClock()
    await using service = await testService({}, undefined, clock)
    const past = await service.call('POST', '/v1/api-keys', {
      name: 'old',
      expires_at: '2020-01-01T00:00:00Z',
    })
    assert.equal(past.status, 400)
    assert.equal(past.body.details[0].pointer, '/expires_at')
    const soon = new Date(clock.now() + 60_000).toISOString()
    const made = await service.call('POST', '/v1/api-keys', { name: 'brief', expiresAt: soon })
    assert.equal((await service.call('GET', '/v1/me', undefined, { key: made.body.secret })).status, 200)
    clock.advance(60_000)
    assert.equal((await service.call('GET', '/v1/me', undefined, { key: made.body.secret })).status, 401)
  })

  it('are stored as hashes alone', async () => {
    await using service = await testService()
    const made = await service.call(
      'POST',
      '/v1/api-keys',
      { name: 'x' },
      { headers: { 'idempotency-key': 'k' } },
    )
    for (const table of ['api_keys', 'idempotency_keys'] as const) {
      const rows = await service.storage.db.selectFrom(table).selectAll().execute()
      assert.ok(!JSON.stringify(rows).includes(made.body.secret), table)
    }
  })
})

describe('organizations', () => {
  it('never see each other, and a foreign id answers exactly as an unknown one', async () => {
    await using service = await testService()
    const made = await service.call('POST', '/v1/organizations', { name: 'Other', limits: { live_twins: 3 } })
    assert.equal(made.status, 201)
    assert.equal(made.body.organization.limits.live_twins, 3)
    const theirs = { key: made.body.key.secret }
    const own = await service.call('GET', '/v1/api-keys')
    const foreign = await service.call('GET', `/v1/api-keys/${own.body.items[0].id}`, undefined, theirs)
    const unknown = await service.call(
      'GET',
      '/v1/api-keys/key_00000000000000000000000000',
      undefined,
      theirs,
    )
    assert.equal(foreign.status, 404)
    assert.deepEqual({ ...foreign.body, request_id: '' }, { ...unknown.body, request_id: '' })
    assert.equal((await service.call('GET', '/v1/organizations', undefined, theirs)).status, 403)
  })

  it('keep the limits that a change leaves out', async () => {
    await using service = await testService()
    const { body } = await service.call('POST', '/v1/organizations', { name: 'A' })
    const path = `/v1/organizations/${body.organization.id}`
    const changed = await service.call('PATCH', path, { limits: { sandbox: false } })
    assert.equal(changed.body.limits.sandbox, false)
    assert.equal(changed.body.limits.live_twins, body.organization.limits.live_twins)
  })
})

describe('Idempotency-Key', () => {
  it('makes one record of twenty requests at once, and refuses other inputs', async () => {
    await using service = await testService()
    const headers = { 'idempotency-key': 'once' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/v1/api-keys', { name: 'one' }, { headers })),
    )
    assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(19).fill(200), 201])
    const other = await service.call('POST', '/v1/api-keys', { name: 'two' }, { headers })
    assert.equal(other.status, 409)
    assert.equal(other.body.code, 'idempotency_conflict')
    const bad = await service.call(
      'POST',
      '/v1/api-keys',
      { name: 'two' },
      { headers: { 'idempotency-key': 'a b' } },
    )
    assert.equal(bad.body.code, 'invalid_idempotency_key')
  })
})

describe('the settings of an organization', () => {
  it('keep the hosts that its agents may reach, and show the disk to operators alone', async () => {
    await using service = await testService()
    const { body: me } = await service.call('GET', '/v1/me')
    const path = `/v1/organizations/${me.organization.id}`
    assert.deepEqual(me.organization.limits.agent_hosts, [])
    assert.ok(me.usage.database_bytes > 0)
    const bad = await service.call('PATCH', path, { limits: { agent_hosts: ['127.0.0.1'] } })
    assert.equal(bad.status, 400)
    assert.match(JSON.stringify(bad.body.details), /agent_hosts\/0/)
    await service.call('PATCH', path, { limits: { agent_hosts: ['api.example.com'] } })
    const { body: made } = await service.call('POST', '/v1/api-keys', { name: 'x', class: 'platform' })
    const { body } = await service.call('GET', '/v1/me', undefined, { key: made.secret })
    assert.deepEqual(body.organization.limits.agent_hosts, ['api.example.com'])
    assert.equal(body.usage.database_bytes, null)
  })
})
