import { hash } from 'node:crypto'
import type { Attempt, DeliveryRequest, Emission, SocketRules } from '@diorama/twin-kit/kernel/deliveries'
import {
  operation,
  type Principal,
  type TwinReply,
  type TwinRequest,
  VendorError,
} from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { readForm } from '@diorama/twin-kit/wires/rpc'
import type { ChatTables, ChatViews } from '../tables.ts'
import { appOf, installApp } from './app.ts'
import { credentialsOf } from './credentials.ts'

const ticketMs = 30_000
const lifeMs = 18_060_000
/** Asked for with `debug_reconnects=true`. */
const shortLifeMs = 360_000

/** The id of an envelope: of the form of a UUID, and the same for each try. */
const envelopeId = ({ id }: Emission): string => {
  const hex = hash('sha256', `envelope ${id}`)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`]
  return [...parts, hex.slice(20, 32)].join('-')
}

export const envelopeOf = (
  emission: Emission,
  { number, after }: Attempt,
  type: 'events_api' | 'interactive' | 'slash_commands',
): DeliveryRequest => ({
  method: '',
  headers: {},
  body: JSON.stringify({
    envelope_id: envelopeId(emission),
    payload: emission.payload,
    type,
    accepts_response_payload: type !== 'events_api',
    ...(type === 'events_api' && {
      retry_attempt: number - 1,
      retry_reason: number === 1 ? '' : after === 'timeout' ? 'timeout' : 'unknown',
    }),
  }),
})

/** Up to ten connections; each envelope goes to one of them, in turn. */
export const socketRules: SocketRules = {
  maxConnections: 10,
  refreshAfterMs: lifeMs,
  warnBeforeMs: 10_000,
  greeting: (receiver, connections) => [
    JSON.stringify({
      type: 'hello',
      num_connections: connections,
      debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: lifeMs / 1_000 },
      connection_info: { app_id: receiver },
    }),
  ],
  farewell: (reason) => JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }),
  parse: (text) => {
    try {
      const message: unknown = JSON.parse(text)
      if (!isRecord(message) || typeof message.envelope_id !== 'string') return {}
      const { payload } = message
      return {
        acknowledges: message.envelope_id,
        body: payload === undefined || payload === null ? '' : JSON.stringify(payload),
      }
    } catch {
      return {}
    }
  },
  messageId: envelopeId,
}

/** Whether a credential is the app-level token. */
export const isAppToken = (
  views: Pick<ChatViews, 'bot'>,
  principals: readonly Principal[],
  credential: string,
): boolean => {
  const [bot] = views.bot.all()
  return credential === credentialsOf(bot?.app_id ?? '', principals).app_token
}

/** The operation behind a socket's address. */
export const openSocket = 'GET /link'

export const socketMethods = {
  /** An app that nobody has configured gets Socket Mode and every event: its developer has nowhere else to ask for them. */
  'apps.connections.open': operation<ChatTables, unknown>({
    effect: 'write',
    run: (call) => {
      const app = appOf(call) ?? installApp(call, {})
      if (!app.manifest.settings.socket_mode_enabled) throw new VendorError('forbidden_team')
      const ticket = call.draw('socket ticket').slice(0, 32)
      call.tables.socket_ticket.insert({ id: ticket, app: app.id, expires: call.now + ticketMs })
      return { url: `${socketBase(call.baseUrl)}/link/?ticket=${ticket}&app_id=${app.id}` }
    },
  }),
  [openSocket]: operation<ChatTables, { ticket: string }>({
    effect: 'write',
    run: (call, { ticket }) => {
      const row = call.tables.socket_ticket.get(ticket)
      if (!row) throw new VendorError('invalid_ticket', 'the ticket is not known', { status: 401 })
      call.tables.socket_ticket.delete(ticket)
      return { app: row.app, isGood: row.expires >= call.now }
    },
  }),
}

const socketBase = (baseUrl: string): string =>
  /^https:\/\/([a-z0-9-]+\.)*slack\.com$/.test(baseUrl)
    ? 'wss://wss-primary.slack.com'
    : baseUrl.replace(/^http/, 'ws')

/** Answers a request to open a socket. A ticket is good once, and not for long. */
export const linkReply = (
  request: TwinRequest,
  call: (name: string, input: unknown) => { app: string; isGood: boolean },
): TwinReply => {
  const query = readForm(request.query)
  const refused = { status: 401, headers: { 'content-type': 'text/plain' }, body: 'invalid ticket' }
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return { status: 400, headers: { 'content-type': 'text/plain' }, body: 'expected a WebSocket' }
  try {
    const { app, isGood } = call(openSocket, { ticket: String(query.ticket ?? '') })
    if (!isGood) return refused
    const isShort = query.debug_reconnects === 'true'
    return {
      status: 101,
      headers: {},
      body: '',
      socket: { receiver: app, ...(isShort && { refreshAfterMs: shortLifeMs }) },
    }
  } catch (error) {
    if (error instanceof VendorError) return refused
    throw error
  }
}
