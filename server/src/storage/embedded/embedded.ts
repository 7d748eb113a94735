import type { ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../failure.ts'
import type { Log } from '../log.ts'
import { type Account, chooseAccount, handOver, letPass, refuseForeign } from './account.ts'
import { findBinaries } from './binaries.ts'
import { type Cluster, databaseUser, endLeftovers, makeCluster, readMark } from './cluster.ts'
import { preparePassword, requirePassword } from './cluster-password.ts'
import { type Ownership, takeFolder } from './owner.ts'
import { waitForServerElsewhere } from './server-elsewhere.ts'
import { makeSocketFolder, removeSocketFolder, socketPort } from './socket-folder.ts'
import { spawnSupervised } from './supervised.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log: Log
  readonly random: (bytes: number) => Uint8Array
  /** Further settings of the server, such as `fsync: 'off'` for tests. */
  readonly settings?: Readonly<Record<string, string>>
  /** Who runs the server. Default: the first account that can, see `chooseAccount`. */
  readonly account?: Account
}

export interface Embedded {
  readonly url: string
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const startMs = 60_000
const stopMs = 30_000
const pollMs = 5
const firstRetryMs = 100
const lastRetryMs = 5_000
const keptLines = 40
/** What the server wrote last may reach us after the news of its end. */
const lastWordsMs = 20

/** Starts a PostgreSQL server on the data folder, reachable by this user alone, and keeps it running. */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  const { dataDir, log, random } = options
  const home = join(dataDir, 'database')
  refuseForeign(home)
  const ownership = takeFolder({ folder: home, random })
  try {
    const place = realpathSync(home)
    const binaries = findBinaries(join(place, 'lib'))
    const account = options.account ?? chooseAccount()
    handOver(place, account)
    letPass({ account, dataDir, home: place, program: binaries.postgres })
    const durable = options.settings?.fsync !== 'off'
    const cluster = { folder: join(place, 'cluster'), binaries, account, log, durable }
    if (ownership.leftElsewhere) await waitForServerElsewhere(place)
    await endLeftovers(cluster)
    await makeCluster(cluster)
    const socketFolder = makeSocketFolder(place, cluster.account)
    const { password, isNew } = preparePassword({ home: place, folder: cluster.folder }, random)
    const server = new Supervisor({ cluster, socketFolder, settings: options.settings ?? {} })
    await server.start()
    const url = urlOf(socketFolder, password)
    if (isNew)
      await requirePassword({ folder: cluster.folder, url, password }).catch(async (error: unknown) => {
        await server.stop()
        throw error
      })
    return keep({ server, ownership, home: place, url })
  } catch (error) {
    ownership.release()
    throw error
  }
}

/** Every part is named, since the driver takes what is missing from the environment (PGPORT, PGSSLMODE). */
export const urlOf = (socketFolder: string, password: string): string => {
  const parts = {
    host: socketFolder,
    port: String(socketPort),
    user: databaseUser,
    password,
    sslmode: 'disable',
  }
  return `postgresql:///postgres?${new URLSearchParams(parts)}`
}

interface Kept {
  readonly server: Supervisor
  readonly ownership: Ownership
  readonly home: string
  readonly url: string
}

const keep = ({ server, ownership, home, url }: Kept): Embedded => {
  let closing: Promise<void> | undefined
  const shut = async (): Promise<void> => {
    await server.stop()
    removeSocketFolder(home)
    ownership.release()
  }
  const close = (): Promise<void> => {
    closing ??= shut()
    return closing
  }
  return { url, close, [Symbol.asyncDispose]: close }
}

interface SupervisorOptions {
  readonly cluster: Cluster
  readonly socketFolder: string
  readonly settings: Readonly<Record<string, string>>
}

class Supervisor {
  readonly #options: SupervisorOptions
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()
  #revival: Promise<void> = Promise.resolve()
  #stopping = false
  #lines: string[] = []

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Resolves when the server takes connections. */
  async start(): Promise<void> {
    const mark = join(this.#options.cluster.folder, 'postmaster.pid')
    const stale = readMark(mark)
    const child = this.#spawn()
    this.#child = child
    let over = false
    this.#ended = new Promise((resolve) => {
      // Not 'close': children that outlive the server for a moment keep its output open.
      child.on('exit', () => {
        over = true
        resolve()
      })
      child.on('error', (error) => {
        this.#lines.push(error.message)
        over = true
        resolve()
      })
    })
    for (let waited = 0; waited < startMs && !over; waited += pollMs) {
      const said = readMark(mark)
      if (said !== stale && said.split('\n')[7]?.trim() === 'ready') {
        void this.#ended.then(() => this.#lost())
        return
      }
      await pause(pollMs)
    }
    child.stdin?.end()
    await this.#ended
    await pause(lastWordsMs)
    throw new StorageFailure(
      'server_failed',
      `The embedded database did not start: ${this.#lines.join('\n').trim() || 'it said nothing'}`,
    )
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#revival
    this.#child?.stdin?.end()
    const late = new AbortController()
    const inTime = await Promise.race([
      this.#ended.then(() => true),
      pause(stopMs, false, { signal: late.signal }).catch(() => false),
    ])
    late.abort()
    if (!inTime) await endLeftovers(this.#options.cluster)
  }

  #spawn(): ChildProcess {
    const { cluster } = this.#options
    const { account, binaries, folder } = cluster
    const command = [binaries.postgres, '-D', folder, ...this.#settings()]
    const child = spawnSupervised({ command, account, environment: binaries.environment })
    this.#lines = []
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#listen(text))
    return child
  }

  #settings(): readonly string[] {
    const settings: Record<string, string> = {
      listen_addresses: '',
      port: String(socketPort),
      unix_socket_directories: this.#options.socketFolder,
      unix_socket_permissions: '0700',
      max_connections: '100',
      shared_buffers: '128MB',
      max_wal_size: '1GB',
      // On local disks commits gain nothing from compiled queries, and short ones lose by them.
      jit: 'off',
      log_min_messages: 'warning',
      ...this.#options.settings,
    }
    return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  }

  #listen(text: string): void {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue
      this.#lines = [...this.#lines, line.slice(0, 1_000)].slice(-keptLines)
      // A FATAL ends one connection, whose user gets the error; they come by the hundred while the server starts.
      if (line.includes(' PANIC:'))
        this.#options.cluster.log.warn({ event: 'database.panic', line }, 'the database server panicked')
    }
  }

  #lost(): void {
    if (this.#stopping) return
    this.#options.cluster.log.error(
      { event: 'database.ended', output: this.#lines.slice(-5) },
      'the database server exited unexpectedly; restarting it',
    )
    this.#revival = this.#revive()
  }

  /** Tries until it runs again or we are stopped: a service without its database has nothing better to do. */
  async #revive(): Promise<void> {
    for (let retryMs = firstRetryMs; !this.#stopping; retryMs = Math.min(retryMs * 2, lastRetryMs)) {
      try {
        await endLeftovers(this.#options.cluster)
        await this.start()
        this.#options.cluster.log.info({ event: 'database.restarted' }, 'the database server runs again')
        return
      } catch (error) {
        this.#options.cluster.log.error(
          { event: 'database.start_failed', err: error },
          'the database server does not start; trying again',
        )
        await pause(retryMs)
      }
    }
  }
}
