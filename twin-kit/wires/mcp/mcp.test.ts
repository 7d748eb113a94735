import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { notes } from '../../../twins/notes/twin.ts'
import type { TwinRequest } from '../../kernel/twin.ts'
import { seedFor, startInstance, testCompany } from '../../testing/host.ts'

const section = { notes: [{ key: 'first', text: 'Buy pumps', author: null }] }
const baseUrl = 'http://twin.example/t/1'
const start = () => startInstance(seedFor(notes, section))

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly host?: string
}

const ask = ({ instance, token }: ReturnType<typeof start>, sent: Sent) => {
  const request: TwinRequest = {
    method: sent.method ?? 'POST',
    path: sent.path ?? '/mcp',
    query: '',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      ...sent.headers,
    },
    body: Buffer.from(typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body ?? {})),
    baseUrl,
    ...(sent.host === undefined ? {} : { host: sent.host }),
  }
  const { step, failure } = instance.handle(request, testCompany.clock)
  assert.equal(failure, undefined)
  const text = Buffer.from(step.reply.body).toString()
  return { step, text, ...step.reply, json: () => JSON.parse(text) }
}

const rpc = (method: string, params: Record<string, unknown> = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const stateless = (method: string, params: Record<string, unknown> = {}): Sent => ({
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  },
  body: rpc(method, { ...params, _meta: envelope }),
})

describe('a face in the Model Context Protocol', () => {
  it('agrees on a revision in the handshake, and offers its newest one to a client of another', () => {
    const agreed = (protocolVersion: string) =>
      ask(start(), { body: rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: {} }) }).json()
        .result.protocolVersion
    assert.equal(agreed('2025-11-25'), '2025-11-25')
    assert.equal(agreed('2025-03-26'), '2025-03-26')
    assert.equal(agreed('1999-01-01'), '2025-11-25')
  })

  it('answers requests of the stateless revision without a handshake', () => {
    const running = start()
    const discovered = ask(running, stateless('server/discover')).json().result
    assert.equal(discovered.resultType, 'complete')
    assert.ok(discovered.supportedVersions.includes('2026-07-28'))
    const called = ask(running, stateless('tools/call', { name: 'list_notes', arguments: {} })).json().result
    assert.match(called.content[0].text, /Buy pumps/)
    assert.equal(ask(running, stateless('ping')).status, 404)
  })

  it('calls operations: the same actor, the same changes, in the ledger under the name of the tool', () => {
    const running = start()
    const body = rpc('tools/call', { name: 'write_note', arguments: { text: 'Call Dev' } })
    const { step } = ask(running, { body })
    assert.equal(step.operation, 'tools/call write_note')
    assert.equal(step.actor?.subject, 'integration')
    assert.deepEqual(
      step.changes.filter(({ collection }) => collection === 'note').map(({ after }) => after?.text),
      ['Call Dev'],
    )
  })

  it('names the argument that does not fit, as the failure of the call', () => {
    const { result } = ask(start(), {
      body: rpc('tools/call', { name: 'write_note', arguments: { test: 1 } }),
    }).json()
    assert.equal(result.isError, true)
    assert.match(result.content[0].text, /text/)
    assert.match(result.content[0].text, /test/)
  })

  it('refuses what is not of the protocol', () => {
    const refused: readonly (readonly [sent: Sent, status: number, code: number | undefined])[] = [
      [{ body: '{' }, 400, -32700],
      [{ body: [rpc('ping')] }, 400, -32600],
      [{ body: { id: 1, method: 'ping' } }, 400, -32600],
      [{ body: rpc('nothing/here') }, 200, -32601],
      [{ body: rpc('tools/call', { name: 'erase_everything' }) }, 200, -32602],
      [{ body: rpc('tools/list', { cursor: 'elsewhere' }) }, 200, -32602],
      [{ body: rpc('ping'), headers: { 'mcp-protocol-version': '2031-01-01' } }, 400, -32022],
      [{ body: rpc('ping'), headers: { 'mcp-protocol-version': '2026-07-28' } }, 400, -32602],
      [{ ...stateless('tools/list'), headers: { 'mcp-method': 'tools/list' } }, 400, -32020],
      [
        {
          ...stateless('tools/list'),
          headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' },
        },
        400,
        -32020,
      ],
      [{ body: rpc('ping'), headers: { accept: 'image/png' } }, 406, -32000],
      [{ body: rpc('ping'), headers: { origin: 'https://evil.example' } }, 403, undefined],
      [{ method: 'GET' }, 405, undefined],
      [{ method: 'DELETE' }, 405, undefined],
      [{ path: '/mcp/elsewhere' }, 404, undefined],
    ]
    const running = start()
    for (const [sent, status, code] of refused) {
      const answer = ask(running, sent)
      assert.equal(answer.status, status, JSON.stringify(sent))
      assert.equal(answer.json().error?.code, code, JSON.stringify(sent))
    }
  })

  it('frames its answer as an event for a client that reads nothing else', () => {
    const { headers, text } = ask(start(), { body: rpc('ping'), headers: { accept: 'text/event-stream' } })
    assert.equal(headers['content-type'], 'text/event-stream')
    assert.deepEqual(JSON.parse(/^event: message\ndata: (.*)\n\n$/.exec(text)?.[1] ?? ''), {
      jsonrpc: '2.0',
      id: 1,
      result: {},
    })
  })

  it('takes notifications and responses without an answer', () => {
    const running = start()
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 7, result: {} },
    ]) {
      const { status, text } = ask(running, { body })
      assert.deepEqual([status, text], [202, ''])
    }
  })

  it('leads a caller without a credential to the metadata of its authorization', () => {
    const running = start()
    const refused = ask(running, { body: rpc('ping'), headers: { authorization: 'Bearer stolen' } })
    assert.equal(refused.status, 401)
    const address = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))?.[1] ?? ''
    const resource = ask(running, { method: 'GET', path: address.slice(baseUrl.length) }).json()
    assert.equal(resource.resource, `${baseUrl}/mcp`)
    const server = ask(running, { method: 'GET', path: '/.well-known/oauth-authorization-server' }).json()
    assert.equal(server.issuer, resource.authorization_servers[0])
    const form = (secret: string) => `grant_type=client_credentials&client_id=a&client_secret=${secret}`
    const tokenPath = server.token_endpoint.slice(baseUrl.length)
    const granted = ask(running, { path: tokenPath, body: form(running.token) }).json()
    assert.equal(granted.access_token, running.token)
    assert.equal(ask(running, { path: tokenPath, body: form('stolen') }).status, 401)
  })

  it('is chosen by the host name, where the caller used one', () => {
    const running = start()
    const asked = (host: string) => ask(running, { body: rpc('ping'), host })
    assert.deepEqual(asked('mcp.notes.example').json().result, {})
    assert.equal(asked('notes.example').json().error, 'unknown_operation')
  })

  it('counts a tool of the real server that the twin does not have', () => {
    const { step } = ask(start(), { body: rpc('tools/call', { name: 'share_note', arguments: {} }) })
    assert.deepEqual(step.notEmulated, ['tools/call share_note'])
  })

  it('says in the words of the protocol that its host cannot answer', () => {
    const request = {
      method: 'POST',
      path: '/mcp',
      query: '',
      headers: {},
      body: Buffer.from(JSON.stringify(rpc('ping', {}, 9))),
      baseUrl,
    }
    const { status, headers, body } = notes.fault({ kind: 'rate_limited', retryAfterSeconds: 3 }, request)
    assert.equal(status, 429)
    assert.equal(headers['retry-after'], '3')
    assert.equal(JSON.parse(String(body)).id, 9)
  })
})
