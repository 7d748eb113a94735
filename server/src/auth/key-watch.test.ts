import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinService, type TestService, testService } from '../testing.ts'

/** Opens a stream and waits until the service has answered. */
const openStream = async (service: TestService, key: string, path: string) => {
  const reply = await fetch(`${service.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(reply.status, 200)
  const reader = reply.body?.getReader()
  assert.ok(reader)
  await reader.read()
  return reader
}

/** Resolves when the service has ended the stream. */
const ended = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> => {
  try {
    while (!(await reader.read()).done);
  } catch {
    // A connection that is cut is an end as well.
  }
  return true
}

const createKey = async ({ call }: TestService, more: object = {}) => {
  const { body } = await call('POST', '/v1/api-keys', { name: 'stream', scopes: ['events:read'], ...more })
  return { id: String(body.id), secret: String(body.secret) }
}

describe('a stream', () => {
  it('ends when its key is revoked, on every node, and no other stream does', {
    timeout: 120_000,
  }, async () => {
    await using first = await testService()
    await using second = await joinService(first)
    const [revoked, kept] = [await createKey(first), await createKey(first)]
    const mine = [
      await openStream(first, revoked.secret, '/v1/events/stream'),
      await openStream(second, revoked.secret, '/v1/events/stream'),
    ]
    const other = await openStream(second, kept.secret, '/v1/events/stream')
    assert.equal((await first.call('DELETE', `/v1/api-keys/${revoked.id}`)).status, 204)
    assert.deepEqual(await Promise.all(mine.map(ended)), [true, true])
    const event = { source: 's', topic: 't', event_type: 'e', entities: { a: 'b' } }
    assert.equal((await first.call('POST', '/v1/events', event)).status, 201)
    assert.match(new TextDecoder().decode((await other.read()).value), /event: /)
    await other.cancel()
  })

  it('ends when its key expires', { timeout: 120_000 }, async () => {
    await using service = await testService()
    const { secret } = await createKey(service, { expires_at: new Date(Date.now() + 3_000).toISOString() })
    const stream = await openStream(service, secret, '/v1/events/stream')
    assert.equal(await ended(stream), true)
    assert.equal((await service.call('GET', '/v1/me', undefined, { key: secret })).status, 401)
  })
})
