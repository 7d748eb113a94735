import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestService, testService } from '../testing.ts'
import { readStream } from './testing.ts'

const mebibyte = 1_048_576
/** As a page may be, and then one more event, whose size is counted when the next is already there. */
const largestPage = 8 * mebibyte + 4 * mebibyte

/** Text that cannot be packed, or that can be packed to nothing. */
const filling = {
  dense: () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
      .toString('hex')
      .repeat(26),
  airy: () => 'a'.repeat(3 * mebibyte),
}

const send = async (service: TestService, count: number, fill: () => string) => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const { body } = await service.call('POST', '/v1/events', {
      source: 'desk',
      topic: 't',
      event_type: 'e',
      entities: { order: '7' },
      payload: { n, text: fill() },
    })
    ids.push(body.id)
  }
  return ids.reverse()
}

const walk = async (service: TestService, path: string) => {
  const ids: string[] = []
  let cursor = ''
  for (let page = 0; page < 50; page++) {
    const { body, text } = await service.call('GET', `${path}&limit=200${cursor}`)
    assert.ok(text.length < largestPage, `a page of ${text.length} bytes`)
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.next_cursor === null) return ids
    assert.ok(body.items.length > 0, 'a page that is not the last holds something')
    cursor = `&cursor=${body.next_cursor}`
  }
  throw new Error('the list does not end')
}

describe('large events', () => {
  for (const [how, fill] of Object.entries(filling))
    it(`end a page early, which goes on where it ended (${how})`, async () => {
      await using service = await testService()
      const ids = await send(service, 4, fill)
      for (const path of [
        '/v1/events?source=desk',
        '/v1/events?entity_type=order&entity_id=7',
        '/v1/timeline/order/7?',
      ])
        assert.deepEqual(await walk(service, path), ids, path)
    })

  it('are replayed to a reader that missed them, all of them and in order', async () => {
    await using service = await testService()
    const first = await readStream(service)
    await first.cut()
    const ids = await send(service, 7, filling.airy)
    const reader = await readStream({ ...service, lastId: first.lastId })
    await reader.until(7)
    assert.deepEqual(
      reader.messages.map(({ data }) => data.id),
      ids.toReversed(),
    )
    await reader.cut()
  })

  it('bound what is shown of a trace, which says so', async () => {
    await using service = await testService()
    for (let n = 0; n < 5; n++)
      await service.call('POST', '/v1/traces/track', {
        trace_id: 't',
        spans: [{ span_id: `s${n}`, name: 'n', attributes: { text: filling.airy() } }],
      })
    const { body, text } = await service.call('GET', '/v1/traces/t')
    assert.ok(text.length < largestPage)
    assert.equal(body.truncated, true)
    assert.ok(body.spans.length >= 2)
  })

  it('bound the signals next to them', async () => {
    await using service = await testService()
    const [event = ''] = await send(service, 1, () => 'small')
    for (let n = 0; n < 6; n++)
      await service.call('POST', '/v1/signals/track', {
        event_id: event,
        signal_name: 'looked',
        properties: { text: filling.airy() },
      })
    const { text } = await service.call('GET', `/v1/events/${event}`)
    assert.ok(text.length < largestPage)
    const listed = await service.call('GET', `/v1/signals?event_id=${event}`)
    assert.ok(listed.text.length < largestPage)
    assert.notEqual(listed.body.next_cursor, null)
  })
})
