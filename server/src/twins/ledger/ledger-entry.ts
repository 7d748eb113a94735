import { hash } from 'node:crypto'
import type { Emission } from '@diorama/twin-kit/kernel/deliveries'
import type { Changes } from '@diorama/twin-kit/kernel/diff'
import { isWrite } from '@diorama/twin-kit/kernel/instance'
import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Principal, Step } from '@diorama/twin-kit/kernel/twin'
import { refusalOf } from '@diorama/twin-kit/wires/refusal'
import { isTruncated, type Recording, recordingOf, redactorOf } from './recording.ts'

/** What the ledger must know of a live twin. */
export interface LedgerTwin {
  readonly id: string
  readonly organizationId: string
  readonly worldId: string | null
  readonly service: string
  readonly epoch: number
  /** Steps of twins with the same stream are written in the order in which they came: a world with a clock has one. */
  readonly stream: string
  /** Set when a write failed: none that came after it may be written. */
  lost: boolean
}

/** What is needed to write down a twin's step. */
export interface RecordedTwin {
  readonly epoch: number
  readonly principals: readonly Principal[]
  readonly isInternal: (collection: string) => boolean
  /** What people call a record besides its id. */
  readonly namesOf: (collection: string, row: Row) => readonly string[]
}

/** A step's position in its twin's life. */
export interface StepPlace {
  readonly id: string
  /** The number among the writes, or among the reads, from 1. */
  readonly seq: number
  /** How many steps of the other lane came before. */
  readonly preceding: number
  readonly at: number
  readonly durationMs: number
}

/** A step as it is recorded: plain values that can be cloned, bounded, without the twin's state or the whole reply. */
export interface PlainEntry extends StepPlace {
  readonly isRead: boolean
  readonly worldTime: number
  readonly operation: string
  readonly actor: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly mutations: number
  readonly notEmulated: string
  /** Why the vendor refused it, in its own words. */
  readonly refused: string | null
  /** What made the world do this on its own; null where a caller asked for it. */
  readonly cause: string | null
  /** Names one action of the world, once over all steps. */
  readonly mark: string | null
  /** Of a write: request and response as JSON. */
  readonly detail: string | null
  readonly changes: string | null
  readonly records: string | null
  /** Of a read: what it may share with other reads of its twin, to be stored by content. */
  readonly read: ReadParts | null
  /** What the step emitted, to be committed with it. */
  readonly deliveries: readonly NewDelivery[]
  /** An estimate, for backpressure. */
  readonly bytes: number
}

/** An emission on its way to the outbox. */
export interface NewDelivery {
  /** From the step's place in the twin's life: ids sort in the order of emission, and are the same in every copy. */
  readonly id: string
  readonly emission: Emission
  /** The emission as JSON. */
  readonly text: string
}

/** A step on its way to the database. */
export interface LedgerEntry extends PlainEntry {
  readonly twin: LedgerTwin
  /** What the step sets in motion, as JSON. */
  readonly sets?: string | null
  /** The record of a read that somebody waits for. */
  readonly isDurable?: boolean
}

export interface ReadParts {
  /** The request as JSON. */
  readonly request: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: 'text' | 'base64'
  /** The body of the response as it is kept; null where that is the whole body as it was sent, so that it is not sent twice. */
  readonly body: string | null
  /** Of the body; another one for bytes than for a text that reads the same. */
  readonly sha256: Uint8Array
  readonly replySize: number
}

/** A body as it is stored: behind a character that tells its encoding. */
export const replyText = (encoding: 'text' | 'base64', body: string): string =>
  `${encoding === 'text' ? 't' : 'b'}${body}`

/** Separates the items of a list that travels as one text. */
export const listSeparator = '\u0001'

/** Why the world did something on its own, and the name of that one action. */
export interface StepCause {
  readonly cause: string
  readonly mark: string | null
}

/** A step of the world itself is recorded as a write even if it changed nothing, so that it is never done twice. */
export const isReadStep = (step: Step, cause: StepCause | undefined): boolean =>
  !isWrite(step) && cause === undefined

export const entryOf = (step: Step, place: StepPlace, twin: RecordedTwin, cause?: StepCause): PlainEntry => {
  const shown = step.changes.filter(({ collection }) => !twin.isInternal(collection))
  const recording = recordingOf(step, twin.principals, { isOwn: cause !== undefined })
  const isRead = isReadStep(step, cause)
  const deliveries = isRead ? none : deliveriesOf(step.emissions, place, twin.epoch)
  const held = isRead
    ? { detail: null, changes: null, records: null, read: readParts(recording, step.reply.body) }
    : {
        detail: JSON.stringify(recording),
        changes: JSON.stringify(step.changes),
        records: recordNames(shown, twin),
        read: null,
      }
  return {
    ...place,
    ...held,
    isRead,
    worldTime: step.at,
    operation: storable(step.operation, 200),
    actor: step.actor ? JSON.stringify(step.actor) : null,
    method: storable(step.request.method, 20),
    path: storable(redactorOf(twin.principals)(step.request.path), 2_000),
    status: step.reply.status,
    mutations: shown.length,
    notEmulated: step.notEmulated.map((name) => storable(name, 200)).join(listSeparator),
    refused: refusalIn(step, twin),
    cause: cause ? storable(cause.cause, 200) : null,
    mark: cause?.mark ?? null,
    deliveries,
    bytes:
      rowBytes +
      (held.detail?.length ?? 0) +
      (held.changes?.length ?? 0) +
      deliveries.reduce((sum, { text }) => sum + rowBytes + text.length, 0),
  }
}

const none: readonly NewDelivery[] = []

const refusalIn = ({ reply }: Step, { principals }: RecordedTwin): string | null => {
  const refused = refusalOf(reply)
  return refused === null ? null : storable(redactorOf(principals)(refused), 200)
}

const deliveriesOf = (
  emissions: readonly Emission[],
  { seq }: StepPlace,
  epoch: number,
): readonly NewDelivery[] =>
  emissions.map((emission, n) => ({
    id: `dlv_${sortable(epoch, 3)}${sortable(seq, 7)}${sortable(n, 3)}`,
    emission,
    text: JSON.stringify(emission),
  }))

const sortable = (number: number, length: number): string => number.toString(36).padStart(length, '0')

const rowBytes = 512

const readParts = ({ request, response }: Recording, sent: string | Uint8Array): ReadParts => {
  const { body, encoding } = response
  return {
    request: JSON.stringify(request),
    headers: response.headers,
    encoding,
    body: body === sent ? null : body,
    sha256: addressOf(encoding, body),
    replySize: response.size,
  }
}

const addressOf = (encoding: 'text' | 'base64', body: string): Uint8Array => {
  const sha256 = hash('sha256', body, 'buffer')
  if (encoding === 'base64') sha256[0] = (sha256[0] ?? 0) ^ 1
  return sha256
}

/** What was recorded of a read, from its payloads and its row. */
export const recordingFrom = (parts: {
  readonly exchange: string
  readonly reply: string
  readonly headers: string | null
  readonly size: number
}): Recording => {
  const { request, headers } = JSON.parse(parts.exchange) as Exchange
  const own = JSON.parse(parts.headers ?? '{}') as Exchange['headers']
  const { size } = parts
  const response = {
    headers: { ...headers, ...own },
    body: parts.reply.slice(1),
    encoding: parts.reply.startsWith('t') ? 'text' : 'base64',
    size,
    truncated: isTruncated(size),
  } as const
  return { request, response }
}

interface Exchange {
  readonly request: Recording['request']
  readonly headers: Recording['response']['headers']
}

/** NUL cannot be stored; JSON escapes it, so only raw text can hold one. */
export const storable = (value: string, max: number): string =>
  (value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value).slice(0, max).toWellFormed()

/** Every way to name the records that were changed: `sales_order:7001` and `order:7001`, by id and by name. */
const recordNames = (changes: Changes, twin: RecordedTwin): string => {
  const named = new Set<string>()
  for (const { collection, id, before, after } of changes) {
    const called = [before, after].flatMap((row) => (row ? twin.namesOf(collection, row) : []))
    for (const name of [id, ...called])
      for (const kind of [collection, shortKind(collection)]) named.add(`${kind}:${storable(name, 400)}`)
  }
  return [...named].join(listSeparator)
}

/** The last word of a collection's name: an order, whatever kind of order. */
export const shortKind = (collection: string): string =>
  (/[A-Z]?[^A-Z_]+$/.exec(collection)?.[0] ?? collection).toLowerCase()
