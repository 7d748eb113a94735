import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import { type TestService, testService } from '../../testing.ts'

const models = [
  {
    twin: notes,
    sample: { section: { notes: [{ key: 'first', text: 'Buy pumps' }] }, company: testCompany },
  },
]

const start = async (service: TestService) => {
  const { body: twin } = await service.call('POST', '/v1/twins', { service: 'notes' })
  return {
    id: twin.id as string,
    call: async (operation: string, body: object = {}) => {
      const reply = await fetch(`${service.baseUrl}/t/${twin.id}/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${twin.token}` },
        body: JSON.stringify(body),
      })
      return { status: reply.status, text: await reply.text() }
    },
    list: async (query: string): Promise<{ request_id: string }[]> =>
      (await service.call('GET', `/v1/twins/${twin.id}/activity?${query}`)).body.items,
    // biome-ignore lint/suspicious/noExplicitAny: the service holds the reply against its schema.
    detail: async (requestId: string): Promise<any> =>
      (await service.call('GET', `/v1/twins/${twin.id}/activity/${requestId}`)).body,
  }
}

const count = async ({ storage }: TestService, table: string): Promise<number> =>
  (await storage.pool.query(`select count(*)::integer as count from ${table}`)).rows[0].count

describe('the records of reads', () => {
  it('hold no write up: while none can be stored, writes are acknowledged and reads answered', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const blocker = await service.storage.pool.connect()
    try {
      await blocker.query('begin')
      await blocker.query('lock table twin_payloads in access exclusive mode')
      for (let n = 0; n < 40; n++) {
        assert.equal((await twin.call('list')).status, 200)
        assert.equal((await twin.call('write', { text: `note ${n}` })).status, 200)
      }
      assert.equal(await count(service, 'twin_steps where not is_read'), 40)
      assert.equal(await count(service, 'twin_steps where is_read'), 0)
    } finally {
      await blocker.query('rollback')
      blocker.release()
    }
    const operations = (await twin.list('limit=200')).map(
      (step) => (step as { operation?: string }).operation,
    )
    assert.equal(operations.length, 80)
    assert.deepEqual(operations.slice(0, 4), ['write', 'list', 'write', 'list'])
  })

  it('show the body that each client got, byte for byte, and store equal ones once', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    const got: string[] = []
    for (let n = 0; n < 60; n++) {
      if (n % 3 === 0) await twin.call('write', { text: `note ${n} “ü” ${'🙂'.repeat(n)} \u0000` })
      got.push((await twin.call('list')).text)
    }
    const items = (await twin.list('operation=list&limit=100')).toReversed()
    const bodies = await Promise.all(
      items.map(async ({ request_id }) => (await twin.detail(request_id)).response.body),
    )
    assert.deepEqual(bodies, got)
    assert.equal(new Set(got).size, 20)
    assert.equal(await count(service, 'twin_payloads'), 21, 'twenty replies, and one request')
  })

  it('say when a reply was too large to be kept whole', async () => {
    await using service = await testService({}, models)
    const twin = await start(service)
    for (let n = 0; n < 8; n++) await twin.call('write', { text: 'é'.repeat(9_000) })
    const { text } = await twin.call('list')
    const [item] = await twin.list('operation=list')
    const detail = await twin.detail(item?.request_id ?? '')
    assert.equal(detail.truncated, true)
    assert.equal(detail.response.size, Buffer.byteLength(text))
    assert.ok(text.startsWith(detail.response.body))
    assert.ok(detail.response.body.length > 60_000)
  })
})
