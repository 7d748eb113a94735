import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testService } from '../../testing.ts'
import { openStandIn } from '../testing.ts'
import { baseUrlFault } from './base-url.ts'

const key = 'sk-planted-0123456789'
const path = '/v1/model-providers'

describe('a model provider', () => {
  it('is set by the organization, used by its judges, and its key is shown nowhere', async () => {
    await using standIn = await openStandIn(() => ({
      text: JSON.stringify({ score: 1, rationale: 'fine' }),
      usage: { input: 100, output: 10 },
    }))
    const host = new URL(standIn.baseUrl).host
    await using service = await testService({
      judgeModel: 'house/small',
      models: { providers: {}, prices: {}, timeoutMs: 60_000, forAgents: [], privateHosts: [host] },
    })
    const judge = () => service.call('POST', '/v1/scorers/test', { name: 'J', output: 'x' })
    assert.match((await judge()).body.error, /No endpoint is configured for the provider house/)
    const put = await service.call('PUT', `${path}/house`, {
      base_url: standIn.baseUrl,
      api_key: key,
      models: ['small'],
      prices: { small: { input: 1, output: 4 } },
    })
    assert.deepEqual([put.status, put.body.has_key, put.body.source], [200, true, 'organization'], put.text)
    assert.equal((await judge()).body.score, 1)
    assert.equal(standIn.asked[0]?.headers.authorization, `Bearer ${key}`)
    const other = await service.call('POST', '/v1/scorers/test', {
      name: 'J',
      output: 'x',
      model: 'house/big',
    })
    assert.match(other.body.error, /not on the allow-list/)
    const tested = await service.call('POST', `${path}/house/test`, { model: 'small' })
    assert.deepEqual([tested.body.ok, tested.body.status], [true, 200], tested.text)
    const denied = await service.call('POST', `${path}/house/test`, { model: 'big' })
    assert.deepEqual([denied.body.ok, denied.body.status], [false, null])
    assert.match(denied.body.error, /not on the allow-list/)
    assert.equal((await service.call('POST', `${path}/nobody/test`, { model: 'small' })).status, 404)
    const stored = await service.storage.pool.query('select * from model_providers')
    const seen = [put.text, (await service.call('GET', path)).text, JSON.stringify(stored.rows)]
    assert.deepEqual(
      seen.map((text) => text.includes(key)),
      [false, false, false],
    )
    assert.equal((await service.call('DELETE', `${path}/house`)).status, 204)
    assert.match((await judge()).body.error, /No endpoint is configured/)
  })

  it('keeps its key when other settings change, and loses it to no other endpoint', async () => {
    await using service = await testService()
    const put = (body: object) => service.call('PUT', `${path}/house`, body)
    await put({ base_url: 'https://models.example/v1', api_key: key })
    assert.equal((await put({ base_url: 'https://models.example/v1', agents: false })).body.has_key, true)
    const moved = await put({ base_url: 'https://elsewhere.example/v1' })
    assert.deepEqual([moved.status, moved.body.details[0].pointer], [400, '/api_key'])
    assert.equal((await put({ base_url: 'https://models.example/v1', api_key: null })).body.has_key, false)
  })

  it('of the environment is a default without its address, and organizations have their own', async () => {
    await using service = await testService({
      providers: {
        openai: { apiKey: key, baseUrl: 'https://inside.corp.example/v1' },
        anthropic: { apiKey: undefined, baseUrl: undefined },
      },
    })
    const other = (await service.call('POST', '/v1/organizations', { name: 'Other' })).body.key.secret
    await service.call('PUT', `${path}/openai`, { api_key: 'sk-own-1' })
    const shown = async (as?: string) =>
      (await service.call('GET', `${path}/openai`, undefined, as === undefined ? {} : { key: as })).body
    assert.deepEqual([(await shown()).source, (await shown(other)).source], ['organization', 'environment'])
    assert.deepEqual([(await shown(other)).base_url, (await shown(other)).agents], [null, false])
    const refused = await service.call('DELETE', `${path}/openai`, undefined, { key: other })
    assert.equal(refused.status, 404)
    const scoped = await service.call('POST', '/v1/api-keys', { name: 'reader', scopes: ['models:read'] })
    const denied = await service.call('PUT', `${path}/x`, {}, { key: scoped.body.secret })
    assert.equal(denied.status, 403)
  })

  it('refuses a base URL that leads into the network of the deployment', () => {
    const refused = [
      ['https://127.0.0.1/v1', /private host/],
      ['https://[::1]/v1', /private host/],
      ['https://169.254.169.254/latest', /private host/],
      ['https://localhost:4400/v1', /private host/],
      ['https://db.internal/v1', /private host/],
      ['https://intranet/v1', /private host/],
      ['http://models.example/v1', /https/],
      ['file:///etc/passwd', /https/],
      ['https://me:pass@models.example', /credentials/],
      ['https://models.example/?a=1', /query/],
      ['models.example', /URL/],
    ] as const
    for (const [url, says] of refused) assert.match(baseUrlFault(url, []) ?? '', says, url)
    assert.equal(baseUrlFault('https://models.example:8443/v1', []), undefined)
    assert.equal(baseUrlFault('http://gpu.internal:8000/v1', ['gpu.internal']), undefined)
  })
})
