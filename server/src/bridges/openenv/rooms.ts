import type { FrozenTask } from '@diorama/contract'
import type { WebSocket } from 'ws'
import type { Episodes } from '../../evaluations/episodes/episodes.ts'
import type { Caller } from '../../http/handler.ts'
import type { Log } from '../../storage/log.ts'
import { OpenEnvError } from './messages.ts'
import { createSession, type Session } from './session.ts'

export interface FrozenSuite {
  readonly name: string
  readonly versionId: string
  readonly tasks: readonly FrozenTask[]
}

export interface RoomDeps {
  /** Calls `end` when the key stops being valid; returns the function that stops watching. */
  readonly watchKey: (authorization: string | undefined, end: () => void) => () => void
  readonly episodes: Episodes
  readonly random: (bytes: number) => Uint8Array
  readonly log: Log
}

export interface Owner {
  readonly caller: Caller
  readonly suite: FrozenSuite
  readonly authorization: string | undefined
}

/** A session, and who else is in it. */
export interface Room {
  readonly session: Session
  readonly organizationId: string
  readonly idle: IdleTimer
  readonly guests: Set<WebSocket>
  /** Ends the session with its episode. Further calls do nothing. */
  readonly end: () => void
}

/** The open sessions of this node, with the limits of their organizations. */
export interface Rooms {
  /** Throws where the organization has no room. `ended` hears once that the session is over; `why` where we ended it. */
  readonly open: (owner: Owner, ended: (why: OpenEnvError | undefined) => void) => Room
  readonly find: (id: string) => Room | undefined
  /** Ends every session, and takes no more. */
  readonly close: () => Promise<void>
}

const maxRooms = 5_000
const sessionIdBytes = 24

export const createRooms = ({ watchKey, episodes, random, log }: RoomDeps): Rooms => {
  const used = new Map<string, number>()
  const rooms = new Map<string, Room>()
  const closing = new Set<Promise<void>>()
  let isClosed = false

  const give = (organizationId: string, change: 1 | -1) => {
    const count = (used.get(organizationId) ?? 0) + change
    if (count > 0) used.set(organizationId, count)
    else used.delete(organizationId)
  }
  const requireRoom = ({ organizationId, limits }: Caller) => {
    const count = used.get(organizationId) ?? 0
    const refuse = (why: string) => new OpenEnvError('CAPACITY_REACHED', why)
    if (count >= limits.open_episodes)
      throw refuse(
        `The organization may have ${limits.open_episodes} open episodes on a node; ${count} are open.`,
      )
    if (isClosed) throw refuse('The node is shutting down; try again.')
    if (rooms.size >= maxRooms) throw refuse(`The node has ${maxRooms} open episodes; try again later.`)
  }
  const closeSession = (session: Session) => {
    const end = session
      .close()
      .catch((error) => log.warn({ event: 'episode.unclosed', error }, 'An episode was not closed.'))
      .finally(() => closing.delete(end))
    closing.add(end)
  }

  return {
    open: ({ caller, suite, authorization }, ended) => {
      requireRoom(caller)
      const { organizationId, keyId, limits } = caller
      give(organizationId, 1)
      const session = createSession({
        id: `ses_${Buffer.from(random(sessionIdBytes)).toString('hex')}`,
        tasks: suite.tasks,
        open: (task) => episodes.open({ organizationId, createdBy: keyId, task }),
        log,
      })
      let isOver = false
      const end = (why?: OpenEnvError) => {
        if (isOver) return
        isOver = true
        unwatch()
        idle.stop()
        rooms.delete(session.id)
        for (const guest of room.guests) guest.terminate()
        give(organizationId, -1)
        closeSession(session)
        ended(why)
      }
      const idleMs = limits.episode_idle_seconds * 1_000
      const idle = createIdleTimer(idleMs, () =>
        end(new OpenEnvError('SESSION_ERROR', `No message came for ${idleMs / 1_000} seconds.`)),
      )
      const room: Room = { session, organizationId, idle, guests: new Set(), end: () => end() }
      const unwatch = watchKey(authorization, () => end())
      rooms.set(session.id, room)
      return room
    },
    find: (id) => rooms.get(id),
    close: async () => {
      isClosed = true
      for (const room of [...rooms.values()]) room.end()
      await Promise.all(closing)
    },
  }
}

export interface IdleTimer {
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
