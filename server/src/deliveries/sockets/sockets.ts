import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import type { Emission, Farewell, SocketOpening, SocketRules } from '@diorama/twin-kit/kernel/deliveries'
import type { Outcome, Transport } from '../transport.ts'

/** One open WebSocket. */
export interface Socket {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
}

/** The sockets that receivers have opened to the twins of this node. */
export interface Sockets extends Transport {
  /** Counts a socket in, greets it, and returns how to pass on what it says and that it has ended. */
  readonly open: (twin: SocketTwin, opening: SocketOpening, socket: Socket) => OpenSocket
  /** How many sockets a receiver of a twin has open. */
  readonly countOf: (twinId: string, receiver: string) => number
  readonly size: number
  /** Asks everybody to connect elsewhere, and closes. */
  readonly close: () => void
}

export interface SocketTwin {
  readonly id: string
  readonly rules: SocketRules
}

export interface OpenSocket {
  readonly heard: (text: string) => void
  readonly ended: () => void
}

interface Connection {
  readonly socket: Socket
  readonly rules: SocketRules
  /** What was sent and not acknowledged yet, by the id of its message. */
  readonly unanswered: Map<string, (outcome: Outcome) => void>
  readonly timers: NodeJS.Timeout[]
  /** It has been asked to go: nothing new is sent on it. */
  isLeaving: boolean
}

/** Of one connection: a receiver that acknowledges nothing is not sent more. */
const maxUnanswered = 1_000

export const createSockets = (): Sockets => {
  /** By twin and receiver. */
  const open = new Map<string, Connection[]>()
  const keyOf = (twinId: string, receiver: string) => `${twinId} ${receiver}`
  let size = 0

  /** Any of the connections, in no pattern that a client could rely on, and the same one whenever this is run again. */
  const choose = (key: string, drawn: string): Connection | undefined => {
    const able = (open.get(key) ?? []).filter(
      ({ isLeaving, unanswered }) => !isLeaving && unanswered.size < maxUnanswered,
    )
    return able.length < 2 ? able[0] : able[Number.parseInt(sha256(drawn).slice(0, 8), 16) % able.length]
  }

  const leave = (connection: Connection, reason: Farewell): void => {
    const { socket, rules } = connection
    socket.send(rules.farewell(reason))
    if (reason === 'warning') return
    connection.isLeaving = true
    socket.close(1000, reason)
  }

  const add = (twin: SocketTwin, opening: SocketOpening, socket: Socket): OpenSocket => {
    const key = keyOf(twin.id, opening.receiver)
    const { rules } = twin
    const connection: Connection = { socket, rules, unanswered: new Map(), timers: [], isLeaving: false }
    const connections = [...(open.get(key) ?? []), connection]
    open.set(key, connections)
    size++
    if (connections.length > rules.maxConnections) leave(connection, 'too_many_websockets')
    else for (const text of rules.greeting(opening.receiver, connections.length)) socket.send(text)
    const endsAfterMs = opening.refreshAfterMs ?? rules.refreshAfterMs
    const warnsAfterMs = endsAfterMs - rules.warnBeforeMs
    const after = (delayMs: number, reason: Farewell) =>
      connection.timers.push(setTimeout(() => leave(connection, reason), delayMs).unref())
    if (warnsAfterMs > 0) after(warnsAfterMs, 'warning')
    after(endsAfterMs, 'refresh_requested')
    let isEnded = false
    return {
      heard: (text) => {
        const { acknowledges, body = '', answer } = rules.parse(text)
        if (answer !== undefined) socket.send(answer)
        if (acknowledges === undefined) return
        const resolve = connection.unanswered.get(acknowledges)
        connection.unanswered.delete(acknowledges)
        resolve?.({ answer: { status: 200, headers: {}, body } })
      },
      ended: () => {
        if (isEnded) return
        isEnded = true
        size--
        for (const timer of connection.timers) clearTimeout(timer)
        const others = (open.get(key) ?? []).filter((other) => other !== connection)
        if (others.length > 0) open.set(key, others)
        else open.delete(key)
        for (const resolve of connection.unanswered.values())
          resolve({ fault: 'closed', message: 'The socket closed before the acknowledgement.' })
      },
    }
  }

  return {
    open: add,
    countOf: (twinId, receiver) => open.get(keyOf(twinId, receiver))?.length ?? 0,
    get size() {
      return size
    },
    send: async ({ twin, emission, channel, request, attempt }) => {
      const connection = choose(keyOf(twin.id, emission.receiver), `${emission.id} ${attempt.number}`)
      if (!connection) return { fault: 'no_receiver', message: 'No socket of this receiver is open.' }
      return acknowledged(connection, { emission, text: request.body, timeoutMs: channel.timeoutMs })
    },
    close: () => {
      for (const connections of open.values())
        for (const connection of connections) leave(connection, 'refresh_requested')
    },
  }
}

const acknowledged = (
  { socket, rules, unanswered }: Connection,
  { emission, text, timeoutMs }: { emission: Emission; text: string; timeoutMs: number },
): Promise<Outcome> =>
  new Promise((resolve) => {
    const id = rules.messageId(emission)
    const end = (outcome: Outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    const timer = setTimeout(() => {
      unanswered.delete(id)
      end({ fault: 'timeout', message: `No acknowledgement within ${timeoutMs} ms.` })
    }, timeoutMs)
    unanswered.set(id, end)
    socket.send(text)
  })
