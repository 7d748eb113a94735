/**
 * Connections into a job. A job with a network namespace cannot be reached from outside, so its launcher is asked for a
 * connection: it connects to the job's port on one side and to the gateway on the other, where it shows the ticket that
 * it was given. The command knows no ticket, so it cannot pass for its launcher.
 */
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** What a connection of the launcher begins with; neither HTTP nor TLS begins so. */
const ticketMark = 0
/** A ticket: 16 random bytes in hexadecimal. */
export const ticketBytes = 16
const ticketCharacters = ticketBytes * 2
/** The mark, the ticket, and a digit: 1 where the job took the connection, 0 where it refused. */
const greetingBytes = 1 + ticketCharacters + 1
const patienceMs = 5_000

/** Why a job could not be called: nothing listens, or it does not answer. */
export class NotReached extends Error {
  override readonly name = 'NotReached'
}

/** How a launcher is asked for a connection. */
export interface Call {
  readonly ticket: string
  readonly dial: (ticket: string) => void
}

interface Expected {
  readonly resolve: (connection: Duplex) => void
  readonly reject: (error: NotReached) => void
  readonly timer: NodeJS.Timeout
}

export class Callers {
  readonly #expected = new Map<string, Expected>()

  /** Asks for a connection by a ticket, and waits for the launcher to show it. */
  call({ ticket, dial }: Call): Promise<Duplex> {
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
    const timer = setTimeout(() => {
      this.#expected.delete(ticket)
      reject(new NotReached('The agent took no connection in time.'))
    }, patienceMs)
    this.#expected.set(ticket, { resolve, reject, timer })
    dial(ticket)
    return promise
  }

  /** Whether a connection begins with a ticket that we gave out. */
  knows(greeting: Buffer): boolean {
    return (
      greeting[0] === ticketMark && greeting.length >= greetingBytes && this.#expected.has(ticketIn(greeting))
    )
  }

  /** Takes a connection whose greeting is known. */
  take(socket: Duplex, greeting: Buffer): void {
    const ticket = ticketIn(greeting)
    const expected = this.#expected.get(ticket)
    if (!expected) return
    this.#expected.delete(ticket)
    clearTimeout(expected.timer)
    if (greeting[greetingBytes - 1] !== 0x31) {
      socket.destroy()
      expected.reject(new NotReached('Nothing listens on the port of the agent.'))
      return
    }
    if (greeting.length > greetingBytes) socket.unshift(greeting.subarray(greetingBytes))
    // It was paused to be looked at. Nobody speaks on it before the one who called.
    socket.resume()
    expected.resolve(socket)
  }

  close(): void {
    for (const { reject, timer } of this.#expected.values()) {
      clearTimeout(timer)
      reject(new NotReached('The trial is over.'))
    }
    this.#expected.clear()
  }
}

const ticketIn = (greeting: Buffer): string => greeting.subarray(1, 1 + ticketCharacters).toString('latin1')

/** Where a job shares our network, its port is one of ours. */
export const callLoopback = (port: number): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('timeout')))
    socket.once('error', () => reject(new NotReached('Nothing listens on the port of the agent.')))
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.removeAllListeners('error')
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
  })
