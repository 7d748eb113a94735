/**
 * The one way out of a trial: it speaks as the services' real hosts, answers for the twins, carries what the
 * deployment allows, refuses the rest in words, and reports every request. One object a trial, all in one process.
 */
import { timingSafeEqual } from 'node:crypto'
import { chmodSync } from 'node:fs'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { hostOf } from './addresses.ts'
import { ByteBudget } from './byte-budget.ts'
import { type Call, Callers, callLoopback } from './callers.ts'
import { answerRequest, openUpstreamAgents } from './exchange.ts'
import type { GatewayOptions, GatewayStep } from './options.ts'

/** What is known about a connection before its first request. */
export interface Origin {
  /** The host that TLS or CONNECT named; requests inside cannot choose another. */
  readonly host: string | undefined
  /** Whether the connection already proved that it belongs to this trial. */
  readonly trusted: boolean
  readonly secure: boolean
}

/** Clients share the machine with many others, and may be slow for that reason alone. */
const handshakeTimeoutMs = 60_000
/** A client that does not go on with its handshake is not under way after this time: it may wait for the story itself. */
const slowHandshakeMs = 2_000
/** A connection without requests, such as one in a client's pool, is idle after this time. */
const idleConnectionMs = 500
const defaultHeldBytes = 64 * 2 ** 20
const tlsHandshakeRecord = 0x16

export class Gateway implements AsyncDisposable {
  readonly socketPath: string
  readonly #options: GatewayOptions
  readonly #http: Server
  readonly #listeners: NetServer[] = []
  readonly #origins = new WeakMap<Duplex, Origin>()
  /** Connections whose first request has not arrived yet, each with what ends its being under way. */
  readonly #arriving = new WeakMap<Duplex, () => void>()
  readonly #open = new Set<Socket>()
  readonly #agents = openUpstreamAgents()
  readonly #budget: ByteBudget
  readonly #callers = new Callers()
  #loopbackPort = 0
  #busy = 0

  constructor(socketPath: string, options: GatewayOptions) {
    this.socketPath = socketPath
    this.#options = options
    this.#budget = new ByteBudget(options.heldBytes ?? defaultHeldBytes)
    this.#http = createHttpServer({
      maxHeaderSize: 64 * 1024,
      requestTimeout: 120_000,
      headersTimeout: 30_000,
    })
    this.#http.keepAliveTimeout = 60_000
    this.#http.on('request', (request, response) => void this.#onRequest(request, response))
    this.#http.on('connect', (request, socket, head) => this.#onConnect(request, socket, head))
    this.#http.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head))
    this.#http.on('clientError', (_error, socket) => {
      if (socket.writable)
        socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      else socket.destroy()
    })
  }

  /** What is held of this trial's requests and replies at the moment. */
  get heldBytes(): number {
    return this.#budget.heldBytes
  }

  /** The proxy address for jobs without a network namespace; undefined unless a secret was given. */
  get loopbackUrl(): string | undefined {
    const secret = this.#options.loopbackSecret
    return secret ? `http://trial:${encodeURIComponent(secret)}@127.0.0.1:${this.#loopbackPort}` : undefined
  }

  /** Calls a port of the job: by its launcher, or directly where the job shares our network. */
  call(port: number, byLauncher: Call | undefined): Promise<Duplex> {
    return byLauncher ? this.#callers.call(byLauncher) : callLoopback(port)
  }

  /** A base under which the preload reaches a host without any proxy support in the client. */
  redirectBase(host: string): string | undefined {
    const secret = this.#options.loopbackSecret
    return secret
      ? `http://127.0.0.1:${this.#loopbackPort}/-/${encodeURIComponent(secret)}/${host}`
      : undefined
  }

  async open(): Promise<void> {
    await this.#listen({ path: this.socketPath }, true)
    chmodSync(this.socketPath, 0o600)
    if (this.#options.loopbackSecret) {
      const server = await this.#listen({ port: 0, host: '127.0.0.1' }, false)
      const address = server.address()
      if (address && typeof address === 'object') this.#loopbackPort = address.port
    }
  }

  async #listen(
    where: { path: string } | { port: number; host: string },
    trusted: boolean,
  ): Promise<NetServer> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      socket.on('error', () => socket.destroy())
      this.#begin(socket, { host: undefined, trusted, secure: false })
    })
    server.maxConnections = this.#options.connections ?? 512
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(where, resolve)
    })
    this.#listeners.push(server)
    return server
  }

  /** The first byte tells a TLS handshake from plain HTTP, on a fresh connection as inside a CONNECT. */
  #begin(socket: Duplex, origin: Origin): void {
    // A client that opens a tunnel and waits for the other side to speak first is not speaking HTTP.
    const timer = setTimeout(() => socket.destroy(), handshakeTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
    const idle = this.#arrive(socket)
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      socket.unshift(chunk)
      clearTimeout(timer)
      clearTimeout(idle)
      if (origin.trusted && this.#callers.knows(chunk)) this.#take(socket)
      else if (chunk[0] === tlsHandshakeRecord && !origin.secure) void this.#secure(socket, origin)
      else this.#serve(socket, origin)
    })
  }

  /** Until its first request a connection is under way: the request may be on its way to us. Gives the timer of that. */
  #arrive(socket: Duplex): NodeJS.Timeout | undefined {
    const { underWay } = this.#options
    if (!underWay) return undefined
    underWay.begin()
    const over = once(() => underWay.end())
    const timer = setTimeout(over, idleConnectionMs)
    const arrived = () => {
      clearTimeout(timer)
      over()
    }
    socket.once('close', arrived)
    this.#arriving.set(socket, arrived)
    return timer
  }

  /** A connection of the launcher, which we asked for. */
  #take(socket: Duplex): void {
    const greeting: Buffer | null = socket.read()
    this.#callers.take(socket, greeting ?? Buffer.alloc(0))
    this.#arriving.get(socket)?.()
  }

  #serve(socket: Duplex, origin: Origin): void {
    this.#origins.set(socket, origin)
    this.#http.emit('connection', socket)
    socket.resume()
  }

  async #secure(socket: Duplex, origin: Origin): Promise<void> {
    const { authority } = this.#options
    try {
      const fallback = await authority.contextFor(origin.host ?? 'unnamed.invalid')
      const secured = new TLSSocket(socket, {
        isServer: true,
        secureContext: fallback,
        ALPNCallback: ({ servername, protocols }) =>
          this.#protocolOf(protocols, (servername || origin.host) ?? ''),
        SNICallback: (name, done) => {
          authority.contextFor(name.toLowerCase()).then(
            (context) => done(null, context),
            (error) => done(error),
          )
        },
      })
      const slow = setTimeout(() => this.#arriving.get(socket)?.(), slowHandshakeMs)
      const timer = setTimeout(() => secured.destroy(), handshakeTimeoutMs)
      const over = () => {
        clearTimeout(slow)
        clearTimeout(timer)
      }
      secured.on('error', () => secured.destroy())
      secured.once('close', over)
      secured.once('secure', () => {
        over()
        this.#arrive(secured)
        this.#arriving.get(socket)?.()
        const named = Reflect.get(secured, 'servername')
        const host = typeof named === 'string' && named ? named.toLowerCase() : origin.host
        // Only a TLS server marks its sockets as connected, and a session of HTTP/2 would wait for that.
        Reflect.set(secured, 'secureConnecting', false)
        if (secured.alpnProtocol === 'h2' && host) this.#carryHttp2(secured, host)
        else this.#serve(secured, { host: host ?? 'unnamed.invalid', trusted: origin.trusted, secure: true })
      })
    } catch {
      socket.destroy()
    }
  }

  /** HTTP/2 is spoken with clients that know nothing else, and only where a service takes it. */
  #protocolOf(offered: readonly string[], name: string): string | undefined {
    if (offered.includes('http/1.1')) return 'http/1.1'
    const isCarried = this.#options.onHttp2 && this.#serviceOf(name.toLowerCase()) !== undefined
    return offered.includes('h2') && isCarried ? 'h2' : undefined
  }

  #serviceOf(host: string): string | undefined {
    const route = this.#options.route(host, { method: 'POST', path: '/' })
    return route?.kind === 'twin' ? route.service : undefined
  }

  #carryHttp2(socket: Duplex, host: string): void {
    const service = this.#serviceOf(host)
    this.#arriving.get(socket)?.()
    if (service === undefined) socket.destroy()
    else this.#options.onHttp2?.({ host, service, socket })
  }

  #onConnect(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const origin = this.#origins.get(request.socket)
    this.#arriving.get(request.socket)?.()
    const host = hostOf(request.url ?? '')
    socket.on('error', () => socket.destroy())
    if (!origin || !(origin.trusted || this.#provesTrust(request))) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="trial"\r\n' +
          'connection: close\r\nproxy-connection: close\r\ncontent-length: 0\r\n\r\n',
      )
      return
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    this.#begin(socket, { host, trusted: true, secure: false })
    socket.resume()
  }

  /** Only the world's own services have sockets; the others are refused in words. */
  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const origin = this.#origins.get(request.socket)
    this.#arriving.get(request.socket)?.()
    const target = origin && this.#target(request, origin)
    const route =
      target && this.#options.route(target.host, { method: request.method ?? 'GET', path: target.path })
    if (target && route?.kind === 'twin' && this.#options.onUpgrade) {
      const { host, path } = target
      socket.on('error', () => socket.destroy())
      this.#options.onUpgrade({ host, path, service: route.service, request, socket, head })
      return
    }
    const host = origin?.host ?? hostOf(request.headers.host ?? '')
    const reason = 'Upgrades such as WebSocket are carried to the services of the world alone.'
    this.#step({
      outcome: 'refused',
      host,
      method: request.method ?? '',
      path: request.url ?? '',
      status: 501,
      reason,
    })
    const body = JSON.stringify({ error: reason, code: 'upgrade_refused' })
    socket.on('error', () => socket.destroy())
    const refusal = `HTTP/1.1 501 Not Implemented\r\nconnection: close\r\ncontent-type: application/json\r\n`
    socket.end(`${refusal}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  #step(part: Pick<GatewayStep, 'outcome' | 'host' | 'method' | 'path' | 'status' | 'reason'>): void {
    const empty = { service: undefined, toModel: false, requestBytes: 0, responseBytes: 0, durationMs: 0 }
    this.#options.onStep?.({ ...empty, ...part })
  }

  #provesTrust(request: IncomingMessage): boolean {
    const expected = this.#options.loopbackSecret
    const given = /^Basic (.+)$/i.exec(request.headers['proxy-authorization'] ?? '')?.[1]
    if (!expected || !given) return false
    return sameSecret(Buffer.from(given, 'base64').toString().split(':').slice(1).join(':'), expected)
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = this.#origins.get(request.socket)
    const target = origin && this.#target(request, origin)
    response.on('error', () => response.destroy())
    if (!target) {
      this.#arriving.get(request.socket)?.()
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="trial"', 'content-length': 0 }).end()
      return
    }
    const overloaded = this.#busy >= (this.#options.requestsAtOnce ?? 256)
    this.#busy++
    const { underWay } = this.#options
    const counts = underWay !== undefined && !underWay.skips?.(target.host)
    if (counts) underWay.begin()
    this.#arriving.get(request.socket)?.()
    try {
      await answerRequest({
        request,
        response,
        target,
        options: this.#options,
        agents: this.#agents,
        budget: this.#budget,
        overloaded,
      })
    } finally {
      this.#busy--
      if (counts) underWay.end()
    }
  }

  /** Which host a request is for; undefined when the connection did not prove that it is this trial's. */
  #target(
    request: IncomingMessage,
    origin: Origin,
  ): { host: string; path: string; claimed: string } | undefined {
    const url = request.url ?? '/'
    const claimed = hostOf(request.headers.host ?? '')
    const secret = this.#options.loopbackSecret
    const redirected = secret ? /^\/-\/([^/]+)\/([^/?]+)(.*)$/s.exec(url) : null
    if (
      !origin.trusted &&
      redirected &&
      secret &&
      sameSecret(decodeURIComponent(redirected[1] ?? ''), secret)
    ) {
      const host = (redirected[2] ?? '').toLowerCase()
      return { host, path: redirected[3] || '/', claimed: host }
    }
    if (!origin.trusted && !this.#provesTrust(request)) return undefined
    if (origin.host) return { host: origin.host, path: url, claimed }
    const absolute = /^https?:\/\/([^/?]+)(.*)$/is.exec(url)
    if (!absolute) return { host: claimed, path: url, claimed }
    const host = hostOf(absolute[1] ?? '')
    const rest = absolute[2] ?? ''
    return { host, path: rest.startsWith('/') ? rest : `/${rest}`, claimed: host }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#callers.close()
    const closing = this.#listeners.map((server) => new Promise((resolve) => server.close(resolve)))
    for (const socket of this.#open) socket.destroy()
    await Promise.all(closing)
    this.#http.closeAllConnections()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }
}

const once = (act: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

const sameSecret = (given: string, expected: string): boolean => {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

const maxTries = 1_000
let opened = 0

/**
 * The socket lives in the system's temporary folder: its path must be short, and a sandbox's user must reach it. It has
 * no folder, since making and removing one stops us for milliseconds when many trials do. A name that is
 * somebody else's is passed over.
 */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  for (let tries = 1; ; tries++) {
    opened++
    const gateway = new Gateway(join(tmpdir(), `diorama-gateway-${process.pid}-${opened}.sock`), options)
    try {
      await gateway.open()
      return gateway
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!taken || tries === maxTries) throw error
    }
  }
}
