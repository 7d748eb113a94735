import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../failure.ts'
import type { Log } from '../log.ts'
import { type Account, handOver } from './account.ts'
import type { Binaries } from './binaries.ts'
import { isAlive, processesIn } from './processes.ts'
import { spawnSupervised } from './supervised.ts'

export interface Cluster {
  readonly folder: string
  readonly binaries: Binaries
  readonly account: Account
  readonly log: Log
  /** False where the data need not survive a crash of the machine, as in tests. */
  readonly durable: boolean
}

/** The one account inside the database; the folder's permissions and a password guard it (cluster-password.ts). */
export const databaseUser = 'diorama'

const majorVersion = '18'
const draftMark = '.new-'
const politeMs = 10_000
const quickMs = 5_000
const pollMs = 10

/**
 * Makes the database's files where there are none. They are made beside their place and moved there whole,
 * so that a start that was cut short leaves nothing that looks like a database.
 */
export const makeCluster = async (cluster: Cluster): Promise<void> => {
  const { folder, account, log } = cluster
  await removeDrafts(folder)
  if (existsSync(join(folder, 'PG_VERSION'))) {
    checkVersion(folder)
    return
  }
  refuseStrangers(folder)
  log.info({ event: 'database.created', folder }, 'making the embedded database; this happens once')
  const draft = mkdtempSync(`${folder}${draftMark}`)
  handOver(draft, account)
  await initialize({ ...cluster, folder: draft })
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
}

const checkVersion = (folder: string): void => {
  const version = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  if (version === majorVersion) return
  throw new StorageFailure(
    'server_failed',
    `The database in ${folder} was made by PostgreSQL ${version}, and this version runs ${majorVersion}. ` +
      'Move its contents with pg_dump, or choose another folder with DIORAMA_DATA_DIR.',
  )
}

const refuseStrangers = (folder: string): void => {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  throw new StorageFailure(
    'server_failed',
    `${folder} holds files but no database. Move them away, or choose another folder with DIORAMA_DATA_DIR.`,
  )
}

/**
 * What a start that was killed left. Its initdb was sent a signal to stop and may need a moment; one that is killed at
 * once leaves its shared memory behind for good.
 */
const removeDrafts = async (folder: string): Promise<void> => {
  const home = dirname(folder)
  const drafts = readdirSync(home).filter((name) => name.startsWith(`${basename(folder)}${draftMark}`))
  for (const name of drafts) {
    const draft = join(home, name)
    for (const pid of await emptied(draft, quickMs)) signalTo(pid, 'SIGKILL')
    await emptied(draft, quickMs)
    rmSync(draft, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  }
}

const initialize = ({ folder, binaries, account, durable }: Cluster): Promise<void> => {
  const command = [
    binaries.initdb,
    ...['-D', folder, '-U', databaseUser, '--auth=trust', '--encoding=UTF8', '--no-instructions'],
    // The same order of text on every machine, with the letters of all languages known.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(durable ? [] : ['--no-sync']),
  ]
  return new Promise((resolve, reject) => {
    const child = spawnSupervised({ command, account, environment: binaries.environment })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else
        reject(new StorageFailure('server_failed', `The embedded database could not be made: ${said.trim()}`))
    })
  })
}

/**
 * Ends whatever an earlier life of ours left running in the folder. A server that lost us is already stopping;
 * one whose watcher was killed too is stopped. We hold the folder, so nothing that still works in it is
 * anyone else's.
 */
export const endLeftovers = async ({ folder, log }: Pick<Cluster, 'folder' | 'log'>): Promise<void> => {
  const mark = join(folder, 'postmaster.pid')
  if (!existsSync(mark)) return
  const steps = [
    { signal: 'SIGINT', waitMs: politeMs },
    { signal: 'SIGQUIT', waitMs: quickMs },
    { signal: 'SIGKILL', waitMs: quickMs },
  ] as const
  let left = processesIn(folder)
  for (const { signal, waitMs } of steps) {
    if (left.length === 0) break
    log.warn(
      { event: 'database.leftover_ended', folder, pids: left, signal },
      'ending the database server that an earlier process left behind',
    )
    const main = Number.parseInt(readMark(mark), 10)
    // A server passes the word to its children; children that lost their server get it themselves.
    for (const pid of left.includes(main) ? [main] : left) signalTo(pid, signal)
    left = await emptied(folder, waitMs)
  }
  if (left.length > 0) {
    throw new StorageFailure('server_failed', `The processes ${left.join(', ')} in ${folder} do not end.`)
  }
  // The next server clears the mark itself, and by it finds the shared memory that the last one left. Only a
  // mark whose number now belongs to some other process would keep it from starting.
  if (isAlive(Number.parseInt(readMark(mark), 10))) rmSync(mark, { force: true })
}

const emptied = async (folder: string, waitMs: number): Promise<readonly number[]> => {
  let left = processesIn(folder)
  for (let waited = 0; waited < waitMs && left.length > 0; waited += pollMs) {
    await pause(pollMs)
    left = processesIn(folder)
  }
  return left
}

export const readMark = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const signalTo = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended between the look and the word.
  }
}
