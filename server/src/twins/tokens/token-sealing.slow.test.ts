import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { testCompany } from '../../../../twin-kit/testing/host.ts'
import { notes } from '../../../../twins/notes/twin.ts'
import { joinService, type TestService, testService } from '../../testing.ts'

const models = [{ twin: notes, sample: { section: { notes: [] }, company: testCompany } }]

const createTwin = async (service: TestService) => {
  const { status, body } = await service.call('POST', '/v1/twins', { service: 'notes' })
  assert.equal(status, 201)
  return body as { id: string; token: string }
}
const storedOf = async ({ storage }: TestService, id: string): Promise<string> => {
  const { rows } = await storage.pool.query('select principals::text as text from twins where id = $1', [id])
  return rows[0].text
}
const write = (service: TestService, { id, token }: { id: string; token: string }) =>
  service.call('POST', `/t/${id}/write`, { text: 'kept' }, { key: token })

describe('the token of a twin', () => {
  it('is stored encrypted, and shown and taken as before', async () => {
    await using service = await testService({}, models)
    const twin = await createTwin(service)
    const stored = await storedOf(service, twin.id)
    assert.ok(!stored.includes(twin.token), stored)
    assert.match(stored, /"sealed"/)
    assert.equal((await service.call('GET', `/v1/twins/${twin.id}`)).body.token, twin.token)
    assert.equal((await write(service, twin)).status, 200)
    assert.notEqual((await write(service, { ...twin, token: `${twin.token}x` })).status, 200)
  })

  it('of an earlier version is encrypted while the service runs, and goes on working', async () => {
    await using service = await testService({}, models)
    const twin = await createTwin(service)
    const plain = JSON.stringify([{ subject: 'integration', token: twin.token }])
    await service.storage.pool.query('update twins set principals = $1::jsonb where id = $2', [
      plain,
      twin.id,
    ])
    await using second = await joinService(service, models)
    await eventually(
      async () => !(await storedOf(service, twin.id)).includes(twin.token),
      'the token was not sealed',
    )
    assert.equal((await write(second, twin)).status, 200)
  })

  it('stays readable for nodes of an earlier version for as long as one lives', async () => {
    await using service = await testService({}, models)
    const lives = (forMs: number) =>
      service.storage.leases.acquire('node:earlier', {
        holder: 'earlier',
        ttlMs: forMs,
        data: { address: '' },
      })
    const lease = await lives(3_600_000)
    await using second = await joinService(service, models)
    const twin = await createTwin(second)
    assert.ok((await storedOf(service, twin.id)).includes(twin.token))
    assert.ok(lease && (await service.storage.leases.release(lease)))
    await eventually(
      async () => !(await storedOf(service, twin.id)).includes(twin.token),
      'the token was not sealed',
    )
  })
})
