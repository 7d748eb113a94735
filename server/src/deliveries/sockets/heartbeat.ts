import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** How a socket is known to be alive. */
export interface Heartbeat {
  /**
   * Shows the client that it is some time later and that we are still here: a pong, with which clients note when they
   * last heard of us, and a ping. Resolves when the client has answered that, and so has read both; false where it did
   * not. The time is in milliseconds by the client's own clock.
   */
  readonly beat: (at: number) => Promise<boolean>
  /** Sends a message with a heartbeat before it: it may reach the client at a time that its timers do not expect. */
  readonly send: (text: string, at: number) => void
  /** Calls the listener when the socket has ended. */
  readonly onEnded: (listener: () => void) => void
}

/** Clients of the vendors give up on a server that does not ping them. */
const pingEveryMs = 10_000
/** A client that is alive answers at once, on a machine as busy as it may be. */
const maxAnswerMs = 10_000

/** Pings a client by our own clock, and cuts off one that does not answer. */
export const beatByTheWall = (client: WebSocket): void => {
  let isAlive = true
  const alive = () => {
    isAlive = true
  }
  const ping = setInterval(() => {
    if (!isAlive) client.terminate()
    isAlive = false
    client.ping()
  }, pingEveryMs)
  ping.unref()
  client.on('pong', alive)
  client.on('message', alive)
  client.on('close', () => clearInterval(ping))
}

/** For a client whose clock is not ours: it is pinged when that clock has moved. */
export const heartbeatOf = (client: WebSocket, socket: Duplex, now: () => number): Heartbeat => {
  let carrying = seconds
  client.on('ping', (data: Buffer) => {
    carrying = timedLike(data.toString(), now()) ?? carrying
  })
  /** In one piece: between two, the client's timers could run, and one of them misses what comes second. */
  const sendWhole = (carried: Buffer, more: () => void = () => undefined) => {
    socket.cork()
    client.pong(carried)
    client.ping(carried)
    more()
    socket.uncork()
  }
  return {
    onEnded: (listener) => client.once('close', listener),
    send: (text, at) => sendWhole(carrying(at), () => client.send(text)),
    beat: (at) =>
      new Promise((resolve) => {
        if (client.readyState !== client.OPEN) return resolve(false)
        const carried = carrying(at)
        const end = (isAnswered: boolean) => {
          clearTimeout(timer)
          client.off('pong', heard)
          client.off('close', closed)
          resolve(isAnswered)
        }
        const heard = (data: Buffer) => {
          if (data.equals(carried)) end(true)
        }
        const closed = () => end(false)
        const timer = setTimeout(closed, maxAnswerMs)
        client.on('pong', heard)
        client.on('close', closed)
        sendWhole(carried)
        return undefined
      }),
  }
}

/** Makes what a heartbeat carries at a time in milliseconds. */
type Carrying = (at: number) => Buffer

/** Some clients read the time of a pong from what it carries, in seconds. */
const seconds: Carrying = (at) => Buffer.from(String(at / 1_000))

/** A number in a client's ping that is no further from its clock is the time at which it was sent. */
const maxPingAgeMs = 60_000
const maxControlFrameBytes = 125

/**
 * Clients that write the time into their pings believe only pongs of the same form. After a step of their clock they
 * get one as if they had pinged at the new time; undefined for a ping that carries no time.
 */
const timedLike = (ping: string, now: number): Carrying | undefined => {
  for (const found of ping.matchAll(/\d{10,13}(?:\.\d+)?/g)) {
    const unitMs = [1_000, 1].find((unit) => Math.abs(Number(found[0]) * unit - now) <= maxPingAgeMs)
    if (unitMs === undefined) continue
    const [before, after] = [ping.slice(0, found.index), ping.slice(found.index + found[0].length)]
    return (at) => {
      const timed = Buffer.from(`${before}${at / unitMs}${after}`)
      return timed.length <= maxControlFrameBytes ? timed : seconds(at)
    }
  }
  return undefined
}
