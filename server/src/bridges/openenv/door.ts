import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FrozenTask } from '@diorama/contract'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Episodes } from '../../evaluations/episodes/episodes.ts'
import { ApiError, notFound } from '../../http/api-error.ts'
import { permit } from '../../http/edge.ts'
import type { Caller } from '../../http/handler.ts'
import type { Log } from '../../storage/log.ts'
import { OpenEnvError } from './messages.ts'
import { createSession, errorText, type Session } from './session.ts'

export interface FrozenSuite {
  readonly name: string
  readonly versionId: string
  readonly tasks: readonly FrozenTask[]
}

export interface DoorDeps {
  readonly authenticate: (authorization: string | undefined) => Caller | Promise<Caller>
  /** Calls `end` when the key stops being valid; returns the function that stops watching. */
  readonly watchKey: (authorization: string | undefined, end: () => void) => () => void
  /** The version of a suite that a client gets; undefined when there is no such suite. */
  readonly freeze: (organizationId: string, suiteId: string) => Promise<FrozenSuite | undefined>
  readonly episodes: Episodes
  readonly random: (bytes: number) => Uint8Array
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
const maxSockets = 5_000
const maxMessageBytes = 1 << 20
const maxWaiting = 16
const maxGuests = 4
const sessionIdBytes = 24
const maxBufferedBytes = 64 << 20
const keepAliveMs = 30_000
const policyViolation = 1008
const goingAway = 1001

export const createOpenEnvDoor = ({
  authenticate,
  watchKey,
  freeze,
  episodes,
  random,
  log,
}: DoorDeps): OpenEnvDoor => {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })
  const open = new Map<string, number>()
  const rooms = new Map<string, Room>()
  const closing = new Set<Promise<void>>()
  let isClosed = false

  const enter = async (request: IncomingMessage): Promise<Entered> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service')
    const joins = searchParams.get('session_id')
    if (joins !== null) return { joins }
    const authorization = bearerOf(request.headers.authorization)
    const caller = await authenticate(authorization)
    permit(caller, { scope: 'evals:write' })
    if (!caller.limits.sandbox)
      throw new ApiError(
        'sandbox_denied',
        'This organization has no access to sandboxes, in which scorers run.',
      )
    const suite = await freeze(caller.organizationId, path.exec(pathname)?.[1] ?? '')
    if (!suite) throw notFound('task suite')
    return { caller, suite, authorization }
  }

  const serve = (client: WebSocket, entered: Entered) => {
    client.on('error', () => client.terminate())
    if ('joins' in entered) join(client, entered.joins)
    else own(client, entered)
  }

  /** Opens a session that ends with its socket. */
  const own = (client: WebSocket, { caller, suite, authorization }: Owner) => {
    const { organizationId, keyId, limits } = caller
    const used = open.get(organizationId) ?? 0
    if (isClosed || used >= limits.open_episodes || server.clients.size > maxSockets) {
      const why = `The organization may have ${limits.open_episodes} open episodes on a node; ${used} are open.`
      dismiss(client, new OpenEnvError('CAPACITY_REACHED', why))
      return
    }
    open.set(organizationId, used + 1)
    const session = createSession({
      id: `ses_${Buffer.from(random(sessionIdBytes)).toString('hex')}`,
      tasks: suite.tasks,
      open: (task) => episodes.open({ organizationId, createdBy: keyId, task }),
      log,
    })
    const idleMs = limits.episode_idle_seconds * 1_000
    const idle = createIdleTimer(idleMs, () =>
      dismiss(client, new OpenEnvError('SESSION_ERROR', `No message came for ${idleMs / 1_000} seconds.`)),
    )
    const room: Room = { session, idle, guests: new Set() }
    const unwatch = watchKey(authorization, () => client.terminate())
    rooms.set(session.id, room)
    converse(client, room)
    client.on('close', () => {
      unwatch()
      rooms.delete(session.id)
      idle.stop()
      for (const guest of room.guests) guest.terminate()
      const rest = (open.get(organizationId) ?? 1) - 1
      if (rest > 0) open.set(organizationId, rest)
      else open.delete(organizationId)
      const end = session
        .close()
        .catch((error) => log.warn({ event: 'episode.unclosed', error }, 'An episode was not closed.'))
        .finally(() => closing.delete(end))
      closing.add(end)
    })
  }

  /** Lets another socket into a session, such as that of a process that serves its tools. The id is the credential. */
  const join = (client: WebSocket, id: string) => {
    const room = rooms.get(id)
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
      isClosed = true
      for (const client of server.clients) {
        client.close(goingAway, 'the service is stopping')
        client.terminate()
      }
      server.close()
      // The sockets report their ends in the next turn of the loop.
      await new Promise((resolve) => setImmediate(resolve))
      await Promise.all(closing)
    },
  }
}

interface Owner {
  readonly caller: Caller
  readonly suite: FrozenSuite
  readonly authorization: string | undefined
}
type Entered = Owner | { readonly joins: string }

/** A session, and who else is in it. */
interface Room {
  readonly session: Session
  readonly idle: IdleTimer
  readonly guests: Set<WebSocket>
}

const dismiss = (client: WebSocket, error: OpenEnvError): void => {
  client.send(errorText(error))
  client.close(policyViolation, error.code)
}

interface IdleTimer {
  /** Work begins; the timer runs again when all work has ended. */
  readonly begin: () => void
  readonly end: () => void
  readonly stop: () => void
}

const createIdleTimer = (idleMs: number, expire: () => void): IdleTimer => {
  const start = () => setTimeout(expire, idleMs).unref()
  let timer = start()
  let underWay = 0
  let isStopped = false
  return {
    begin: () => {
      underWay++
      clearTimeout(timer)
    },
    end: () => {
      underWay--
      if (underWay === 0 && !isStopped) timer = start()
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
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
