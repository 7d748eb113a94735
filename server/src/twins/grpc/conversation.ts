import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { toTwinRequest } from '@diorama/twin-kit/wires/twin-request'
import type { Host } from '../host.ts'
import type { Handled } from '../isolates/movement.ts'
import type { PlacedTwin } from '../placement/placed-twin.ts'
import { createFrameReader, frameOf } from './frames.ts'

/** Whom a call reaches, and by which address. */
export interface Callee {
  readonly host: Pick<Host, 'handle'>
  readonly twin: PlacedTwin
  readonly baseUrl: string
  /** Counts bytes that arrived, or as a negative number bytes that were handled; false ends the call. */
  readonly hold: (bytes: number) => boolean
  /** Asked before each message of the caller; false ends the call. */
  readonly admit?: (bytes: number) => boolean
  /** Called with what the twin made of each message, or of the wait for one. */
  readonly handled?: (handled: Handled, path: string) => void
}

const maxMessageBytes = 4 * 1_048_576
const frameHeadBytes = 5
const maxWaiting = 100
/** How many calls one connection may have open. */
export const maxCalls = 32
/** What may wait of all calls that share a limit: messages that are not handled yet, and parts of messages. */
const maxHeldBytes = 4 * maxMessageBytes

/** The limit on the bytes of some calls, to be shared by them. */
export const createHold = (): Callee['hold'] => {
  let held = 0
  return (bytes) => {
    held += bytes
    return held <= maxHeldBytes
  }
}

export const codes = { notFound: 5, exhausted: 8, unimplemented: 12, internal: 13, unavailable: 14 } as const

/** Ends a call with its status. */
export const end = (stream: ServerHttp2Stream, code: number, message: string): void => {
  if (stream.closed || stream.destroyed) return
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message) }
  if (!stream.headersSent) {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true })
    return
  }
  stream.once('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end()
}

/** Messages that are received and not handled yet; a new message ends the wait for one. */
const inbox = (stream: ServerHttp2Stream, hold: Callee['hold']) => {
  const reader = createFrameReader(maxMessageBytes)
  const waiting: Uint8Array[] = []
  const state = { fault: undefined as string | undefined, isEnded: false, arrived: new AbortController() }
  const wake = (): void => state.arrived.abort()
  let held = 0
  const count = (bytes: number): boolean => {
    held += bytes
    return hold(bytes)
  }
  stream.on('data', (chunk: Uint8Array) => {
    // The call ends by it in its next turn; what still comes is not kept.
    if (state.fault) return
    const fits = count(chunk.length)
    const read = fits ? reader.push(chunk) : 'too many bytes'
    if (typeof read === 'string') state.fault = read
    else waiting.push(...read)
    if (waiting.length > maxWaiting) state.fault = 'too many messages'
    if (state.fault || waiting.length > 0) wake()
  })
  stream.once('close', () => count(-held))
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
      if (message) count(-message.length - frameHeadBytes)
      if (waiting.length === 0) state.arrived = new AbortController()
      return { message, signal: state.arrived.signal }
    },
    size: () => waiting.length,
  }
}

/** One call by gRPC, message by message: what the twin needs to go on is in its state. */
export const converse = async (
  { host, twin, baseUrl, hold, admit, handled }: Callee,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> => {
  const incoming = inbox(stream, hold)
  const target = headers[':path'] ?? '/'
  let state = ''
  if (incoming.size() === 0 && !incoming.state.isEnded) await news(incoming.state.arrived.signal)
  while (!stream.closed && !stream.destroyed && !twin.lost) {
    if (incoming.state.fault) return end(stream, codes.exhausted, incoming.state.fault)
    const { message, signal } = incoming.take()
    if (!message && incoming.state.isEnded) return end(stream, 0, '')
    if (message && admit?.(message.length) === false)
      return end(stream, codes.exhausted, 'The budget of requests is spent')
    const request = toTwinRequest({
      ...{ method: 'POST', target, headers, body: message, baseUrl },
      stream: { state },
    })
    const answer = await host.handle(twin, request, signal)
    handled?.(answer, target)
    const { reply, isPlatformFault } = answer
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
