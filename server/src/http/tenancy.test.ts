import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allRoutes, type RouteSpec } from '@diorama/contract'
import { testService } from '../testing.ts'

const rounds = 1_000

const median = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

describe("another organization's record", () => {
  it('takes as long to refuse as one that does not exist', async () => {
    await using service = await testService()
    const other = await service.call('POST', '/v1/organizations', { name: 'other' })
    const theirs = { key: other.body.key.secret }
    const mine = await service.call('POST', '/v1/api-keys', { name: 'mine' })
    const foreign = `/v1/api-keys/${mine.body.id}`
    const unknown = `/v1/api-keys/${mine.body.id.slice(0, -4)}0000`
    const times = new Map<string, number[]>([
      [foreign, []],
      [unknown, []],
    ])
    for (let round = 0; round < rounds; round++)
      for (const path of round % 2 === 0 ? [foreign, unknown] : [unknown, foreign]) {
        const began = performance.now()
        const reply = await service.app.edge.inject({
          url: path,
          headers: { authorization: `Bearer ${theirs.key}` },
        })
        times.get(path)?.push(performance.now() - began)
        assert.equal(reply.statusCode, 404)
      }
    const [one, two] = [median(times.get(foreign) ?? []), median(times.get(unknown) ?? [])]
    assert.ok(
      Math.abs(one - two) / Math.max(one, two) < 0.15,
      `${one.toFixed(3)} ms and ${two.toFixed(3)} ms`,
    )
  })

  it('is refused in the same words as one that does not exist, on every route that names one', async () => {
    await using service = await testService()
    const other = await service.call('POST', '/v1/organizations', { name: 'other' })
    const theirs = { key: other.body.key.secret }
    const blueprint = (await service.call('GET', '/v1/builder/blueprint.sample.json')).body
    const launched = (await service.call('POST', '/v1/builder/worlds', { blueprint })).body
    const key = (await service.call('POST', '/v1/api-keys', { name: 'mine' })).body
    const [environment] = (await service.call('GET', '/v1/environments')).body.items
    const own: Readonly<Record<string, string>> = {
      worldId: launched.world.id,
      twinId: launched.twins[0].id,
      keyId: key.id,
      environmentId: environment.id,
    }
    let compared = 0
    for (const [name, route] of Object.entries<RouteSpec>(allRoutes)) {
      const [first] = /\{(\w+)\}/.exec(route.path)?.slice(1) ?? []
      const id = first === undefined ? undefined : own[first]
      if (id === undefined || route.body !== undefined) continue
      const path = (given: string) => route.path.replace(/\{\w+\}/, given).replaceAll(/\{\w+\}/g, 'x')
      const foreign = await service.call(route.method, path(id), undefined, theirs)
      const unknown = await service.call(route.method, path(`${id.slice(0, -4)}0000`), undefined, theirs)
      assert.equal(foreign.status, unknown.status, name)
      if (foreign.status >= 400) assert.equal(foreign.status, 404, name)
      assert.deepEqual({ ...foreign.body, request_id: '' }, { ...unknown.body, request_id: '' }, name)
      compared++
    }
    assert.ok(compared >= 12, String(compared))
  })
})
