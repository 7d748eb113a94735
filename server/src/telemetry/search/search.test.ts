import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { type TestService, testService } from '../../testing.ts'
import { searchStore } from './search-store.ts'

const say = (text: string, more: object = {}) => ({
  source: 'desk',
  topic: 'tickets',
  event_type: 'ticket.opened',
  payload: { text },
  ...more,
})

const texts = [
  'The parcel never arrived at the customer',
  'Invoice was charged twice to the credit card',
  'Cannot log in after changing the password',
  'The dashboard is very slow this morning',
  'Please cancel my subscription next month',
  'A new colleague joins the design team on Monday',
]

/** Waits until the search has read everything, as the metrics tell. */
const settled = (service: TestService) =>
  eventually(async () => {
    const { text } = await service.call('GET', '/metrics')
    return Number(/^diorama_search_lag_seconds (\S+)/m.exec(text)?.[1]) === 0
  }, 'the search did not catch up')

const search = async (service: TestService, query: string, more: object = {}) =>
  (await service.call('POST', '/v1/search', { query, ...more })).body

const found = async (service: TestService, query: string, more: object = {}) =>
  (await search(service, query, more)).items

describe('search', () => {
  it('finds by meaning and by exact words, offline, over events and spans, by the filters of the list', async () => {
    await using service = await testService({ embeddings: 'local' })
    await service.call('POST', '/v1/events/batch', [
      ...texts.map((text) => say(text)),
      say('Order ORD-88412 was placed', { entities: { order: 'ORD-88412' }, source: 'shop' }),
      say('Order ORD-88413 was placed', { entities: { order: 'ORD-88413' }, source: 'shop' }),
    ])
    await service.call('POST', '/v1/traces/track', {
      trace_id: 't',
      spans: [
        { span_id: 's', name: 'refund', attributes: { note: 'gave the money back for broken glasses' } },
      ],
    })
    await settled(service)
    const best = async (query: string) => (await found(service, query))[0]?.payload.text
    assert.equal(await best('shipment was lost on its way'), texts[0])
    assert.equal(await best('paid two times for one bill'), texts[1])
    assert.equal(await best('sign-in problem'), texts[2])
    assert.deepEqual((await search(service, 'parcel')).indexing, { behind: 0 })
    assert.equal(await best('88413'), 'Order ORD-88413 was placed')
    assert.equal(await best('what happened to ORD-88412?'), 'Order ORD-88412 was placed')
    const [span] = await found(service, 'reimbursed for damaged spectacles')
    assert.equal(span.kind, 'span')
    assert.deepEqual(
      (await found(service, 'order', { source: 'shop' })).map(({ source }: { source: string }) => source),
      ['shop', 'shop'],
    )
    const about = await found(service, 'order', { entity_type: 'order', entity_id: 'ORD-88412' })
    assert.equal(about.length, 1)
    assert.equal((await found(service, 'order', { limit: 3 })).length, 3)
    const other = await service.call('POST', '/v1/organizations', { name: 'Other' })
    const theirs = await service.call(
      'POST',
      '/v1/search',
      { query: 'order' },
      { key: other.body.key.secret },
    )
    assert.deepEqual(theirs.body.items, [])
  })

  it('asks an openai-compatible endpoint where one is set, and says so when it does not answer', async () => {
    let up = true
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { input } = JSON.parse(Buffer.concat(chunks).toString())
      response.statusCode = up ? 200 : 500
      // A stand-in for a model: how often each letter occurs.
      const data = input.map((text: string, index: number) => ({
        index,
        embedding: Array.from(
          'abcdefghijklmnopqrstuvwxyz',
          (letter) => text.toLowerCase().split(letter).length,
        ),
      }))
      response.end(JSON.stringify({ data }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    {
      await using service = await testService({
        embeddings: 'openai-compatible',
        providers: { openai: { apiKey: 'k', baseUrl }, anthropic: { apiKey: undefined, baseUrl: undefined } },
      })
      await service.call(
        'POST',
        '/v1/events/batch',
        texts.map((text) => say(text)),
      )
      await settled(service)
      assert.equal((await found(service, 'parcel'))[0].payload.text, texts[0])
      up = false
      const refused = await service.call('POST', '/v1/search', { query: 'parcel' })
      assert.equal(refused.status, 503)
    }
    server.close()
    server.closeAllConnections()
  })

  it('answers 501 where it is off, and says how to turn it on', async () => {
    await using service = await testService()
    const refused = await service.call('POST', '/v1/search', { query: 'x' })
    assert.equal(refused.status, 501)
    assert.equal(refused.body.code, 'embeddings_off')
    assert.match(refused.body.error, /DIORAMA_EMBEDDINGS/)
  })

  it('reports how much is not indexed yet, of the caller’s organization only', async () => {
    await using service = await testService()
    for (const text of texts) await service.call('POST', '/v1/events', say(text))
    const { rows } = await service.storage.pool.query('select organization_id from events limit 1')
    const { behind } = searchStore(service.storage)
    assert.equal(await behind(rows[0].organization_id, 'local:use-lite-512'), texts.length)
    assert.equal(await behind('org_other', 'local:use-lite-512'), 0)
  })
})
