import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiError } from '../../http/api-error.ts'
import type { Log } from '../../storage/log.ts'
import { OpenEnvError } from './messages.ts'
import type { Owner, Room, Rooms } from './rooms.ts'
import { errorText } from './session.ts'

export interface DoorDeps {
  /** Who may open sessions of a suite; throws an ApiError for all others. */
  readonly ownerOf: (authorization: string | undefined, suiteId: string) => Promise<Owner>
  readonly rooms: Rooms
  readonly log: Log
}

/** Takes requests to upgrade to a WebSocket at `/openenv/{suiteId}/ws`. */
export interface OpenEnvDoor {
  /** Whether the request is one of these. */
  readonly takes: (request: IncomingMessage) => boolean
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Ends every session, with its episode. */
  readonly close: () => Promise<void>
}

const path = /^\/openenv\/([\w-]{1,100})\/ws(?:\?|$)/
const maxMessageBytes = 1 << 20
const maxWaiting = 16
const maxGuests = 4
const maxBufferedBytes = 64 << 20
const keepAliveMs = 30_000
const policyViolation = 1008
const goingAway = 1001

export const createOpenEnvDoor = ({ ownerOf, rooms, log }: DoorDeps): OpenEnvDoor => {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })

  const enter = async (request: IncomingMessage): Promise<Entered> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service')
    const joins = searchParams.get('session_id')
    if (joins !== null) return { joins }
    return ownerOf(request.headers.authorization, path.exec(pathname)?.[1] ?? '')
  }

  const serve = (client: WebSocket, entered: Entered) => {
    client.on('error', () => client.terminate())
    if ('joins' in entered) join(client, entered.joins)
    else own(client, entered)
  }

  /** Opens a session that ends with its socket. */
  const own = (client: WebSocket, owner: Owner) => {
    try {
      const room = rooms.open(owner, (why) => (why ? dismiss(client, why) : client.terminate()))
      converse(client, room)
      client.on('close', room.end)
    } catch (error) {
      if (!(error instanceof OpenEnvError)) throw error
      dismiss(client, error)
    }
  }

  /** Lets another socket into a session, such as that of a process that serves its tools. The id is the credential. */
  const join = (client: WebSocket, id: string) => {
    const room = rooms.find(id)
    if (!room || room.guests.size >= maxGuests) {
      const why = 'There is no such session on this node, or too many sockets share it.'
      dismiss(client, new OpenEnvError('SESSION_ERROR', why))
      return
    }
    room.guests.add(client)
    client.on('close', () => room.guests.delete(client))
    converse(client, room)
  }

  return {
    takes: ({ url = '' }) => path.test(url),
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      enter(request).then(
        (entered) =>
          server.handleUpgrade(request, socket, head, (client) => {
            request.socket.setKeepAlive(true, keepAliveMs)
            serve(client, entered)
          }),
        (error) => {
          if (!(error instanceof ApiError))
            log.warn({ event: 'episode.refused', error }, 'A socket for episodes could not be opened.')
          refuse(socket, error instanceof ApiError ? error : new ApiError('unavailable', 'Try again.'))
        },
      )
    },
    close: async () => {
      for (const client of server.clients) {
        client.close(goingAway, 'the service is stopping')
        client.terminate()
      }
      server.close()
      await rooms.close()
    },
  }
}

type Entered = Owner | { readonly joins: string }

const dismiss = (client: WebSocket, error: OpenEnvError): void => {
  client.send(errorText(error))
  client.close(policyViolation, error.code)
}

/** Answers the messages of a socket in order. */
const converse = (client: WebSocket, { session, idle }: Room): void => {
  let waiting = 0
  client.on('message', (data, isBinary) => {
    if (isBinary || waiting >= maxWaiting || client.bufferedAmount > maxBufferedBytes) {
      client.close(policyViolation, isBinary ? 'messages must be text' : 'too many messages at once')
      return
    }
    waiting++
    idle.begin()
    void session.answer(data.toString()).then((reply) => {
      waiting--
      idle.end()
      if (reply === 'closed') client.close()
      else if (client.readyState === client.OPEN) client.send(reply)
    })
  })
}

/** The key as a bearer token. Clients that can send no headers put it into the address: `http://key:dk_…@host`. */
export const bearerOf = (authorization: string | undefined): string | undefined => {
  const basic = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (basic === undefined) return authorization
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? []
  return `Bearer ${password}`
}

const refuse = (socket: Duplex, { status, code, message }: ApiError): void => {
  const body = Buffer.from(JSON.stringify({ error: message, code }))
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: application/json; charset=utf-8',
    'connection: close',
    `content-length: ${body.length}`,
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}
