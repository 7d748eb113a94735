import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import { testService } from '../testing.ts'

/** The notes twin with a page that is held back until there are more notes than the caller knows of. */
const waiting = {
  ...notes,
  wire: (request: Parameters<typeof notes.wire>[0], session: Parameters<typeof notes.wire>[1]) => {
    if (request.path !== '/wait') return notes.wire(request, session)
    const [known = '0', maxMs = '20000'] = request.query.split(',')
    const size = session.views.note.size()
    const headers = { 'content-type': 'text/plain' }
    if (size > Number(known)) return { status: 200, headers, body: String(size) }
    if (request.waited) return { status: 200, headers, body: 'nothing' }
    return { status: 200, headers, body: '', hold: { maxMs: Number(maxMs) } }
  },
}
const models = [{ twin: waiting, sample: { section: { notes: [] }, company: testCompany } }]

describe('a reply that the service holds back', () => {
  it('leaves after the next write, or when its time is up, and is recorded once', async () => {
    await using service = await testService({}, models)
    const { body: twin } = await service.call('POST', '/v1/twins', { service: 'notes' })
    const at = `${service.baseUrl}/t/${twin.id}`
    const write = () =>
      fetch(`${at}/write`, {
        method: 'POST',
        headers: { authorization: `Bearer ${twin.token}` },
        body: JSON.stringify({ text: 'a note' }),
      })
    const text = async (query: string, signal?: AbortSignal) =>
      (await fetch(`${at}/wait?${query}`, signal ? { signal } : {})).text()
    assert.equal(await text('0,30'), 'nothing')
    const two = Promise.all([text('0'), text('1')])
    const left = new AbortController()
    const gone = text('5', left.signal).catch(() => 'gone')
    await write()
    left.abort()
    assert.equal(await gone, 'gone')
    await write()
    assert.deepEqual(
      (await two).map(Number).every((size) => size >= 1),
      true,
    )
    const { body } = await service.call('GET', `/v1/twins/${twin.id}/activity?limit=100`)
    const polls = body.items.filter(({ request }: { request: { path: string } }) =>
      request.path.startsWith('/wait'),
    )
    assert.ok(polls.length <= 4, JSON.stringify(polls))
  })

  it('leaves at once when the service stops', async () => {
    const service = await testService({}, models)
    const { body: twin } = await service.call('POST', '/v1/twins', { service: 'notes' })
    const held = fetch(`${service.baseUrl}/t/${twin.id}/wait?0`).then(
      (reply) => reply.text(),
      () => 'cut',
    )
    await fetch(`${service.baseUrl}/t/${twin.id}/wait?0,1`)
    await service[Symbol.asyncDispose]()
    assert.ok(['nothing', 'cut'].includes(await held))
  })
})
