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
const maxBufferedBytes = 64 << 20
const keepAliveMs = 30_000
const policyViolation = 1008
const goingAway = 1001

export const createOpenEnvDoor = ({
  authenticate,
  watchKey,
  freeze,
  episodes,
  log,
}: DoorDeps): OpenEnvDoor => {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })
  const open = new Map<string, number>()
  const closing = new Set<Promise<void>>()
  let isClosed = false

  const enter = async (request: IncomingMessage) => {
    const authorization = bearerOf(request.headers.authorization)
    const caller = await authenticate(authorization)
    permit(caller, { scope: 'evals:write' })
    if (!caller.limits.sandbox)
      throw new ApiError(
        'sandbox_denied',
        'This organization has no access to sandboxes, in which scorers run.',
      )
    const suite = await freeze(caller.organizationId, path.exec(request.url ?? '')?.[1] ?? '')
    if (!suite) throw notFound('task suite')
    return { caller, suite, authorization }
  }

  const serve = (client: WebSocket, { caller, suite, authorization }: Awaited<ReturnType<typeof enter>>) => {
    const { organizationId, keyId, limits } = caller
    const used = open.get(organizationId) ?? 0
    if (isClosed || used >= limits.open_episodes || server.clients.size > maxSockets) {
      const why = `The organization may have ${limits.open_episodes} open episodes on a node; ${used} are open.`
      client.send(errorText(new OpenEnvError('CAPACITY_REACHED', why)))
      client.close(policyViolation, 'capacity reached')
      return
    }
    open.set(organizationId, used + 1)
    const session = createSession({
      tasks: suite.tasks,
      open: (task) => episodes.open({ organizationId, createdBy: keyId, task }),
      log,
    })
    const unwatch = watchKey(authorization, () => client.terminate())
    converse(client, session, limits.episode_idle_seconds * 1_000)
    client.on('close', () => {
      unwatch()
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

/** Answers messages in order, and closes a connection that is idle for too long. */
const converse = (client: WebSocket, session: Session, idleMs: number): void => {
  let waiting = 0
  let last = Promise.resolve()
  const expire = () => {
    const why = `No message came for ${idleMs / 1_000} seconds.`
    client.send(errorText(new OpenEnvError('SESSION_ERROR', why)))
    client.close(policyViolation, 'idle')
  }
  let idle = setTimeout(expire, idleMs).unref()
  client.on('close', () => clearTimeout(idle))
  client.on('error', () => client.terminate())
  client.on('message', (data, isBinary) => {
    clearTimeout(idle)
    if (isBinary || waiting >= maxWaiting || client.bufferedAmount > maxBufferedBytes) {
      client.close(policyViolation, isBinary ? 'messages must be text' : 'too many messages at once')
      return
    }
    waiting++
    last = last.then(async () => {
      const reply = await session.answer(data.toString())
      waiting--
      if (reply === 'closed') client.close()
      else if (client.readyState === client.OPEN) client.send(reply)
      if (waiting === 0 && client.readyState === client.OPEN) idle = setTimeout(expire, idleMs).unref()
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
