import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { type TestService, testService } from '../../testing.ts'
import { allTwins, starvedMs } from './testing-twins.ts'

const models = allTwins.map((twin) => ({
  twin,
  sample: { section: { notes: [{ key: 'first', text: 'Buy pumps' }] }, company: testCompany },
}))

const start = (count: number, limits: { maxOpMs?: number; maxHeapMb?: number } = {}) =>
  testService(
    {
      twinIsolates: {
        count,
        maxOpMs: 500,
        maxHeapMb: 96,
        twinsModule: new URL('./testing-twins.ts', import.meta.url).href,
        ...limits,
      },
    },
    models,
  )

const open = async (service: TestService) => {
  const { body: twin, status } = await service.call('POST', '/v1/twins', { service: 'notes' })
  assert.equal(status, 201)
  assert.equal(twin.status, 'running')
  return {
    id: twin.id as string,
    call: async (operation: string, body: object = {}) => {
      const reply = await fetch(`${service.baseUrl}/t/${twin.id}/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${twin.token}` },
        body: JSON.stringify(body),
      })
      return { status: reply.status, body: await reply.json() }
    },
    texts: async function texts(): Promise<string[]> {
      const { status, body } = await this.call('list')
      assert.equal(status, 200)
      return (body as { text: string }[]).map(({ text }) => text)
    },
    activity: async () => (await service.call('GET', `/v1/twins/${twin.id}/activity?limit=200`)).body.items,
  }
}

describe('twins in isolates', () => {
  it('answer, record, diff and reset as twins in the main thread do', async () => {
    await using service = await start(2)
    const twins = await Promise.all(Array.from({ length: 4 }, () => open(service)))
    await Promise.all(
      twins.map(async (twin, n) => {
        for (let one = 0; one < 20; one++)
          assert.equal((await twin.call('write', { text: `${n} ${one}` })).status, 200)
      }),
    )
    for (const [n, twin] of twins.entries()) {
      assert.deepEqual(
        (await twin.texts()).slice(1),
        Array.from({ length: 20 }, (_, one) => `${n} ${one}`),
      )
      assert.equal((await twin.activity()).length, 21)
      const diff = await service.call('GET', `/v1/twins/${twin.id}/diff`)
      assert.deepEqual(diff.body.summary, { created: 20, updated: 0, deleted: 0 })
      const state = await service.call('GET', `/v1/twins/${twin.id}/state?collection=note&limit=5`)
      assert.equal(state.body.items.length, 5)
    }
  })

  it('end with a request that never ends: it is refused and recorded, and no one else notices', async () => {
    await using service = await start(1)
    const [bad, good] = [await open(service), await open(service)]
    await bad.call('write', { text: 'kept' })
    await good.call('write', { text: 'kept too' })
    let isOver = false
    const spinning = bad.call('spin').finally(() => {
      isOver = true
    })
    const [reading, writing] = [good.texts(), good.call('write', { text: 'meanwhile' })]
    // The control plane answers while the isolate is stuck.
    for (let n = 0; n < 5; n++) assert.equal((await service.call('GET', '/v1/twins')).status, 200)
    assert.equal(isOver, false)
    assert.equal((await spinning).status, 500)
    assert.deepEqual((await reading).slice(0, 2), ['Buy pumps', 'kept too'])
    assert.equal((await writing).status, 200)
    assert.deepEqual(await bad.texts(), ['Buy pumps', 'kept'])
    assert.deepEqual(await good.texts(), ['Buy pumps', 'kept too', 'meanwhile'])
    const recorded = (await bad.activity()).find(
      (step: { request: { path: string } }) => step.request.path === '/spin',
    )
    assert.equal(recorded?.response.status, 500)
  })

  it('go on with a request that waited for the processor for longer than it may run', async () => {
    await using service = await start(1)
    assert.ok(starvedMs > 2 * 500, 'it waits for longer than the limit')
    const twin = await open(service)
    await twin.call('write', { text: 'kept' })
    assert.equal((await twin.call('starve')).status, 200)
    assert.deepEqual(await twin.texts(), ['Buy pumps', 'kept'])
  })

  it('end with a request that takes all the memory, and the twins go on', async () => {
    await using service = await start(1, { maxOpMs: 60_000 })
    const [bad, good] = [await open(service), await open(service)]
    await good.call('write', { text: 'kept' })
    assert.equal((await bad.call('hoard')).status, 500)
    assert.deepEqual(await good.texts(), ['Buy pumps', 'kept'])
    assert.deepEqual(await bad.texts(), ['Buy pumps'])
  })

  it('are not run for a while once they have ended three isolates', async () => {
    await using service = await start(1, { maxOpMs: 150 })
    const [bad, good] = [await open(service), await open(service)]
    for (let n = 0; n < 3; n++) assert.equal((await bad.call('spin')).status, 500)
    assert.equal((await bad.call('list')).status, 503)
    assert.deepEqual(await good.texts(), ['Buy pumps'])
  })

  it('leave memory when idle, and come back with the next request', async () => {
    await using service = await start(1)
    const twin = await open(service)
    for (let n = 0; n < 1_100; n += 50)
      await Promise.all(Array.from({ length: 50 }, (_, one) => twin.call('write', { text: String(n + one) })))
    const { host } = service.app.runtime
    host.unloadIdle(-1)
    assert.equal(host.size, 0)
    assert.equal((await twin.texts()).length, 1_101)
    const { rows } = await service.storage.pool.query('select seq from twin_snapshots')
    assert.equal(rows.length, 1, 'one part of the snapshot')
    assert.equal((await twin.call('write', { text: 'after' })).status, 200)
  })
})
