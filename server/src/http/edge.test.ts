import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { silentLog } from '../storage/log.ts'
import { type TestService, testService } from '../testing.ts'
import { openLog } from './log.ts'
import { sendRaw, testEdge } from './testing.ts'

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

describe('the edge', () => {
  it('gives every reply its own id, whatever the caller sends', async () => {
    const headers = { 'x-request-id': 'mine' }
    const ids = new Set<string | null>()
    for (const path of ['/healthz', '/v1/me', '/v1/nothing', '/metrics'])
      ids.add((await service.call('GET', path, undefined, { headers })).headers.get('x-request-id'))
    assert.equal(ids.size, 4)
    for (const id of ids) assert.match(id ?? '', /^req_\w{10,}$/)
  })

  it('packs a large reply for a caller that takes it, and no small one', async () => {
    const ask = (path: string, encoding: string) =>
      fetch(`${service.baseUrl}${path}`, { headers: { 'accept-encoding': encoding } })
    const packed = await sendRaw(`${service.baseUrl}/healthz`, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(packed.headers['content-encoding'], undefined)
    const large = await ask('/openapi.json', 'gzip')
    assert.equal(large.headers.get('content-encoding'), 'gzip')
    assert.equal(JSON.parse(await large.text()).openapi, '3.1.0')
    const plain = await ask('/openapi.json', 'identity')
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.equal(JSON.parse(await plain.text()).openapi, '3.1.0')
  })

  it('takes a body that was packed', async () => {
    const body = gzipSync(JSON.stringify({ name: 'packed' }))
    const made = await service.call('POST', '/v1/api-keys', body, { headers: { 'content-encoding': 'gzip' } })
    assert.equal(made.body.name, 'packed')
  })

  it('says nothing to pages of other origins', async () => {
    const headers = { origin: 'https://elsewhere.example' }
    const reply = await service.call('GET', '/v1/me', undefined, { headers })
    assert.equal(reply.headers.get('access-control-allow-origin'), null)
    const preflight = await service.call('OPTIONS', '/v1/me', undefined, {
      headers: { ...headers, 'access-control-request-method': 'GET' },
    })
    assert.equal(preflight.status, 405)
  })

  it('counts requests by route and status, in the text that Prometheus reads', async () => {
    await service.call('GET', '/v1/api-keys/key_unknown')
    const { text, headers } = await service.call('GET', '/metrics', undefined, { key: null })
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    assert.match(
      text,
      /^diorama_http_requests_total\{method="GET",route="\/v1\/api-keys\/:keyId",status="404"\} [1-9]/m,
    )
    assert.match(text, /^diorama_http_request_seconds_bucket\{le="0\.001",/m)
    for (const name of ['live_twins', 'nodejs_eventloop_lag_seconds'])
      assert.match(text, new RegExp(`^diorama_${name} `, 'm'), name)
    assert.doesNotMatch(text, /key_unknown|dk_/)
    for (const line of text.split('\n').filter((one) => one !== ''))
      assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? (-?[\d.e+-]+|NaN|\+Inf)( \d+)?)$/)
  })

  it('says when it is ready', async () => {
    const ready = await service.call('GET', '/readyz', undefined, { key: null })
    assert.deepEqual(ready.body, { status: 'ready', version: '0.0.0-test' })
  })
})

describe('a bug in a handler', () => {
  it('is a 500 with the id of the request, tells nothing, and the process lives', async () => {
    const logged: object[] = []
    const log = { ...silentLog, error: (facts: object) => void logged.push(facts) }
    await using edge = await testEdge(
      {
        healthz: () => ({ status: 'ok' }),
        readMe: () => {
          throw new TypeError('the secret plan failed')
        },
        listApiKeys: () => Promise.reject(new Error('later')),
      },
      log,
    )
    for (const path of ['/v1/me', '/v1/api-keys']) {
      const reply = await sendRaw(`${edge.baseUrl}${path}`, { headers: { authorization: 'Bearer test' } })
      assert.equal(reply.status, 500)
      const body = JSON.parse(reply.text)
      assert.equal(body.code, 'internal')
      assert.equal(body.request_id, reply.headers['x-request-id'])
      assert.doesNotMatch(reply.text, /secret plan|later|at .*\.ts/)
    }
    assert.equal(logged.length, 2)
    assert.equal((await sendRaw(`${edge.baseUrl}/healthz`)).status, 200)
  })

  it('that gives a reply which does not fit its schema is found in tests', async () => {
    await using edge = await testEdge({ healthz: () => ({ status: 'unwell' }) as never }, silentLog)
    assert.equal((await sendRaw(`${edge.baseUrl}/healthz`)).status, 500)
  })
})

describe('the log', () => {
  it('has one line for a request, without the query and without secrets', async () => {
    const lines: string[] = []
    const log = openLog({ now: Date.now, write: (line) => void lines.push(line) })
    const secret = `dk_${'s'.repeat(40)}`
    await using edge = await testEdge(
      {
        readMe: () => {
          throw new Error(`could not use Bearer ${secret}`)
        },
      },
      log,
    )
    const headers = { authorization: 'Bearer test' }
    await sendRaw(`${edge.baseUrl}/v1/me?token=${secret}`, { headers })
    await sendRaw(`${edge.baseUrl}/v1/me`, { headers })
    const parsed = lines.map((line) => JSON.parse(line))
    assert.equal(lines.filter((line) => line.endsWith('\n')).length, lines.length)
    const [first, bug, second] = parsed
    assert.deepEqual(
      parsed.map(({ level }) => level),
      ['info', 'error', 'info'],
    )
    assert.deepEqual([first.event, bug.event], ['http.request', 'request.failed'])
    assert.equal(first.route, '/v1/me')
    assert.equal(first.status, 400)
    assert.equal(second.organization, 'org_test')
    assert.equal(bug.request_id, second.request_id)
    assert.match(bug.error, /could not use \[redacted\]/)
    assert.doesNotMatch(lines.join(''), /sssss/)
  })
})
