import { once } from 'node:events'
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { toTwinRequest } from '@diorama/twin-kit/wires/twin-request'
import type { Log } from '../../storage/log.ts'
import type { Host } from '../host.ts'
import type { PlacedTwin } from '../placement/placed-twin.ts'
import { createFrameReader, frameOf } from './frames.ts'

export interface GrpcDeps {
  readonly host: Host
  readonly log: Log
  readonly baseUrl: () => string
}

/** Calls to twins by gRPC: HTTP/2 without TLS, behind the deployment's own proxy. */
export interface GrpcListener {
  readonly listen: (at: { readonly host: string; readonly port: number }) => Promise<number>
  readonly close: () => Promise<void>
}

const maxMessageBytes = 4 * 1_048_576
const maxWaiting = 100
const codes = { notFound: 5, exhausted: 8, unimplemented: 12, internal: 13, unavailable: 14 } as const

export const openGrpcListener = (deps: GrpcDeps): GrpcListener => {
  const server: Http2Server = createServer()
  const sessions = new Set<{ close: () => void; destroy: () => void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    serve(deps, stream, headers).catch((error: unknown) => {
      deps.log.error({ event: 'grpc.failed', error }, 'A call by gRPC failed.')
      end(stream, codes.internal, 'Internal error')
    })
  })
  return {
    listen: async ({ host, port }) => {
      server.listen(port, host)
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    close: async () => {
      for (const session of sessions) session.destroy()
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const end = (stream: ServerHttp2Stream, code: number, message: string): void => {
  if (stream.closed || stream.destroyed) return
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message) }
  if (!stream.headersSent) {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true })
    return
  }
  stream.once('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end()
}

/** A call names its twin by the twin's address, which is somewhere in its metadata. */
const twinIdIn = (headers: IncomingHttpHeaders): string | undefined => {
  for (const [name, value] of Object.entries(headers)) {
    const found = name.startsWith(':') ? undefined : /\/t\/(\w+)(?:\/|$)/.exec(String(value))?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

const serve = async (
  deps: GrpcDeps,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> => {
  const id = twinIdIn(headers)
  const found = id === undefined ? undefined : await deps.host.find(id)
  if (!found || found.at === 'nowhere' || found.at === 'ended')
    return end(stream, codes.notFound, 'No metadata holds the address of a twin that runs')
  if (found.at !== 'here')
    return end(stream, codes.unavailable, 'The twin runs on another node; call that one')
  await converse(deps, found.twin, { stream, headers })
}

interface Call {
  readonly stream: ServerHttp2Stream
  readonly headers: IncomingHttpHeaders
}

/** Messages that are received and not handled yet; a new message ends the wait for one. */
const inbox = (stream: ServerHttp2Stream) => {
  const reader = createFrameReader(maxMessageBytes)
  const waiting: Uint8Array[] = []
  const state = { fault: undefined as string | undefined, isEnded: false, arrived: new AbortController() }
  const wake = (): void => state.arrived.abort()
  stream.on('data', (chunk: Uint8Array) => {
    const read = reader.push(chunk)
    if (typeof read === 'string') state.fault = read
    else waiting.push(...read)
    if (waiting.length > maxWaiting) state.fault = 'too many messages'
    wake()
  })
  for (const event of ['end', 'close', 'aborted'])
    stream.on(event, () => {
      state.isEnded = true
      wake()
    })
  return {
    state,
    /** The next message; none where there is none yet. A signal says when there is news. */
    take: (): { message: Uint8Array | undefined; signal: AbortSignal } => {
      const message = waiting.shift()
      if (waiting.length === 0) state.arrived = new AbortController()
      return { message, signal: state.arrived.signal }
    },
    size: () => waiting.length,
  }
}

const converse = async (
  { host, baseUrl }: GrpcDeps,
  twin: PlacedTwin,
  { stream, headers }: Call,
): Promise<void> => {
  const incoming = inbox(stream)
  let state = ''
  if (incoming.size() === 0 && !incoming.state.isEnded) await news(incoming.state.arrived.signal)
  while (!stream.closed && !stream.destroyed && !twin.lost) {
    if (incoming.state.fault) return end(stream, codes.exhausted, incoming.state.fault)
    const { message, signal } = incoming.take()
    if (!message && incoming.state.isEnded) return end(stream, 0, '')
    const request = toTwinRequest({
      method: 'POST',
      target: headers[':path'] ?? '/',
      headers,
      body: message,
      baseUrl: `${baseUrl()}/t/${twin.id}`,
      stream: { state },
    })
    const { reply, isPlatformFault } = await host.handle(twin, request, signal)
    if (isPlatformFault || !reply.stream)
      return end(
        stream,
        isPlatformFault ? codes.unavailable : codes.unimplemented,
        'The twin does not answer this call',
      )
    state = reply.stream.state === '' ? state : reply.stream.state
    for (const sent of reply.stream.messages) await send(stream, sent)
    if (reply.stream.end) return end(stream, reply.stream.end.code, reply.stream.end.message)
  }
  end(stream, codes.unavailable, 'The twin moved or ended')
}

const news = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve()))

const send = async (stream: ServerHttp2Stream, message: Uint8Array): Promise<void> => {
  if (stream.closed || stream.destroyed) return
  if (!stream.headersSent)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  if (!stream.write(frameOf(message)))
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined)
}
