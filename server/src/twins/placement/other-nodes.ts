import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { type SecureContextOptions, TLSSocket, connect as tlsConnect } from 'node:tls'
import { ApiError } from '../../http/api-error.ts'

/** Longer than an isolate may take for one request, and shorter than a node is believed alive. */
const usualTimeoutMs = 10_000

export interface Forwarded {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Message {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  /** For what may take longer than a request to a twin. */
  readonly timeoutMs?: number
}

/** Marks a request that came from another node, so that it is answered or refused and never sent round. */
export const forwardedHeader = 'x-diorama-forwarded'

/** The way to the nodes that run other twins. */
export interface OtherNodes {
  /** Sends a request on to the node that answers for it; refused as unavailable where that node cannot be reached. */
  readonly forward: (address: string, message: Message) => Promise<Forwarded>
  /** A connection to another node, for what is not one request and one reply. */
  readonly connect: (address: string, onConnected: () => void) => Socket
  /** Whether a request claims to come from a node without the certificate that nodes have. */
  readonly isForged: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean
}

/** What this node shows the others, and whom it believes. */
export interface NodeIdentity {
  readonly current: () => SecureContextOptions
  /** Whether each node must show a certificate. */
  readonly areMutual: boolean
}

export const createOtherNodes = (identity: NodeIdentity | undefined): OtherNodes => ({
  forward: (address, message) =>
    new Promise((resolve, reject) => {
      const fail = (cause: Error) => reject(unreachable(cause))
      const headers = {
        ...message.headers,
        [forwardedHeader]: '1',
        'content-length': String(message.body.length),
      }
      delete headers['transfer-encoding']
      delete headers.connection
      const options = { method: message.method, headers, timeout: message.timeoutMs ?? usualTimeoutMs }
      const outgoing = address.startsWith('https:')
        ? requestHttps(`${address}${message.url}`, { ...options, ...identity?.current() })
        : requestHttp(`${address}${message.url}`, options)
      outgoing.on('response', (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 502, headers: reply.headers, body: Buffer.concat(chunks) }),
        )
        reply.on('error', fail)
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('the other node did not answer in time')))
      outgoing.on('error', fail)
      outgoing.end(message.body)
    }),
  connect: (address, onConnected) => {
    const { protocol, hostname, port } = new URL(address)
    const host = hostname.replace(/^\[|\]$/g, '')
    if (protocol !== 'https:') return connect({ host, port: Number(port || 80) }, onConnected)
    return tlsConnect(
      { host, servername: host, port: Number(port || 443), ...identity?.current() },
      onConnected,
    )
  },
  isForged: ({ headers, socket }) =>
    identity?.areMutual === true &&
    headers[forwardedHeader] !== undefined &&
    !(socket instanceof TLSSocket && socket.authorized),
})

const unreachable = (cause: Error): ApiError =>
  new ApiError('unavailable', 'The node that answers for this cannot be reached; retry.', {
    retryAfterSeconds: 1,
    cause,
  })
