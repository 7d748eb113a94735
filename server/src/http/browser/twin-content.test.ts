import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AnyTwin, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { notes } from '@diorama/twins/notes/twin'
import fc from 'fast-check'
import { type TestService, testService } from '../../testing.ts'
import { sendRaw } from '../testing.ts'

/** A twin that answers with whatever headers and body it is asked for: the worst that any twin can do. */
const mirror: AnyTwin = {
  ...notes,
  wire: ({ body }: TwinRequest) =>
    body.length === 0 ? { status: 200, headers: {}, body: '' } : JSON.parse(new TextDecoder().decode(body)),
}
const models = [{ twin: mirror, sample: { section: { notes: [] }, company: testCompany } }]

const startTwin = async (service: TestService, kind: string) => {
  const { body } = await service.call('POST', '/v1/twins', { service: kind })
  return { id: String(body.id), baseUrl: String(body.baseUrl), token: String(body.token) }
}

const inert = [
  'application/json',
  'text/plain',
  'text/csv',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]

type Sent = Readonly<Record<string, string | string[] | undefined>>

/** Fails unless a browser that opens, embeds or loads this reply runs nothing of it. */
const assertHarmless = (headers: Sent, what: string): void => {
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /(^|; )sandbox(;|$)/, what)
  assert.match(policy, /default-src 'none'/, what)
  assert.match(policy, /frame-ancestors 'none'/, what)
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  const type = (String(headers['content-type'] ?? '').split(';')[0] ?? '').trim().toLowerCase()
  assert.doesNotMatch(type, /script/, what)
  if (!inert.includes(type) && !/^(audio|video)\//.test(type) && !type.endsWith('+json'))
    assert.match(String(headers['content-disposition']), /^attachment(;|$)/, `${what}: ${type}`)
  for (const name of ['clear-site-data', 'service-worker-allowed', 'refresh', 'strict-transport-security'])
    assert.equal(headers[name], undefined, what)
}

const runnable = [
  'text/html',
  'TEXT/HTML; charset=utf-7',
  'text/html ;x',
  'application/xhtml+xml',
  'image/svg+xml',
  'image/SVG+xml;charset=utf-8',
  'text/xml',
  'application/xml',
  'application/rss+xml',
  'application/pdf',
  'application/javascript',
  'text/javascript;charset=utf-8',
  'text/ecmascript',
  'application/x-javascript',
  'text/livescript',
  'text/jscript',
  'text/javascript1.5',
  'text/css',
  'text/xsl',
  'text/cache-manifest',
  'application/wasm',
  'multipart/x-mixed-replace; boundary=a',
  'message/rfc822',
  'multipart/related',
  'application/x-shockwave-flash',
  'application/octet-stream',
  'text/plain,text/html',
  'text/html,text/plain',
  'unknown/unknown',
  '*/*',
  'text',
  '',
]

const letter = fc.constantFrom(...'abchtmlsvgx/+.-; ,="'.split(''))
const anyType = fc.oneof(
  fc.constantFrom(...runnable, ...inert),
  fc.array(letter, { maxLength: 24 }).map((letters) => letters.join('')),
)

describe('a reply of a twin', () => {
  it('runs nothing in a browser, whatever type, status and headers the twin chose', async () => {
    await using service = await testService({}, models)
    const { baseUrl } = await startTwin(service, 'notes')
    const send = async (reply: object) => {
      const wanted = { status: 200, ...reply }
      const got = await sendRaw(`${baseUrl}/x`, { method: 'POST', body: [JSON.stringify(wanted)] })
      assert.equal(got.status, wanted.status, got.text)
      return got
    }
    for (const type of runnable) {
      const { headers } = await send({ headers: { 'content-type': type }, body: '<script>1</script>' })
      assertHarmless(headers, type)
    }
    await fc.assert(
      fc.asyncProperty(anyType, fc.constantFrom(200, 201, 404, 500), async (type, status) => {
        assertHarmless((await send({ status, headers: { 'content-type': type }, body: '<b>' })).headers, type)
      }),
      { numRuns: 200 },
    )
    const own = {
      'content-type': 'text/html',
      'content-disposition': 'inline; filename="a.html"',
      'content-security-policy': "default-src * 'unsafe-inline'",
      'x-content-type-options': 'sniff',
      'clear-site-data': '"*"',
      'service-worker-allowed': '/',
      refresh: '0; url=/',
      'strict-transport-security': 'max-age=9',
      'set-cookie': ['diorama_session=theirs; Path=/v1', 'other=kept'],
    }
    const { headers } = await send({ headers: own, body: '<b>' })
    assertHarmless(headers, 'its own headers')
    assert.equal(headers['content-disposition'], 'attachment; filename="a.html"')
    assert.deepEqual(headers['set-cookie'], ['other=kept'])
    const picture = await send({ headers: { 'content-type': 'image/png' }, body: 'x' })
    assert.equal(picture.headers['content-disposition'], undefined)
  })

  it('runs nothing in a browser for any service, path and method, found or refused', async () => {
    await using service = await testService()
    const paths = ['', '/', '/api/auth.test', '/graphql', '/services/data/', '/services/Soap/u/60.0']
    const more = [
      '/sap/opu/odata/sap/API_BUSINESS_PARTNER/$metadata',
      '/files-pri/T1-F1/x',
      '/<script>',
      '/%3Csvg',
    ]
    for (const kind of ['chat', 'tracker', 'crm', 'erp']) {
      const { baseUrl, token } = await startTwin(service, kind)
      for (const path of [...paths, ...more])
        for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS'])
          for (const authorization of [`Bearer ${token}`, 'Bearer <script>'])
            for (const accept of ['text/html', 'application/xml'])
              assertHarmless(
                (
                  await sendRaw(`${baseUrl}${encodeURI(path)}`, {
                    method,
                    headers: { authorization, accept },
                  })
                ).headers,
                `${kind} ${method} ${path}`,
              )
    }
    const { headers, status } = await sendRaw(`${service.baseUrl}/t/twin_none/x.svg`)
    assert.equal(status, 404)
    assertHarmless(headers, 'no such twin')
  })

  it('never hears of the session of the console', async () => {
    await using service = await testService({}, [
      {
        ...models[0],
        twin: {
          ...mirror,
          wire: ({ headers }) => ({ status: 200, headers: {}, body: JSON.stringify(headers) }),
        },
        sample: { section: { notes: [] }, company: testCompany },
      },
    ])
    const { id, baseUrl } = await startTwin(service, 'notes')
    const entered = await fetch(`${service.baseUrl}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-diorama-console': '1' },
      body: JSON.stringify({ key: service.key }),
    })
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    assert.match(cookie, /^diorama_session=.{40}/)
    const { text } = await sendRaw(`${baseUrl}/x`, {
      headers: { cookie: `a=1; ${cookie}; b=2`, 'x-diorama-console': '1' },
    })
    const seen = JSON.parse(text)
    assert.equal(seen.cookie, 'a=1; b=2')
    assert.equal(seen.authorization, undefined)
    const alone = await sendRaw(`${baseUrl}/x`, { headers: { cookie } })
    assert.equal(JSON.parse(alone.text).cookie, undefined)
    const recorded = await service.call('GET', `/v1/twins/${id}/activity`)
    assert.ok(!recorded.text.includes(cookie))
  })
})

describe('an origin for twins', () => {
  const twinOrigin = 'http://twins.test:4400'
  const at = (host: string) => ({ headers: { host } })

  it('serves twins and nothing else, and the origin of the console no twin', async () => {
    await using service = await testService({ twinOrigin }, models)
    const { id, baseUrl } = await startTwin(service, 'notes')
    assert.equal(baseUrl, `${twinOrigin}/t/${id}`)
    const url = (path: string) => `${service.baseUrl}${path}`
    const reply = JSON.stringify({
      status: 200,
      headers: { 'content-type': 'image/svg+xml' },
      body: '<svg/>',
    })
    const post = (headers: Record<string, string>) =>
      sendRaw(url(`/t/${id}/x`), { method: 'POST', headers, body: [reply] })
    const there = await post({ host: 'twins.test:4400' })
    assert.equal(there.status, 200)
    assert.match(String(there.headers['content-security-policy']), /^sandbox;/)
    assert.equal(there.headers['content-disposition'], undefined)
    const here = await post({})
    assert.equal(here.status, 404)
    assert.match(here.text, /Twins are served at http:\/\/twins\.test:4400/)
    const fetched = await post({ 'x-diorama-console': '1' })
    assert.equal(fetched.status, 200)
    assert.equal(fetched.headers['content-disposition'], 'attachment')
    for (const path of ['/', '/v1/me', '/docs', '/console/session'])
      assert.equal((await sendRaw(url(path), at('twins.test:4400'))).status, 404, path)
    assert.equal((await sendRaw(url('/healthz'), at('twins.test:4400'))).status, 200)
  })
})
