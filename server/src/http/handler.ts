import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type {
  BodyOf,
  KeyClass,
  Limits,
  ParamsOf,
  QueryOf,
  ReplyOf,
  RouteSpec,
  Routes,
  Scope,
} from '@diorama/contract'
import type { UnknownField } from '@diorama/contract/fields'

/** Who is asking, as the key says. */
export interface Caller {
  readonly organizationId: string
  readonly organizationName: string
  readonly organizationCreatedAt: string
  readonly limits: Limits
  readonly keyId: string
  readonly keyName: string
  readonly keyClass: KeyClass
  readonly scopes: ReadonlySet<Scope>
  readonly keyExpiresAt: Date | null
  readonly keyRequestsPerMinute: number | null
}

export interface Incoming<R extends RouteSpec = RouteSpec> {
  readonly params: ParamsOf<R>
  readonly query: QueryOf<R>
  readonly body: BodyOf<R>
  /** The JSON body in the schema's own casing, before defaults were filled in. */
  readonly sent: unknown
  readonly caller: R['scope'] extends 'none' ? undefined : Caller
  readonly requestId: string
  readonly headers: IncomingHttpHeaders
  /** Fields below `looseBelow` that the schema does not know. */
  readonly unknownFields: readonly UnknownField[]
  /** The body as it came, without its content encoding; for routes with `takes`, and as the fingerprint of a request. */
  readonly bytes: Uint8Array
  /** The body while it arrives, for content types that are streamed. */
  readonly stream: Readable | undefined
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
}

/** A reply with a status, headers or a body that is not JSON. */
export class Answer<B = unknown> {
  readonly status: number
  readonly body: B | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body?: B, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export interface StreamMessage {
  /** The resume point. */
  readonly id?: string
  readonly event: string
  readonly data: unknown
}

/** Messages already spelt as server-sent events: readers that get the same share the bytes. */
export class Framed {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

export const framed = (messages: readonly StreamMessage[]): Framed =>
  new Framed(Buffer.from(messages.map(frame).join('')))

const frame = ({ id, event, data }: StreamMessage): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Where what is live goes, byte for byte, as it happens. */
export interface Sink {
  send(bytes: Uint8Array): void
  end(): void
}

/** What happens after a stream's first messages, for as long as the reader stays. */
export interface Live {
  attach(sink: Sink): void
  /** The reader is gone, or never came so far. */
  leave(): void
}

/** A reply of server-sent events. It ends when the messages do, or goes on with what is live. */
export class EventStream {
  readonly messages: AsyncIterable<StreamMessage | Framed>
  readonly live: Live | undefined
  constructor(messages: AsyncIterable<StreamMessage | Framed>, live?: Live) {
    this.messages = messages
    this.live = live
  }
}

export type Outgoing<R extends RouteSpec> =
  | ReplyOf<R>
  | Answer<ReplyOf<R> | Uint8Array | Readable>
  | EventStream
export type Handler<R extends RouteSpec> = (incoming: Incoming<R>) => Promise<Outgoing<R>> | Outgoing<R>

/** One handler for each route of a table; a missing one does not compile. */
export type Handlers<T extends Readonly<Record<string, RouteSpec>> = Routes> = {
  readonly [K in keyof T]: Handler<T[K]>
}
