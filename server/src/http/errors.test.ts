import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ErrorBody } from '@diorama/contract'
import { type Called, type TestService, testService } from '../testing.ts'
import { openSocket, sendRaw } from './testing.ts'

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

const refused = (reply: Called, status: number, code: string, pointer?: string) => {
  assert.equal(reply.status, status, reply.text.slice(0, 300))
  const body = ErrorBody.strict().parse(reply.body)
  assert.equal(body.code, code)
  assert.equal(body.request_id, reply.headers.get('x-request-id'))
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  if (pointer !== undefined) assert.equal(body.details?.[0]?.pointer, pointer)
  return body
}
const auth = () => ({ authorization: `Bearer ${service.key}`, 'content-type': 'application/json' })

describe('a refusal', () => {
  it('has one shape, a code and the id of the request', async () => {
    refused(await service.call('GET', '/v1/nothing'), 404, 'not_found')
    refused(await service.call('GET', '/v1/api-keys/key_unknown'), 404, 'not_found')
    const none = await service.call('GET', '/v1/me', undefined, { key: null })
    refused(none, 401, 'unauthorized')
    assert.match(none.headers.get('www-authenticate') ?? '', /^Bearer/)
    refused(await service.call('GET', '/v1/me', undefined, { key: 'dk_wrong' }), 401, 'unauthorized')
    refused(await service.call('GET', '/%ff'), 400, 'malformed')
  })

  it('of a method names those that are taken', async () => {
    const reply = await service.call('PUT', '/v1/api-keys', {})
    refused(reply, 405, 'method_not_allowed')
    assert.equal(reply.headers.get('allow'), 'GET, POST')
  })

  it('of a content type names what is taken', async () => {
    const headers = { 'content-type': 'text/xml' }
    const reply = await service.call('POST', '/v1/api-keys', '<a/>', { headers })
    assert.match(refused(reply, 415, 'unsupported_media_type').error, /application\/json/)
    const brotli = { headers: { 'content-encoding': 'br' } }
    refused(await service.call('POST', '/v1/api-keys', '{}', brotli), 415, 'unsupported_media_type')
    const broken = { headers: { 'content-encoding': 'gzip' } }
    refused(await service.call('POST', '/v1/api-keys', 'no gzip', broken), 400, 'malformed')
  })

  it('is made even of what is not HTTP', async () => {
    for (const [said, status] of [
      ['GET / HTTP/9.9\r\n\r\n', 400],
      ['\x16\x03\x01\x02\x00', 400],
      [`GET / HTTP/1.1\r\nhost: x\r\nbig: ${'x'.repeat(40_000)}\r\n\r\n`, 413],
    ] as const) {
      const socket = openSocket(service.baseUrl)
      await socket.connected
      await socket.say(said)
      const heard = await socket.ended
      assert.ok(heard.startsWith(`HTTP/1.1 ${status} `), heard)
      ErrorBody.strict().parse(JSON.parse(heard.split('\r\n\r\n')[1] ?? ''))
    }
  })

  it('lets the next request on the connection through', async () => {
    refused(await service.call('POST', '/v1/api-keys', '{"name":'), 400, 'malformed')
    assert.equal((await service.call('GET', '/v1/me')).status, 200)
  })
})

describe('a body that is too large', () => {
  const megabyte = Buffer.alloc(1_048_576, 32)
  const twenty = Array.from({ length: 20 }, () => megabyte)
  const path = () => `${service.baseUrl}/v1/api-keys`

  it('is refused by its announced length before it is read', async () => {
    const headers = { ...auth(), 'content-length': String(20 * megabyte.length) }
    const reply = await sendRaw(path(), { method: 'POST', headers })
    assert.equal(reply.status, 413)
    assert.equal(JSON.parse(reply.text).code, 'too_large')
  })
  it('is refused when it comes in chunks', async () => {
    const reply = await sendRaw(path(), {
      method: 'POST',
      headers: { ...auth(), 'transfer-encoding': 'chunked' },
      body: twenty,
    }).catch((error: NodeJS.ErrnoException) => error)
    // A sender that does not listen before it is done may find the connection closed; it must not be taken.
    if (reply instanceof Error) assert.match(reply.code ?? '', /^(EPIPE|ECONNRESET)$/)
    else assert.equal(reply.status, 413)
  })
  it('is refused when it grows too large as it is unpacked', async () => {
    const packed = gzipSync(Buffer.concat(twenty))
    assert.ok(packed.length < 100_000)
    const reply = await service.call('POST', '/v1/api-keys', packed, {
      headers: { 'content-encoding': 'gzip' },
    })
    refused(reply, 413, 'too_large')
  })
})

describe('a body that cannot be read', () => {
  const post = (body: string | Uint8Array | object) => service.call('POST', '/v1/api-keys', body)

  it('is refused as malformed', async () => {
    for (const text of ['', '{', '{"name":}', 'nul', '[1,]', "{'name':'x'}", '{"name":"x"} x', '\ufeff{}'])
      refused(await post(text), 400, 'malformed')
    refused(await post(Buffer.from([0x22, 0xff, 0x22])), 400, 'malformed')
  })
  it('names the field that has a wrong type', async () => {
    refused(await post({ name: 7 }), 400, 'malformed', '/name')
    refused(await post({ name: 'x', scopes: ['worlds:read', 'fly'] }), 400, 'malformed', '/scopes/1')
    refused(await post({ name: 'x', expires_at: 'tomorrow' }), 400, 'malformed', '/expires_at')
    for (const body of ['null', '[]', '"x"', '7', 'true']) refused(await post(body), 400, 'malformed')
    assert.equal(refused(await post({ name: 7, class: 8, scopes: 9 }), 400, 'malformed').details?.length, 3)
  })
  it('is refused however deep it is nested', async () => {
    const deep = 100_000
    refused(await post(`{"name":${'['.repeat(deep)}${']'.repeat(deep)}}`), 400, 'malformed')
    refused(await post('[{"a":'.repeat(deep)), 400, 'malformed')
    refused(await post(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`), 400, 'malformed')
  })
  it('names the text that no database could hold', async () => {
    refused(await post('{"name":"a\\u0000b"}'), 400, 'malformed', '/name')
    refused(await post('{"name":"\\ud800"}'), 400, 'malformed', '/name')
    refused(await post('{"name":"\\udc00\\ud800"}'), 400, 'malformed', '/name')
    refused(await post('{"name":"x","scopes":["\\u0000"]}'), 400, 'malformed', '/scopes/0')
    refused(await post('{"name":"x","\\u0000":1}'), 400, 'malformed')
    assert.equal((await post('{"name":"\\ud83d\\ude00 fine"}')).status, 201)
  })
})

describe('a field', () => {
  it('may be spelt in either casing', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    for (const field of ['expires_at', 'expiresAt', 'ExpiresAt']) {
      const made = await service.call('POST', '/v1/api-keys', { name: 'cased', [field]: expires })
      assert.equal(made.body.expires_at, expires, field)
    }
  })
  it('that is not known is refused, with the nearest known one', async () => {
    const reply = await service.call('POST', '/v1/api-keys', { name: 'x', scope: [] })
    const body = refused(reply, 400, 'malformed', '/scope')
    assert.match(body.details?.[0]?.message ?? '', /did you mean scopes\?/)
    const far = await service.call('POST', '/v1/api-keys', { name: 'x', quantum: 1 })
    assert.doesNotMatch(refused(far, 400, 'malformed', '/quantum').error, /did you mean/)
  })
  it('called __proto__ or constructor is a field like any other', async () => {
    for (const field of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      refused(
        await service.call('POST', '/v1/api-keys', `{"name":"x","${field}":{"name":"y"}}`),
        400,
        'malformed',
        `/${field}`,
      )
  })
})

describe('a query', () => {
  const list = (query: string) => service.call('GET', `/v1/api-keys?${query}`)

  it('is refused when a parameter appears twice', async () => {
    refused(await list('limit=1&limit=2'), 400, 'malformed', '/query/limit')
  })
  it('is refused when a parameter is not known', async () => {
    const body = refused(await list('limits=1'), 400, 'malformed', '/query/limits')
    assert.match(body.details?.[0]?.message ?? '', /did you mean limit\?/)
  })
  it('is refused with an absurd limit', async () => {
    for (const limit of [
      '0',
      '-1',
      '201',
      '1e3',
      '1.5',
      '99999999999999999999',
      'NaN',
      'Infinity',
      '',
      ' 1',
      '0x10',
    ])
      refused(await list(`limit=${encodeURIComponent(limit)}`), 400, 'malformed', '/query/limit')
    assert.equal((await list('limit=200')).status, 200)
  })
  it('is refused with a cursor that no list gave out', async () => {
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const cursors = [
      'x',
      '%00',
      '!!',
      'a'.repeat(900),
      forged(null),
      forged([1]),
      forged([1, 'd', 1e300, 'x']),
    ]
    const more = [forged([1, 'd', 0, 'x'.repeat(300)]), forged([2, 'd', 0, 'x']), forged([1, 'd', 0, '\0'])]
    for (const cursor of [...cursors, ...more]) {
      const reply = await list(`cursor=${cursor}`)
      assert.equal(reply.status, 400, cursor)
      assert.match(reply.body.code, /^(invalid_cursor|malformed)$/)
    }
    refused(await list(`cursor=${'a'.repeat(2_000)}`), 400, 'malformed', '/query/cursor')
  })
  it('with a cursor of another kind is refused or answered, never a 500', async () => {
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const value of [
      [1, 's', 'x', 'y'],
      [1, 'n', 5, 'y'],
      [1, 'n', 1e308, 'y'],
    ])
      assert.ok((await list(`cursor=${forged(value)}`)).status < 500, JSON.stringify(value))
  })
  it('is refused with text that no database could hold', async () => {
    refused(await list('cursor=a%00b'), 400, 'malformed', '/query/cursor')
    assert.ok((await service.call('GET', '/v1/api-keys/a%00b')).status === 404)
    assert.equal((await service.call('GET', `/v1/api-keys/${'x'.repeat(600)}`)).status, 404)
  })
})
