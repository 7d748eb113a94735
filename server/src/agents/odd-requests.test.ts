import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { encodeCursor } from '../storage/pages.ts'
import { testService } from '../testing.ts'

const paths = (odd: string) => [
  ['GET', `/v1/agents/${odd}`],
  ['PATCH', `/v1/agents/${odd}`],
  ['GET', `/v1/agents/${odd}/versions`],
  ['GET', `/v1/agents/helper/versions/${odd}`],
  ['PATCH', `/v1/agents/helper/versions/${odd}`],
  ['GET', `/v1/agents/helper/versions/${odd}/bundle`],
  ['GET', `/v1/agents/runs/${odd}`],
  ['GET', `/v1/agents/runs?agent=${odd}`],
  ['POST', `/v1/agents/${odd}/chat/sessions`],
  ['GET', `/v1/agents/helper/chat/sessions/${odd}`],
  ['POST', `/v1/agents/helper/chat/sessions/${odd}/messages`],
  ['POST', `/v1/agents/helper/chat/sessions/${odd}/cancel`],
]

describe('requests about agents that make no sense', () => {
  it('are refused and never break the service', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/agents/register', { name: 'helper', version: '1' })
    const body = fc.oneof(
      fc.json(),
      fc.constant('{"status":"current"}'),
      fc.constant('{"text":"x"}'),
      fc.constant('{"metadata":{"__proto__":1}}'),
    )
    const check = async (text: string, sent: string) => {
      const odd = encodeURIComponent(text.toWellFormed())
      for (const [method = '', path = ''] of paths(odd)) {
        const { status } = await service.call(method, path, method === 'GET' ? undefined : sent)
        assert.ok(status < 500, `${method} ${path} with ${sent} answered ${status}`)
      }
      for (const route of ['/v1/agents/register', '/v1/agents/runs/batch']) {
        const { status } = await service.call('POST', route, sent)
        assert.ok(status < 500, `${route} with ${sent} answered ${status}`)
      }
    }
    await fc.assert(fc.asyncProperty(fc.string({ minLength: 1, unit: 'binary' }), body, check), {
      numRuns: 10,
    })
    assert.deepEqual(service.logged, [])
  })

  it('with a cursor of another list are refused', async () => {
    await using service = await testService()
    await service.call('POST', '/v1/agents/register', { name: 'helper', version: '1' })
    const cursors = [encodeCursor({ at: 5, id: 'x' }), encodeCursor({ at: 'x', id: 'x' }), 'x']
    const lists = [
      '/v1/agents',
      '/v1/agents/runs',
      '/v1/agents/helper/versions',
      '/v1/agents/helper/chat/sessions',
    ]
    for (const list of lists)
      for (const cursor of cursors) {
        const { status, body } = await service.call('GET', `${list}?cursor=${cursor}`)
        assert.deepEqual([status, body.code], [400, 'invalid_cursor'], list)
      }
  })
})
