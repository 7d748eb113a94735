import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { readStream } from '../telemetry/testing.ts'
import { joinService, type TestService, testService } from '../testing.ts'
import { sample } from './testing-blueprints.ts'

const launch = async (service: TestService) => {
  const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sample() })
  const twins: { id: string; service: string; token: string }[] = body.twins
  return {
    path: `/v1/builder/worlds/${body.world.id}`,
    twins,
    ask: async (n: number, base = service.baseUrl) => {
      const twin = twins[n % twins.length]
      const reply = await fetch(`${base}/t/${twin?.id}/ask/${n}`, {
        headers: { authorization: `Bearer ${twin?.token}` },
      })
      await reply.text()
    },
  }
}

const paths = (items: readonly { request: { path: string } }[]) => items.map(({ request }) => request.path)

describe('the activity of a world', () => {
  it('is narrowed by service, status, operation and text over every page', async () => {
    await using service = await testService()
    const world = await launch(service)
    for (let n = 0; n < 40; n++) await world.ask(n)
    const listed = async (query: string) =>
      (await service.call('GET', `${world.path}/activity?${query}`)).body.items
    await eventually(async () => (await listed('limit=200')).length >= 40)
    assert.deepEqual(paths(await listed('q=ask/7')), ['/ask/7'])
    const [one] = await listed('limit=1&status=404')
    assert.equal(one.response.status, 404)
    const same = await listed(`operation=${encodeURIComponent(one.operation)}&service=${one.service}`)
    assert.ok(same.length > 0 && same.every((item: typeof one) => item.operation === one.operation))
    const inVendorsWords = await listed('service=slack')
    assert.equal(inVendorsWords.length, 10)
    assert.ok(inVendorsWords.every((item: typeof one) => item.service === 'chat'))
  })

  it('is followed over all its twins, from any process, without loss or repeat', async () => {
    await using first = await testService()
    await using second = await joinService(first)
    const world = await launch(first)
    const path = `${world.path}/activity/stream`
    const total = 240
    const whole = await readStream({ ...second, path })
    const crm = await readStream({ ...first, path, query: '?service=crm&q=/ask/' })
    let lastId: string | undefined = whole.lastId
    let next = 0
    const askers = Array.from({ length: 4 }, async () => {
      while (next < total) {
        const n = next++
        await world.ask(n, (n % 3 ? first : second).baseUrl)
      }
    })
    const cut: string[] = []
    for (let n = 0; n < 100 && cut.length < total; n++) {
      const reader = await readStream({ ...(n % 2 ? first : second), path, lastId })
      await reader.until(Math.min(1 + (n % 17), total - cut.length))
      await reader.cut()
      cut.push(...paths(reader.messages.map(({ data }) => data)))
      lastId = reader.lastId
    }
    await Promise.all(askers)
    await whole.until(total)
    await crm.until(total / 4)
    const expected = Array.from({ length: total }, (_, n) => `/ask/${n}`).toSorted()
    assert.deepEqual(paths(whole.messages.map(({ data }) => data)).toSorted(), expected)
    assert.deepEqual(cut.toSorted(), expected)
    assert.ok(crm.messages.every(({ data }) => data.service === 'crm'))
    await whole.cut()
    await crm.cut()
  })

  it('is hidden from other organizations', async () => {
    await using service = await testService()
    const world = await launch(service)
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const key = other.body.key.secret
    for (const path of [`${world.path}/activity/stream`, `/v1/twins/${world.twins[0]?.id}/activity/stream`])
      assert.equal((await service.call('GET', path, undefined, { key })).status, 404)
  })
})
