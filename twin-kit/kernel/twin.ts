import type { z } from 'zod'
import type { TwinDataset } from '../datasets/dataset.ts'
import type { Variations } from '../variations/variations.ts'
import type { Company } from './company.ts'
import type { DeliveryChannel, Emission, SocketOpening, SocketRules } from './deliveries.ts'
import type { Changes } from './diff.ts'
import type { TwinManifest } from './manifest.ts'
import type { Row, Tables, Views, WritableTables } from './table.ts'

export type { Company, Person } from './company.ts'

/**
 * A twin is one value: its manifest, and the service's behaviour as data and pure functions. It has no sockets, clock,
 * randomness or storage; the instance that runs it passes those in.
 */
export interface Twin<Section = unknown, T extends Tables = Tables>
  extends TwinManifest<string, z.ZodType<Section>> {
  /** How the vendor's own clients find and enter the real service, for programs that must not know that this is a twin. */
  readonly clients: (place: ClientPlace) => ClientSetting
  readonly tables: T
  /** Tables that a seed's own rows call for, besides or in place of the fixed ones; none when left out. */
  readonly seedTables?: (seeded: Readonly<Record<string, readonly Row[]>>) => Tables
  /** Blueprint section, people and clock become rows, keys and warnings. */
  readonly seed: (section: Section, company: Company, seeding: Seeding) => void
  /** Everything a caller can do, by the vendor's own names. */
  readonly operations: Readonly<Record<string, Operation>>
  readonly coverage: readonly Coverage[]
  /** A credential in the shape that the vendor's clients check, made from randomness that the host supplies. */
  readonly token: (subject: string, secret: string, views: Views<T>) => string
  /** The twin's people, with their native ids. */
  readonly identities: (views: Views<T>) => readonly TwinIdentity[]
  /** Parses one request, calls operations and shapes the answer. No I/O, and all change passes `session.call`. */
  readonly wire: (request: TwinRequest, session: Session<T>) => TwinReply
  /** Where its face in the Model Context Protocol is, below its base; set by `withMcp`. */
  readonly mcp?: { readonly path: string }
  /** How this vendor says that the host cannot answer. */
  readonly fault: (fault: Fault, request: TwinRequest) => TwinReply
  /** What comes due on its own as the world's clock moves on; called before a request and before a diff is read. */
  readonly due?: (call: Call<T>) => void
  /**
   * An after-trigger: called at the end of each step that changed something, with what it changed, and part of it. Here
   * a twin emits what follows from a change whichever operation made it. `changes` is computed when it is called:
   * return before that where there is no listener.
   */
  readonly afterStep?: (call: Call<T>, changes: () => Changes) => void
  /** How what it emits is delivered, by name. */
  readonly channels?: Readonly<Record<string, DeliveryChannel<Call<T>>>>
  /** The rules of its sockets, where it has a channel of them. */
  readonly sockets?: SocketRules
  /**
   * What people do on the service's own screens and no vendor's API offers, such as configuring an app or pressing a
   * button. Called by Diorama's API alone, as steps of the twin.
   */
  readonly controls?: Readonly<Record<string, Control<T>>>
  /** When `due` next has something to do, in milliseconds; without it `due` is asked before every request. */
  readonly nextDue?: (views: Views<T>) => number | undefined
  /** How the people of a world act on their own, through the twin's own wire. */
  readonly acts?: Acts<T>
  /** Whom a step addresses. */
  readonly notices?: (step: Step, views: Views<T>) => readonly Notice[]
  /** Gives the twin a folder for what is slow to make and the same for all its instances. */
  readonly useCache?: (folder: string) => void
  /** What is to be known about its rows when a world is made of them, and which other forms of data become rows. */
  readonly dataset?: TwinDataset
  /** A row as graders and people see it; the row itself when left out. */
  readonly present?: (collection: string, row: Row, views: Views<T>) => Row
  /** The fields that a record can have as graders see it, where its row's own schema does not list them. */
  readonly fields?: (collection: string) => readonly string[]
  /** How the variants of a suite look in it; a variant that it does not have leaves it alone. */
  readonly variations?: Variations<T>
  /** What people call a record besides its native id, such as the number on it; none when left out. */
  readonly names?: (collection: string, row: Row) => readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: the kernel runs twins of every section and every set of tables.
export type AnyTwin = Twin<any, any>

export type { RowOf, Tables, Views, WritableTables } from './table.ts'

/** One thing a caller can do. It is synchronous over memory, so that one operation is one step and nothing interleaves. */
export interface Operation {
  /** A read that changes a row fails the conformance suite, and the instance refuses it. */
  readonly effect: 'read' | 'write'
  // biome-ignore lint/suspicious/noExplicitAny: operations of different inputs and tables live in one record; `operation` below gives each its own types.
  readonly run: (call: Call<any>, input: any) => unknown
  /** Parses the input before `run` sees it; left out where the wire has already done so (a GraphQL engine). */
  readonly input?: { parse: (value: unknown) => unknown }
}

/** An operation of Diorama's own API. */
export interface Control<T extends Tables = Tables> extends Operation {
  /** The actor, from the parsed input; recorded with the step. None when left out. */
  readonly actor?: (input: unknown, views: Views<T>) => Actor | undefined
}

/** Writes an operation with its own types, and hands it on as the plain shape that the twin's table of operations holds. */
export const operation = <T extends Tables, I, O = unknown>(written: {
  effect: 'read' | 'write'
  input?: { parse: (value: unknown) => I }
  run: (call: Call<T>, input: I) => O
}): Operation => written

/** What an operation works with. */
export interface Call<T extends Tables = Tables> {
  readonly tables: WritableTables<T>
  readonly actor: Actor | undefined
  /** The world's now in milliseconds; it stands still during a step. */
  readonly now: number
  /** The next number of a named series, from 1; part of the state, so that a restored twin goes on where it was. */
  readonly sequence: (name: string) => number
  /** 32 bytes in hex that are the same in every copy of the world after the same calls, and differ at each draw. */
  readonly draw: (name: string) => string
  readonly principals: readonly Principal[]
  /** Where this twin is reached by the caller of this request, without a trailing slash. */
  readonly baseUrl: string
  /** Sends something when the step is durable. It is taken back with the operation. */
  readonly emit: (emission: Emission) => void
}

/** What a wire works with: it can read, and it can call operations, but it cannot write. */
export interface Session<T extends Tables = Tables> {
  readonly views: Views<T>
  readonly now: number
  readonly principals: readonly Principal[]
  readonly baseUrl: string
  /** Says who is calling from here on; recorded with the step. */
  readonly authenticate: (actor: Actor | undefined) => void
  readonly actor: Actor | undefined
  /** Runs one operation whole or not at all: when it throws, everything it changed is taken back. */
  readonly call: <O = unknown>(operation: string, input: unknown) => O
  /** Runs several calls whole or not at all: when `work` throws, everything since its start is taken back. */
  readonly atomic: <O>(work: () => O) => O
  /** The name under which the step is recorded, where the first operation's name would not say it. */
  readonly label: (name: string) => void
  /** The caller asked for something the real service has and the twin has not; recorded and counted. */
  readonly notEmulated: (what: string) => void
  /** The caller asked for something without calling an operation; counted where that permission is withheld. */
  readonly askedFor: (permission: string) => void
}

export interface TwinRequest {
  readonly method: string
  /** Decoded nowhere: as it came, below the twin's base, beginning with a slash and without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The real host name that the caller used, where the request came through the proxy. */
  readonly host?: string
  /** Where the caller reaches this twin: absolute, without a trailing slash. Links in answers begin with it. */
  readonly baseUrl: string
  /** The reply was held back for as long as it may be: the twin answers now, whatever it has. */
  readonly waited?: boolean
  /** One message of a call that goes on (gRPC): the body is the message, empty when the host only asks again. */
  readonly stream?: { readonly state: string }
}

/** Turns something that a person does into the request that their client would send. */
export interface Acts<T extends Tables = Tables> {
  /** Whether the vendor has an operation of that name that a person can be given to do. */
  readonly knows: (operation: string) => boolean
  readonly request: (
    act: Act,
    views: Views<T>,
  ) => Pick<TwinRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>
  /** Whether a reply is a refusal; one of a status from 400 on is, when left out. */
  readonly refuses?: (reply: TwinReply) => boolean
  /** What somebody who was addressed does to answer there; undefined where the service has no place for words. */
  readonly answer?: (notice: Notice, text: string) => Pick<Act, 'operation' | 'input'> | undefined
  /** What somebody who was addressed does to press a button there. */
  readonly press?: (notice: Notice, button: NoticeButton) => Pick<Act, 'operation' | 'input'>
  /** The control by which an operation is done that people do on the service's own screens; none for one of the wire. */
  readonly control?: (operation: string) => string | undefined
  /** What somebody does to write to a person on their own initiative. */
  readonly write?: (to: string, text: string) => readonly Pick<Act, 'operation' | 'input'>[]
}

/** Something that a person does. */
export interface Act {
  readonly operation: string
  readonly input: Row
  readonly token: string
  /** The world's time. */
  readonly now: number
}

/** Somebody was addressed: by a direct message, a mention, a comment, or by being given something to do. */
export interface Notice {
  /** The handle of the person who was addressed. */
  readonly to: string
  /** The handle of the sender, or `integration`. */
  readonly from: string
  readonly kind: 'message' | 'mention' | 'comment' | 'assignment'
  readonly text: string
  /** Where it was, for an answer; the twin's own names. */
  readonly where: Readonly<Record<string, string>>
  /** Buttons that the addressed person can press instead of answering in words. */
  readonly buttons?: readonly NoticeButton[]
}

export interface NoticeButton {
  readonly label: string
  readonly style: 'primary' | 'danger' | undefined
  /** By which it is pressed; the twin's own names. */
  readonly input: Readonly<Record<string, string>>
}

export interface TwinReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array
  /** Grants a request to upgrade to a WebSocket; the status is 101 then. */
  readonly socket?: SocketOpening
  /**
   * Long polling: the service would hold this reply back until it has something to say. The host asks again after each
   * write, and at the latest after `maxMs` with `waited`. Only a step that changed nothing may ask for it.
   */
  readonly hold?: { readonly maxMs: number }
  /** What a call that goes on sends now, what it needs to go on, and its end once there is one. */
  readonly stream?: {
    readonly messages: readonly Uint8Array[]
    readonly state: string
    readonly end?: { readonly code: number; readonly message: string }
  }
}

export interface ClientPlace {
  /** The organization's slug, which is part of some services' host names. */
  readonly slug: string
  readonly token: string
  /** Every credential of the twin, the integration's first. */
  readonly principals?: readonly Principal[]
  /** What the twin was seeded with, where the place knows it. */
  readonly views?: () => Views
}

export interface ClientSetting {
  /** Names that must lead to the twin, without wildcards. */
  readonly hosts: readonly string[]
  /** The base that a client uses for this company. */
  readonly baseUrl: string
  /** Where the vendor's server of the Model Context Protocol is, for a twin that has such a face. */
  readonly mcpUrl?: string
  /** Variables that clients read on their own. */
  readonly variables: Readonly<Record<string, string>>
}

/** Who a credential belongs to: the integration, or a person named by handle. */
export interface Principal {
  readonly subject: string
  readonly token: string
}
/** The subject of the twin's own token. */
export const integration = 'integration'

/** The native account that a request acts as. */
export interface Actor {
  readonly id: string
  readonly name: string
  /** The person's handle, or `integration`. */
  readonly subject: string
}

export interface TwinIdentity {
  readonly subject: string
  readonly nativeId: string
  readonly name: string
  readonly email: string
}

/** One HTTP request with everything it did. */
export interface Step {
  readonly request: TwinRequest
  readonly reply: TwinReply
  readonly at: number
  readonly operation: string
  readonly actor: Actor | undefined
  readonly changes: Changes
  readonly notEmulated: readonly string[]
  readonly emissions: readonly Emission[]
  /** What the caller asked for and has no permission to, where permissions were withheld. */
  readonly withheld?: readonly string[]
}

export type Fault =
  | { kind: 'unauthorized' }
  | { kind: 'not_found' }
  | { kind: 'rate_limited'; retryAfterSeconds: number }
  | { kind: 'internal'; requestId?: string }
  | { kind: 'unavailable'; retryAfterSeconds: number }
  | { kind: 'too_large' }

/** How well one native operation is emulated. `evidence` says how its behaviour is known. */
export interface Coverage {
  readonly operation: string
  readonly status: 'done' | 'partial' | 'not emulated'
  /** What is left out, where the status is partial. */
  readonly missing?: string
  readonly evidence?: 'documented' | 'observed' | 'chosen'
}

/**
 * The vendor's own refusal of a call. Its wire gives it the vendor's shape; everything the call changed is taken back.
 * It is an answer and not a fault, so it is made without a stack, which would cost more than the rest of the call.
 */
export class VendorError extends Error {
  readonly code: string
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
  constructor(code: string, message = code, extra: { status?: number; data?: Record<string, unknown> } = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'VendorError'
    this.code = code
    this.status = extra.status ?? 400
    this.data = extra.data ?? {}
  }
}

/** Where a seed is written. */
export interface Seeding {
  readonly insert: <R extends Row>(collection: string, row: R) => R
  readonly get: (collection: string, id: string) => Row | undefined
  /** Remembers which native record a blueprint key became. */
  readonly key: (collection: string, key: string, id: string) => void
  /** 64 hex digits that depend on the parts and the organization alone. */
  readonly digest: (...parts: readonly string[]) => string
  readonly warn: (pointer: string, message: string) => void
}
