import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Authority } from './authority.ts'

export interface GatewayRequest {
  readonly host: string
  readonly service: string
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer
}

/** A request of the job to turn its connection into a WebSocket with one of the services. */
export interface GatewayUpgrade {
  readonly host: string
  readonly service: string
  /** Path and query, as sent. */
  readonly path: string
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** A connection of the job to one of the services that speaks HTTP/2, as clients of gRPC do. */
export interface GatewayHttp2 {
  readonly host: string
  readonly service: string
  readonly socket: Duplex
}

export interface GatewayReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Uint8Array | string
  /** The connection is cut instead. */
  readonly isDropped?: boolean
}

/** A reply that is passed on while it is made. */
export interface StreamedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: AsyncIterable<Uint8Array>
}

export type Route =
  | { readonly kind: 'twin'; readonly service: string }
  /** Answered by the one who opened the gateway, who knows models. */
  | { readonly kind: 'model' }
  | {
      readonly kind: 'forward'
      /** Scheme and authority to send to, such as https://models.example. */
      readonly origin: string
      /** Set only where the deployment itself names a private origin, such as its own model server. */
      readonly allowPrivate?: boolean
      /** Headers put in on the way, such as a credential that the job never sees. */
      readonly headers?: Readonly<Record<string, string>>
    }

export interface GatewayStep {
  readonly outcome: 'twin' | 'model' | 'forwarded' | 'refused' | 'failed'
  readonly host: string
  readonly service: string | undefined
  /** Whether the request was led to a model, however that ended. */
  readonly toModel: boolean
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly durationMs: number
  readonly reason: string | undefined
}

/** What the metering hook sees of an allowed call; bodies are cut at the limit and say so. */
export interface ForwardedExchange {
  readonly host: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestBody: Buffer
  readonly responseHeaders: Readonly<Record<string, string | string[] | undefined>>
  readonly responseBody: Buffer
  readonly truncated: boolean
}

export interface GatewayOptions {
  readonly authority: Authority
  readonly route: (
    host: string,
    request: { readonly method: string; readonly path: string },
  ) => Route | undefined
  readonly onRequest: (request: GatewayRequest) => Promise<GatewayReply>
  /** Takes over the connection; upgrades are refused when left out. */
  readonly onUpgrade?: (upgrade: GatewayUpgrade) => void
  /** Takes over a connection whose client speaks HTTP/2 and nothing else; such handshakes fail when left out. */
  readonly onHttp2?: (connection: GatewayHttp2) => void
  /** Answers requests to models; the signal aborts when the client goes away. */
  readonly onModel?: (request: Omit<GatewayRequest, 'service'>, signal: AbortSignal) => Promise<StreamedReply>
  /** An exchange with a host begins; what it gives back is called when that has ended. */
  readonly onExchange?: (host: string) => () => void
  readonly onStep?: (step: GatewayStep) => void
  readonly onForwarded?: (exchange: ForwardedExchange) => void
  /** Opens a loopback port beside the socket, for jobs without a network namespace; the secret is its key. */
  readonly loopbackSecret?: string
  /** Told of everything of the trial that is under way: requests, and handshakes before them. */
  readonly underWay?: {
    begin(): void
    end(): void
    /** Hosts whose requests do not count. */
    skips?(host: string): boolean
  }
  readonly bodyBytes?: number
  readonly connections?: number
  readonly requestsAtOnce?: number
  /** How much of this trial's bodies and unread replies may be held at once; more waits in the sender's buffers. */
  readonly heldBytes?: number
  /** How long a body may take to arrive, and a reply to be read. */
  readonly patienceMs?: number
}
