import type { Session, TwinReply, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { type AvroRecord, decodeAvro, encodeAvro } from '@diorama/twin-kit/wires/avro'
import {
  bytesAt,
  messagesAt,
  numberAt,
  readMessage,
  textAt,
  type Written,
  writeMessage,
} from '@diorama/twin-kit/wires/protobuf'
import { organizationId } from '../actor.ts'
import type { Schema } from '../schema/schema.ts'
import type { CrmTables } from '../tables.ts'
import { isCaptured, objectOfTopic } from './capture.ts'
import { positionOf, schemaIdOf } from './cometd.ts'
import { type EventRow, eventsAfter, isCapturing, tipOf } from './log.ts'
import { type Published, platformEvent, platformEventsIn } from './platform-events.ts'
import { binaryPayload, changeSchemaOf, platformSchemaOf } from './schemas.ts'

type CrmSession = Session<CrmTables>

export const pubsubService = '/eventbus.v1.PubSub/'

/** How long a subscriber hears nothing before it is sent an empty answer. */
const keepAliveMs = 270_000
const maxRequested = 100

/** Codes of the protocol's own statuses. */
const codes = { ok: 0, invalidArgument: 3, notFound: 5, unimplemented: 12, unauthenticated: 16 } as const

class Refused extends Error {
  readonly code: number
  constructor(code: keyof typeof codes, message: string) {
    super(message)
    this.code = codes[code]
  }
}

interface Answer {
  readonly messages: readonly Uint8Array[]
  readonly state?: string
  readonly hold?: { readonly maxMs: number }
  /** Left out while the call goes on. */
  readonly end?: { readonly code: number; readonly message: string }
}

const replyOf = ({ messages, state = '', hold, end }: Answer): TwinReply => ({
  status: 200,
  headers: { 'content-type': 'application/grpc' },
  body: '',
  stream: { messages, state, ...(end ? { end } : {}) },
  ...(hold ? { hold } : {}),
})

const ended = { code: codes.ok, message: '' }
const once = (fields: readonly Written[]): Answer => ({ messages: [writeMessage(fields)], end: ended })

/** The event bus by gRPC: one message of a call at a time. What a call needs to go on is in its state. */
export const pubsubWire = (
  schema: Schema,
  request: TwinRequest,
  session: CrmSession,
  authenticated: boolean,
): TwinReply => {
  const method = request.path.slice(pubsubService.length)
  session.label(`PubSub ${method}`)
  try {
    if (!authenticated || !isTenant(request, session))
      throw new Refused('unauthenticated', 'Authentication failed')
    return replyOf(answer(schema, method, request, session))
  } catch (error) {
    if (error instanceof Refused)
      return replyOf({ messages: [], end: { code: error.code, message: error.message } })
    throw error
  }
}

const isTenant = ({ headers }: TwinRequest, { views }: CrmSession): boolean =>
  (headers.tenantid ?? '').slice(0, 15) === organizationId(views).slice(0, 15)

const fieldsOf = (body: Uint8Array) => {
  try {
    return readMessage(body)
  } catch {
    throw new Refused('invalidArgument', 'The message could not be parsed')
  }
}

const answer = (schema: Schema, method: string, request: TwinRequest, session: CrmSession): Answer => {
  switch (method) {
    case 'GetTopic':
      return getTopic(schema, textAt(fieldsOf(request.body), 1), session)
    case 'GetSchema':
      return getSchema(schema, textAt(fieldsOf(request.body), 1), session)
    case 'Publish':
      return { messages: [publish(schema, request, session)], end: ended }
    case 'PublishStream':
      return {
        messages: request.body.length > 0 ? [publish(schema, request, session)] : [],
        hold: { maxMs: keepAliveMs },
      }
    case 'Subscribe':
      return subscribe(schema, request, session)
    default:
      session.notEmulated(`PubSub ${method}`)
      throw new Refused('unimplemented', `Method not found: ${method}`)
  }
}

/** A topic by its name: of a change event, of all of them, or of an event of the organization's own. */
const topicOf = (
  schema: Schema,
  name: string,
  { views }: CrmSession,
): { schema: AvroRecord; canPublish: boolean } => {
  const data = /^\/data\/(\w+)$/.exec(name)?.[1]
  const object = data === undefined ? undefined : objectOfTopic(schema, data)
  if (object) return { schema: changeSchemaOf(object), canPublish: false }
  if (data === 'ChangeEvents')
    return { schema: { type: 'record', name: data, fields: [] }, canPublish: false }
  const event = platformEvent(views, /^\/event\/(\w+__e)$/.exec(name)?.[1] ?? '')
  if (event) return { schema: platformSchemaOf(event), canPublish: true }
  throw new Refused('notFound', `The topic ${name} does not exist or you do not have access to it`)
}

const rpcId = (session: CrmSession, what: string): string => schemaIdOf(`${what} ${session.now}`)

const getTopic = (schema: Schema, name: string, session: CrmSession): Answer => {
  const { schema: record, canPublish } = topicOf(schema, name, session)
  if (!isCapturing(session.views)) session.call('start capture', {})
  return once([
    [1, name],
    [2, organizationId(session.views)],
    [3, canPublish],
    [4, true],
    [5, schemaIdOf(record.name)],
    [6, rpcId(session, name)],
  ])
}

const schemaWithId = (schema: Schema, id: string, { views }: CrmSession): AvroRecord | undefined => {
  const event = platformEventsIn(views).find(({ name }) => schemaIdOf(name) === id)
  if (event) return platformSchemaOf(event)
  const object = schema.objects.find((one) => isCaptured(one) && schemaIdOf(changeSchemaOf(one).name) === id)
  return object && changeSchemaOf(object)
}

const getSchema = (schema: Schema, id: string, session: CrmSession): Answer => {
  const record = schemaWithId(schema, id, session)
  if (!record) throw new Refused('notFound', `There is no schema with the id ${id}`)
  return once([
    [1, JSON.stringify(record)],
    [2, id],
    [3, rpcId(session, id)],
  ])
}

const replayBytes = (replayId: number): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(replayId))
  return bytes
}

/** Events are independent: one that is refused carries its error, and the others are published. */
const publish = (schema: Schema, request: TwinRequest, session: CrmSession): Uint8Array => {
  const fields = fieldsOf(request.body)
  const name = textAt(fields, 1)
  const { schema: record, canPublish } = topicOf(schema, name, session)
  if (!canPublish) throw new Refused('invalidArgument', `Events cannot be published to ${name}`)
  const results = messagesAt(fields, 2).map((bytes): Written => {
    const event = fieldsOf(bytes)
    const key = textAt(event, 1)
    try {
      const {
        CreatedDate: _date,
        CreatedById: _by,
        ...given
      } = decodeAvro(record, bytesAt(event, 3)) as Record<string, unknown>
      const { replayId } = session.call<Published>('publish event', { name: record.name, fields: given })
      return [
        1,
        writeMessage([
          [1, replayBytes(replayId)],
          [3, key],
        ]),
      ]
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const message = error instanceof VendorError ? `${error.code}: ${error.message}` : error.message
      return [
        1,
        writeMessage([
          [
            2,
            writeMessage([
              [1, 1],
              [2, message],
            ]),
          ],
          [3, key],
        ]),
      ]
    }
  })
  return writeMessage([...results, [2, schemaIdOf(record.name)], [3, rpcId(session, name)]])
}

interface State {
  readonly topic: string
  readonly position: number
  /** How many events the subscriber has asked for and not got yet. */
  readonly pending: number
}

const subscribe = (schema: Schema, request: TwinRequest, session: CrmSession): Answer => {
  if (!isCapturing(session.views)) session.call('start capture', {})
  const known = request.stream?.state ? (JSON.parse(request.stream.state) as State) : undefined
  const state = request.body.length > 0 ? asked(schema, request.body, known, session) : known
  if (!state) return { messages: [], hold: { maxMs: keepAliveMs } }
  const events = take(session, state)
  if (events.length === 0 && !(request.waited && state.pending > 0))
    return { messages: [], state: JSON.stringify(state), hold: { maxMs: keepAliveMs } }
  const next = {
    ...state,
    position: events.at(-1)?.replayId ?? state.position,
    pending: state.pending - events.length,
  }
  return { messages: [fetched(schema, events, next.pending, session)], state: JSON.stringify(next) }
}

const take = ({ views }: CrmSession, { topic, position, pending }: State): EventRow[] => {
  const events: EventRow[] = []
  for (const event of eventsAfter(views, topic, position)) {
    if (events.length >= Math.min(pending, maxRequested)) break
    events.push(event)
  }
  return events
}

/** The first request says where to begin; those that follow ask for more. */
const asked = (schema: Schema, body: Uint8Array, known: State | undefined, session: CrmSession): State => {
  const fields = fieldsOf(body)
  const count = numberAt(fields, 4)
  if (count < 1 || count > maxRequested)
    throw new Refused('invalidArgument', `num_requested must be between 1 and ${maxRequested}`)
  const topic = textAt(fields, 1)
  if (known) {
    if (topic !== '' && topic !== known.topic)
      throw new Refused('invalidArgument', 'The topic of a subscription cannot be changed')
    return { ...known, pending: Math.min(known.pending + count, maxRequested) }
  }
  topicOf(schema, topic, session)
  const preset = numberAt(fields, 2)
  const from = preset === 1 ? -2 : preset === 0 ? -1 : replayIdIn(bytesAt(fields, 3))
  const position = positionOf(session, topic, from)
  if (position === undefined) throw new Refused('invalidArgument', 'The replay id is not valid')
  return { topic, position, pending: count }
}

const replayIdIn = (bytes: Uint8Array): number =>
  bytes.length === 8 ? Number(Buffer.from(bytes).readBigUInt64BE()) : Number.NaN

const fetched = (
  schema: Schema,
  events: readonly EventRow[],
  pending: number,
  session: CrmSession,
): Uint8Array =>
  writeMessage([
    ...events.map((event): Written => [1, consumed(schema, event, session)]),
    [2, replayBytes(events.at(-1)?.replayId ?? tipOf(session.views))],
    [3, rpcId(session, 'fetch')],
    [4, pending],
  ])

const consumed = (schema: Schema, event: EventRow, session: CrmSession): Uint8Array => {
  const channel = event.kind === 'change' ? `/data/${event.topic}` : `/event/${event.topic}`
  const { schema: record } = topicOf(schema, channel, session)
  const produced = writeMessage([
    [1, event.uuid],
    [2, schemaIdOf(record.name)],
    [3, encodeAvro(record, binaryPayload(record, event.payload))],
  ])
  return writeMessage([
    [1, produced],
    [2, replayBytes(event.replayId)],
  ])
}
