import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Session, TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { type RestReply, readJson, readQueryString } from '@diorama/twin-kit/wires/rest'
import type { Schema } from '../schema/schema.ts'
import type { CrmTables } from '../tables.ts'
import { objectOfTopic } from './capture.ts'
import { type EventRow, eventsAfter, eventsIn, type SubscriberRow, subscribersIn, tipOf } from './log.ts'
import { platformEventsIn } from './platform-events.ts'

type CrmSession = Session<CrmTables>
type Message = Readonly<Record<string, unknown>>

/** How long a connect is held back, in milliseconds. */
const connectMs = 110_000
const maxEventsInReply = 100
const maxMessages = 50

/** The streaming API by the Bayeux protocol over long polling. */
export const cometdWire = (schema: Schema, request: TwinRequest, session: CrmSession): RestReply => {
  session.label('POST cometd')
  const messages = messagesOf(request)
  if (!messages || messages.length === 0 || messages.length > maxMessages)
    return { status: 400, body: [{ successful: false, error: '400::Bad request' }] }
  const answers: Message[] = []
  for (const message of messages) {
    const answered = answer(schema, message, session, request)
    if (answered === 'hold') return { status: 200, body: [], hold: { maxMs: connectMs } }
    answers.push(...answered)
  }
  return { status: 200, body: answers }
}

const messagesOf = ({ body, headers }: TwinRequest): Message[] | undefined => {
  const form = (headers['content-type'] ?? '').includes('urlencoded')
  const text = form ? readQueryString(new TextDecoder().decode(body)).get('message') : undefined
  const read = readJson(text === undefined ? body : Buffer.from(text))
  if (!read.ok) return undefined
  const list: unknown[] = Array.isArray(read.value) ? read.value : [read.value]
  return list.every((one): one is Message => typeof one === 'object' && one !== null) ? list : undefined
}

const handshakeAdvice = { interval: 0, reconnect: 'handshake' }
const retryAdvice = { interval: 0, timeout: connectMs, reconnect: 'retry' }

const answer = (
  schema: Schema,
  message: Message,
  session: CrmSession,
  request: TwinRequest,
): readonly Message[] | 'hold' => {
  const { channel, id, clientId } = message
  const reply = (more: Message) => [{ channel, ...(id === undefined ? {} : { id }), ...more }]
  if (channel === '/meta/handshake') {
    const made = session.call<string>('cometd handshake', {})
    return reply({
      ext: { replay: true, 'payload.format': true },
      minimumVersion: '1.0',
      clientId: made,
      supportedConnectionTypes: ['long-polling'],
      version: '1.0',
      successful: true,
    })
  }
  const client = subscribersIn(session.views).get(String(clientId))
  if (client?.userId !== session.actor?.id || !client)
    return reply({ clientId, successful: false, error: '403::Unknown client', advice: handshakeAdvice })
  switch (channel) {
    case '/meta/connect':
      return connect(client, { session, reply, waited: request.waited === true })
    case '/meta/subscribe':
      return subscribe(schema, client, { message, session, reply })
    case '/meta/unsubscribe':
      session.call('cometd unsubscribe', { id: client.id, channels: channelsOf(message) })
      return reply({ clientId, subscription: message.subscription, successful: true })
    case '/meta/disconnect':
      session.call('cometd disconnect', { id: client.id })
      return reply({ clientId, successful: true })
    default:
      return reply({ clientId, successful: false, error: '403:denied_by_security_policy:publish_denied' })
  }
}

type Reply = (more: Message) => Message[]

const connect = (
  client: SubscriberRow,
  { session, reply, waited }: { session: CrmSession; reply: Reply; waited: boolean },
): readonly Message[] | 'hold' => {
  const done = reply({ clientId: client.id, successful: true, advice: retryAdvice })
  const pending = pendingOf(client, session)
  if (pending.length === 0 && client.connected) return waited ? done : 'hold'
  const positions = { ...client.positions }
  for (const { channel, event } of pending)
    positions[channel] = Math.max(positions[channel] ?? 0, event.replayId)
  session.call('cometd connect', { id: client.id, positions })
  return [...pending.map(({ channel, event }) => delivered(channel, event)), ...done]
}

const pendingOf = (
  { positions }: SubscriberRow,
  { views }: CrmSession,
): { channel: string; event: EventRow }[] => {
  const found: { channel: string; event: EventRow }[] = []
  for (const [channel, position] of Object.entries(positions)) {
    let count = 0
    for (const event of eventsAfter(views, channel, position)) {
      if (count++ >= maxEventsInReply) break
      found.push({ channel, event })
    }
  }
  return found.sort((a, b) => a.event.replayId - b.event.replayId).slice(0, maxEventsInReply)
}

/** An event as its subscribers get it. */
const delivered = (channel: string, { topic, kind, payload, replayId, uuid }: EventRow): Message => ({
  data: {
    schema: schemaIdOf(topic),
    payload,
    event: kind === 'platform' ? { EventUuid: uuid, replayId } : { replayId },
  },
  channel,
})

export const schemaIdOf = (topic: string): string =>
  Buffer.from(sha256(`schema ${topic}`), 'hex')
    .toString('base64url')
    .slice(0, 22)

const channelsOf = ({ subscription }: Message): string[] =>
  (Array.isArray(subscription) ? subscription : [subscription]).map(String)

const subscribe = (
  schema: Schema,
  client: SubscriberRow,
  { message, session, reply }: { message: Message; session: CrmSession; reply: Reply },
): Message[] => {
  const fail = (error: string) =>
    reply({ clientId: client.id, subscription: message.subscription, successful: false, error })
  const positions: Record<string, number> = {}
  for (const channel of channelsOf(message)) {
    if (!isChannel(schema, session, channel)) {
      if (/^\/(topic|u)\//.test(channel)) session.notEmulated(`streaming ${channel.split('/')[1]}`)
      return fail(`403:denied_by_security_policy:create_denied:${channel}`)
    }
    const from = replayOf(message, channel)
    const position = positionOf(session, channel, from)
    if (position === undefined)
      return fail(
        `400::The replayId {${from}} you provided was invalid. Please provide a valid ID, -2 to replay all events, or -1 to replay only new events.`,
      )
    positions[channel] = position
  }
  session.call('cometd subscribe', { id: client.id, positions })
  return reply({ clientId: client.id, subscription: message.subscription, successful: true })
}

/** Where the extension asks to begin: a replay id, -1 for new events alone, -2 for all that are kept. */
const replayOf = ({ ext }: Message, channel: string): number => {
  const { replay } = (ext ?? {}) as { replay?: Readonly<Record<string, unknown>> }
  const from = typeof replay === 'object' && replay !== null ? Number(replay[channel] ?? -1) : -1
  return Number.isInteger(from) ? from : -1
}

/** The position after which a subscriber reads; undefined where the replay id is none that is kept. */
export const positionOf = (
  { views }: Pick<CrmSession, 'views'>,
  _channel: string,
  from: number,
): number | undefined => {
  if (from === -1) return tipOf(views)
  if (from === -2) return 0
  if (from === 0 || from === tipOf(views)) return from
  return eventsIn(views).has(String(from).padStart(12, '0')) ? from : undefined
}

export const isChannel = (schema: Schema, { views }: Pick<CrmSession, 'views'>, channel: string): boolean => {
  const data = /^\/data\/(\w+)$/.exec(channel)?.[1]
  if (data !== undefined) return data === 'ChangeEvents' || objectOfTopic(schema, data) !== undefined
  const event = /^\/event\/(\w+__e)$/.exec(channel)?.[1]
  return event !== undefined && platformEventsIn(views).some(({ name }) => name === event)
}
