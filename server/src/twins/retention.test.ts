import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'

const count = async ({ storage }: TestService, table: string): Promise<number> =>
  (await storage.pool.query(`select count(*)::integer as count from ${table}`)).rows[0].count

const recorded = ['twins', 'twin_steps', 'twin_payloads']

/** A chat twin with some requests, of the operator's organization or of the key's. */
const busyTwin = async (service: TestService, key?: string) => {
  const { body } = await service.call('POST', '/v1/twins', { service: 'chat' }, key ? { key } : {})
  await talk(service, body)
  return body as { id: string; token: string }
}

const talk = async (service: TestService, twin: { id: string; token: string }) => {
  for (const method of ['auth.test', 'conversations.create?name=notes', 'conversations.list']) {
    const reply = await fetch(`${service.baseUrl}/t/${twin.id}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${twin.token}` },
    })
    assert.equal(((await reply.json()) as { ok: boolean }).ok, true)
  }
}

describe('deleting', () => {
  it('removes a twin that has ended with everything recorded of it, and no other', async () => {
    await using service = await testService()
    const [gone, kept] = [await busyTwin(service), await busyTwin(service)]
    const path = `/v1/twins/${gone.id}`
    assert.equal((await service.call('DELETE', `${path}/records`)).status, 409)
    await service.call('DELETE', path)
    assert.equal((await service.call('DELETE', `${path}/records`)).status, 204)
    assert.equal((await service.call('GET', path)).status, 404)
    assert.equal((await service.call('GET', `${path}/activity`)).status, 404)
    for (const table of recorded)
      assert.equal(
        await count(service, `${table} where ${table === 'twins' ? 'id' : 'twin_id'} = '${gone.id}'`),
        0,
      )
    const { body } = await service.call('GET', `/v1/twins/${kept.id}/activity`)
    assert.equal(body.items.length, 3)
  })

  it('removes a world that has ended, and refuses while it is live or something refers to it', async () => {
    await using service = await testService()
    const blueprint = (await service.call('GET', '/v1/builder/blueprint.sample.json')).body
    const launch = async (sent: object) =>
      (await service.call('POST', '/v1/builder/worlds', { blueprint: sent })).body
    const used = await launch(blueprint)
    const plain = await launch({ ...blueprint, scenario: { ...blueprint.scenario, tasks: [] } })
    const [usedPath, plainPath] = [used, plain].map(({ world }) => `/v1/builder/worlds/${world.id}`)
    assert.equal((await service.call('DELETE', plainPath ?? '')).status, 409)
    for (const path of [usedPath, plainPath]) await service.call('POST', `${path}/stop`)
    const refused = await service.call('DELETE', usedPath ?? '')
    assert.equal(refused.status, 409)
    assert.match(refused.body.error, /the task \w+ refers to it/)
    assert.equal((await service.call('DELETE', plainPath ?? '')).status, 204)
    assert.equal((await service.call('GET', plainPath ?? '')).status, 404)
    assert.equal((await service.call('GET', usedPath ?? '')).status, 200)
    assert.equal(await count(service, `environment_versions where world_id = '${plain.world.id}'`), 0)
    const { body } = await service.call('GET', '/v1/twins?limit=200')
    assert.ok(!JSON.stringify(body).includes(plain.world.id))
  })
})

describe('retention', () => {
  it('removes what has ended longer ago than the organization keeps, and nothing of the others', async () => {
    await using service = await testService()
    const { body: other } = await service.call('POST', '/v1/organizations', {
      name: 'Short memory',
      limits: { ledger_retention_days: 7 },
    })
    const key = other.key.secret
    const [old, fresh, live] = [
      await busyTwin(service, key),
      await busyTwin(service, key),
      await busyTwin(service, key),
    ]
    const unlimited = await busyTwin(service)
    for (const { id } of [old, fresh]) await service.call('DELETE', `/v1/twins/${id}`, undefined, { key })
    await service.call('DELETE', `/v1/twins/${unlimited.id}`)
    await service.storage.pool.query(
      `update twins set updated_at = now() - interval '8 days' where id = any ($1)`,
      [[old.id, live.id, unlimited.id]],
    )
    assert.equal(await service.app.runtime.retention.sweep(), 1)
    const left = (await service.storage.pool.query('select id from twins order by id')).rows
    assert.deepEqual(left.map(({ id }) => id).sort(), [fresh.id, live.id, unlimited.id].sort())
    assert.equal(await count(service, `twin_steps where twin_id = '${old.id}'`), 0)
    assert.equal(await count(service, `twin_steps where twin_id = '${unlimited.id}'`), 3)
  })
})
