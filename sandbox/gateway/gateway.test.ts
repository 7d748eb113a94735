import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect as connectHttp2, performServerHandshake } from 'node:http2'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { isPrivateAddress } from './addresses.ts'
import { type Authority, openAuthority } from './authority.ts'
import { type Gateway, openGateway } from './gateway.ts'
import type { ForwardedExchange, GatewayStep } from './options.ts'

const here = mkdtempSync(join(tmpdir(), 'gateway-'))
const steps: GatewayStep[] = []
const metered: ForwardedExchange[] = []
let authority: Authority
let gateway: Gateway
/** A model endpoint that the deployment allows; it answers word by word. */
const upstream = createServer((request, response) => {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'x-credential': request.headers.authorization ?? '',
  })
  response.write(`data: ${request.method} ${request.url}\n\n`)
  request.on('data', () => undefined).on('end', () => response.end('data: done\n\n'))
})

before(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const address = upstream.address()
  const origin = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  authority = await openAuthority({ stateDir: join(here, 'state') })
  gateway = await openGateway({
    authority,
    route: (host) => {
      if (host === 'twin.example') return { kind: 'twin', service: 'crm' }
      if (host === 'models.example')
        return { kind: 'forward', origin, allowPrivate: true, headers: { authorization: 'Bearer ours' } }
      if (host === 'inward.example') return { kind: 'forward', origin }
      if (host === 'named-inward.example') return { kind: 'forward', origin: 'http://localhost:9' }
      return undefined
    },
    onRequest: async (request) => {
      if (request.path === '/fails') throw new Error('the twin broke')
      const body = JSON.stringify({
        method: request.method,
        path: request.path,
        size: request.body.length,
        headers: request.headers,
      })
      return {
        status: request.path === '/none' ? 204 : 200,
        headers: { 'content-type': 'application/json' },
        body,
      }
    },
    onHttp2: ({ host, service, socket }) => {
      performServerHandshake(socket).on('stream', (stream, headers) => {
        stream.respond({ ':status': 200 })
        stream.end(`${service} at ${host}: ${headers[':path']}`)
      })
    },
    onStep: (step) => steps.push(step),
    onForwarded: (exchange) => metered.push(exchange),
  })
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  upstream.close()
  rmSync(here, { recursive: true })
})

interface Seen {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** A request as the relay brings it: over the trial's socket, inside TLS when a name is given. */
const send = (options: {
  host: string
  path?: string
  method?: string
  body?: string
  headers?: Record<string, string>
  secure?: boolean
}): Promise<Seen> => {
  return new Promise((resolve, reject) => {
    const { host, path = '/', method = 'GET', body, headers = {}, secure = true } = options
    const socket = connect(gateway.socketPath)
    const stream = secure ? connectTls({ socket, servername: host, ca: authority.certificatePem }) : socket
    stream.on('error', reject)
    const outgoing = httpRequest(
      { createConnection: () => stream, method, path, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Writes bytes as they are and reads until the other side closes or falls silent. */
const raw = (bytes: string, quietMs = 300): Promise<string> => {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.socketPath, () => socket.write(bytes))
    let seen = ''
    socket.setTimeout(quietMs, () => socket.destroy())
    socket.on('data', (chunk) => {
      seen += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(seen))
  })
}

describe('The gateway', () => {
  test('speaks as a twin’s host over TLS, and hands method, path, headers and body on', async () => {
    const seen = await send({
      host: 'twin.example',
      method: 'PATCH',
      path: '/a?b=1',
      body: 'hello',
      headers: { authorization: 'Bearer x', te: 'trailers' },
    })
    const told = JSON.parse(seen.body)
    assert.deepEqual(
      [told.method, told.path, told.size, told.headers.authorization],
      ['PATCH', '/a?b=1', 5, 'Bearer x'],
    )
    assert.equal(told.headers.te, undefined)
  })

  test('hands connections on to a service whose client speaks HTTP/2 alone, and speaks HTTP/1.1 with all others', async () => {
    const offer = (protocols: string[], host = 'twin.example') =>
      connectTls({
        ...{ path: gateway.socketPath, servername: host, ALPNProtocols: protocols },
        ca: authority.certificatePem,
      })
    const spoken = async (socket: ReturnType<typeof offer>) => {
      await once(socket, 'secureConnect')
      return socket.alpnProtocol
    }
    const both = offer(['h2', 'http/1.1'])
    assert.equal(await spoken(both), 'http/1.1')
    both.destroy()
    await assert.rejects(() => spoken(offer(['h2'], 'models.example')), /protocol/i)
    const alone = offer(['h2'])
    assert.equal(await spoken(alone), 'h2')
    const client = connectHttp2('https://twin.example', { createConnection: () => alone })
    const stream = client.request({ ':method': 'POST', ':path': '/service/Method' })
    const [answer] = await once(stream.end(), 'data')
    assert.equal(String(answer), 'crm at twin.example: /service/Method')
    client.destroy()
  })

  test('answers MERGE, HEAD and an answer without a body', async () => {
    assert.equal(
      JSON.parse((await send({ host: 'twin.example', method: 'MERGE', body: 'x' })).body).method,
      'MERGE',
    )
    const head = await send({ host: 'twin.example', method: 'HEAD' })
    assert.deepEqual([head.status, head.body], [200, ''])
    assert.ok(Number(head.headers['content-length']) > 0)
    assert.equal((await send({ host: 'twin.example', path: '/none' })).status, 204)
  })

  test('answers plain HTTP, absolute requests and several on one connection', async () => {
    assert.equal((await send({ host: 'twin.example', secure: false })).status, 200)
    const one = 'GET http://twin.example/one HTTP/1.1\r\nHost: twin.example\r\n\r\n'
    const two =
      'POST /two HTTP/1.1\r\nHost: twin.example\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
    const seen = await raw(one + two)
    assert.match(seen, /"path":"\/one".*"path":"\/two","size":3/s)
  })

  test('tells a client that waits for it to go on', async () => {
    const seen = await raw(
      'POST /c HTTP/1.1\r\nHost: twin.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok',
    )
    assert.match(seen, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/)
  })

  test('carries a CONNECT, with TLS or plain HTTP inside', async () => {
    const seen = await raw(
      'CONNECT twin.example:80 HTTP/1.1\r\nHost: twin.example:80\r\n\r\nGET /in HTTP/1.1\r\nHost: twin.example\r\n\r\n',
    )
    assert.match(seen, /200 Connection established.*"path":"\/in"/s)
    const other = await raw(
      'CONNECT elsewhere.example:80 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: twin.example\r\n\r\n',
    )
    assert.match(other, /421/)
  })

  test('refuses other hosts with a sentence, and reports it', async () => {
    const seen = await send({ host: 'other.example', path: '/x' })
    assert.equal(seen.status, 403)
    assert.match(JSON.parse(seen.body).error, /other\.example is not part of this trial/)
    const step = steps.find(({ host }) => host === 'other.example')
    assert.deepEqual([step?.outcome, step?.path, step?.service], ['refused', '/x', undefined])
  })

  test('streams an allowed host’s answer, adds the deployment’s credential, and meters both bodies', async () => {
    const seen = await send({
      host: 'models.example',
      method: 'POST',
      path: '/v1/chat',
      body: '{"model":"m"}',
    })
    assert.equal(seen.body, 'data: POST /v1/chat\n\ndata: done\n\n')
    assert.equal(seen.headers['x-credential'], 'Bearer ours')
    const exchange = metered.at(-1)
    assert.deepEqual(
      [String(exchange?.requestBody), String(exchange?.responseBody), exchange?.truncated],
      ['{"model":"m"}', seen.body, false],
    )
    assert.equal(steps.at(-1)?.outcome, 'forwarded')
  })

  test('refuses an allowed host that leads to a private address, by number or by name', async () => {
    for (const host of ['inward.example', 'named-inward.example']) {
      const seen = await send({ host })
      assert.deepEqual([seen.status, JSON.parse(seen.body).code], [403, 'private_address'])
    }
  })

  test('answers 502 when a twin breaks, and keeps serving', async () => {
    assert.equal((await send({ host: 'twin.example', path: '/fails' })).status, 502)
    assert.equal(steps.at(-1)?.outcome, 'failed')
    assert.equal((await send({ host: 'twin.example' })).status, 200)
  })

  test('refuses bodies, headers and upgrades beyond its limits', async () => {
    assert.equal(
      (await send({ host: 'twin.example', method: 'POST', body: 'x'.repeat(9_000_000) })).status,
      413,
    )
    assert.match(
      await raw(`GET / HTTP/1.1\r\nHost: twin.example\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`),
      /^HTTP\/1\.1 4/,
    )
    assert.match(
      await raw('GET / HTTP/1.1\r\nHost: twin.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      /501/,
    )
  })

  test('survives bytes that are no protocol at all', async () => {
    assert.match(await raw('\x00\x01\x02garbage\r\n\r\n'), /^HTTP\/1\.1 400/)
    await raw('\x16\x03\x01\x00\x05hello')
    assert.equal((await send({ host: 'twin.example' })).status, 200)
  })

  test('is reachable by its own folder’s owner alone', () => {
    assert.equal(statSync(gateway.socketPath).mode & 0o777, 0o600)
    assert.equal(gateway.loopbackUrl, undefined)
  })
})

describe('The authority', () => {
  test('is made once, kept with mode 0600, and the same for two openings at once', async () => {
    const stateDir = join(here, 'second')
    const [one, two] = await Promise.all([1, 2].map(() => openAuthority({ stateDir })))
    assert.equal(one?.certificatePem, two?.certificatePem)
    assert.equal(statSync(join(stateDir, 'authority-of-all-times.pem')).mode & 0o777, 0o600)
    assert.match(readFileSync(join(stateDir, 'authority-of-all-times.pem'), 'utf8'), /BEGIN PRIVATE KEY/)
  })

  test('keeps its leaves, which name the host', async () => {
    assert.equal(await authority.contextFor('a.example'), await authority.contextFor('a.example'))
    assert.notEqual(await authority.contextFor('a.example'), await authority.contextFor('b.example'))
  })
})

test('private and metadata addresses are known in every spelling', () => {
  const hidden = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '[::1]',
    '224.0.0.1',
    '255.255.255.255',
  ]
  for (const address of hidden) assert.ok(isPrivateAddress(address), address)
  for (const address of ['1.1.1.1', '8.8.8.8', '2606:4700::1111', '172.32.0.1', 'example.com']) {
    assert.ok(!isPrivateAddress(address), address)
  }
})
