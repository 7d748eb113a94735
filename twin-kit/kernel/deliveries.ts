/** What a JSON object holds. */
export type Payload = Readonly<Record<string, unknown>>

/**
 * Something that a service sends on its own: an event, a webhook, a pressed button. It is data. The step that
 * made it commits it to the outbox, and the dispatcher sends it by the rules of its channel. Everything in it is
 * deterministic, so that two copies of a world after the same calls send the same.
 */
export interface Emission {
  /** By which a receiver recognizes a repeat, in the vendor's own form; unique in a twin's life. Make it with `draw`. */
  readonly id: string
  /** The name of one of the twin's `channels`. */
  readonly channel: string
  /** What it is, in the vendor's words, such as the type of an event. People filter by it. */
  readonly kind: string
  /** Who gets it, such as the id of an app or a webhook. First attempts to one receiver start in the order of emission. */
  readonly receiver: string
  /** Where it is sent; null for a channel of sockets, which the receiver opens. */
  readonly url: string | null
  /** What the channel makes its requests from. */
  readonly payload: Payload
  /** The key that the channel signs with. It is never shown. */
  readonly secret?: string
  /** How long after the step the first attempt is due; at once when left out. */
  readonly delayMs?: number
}

/** One try to deliver an emission. */
export interface Attempt {
  /** From 1. */
  readonly number: number
  /** The receiver's own time in milliseconds: signatures are checked against a real clock, not against the story's. */
  readonly at: number
  /** Why the attempt before failed. */
  readonly after?: DeliveryFault
}

/**
 * Why an attempt failed: no answer in time, no connection (`connection`, `tls`), an answer that the channel does not
 * accept (`status`), an address that the deployment does not allow (`refused`), no client connected (`no_receiver`), or a
 * socket that closed before the answer (`closed`).
 */
export type DeliveryFault = 'timeout' | 'connection' | 'tls' | 'status' | 'refused' | 'no_receiver' | 'closed'

export interface DeliveryRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the receiver answered. On a socket: its acknowledgement, with status 200. */
export interface DeliveryAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a delivery ended. */
export interface Settlement {
  readonly outcome: 'delivered' | 'failed'
  readonly attempts: number
  /** Of the last attempt, where there was one. */
  readonly answer?: DeliveryAnswer
  readonly fault?: DeliveryFault
}

/** The rules by which a vendor delivers one kind of thing. Pure functions and data: the host does the sending. */
export interface DeliveryChannel<Call = never> {
  readonly transport: 'http' | 'socket'
  /** How long the receiver may take for one attempt. */
  readonly timeoutMs: number
  /** The pause before each retry; as many retries as there are pauses. */
  readonly retryAfterMs: readonly number[]
  /** Attempts to one receiver at once; 8 when left out. With 1 each waits for the answer to the one before. */
  readonly concurrency?: number
  /** What one attempt sends. On a socket the body is the message, and the rest is not looked at. */
  readonly request: (emission: Emission, attempt: Attempt) => DeliveryRequest
  /** What an answer means; when left out, a status from 200 to 299 is `delivered` and any other is tried again. */
  readonly judge?: (answer: DeliveryAnswer, emission: Emission) => 'delivered' | 'retry' | 'failed'
  /** When `settled` is called; never when left out. */
  readonly settles?: 'always' | 'failure'
  /** What the end of a delivery does to the twin; its own step. May be called again after a crash. */
  readonly settled?: (call: Call, emission: Emission, settlement: Settlement) => void
}

/** A message from the receiver's end of a socket: an acknowledgement of a delivery, or something to be answered. */
export interface SocketMessage {
  /** The id that the attempt's message carried. */
  readonly acknowledges?: string
  /** What came with the acknowledgement, as text. */
  readonly body?: string
  /** Sent back at once. */
  readonly answer?: string
}

export type Farewell = 'warning' | 'refresh_requested' | 'too_many_websockets'

/** The rules of the vendor's sockets. */
export interface SocketRules {
  /** How many connections one receiver may have; a further one is sent away at once. */
  readonly maxConnections: number
  /** How long a connection lives before the vendor asks for a new one. */
  readonly refreshAfterMs: number
  /** How long before the end the receiver is warned. */
  readonly warnBeforeMs: number
  /** Sent as soon as a socket is open; `connections` counts it. */
  readonly greeting: (receiver: string, connections: number) => readonly string[]
  /** Sent as a warning, at the end, and to one connection too many. */
  readonly farewell: (reason: Farewell) => string
  /** Understands what a receiver sends. */
  readonly parse: (text: string) => SocketMessage
  /** The id by which an acknowledgement names an emission's attempt. */
  readonly messageId: (emission: Emission) => string
}

/** A twin's answer that a request to upgrade is granted. */
export interface SocketOpening {
  /** Whose emissions go out on this socket. */
  readonly receiver: string
  /** The connection ends sooner than the rules say; for clients that try how they reconnect. */
  readonly refreshAfterMs?: number
}
