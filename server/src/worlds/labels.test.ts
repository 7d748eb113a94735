import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../testing.ts'
import { sample } from './testing-blueprints.ts'

describe('labels of worlds', () => {
  it('are tags and the archive, and filter lists', async () => {
    await using service = await testService()
    const launch = async () => {
      const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sample() })
      assert.deepEqual([body.world.tags, body.world.archived], [[], false])
      return String(body.world.id)
    }
    const [first, second] = [await launch(), await launch()]
    const listed = async (query: string) => {
      const { body } = await service.call('GET', `/v1/builder/worlds?${query}`)
      return body.items.map(({ id }: { id: string }) => id)
    }
    const tagged = await service.call('PATCH', `/v1/builder/worlds/${first}`, {
      tags: ['nightly', ' pricing ', 'nightly'],
    })
    assert.deepEqual(tagged.body.world.tags, ['nightly', 'pricing'])
    assert.deepEqual(await listed('tag=pricing'), [first])
    await service.call('PATCH', `/v1/builder/worlds/${second}`, { archived: true })
    assert.deepEqual(await listed('archived=false'), [first])
    assert.deepEqual(await listed('archived=true'), [second])
    assert.deepEqual(await listed(''), [second, first])
    const { body } = await service.call('PATCH', `/v1/builder/worlds/${second}`, { archived: false })
    assert.deepEqual([body.status, body.world.archived, body.world.tags], ['ready', false, []])
    assert.equal((await service.call('PATCH', '/v1/builder/worlds/wld_none', { tags: [] })).status, 404)
  })

  it('come back with a blueprint whose keys are in the order of its author', async () => {
    await using service = await testService()
    const { name, summary, ...rest } = sample()
    const blueprint = { ...rest, summary, name }
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    const read = await service.call('GET', `/v1/builder/worlds/${body.world.id}`)
    assert.equal(JSON.stringify(read.body.world.blueprint), JSON.stringify(blueprint))
  })
})
