import { type Kysely, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { openDebounce } from './debounce.ts'
import type { Log } from './log.ts'
import type { Database } from './schema.ts'
import { GroupWriter } from './writers/group.ts'

/** Undefined means: something may have been missed, look for yourself. */
export type WakeListener = (payload: string | undefined) => void

export interface Wake {
  /** Tells every process that listens for the topic, this one included. */
  send(topic: string, payload?: string): Promise<void>
  /** The same, when and only when the transaction commits. */
  sendIn(trx: Transaction<Database> | Kysely<Database>, topic: string, payload?: string): Promise<void>
  /** Returns the function that ends the listening. */
  on(topic: string, listener: WakeListener): () => void
  /**
   * Shows other processes that this one lives: a shared lock of that name is held as long as the connection on which
   * this process listens is there. The database sees it end within milliseconds of the process.
   */
  showPresence(name: string): Promise<void>
  /** Whether that connection is there. */
  isListening(): boolean
  /** Calls the listener when that connection is lost: others may take this process for dead. */
  onLost(listener: () => void): void
  close(): Promise<void>
}

/** SQL: the number of the lock that shows that a process with this name is present. */
export const presenceKey = (name: string): string => `hashtextextended(${name}, 0)`

export interface WakeOptions {
  readonly connection: pg.ClientConfig
  readonly pool: pg.Pool
  readonly log: Log
  /** How often the connection is asked for a sign of life, and how long it may take to give one. */
  readonly heartbeat?: Heartbeat
}

export interface Heartbeat {
  readonly everyMs: number
  readonly patienceMs: number
}

export class WakeTooLarge extends Error {
  override readonly name = 'WakeTooLarge'
  readonly code = 'wake_too_large'
}

const channel = 'diorama_wake'
/** PostgreSQL takes less than 8,000 bytes in all. */
const maxPayloadBytes = 7_168
const maxTopicBytes = 256
const separator = '\n'
const firstRetryMs = 25
const lastRetryMs = 2_000
/** The same wake-up twice within this time goes out once more, not twice. */
const repeatGapMs = 5
const usualHeartbeat: Heartbeat = { everyMs: 10_000, patienceMs: 5_000 }

/** Opens the one connection on which this process hears all topics, and waits until it hears. */
export const openWake = async ({
  connection,
  pool,
  log,
  heartbeat = usualHeartbeat,
}: WakeOptions): Promise<Wake> => {
  const listeners = new Map<string, Set<WakeListener>>()
  const lostListeners: (() => void)[] = []

  const call = (topic: string, payload: string | undefined): void => {
    for (const listener of [...(listeners.get(topic) ?? [])]) {
      try {
        listener(payload)
      } catch (error) {
        log.error({ event: 'wake.listener_failed', err: error, topic }, 'a listener for wake-ups failed')
      }
    }
  }

  const hear = (message: string): void => {
    const end = message.indexOf(separator)
    if (end < 0) call(message, '')
    else call(message.slice(0, end), message.slice(end + 1))
  }

  const missed = (): void => {
    for (const topic of [...listeners.keys()]) call(topic, undefined)
  }

  const lost = (): void => {
    for (const listener of lostListeners) listener()
  }

  const listening = new ListeningConnection({ connection, log, heartbeat, hear, missed, lost })
  await listening.open()

  // Wake-ups that are sent together travel as one statement: a commit that notifies takes a lock of the
  // whole database, so fewer of them is what lets many writers go side by side.
  const writer = new GroupWriter<string, void>({
    maxBatch: 500,
    maxQueue: 50_000,
    async flush(messages) {
      await pool.query({
        name: 'wake',
        text: `select pg_notify('${channel}', message) from unnest($1::text[]) as message`,
        values: [messages],
      })
      return messages.map(() => undefined)
    },
  })

  const debounced = openDebounce(repeatGapMs, (message) => writer.write(message))

  return {
    async send(topic, payload) {
      await debounced.send(compose(topic, payload))
    },
    async sendIn(trx, topic, payload) {
      await sql`select pg_notify(${channel}, ${compose(topic, payload)})`.execute(trx)
    },
    on(topic, listener) {
      const there = listeners.get(topic) ?? new Set()
      listeners.set(topic, there.add(listener))
      return () => {
        there.delete(listener)
        if (there.size === 0 && listeners.get(topic) === there) listeners.delete(topic)
      }
    },
    showPresence: (name) => listening.showPresence(name),
    isListening: () => listening.isOpen,
    onLost(listener) {
      lostListeners.push(listener)
    },
    async close() {
      await debounced.settle()
      await writer.drain()
      await listening.close()
    },
  }
}

const compose = (topic: string, payload: string | undefined): string => {
  if (topic === '' || topic.includes(separator) || Buffer.byteLength(topic) > maxTopicBytes) {
    throw new WakeTooLarge(`A wake-up's topic is one line of 1 to ${maxTopicBytes} bytes.`)
  }
  if (payload === undefined) return topic
  if (Buffer.byteLength(payload) > maxPayloadBytes) {
    throw new WakeTooLarge(
      `A wake-up's payload is at most ${maxPayloadBytes} bytes; send an id and let the listener read the rest.`,
    )
  }
  return topic + separator + payload
}

/** Shared: the session of a connection that was just lost may hold it for a while longer. */
const lockShared = (client: pg.Client, name: string): Promise<unknown> =>
  client.query(`select pg_advisory_lock_shared(${presenceKey('$1')})`, [name])

interface ListeningOptions {
  readonly connection: pg.ClientConfig
  readonly heartbeat: Heartbeat
  readonly log: Log
  readonly hear: (message: string) => void
  readonly missed: () => void
  readonly lost: () => void
}

/** The listening connection. It comes back on its own, with a growing pause between attempts. */
class ListeningConnection {
  readonly #options: ListeningOptions
  readonly #present = new Set<string>()
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ListeningOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const client = new pg.Client(this.#options.connection)
    let lost = false
    const lose = (error?: Error) => {
      if (lost) return
      lost = true
      clearTimeout(this.#timer)
      void client.end().catch(() => {})
      if (this.#closed || this.#client !== client) return
      this.#client = undefined
      this.#options.lost()
      this.#options.log.warn(
        { event: 'wake.connection_lost', err: error },
        'the connection for wake-ups was lost; connecting again',
      )
      this.#retry(firstRetryMs)
    }
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload }) => this.#options.hear(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      for (const name of this.#present) await lockShared(client, name)
    } catch (error) {
      lost = true
      await client.end().catch(() => {})
      throw error
    }
    this.#client = client
    if (lost) throw new Error('the connection for wake-ups ended while it was being opened')
    this.#beat(client, lose)
  }

  get isOpen(): boolean {
    return this.#client !== undefined
  }

  async showPresence(name: string): Promise<void> {
    this.#present.add(name)
    // Where the connection is away, it shows this name when it is back.
    if (this.#client) await lockShared(this.#client, name)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
    this.#client = undefined
  }

  #retry(pauseMs: number): void {
    this.#timer = setTimeout(() => {
      this.open().then(
        () => {
          if (this.#closed) return this.close()
          this.#options.log.info({ event: 'wake.connected' }, 'wake-ups are received again')
          this.#options.missed()
        },
        () => {
          if (!this.#closed) this.#retry(Math.min(pauseMs * 2, lastRetryMs))
        },
      )
    }, pauseMs)
  }

  /** A machine that vanished says nothing; only a question that stays unanswered tells. */
  #beat(client: pg.Client, lose: (error?: Error) => void): void {
    const { everyMs, patienceMs } = this.#options.heartbeat
    this.#timer = setTimeout(() => {
      const tooLate = setTimeout(() => lose(new Error('no answer in time')), patienceMs)
      client.query('select 1').then(
        () => {
          clearTimeout(tooLate)
          if (this.#client === client && !this.#closed) this.#beat(client, lose)
        },
        (error: Error) => {
          clearTimeout(tooLate)
          lose(error)
        },
      )
    }, everyMs)
    this.#timer.unref()
  }
}
