import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { type TestService, testService } from '../../testing.ts'
import { openSocket } from '../testing.ts'
import { createByteBudget } from './byte-budget.ts'
import { createTokenBuckets } from './token-buckets.ts'

/** A separate organization with limits, and its key. */
const organization = async ({ call }: TestService, limits: object): Promise<string> => {
  const { status, body, text } = await call('POST', '/v1/organizations', { name: 'neighbour', limits })
  assert.equal(status, 201, text)
  return String(body.key.secret)
}

const startTwin = async (service: TestService, key: string, kind: string) => {
  const { body, text } = await service.call('POST', '/v1/twins', { service: kind }, { key })
  assert.ok(body.baseUrl, text)
  return { id: String(body.id), baseUrl: String(body.baseUrl), token: String(body.token) }
}

/** Announces a body, sends only its first bytes, and gives the answer that comes all the same. */
const announceBody = async (
  service: TestService,
  path: string,
  headers: readonly string[],
  firstBytes = 'x',
) => {
  const socket = openSocket(service.baseUrl)
  await socket.connected
  await socket.say(
    [`POST ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', firstBytes].join('\r\n'),
  )
  return socket
}

const statusOf = (heard: string) => Number(heard.slice(9, 12))

describe('an anonymous request', () => {
  it('is refused before its body is read: unknown twins, unknown paths and wrong keys', async () => {
    await using service = await testService()
    const length = `content-length: ${60 * 1_048_576}`
    for (const [path, status, more] of [
      ['/t/twin_unknown/api/chat.postMessage', 404, []],
      ['/v1/nothing', 404, []],
      ['/nothing', 404, []],
      ['/v1/events', 401, []],
      ['/v1/events', 401, ['authorization: Bearer dk_wrong']],
      ['/console/session', 413, ['x-diorama-console: 1']],
    ] as const) {
      const socket = await announceBody(service, path, [length, 'content-type: application/json', ...more])
      assert.equal(statusOf(await socket.ended), status, path)
    }
    const metrics = await service.call('GET', '/metrics')
    assert.match(metrics.text, /^diorama_body_bytes_in_flight 0$/m)
  })
})

describe('bodies under way', () => {
  it('are refused beyond the share of their organization, in the words of each service, and room comes back', async () => {
    await using service = await testService()
    const key = await organization(service, { body_bytes_in_flight: 1_000_000 })
    const chat = await startTwin(service, key, 'chat')
    const held = await announceBody(service, `/t/${chat.id}/api/chat.postMessage`, [
      'content-length: 900000',
      `authorization: Bearer ${chat.token}`,
    ])
    await eventually(async () => (await inFlight(service)) === 900_000)
    const body = JSON.stringify({ name: 'x'.repeat(100_000) })
    const refused = await service.call('POST', '/v1/api-keys', body, { key })
    assert.deepEqual([refused.status, refused.body.code], [429, 'limit_exceeded'])
    assert.equal(refused.headers.get('retry-after'), '1')
    for (const kind of ['chat', 'tracker', 'crm', 'erp']) {
      const { baseUrl, token } = kind === 'chat' ? chat : await startTwin(service, key, kind)
      const reply = await fetch(`${baseUrl}/api/x`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body,
      })
      // One vendor says it with another status; each says it in its own shape and never in ours.
      assert.ok([400, 403, 429, 503].includes(reply.status), `${kind} ${reply.status}`)
      assert.equal(reply.headers.get('retry-after'), '1')
      assert.doesNotMatch(await reply.text(), /request_id/)
    }
    const other = await service.call('POST', '/v1/api-keys', { name: 'of another organization' })
    assert.equal(other.status, 201)
    held.close()
    await eventually(async () => (await inFlight(service)) === 0)
    assert.equal((await service.call('POST', '/v1/api-keys', { name: 'again' }, { key })).status, 201)
  })

  it('count as they arrive where their length was not announced', async () => {
    await using service = await testService()
    const key = await organization(service, { body_bytes_in_flight: 100_000 })
    const chunk = `10000\r\n${'y'.repeat(65_536)}\r\n`
    const headers = [
      'transfer-encoding: chunked',
      'content-type: application/json',
      `authorization: Bearer ${key}`,
    ]
    const socket = await announceBody(service, '/v1/events', headers, chunk)
    await eventually(async () => (await inFlight(service)) === 65_536)
    await socket.say(chunk)
    const heard = await socket.ended.catch(() => '')
    assert.ok(heard === '' || statusOf(heard) === 429, heard)
    await eventually(async () => (await inFlight(service)) === 0)
    assert.equal((await service.call('GET', '/healthz')).status, 200)
  })
})

const inFlight = async (service: TestService): Promise<number> =>
  Number(/^diorama_body_bytes_in_flight (\d+)$/m.exec((await service.call('GET', '/metrics')).text)?.[1])

describe('a rate limit', () => {
  it('holds an organization, says what is left in standard headers, and leaves its neighbours alone', async () => {
    await using service = await testService()
    const key = await organization(service, { requests_per_minute: 3 })
    const ask = () => service.call('GET', '/v1/me', undefined, { key })
    const first = await ask()
    assert.equal(first.headers.get('ratelimit-policy'), '"organization";q=3;w=60')
    assert.match(first.headers.get('ratelimit') ?? '', /^"organization";r=2;t=\d+$/)
    await ask()
    await ask()
    const over = await ask()
    assert.deepEqual([over.status, over.body.code], [429, 'limit_exceeded'])
    assert.match(over.headers.get('retry-after') ?? '', /^([1-9]|1\d|20)$/)
    assert.match(over.headers.get('ratelimit') ?? '', /;r=0;/)
    const neighbour = await service.call('GET', '/v1/me')
    assert.equal(neighbour.status, 200)
    assert.equal(neighbour.headers.get('ratelimit'), null)
  })

  it('holds one key and not the others of its organization', async () => {
    await using service = await testService()
    const { body } = await service.call('POST', '/v1/api-keys', { name: 'slow', requests_per_minute: 1 })
    const ask = () => service.call('GET', '/v1/me', undefined, { key: body.secret })
    assert.equal((await ask()).status, 200)
    assert.equal((await ask()).status, 429)
    assert.equal((await service.call('GET', `/v1/api-keys/${body.id}`)).body.requests_per_minute, 1)
  })

  it('holds the twins of an organization, each in the shape of its vendor', async () => {
    await using service = await testService()
    const key = await organization(service, {})
    const twins = []
    for (const kind of ['chat', 'tracker', 'crm', 'erp'])
      twins.push({ kind, ...(await startTwin(service, key, kind)) })
    const me = await service.call('GET', '/v1/me', undefined, { key })
    const path = `/v1/organizations/${me.body.organization.id}`
    assert.equal((await service.call('PATCH', path, { limits: { requests_per_minute: 1 } })).status, 200)
    const ask = ({ baseUrl, token }: { baseUrl: string; token: string }) =>
      fetch(`${baseUrl}/api/auth.test`, { headers: { authorization: `Bearer ${token}` } })
    const [chat] = twins
    assert.ok(chat)
    await eventually(async () => (await ask(chat)).headers.get('ratelimit') !== null)
    for (const twin of twins) {
      const reply = await ask(twin)
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/, twin.kind)
      assert.match(reply.headers.get('ratelimit') ?? '', /r=0/, twin.kind)
      const text = await reply.text()
      assert.match(text, /rate|limit|throttl|too many/i, twin.kind)
    }
  })

  it('gives back a steady share of a minute', () => {
    let now = 0
    const buckets = createTokenBuckets(() => now)
    const take = () => buckets.take('a', 60)
    for (let n = 0; n < 60; n++) assert.equal(take().isAllowed, true)
    assert.deepEqual([take().isAllowed, take().retryAfterSeconds], [false, 1])
    now = 2_000
    assert.deepEqual([take().isAllowed, take().isAllowed, take().isAllowed], [true, true, false])
    now = 600_000
    assert.equal(take().remaining, 59)
  })
})

describe('a budget of bytes', () => {
  it('takes from every share or from none, and gives back once', () => {
    const budget = createByteBudget()
    const [whole, part] = [
      { name: 'whole', maxBytes: 10 },
      { name: 'part', maxBytes: 5 },
    ]
    const first = budget.reserve([whole, part], 5)
    assert.ok(first)
    assert.equal(budget.reserve([whole, part], 1), undefined)
    assert.equal(budget.held('whole'), 5)
    assert.equal(first.grow(1), false)
    first.release()
    first.release()
    assert.deepEqual([budget.held('whole'), budget.held('part')], [0, 0])
  })
})
