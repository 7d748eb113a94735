import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endLeftovers } from '../embedded/cluster.ts'
import { startEmbedded } from '../embedded/embedded.ts'
import { takeFolder } from '../embedded/owner.ts'
import { StorageFailure } from '../failure.ts'
import { silentLog } from '../log.ts'

// One database server for all test processes. A separate process (this file, run) keeps the server and a
// door; each process that connects is a guest until its connection ends, however it ends. When no guest has
// been there for a while the keeper stops the server and itself, so nothing is ever left running.

export interface TestServer {
  readonly url: string
  leave(): void
}

/** Tests ask for speed; what they write need not survive the machine. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '64MB',
  max_connections: '400',
}
const memory = '/dev/shm'
const roomBytes = 4 * 1024 ** 3
const lingerMs = 3_000
const joinMs = 60_000
const retryMs = 25
const spawnEveryMs = 2_000

/** Connects as a client; starts the server first when there is none. */
export const joinTestServer = async (): Promise<TestServer> => {
  const folder = houseFolder()
  for (let waited = 0; waited < joinMs; waited += retryMs) {
    const server = await enter(door(folder))
    if (server !== undefined) return server
    // Several may start a keeper at once: the folder's owner stays, the others leave.
    if (waited % spawnEveryMs === 0) startKeeper(folder)
    await pause(retryMs)
  }
  throw new Error(`The test database in ${folder} did not start; see keeper.log there.`)
}

const enter = (path: string): Promise<TestServer | undefined> => {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.setEncoding('utf8')
    socket.once('data', (line) => {
      // A test that forgets to leave must not be kept alive by this.
      socket.unref()
      resolve({ url: String(line).trim(), leave: () => socket.destroy() })
    })
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
  })
}

const startKeeper = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keeper = spawn(process.execPath, [fileURLToPath(import.meta.url), folder], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
  })
  keeper.on('error', () => {})
  keeper.unref()
}

/** One house per user and checkout. */
const houseFolder = (): string => {
  const checkout = createHash('sha256')
    .update(import.meta.url)
    .digest('hex')
    .slice(0, 8)
  return join(roomyMemory() ? memory : tmpdir(), `diorama-tests-${userInfo().uid}-${checkout}`)
}

/** Copying a database is copying 300 files: four times as fast in memory, where there is enough of it. */
const roomyMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > roomBytes
  } catch {
    return false
  }
}

const door = (folder: string): string => join(folder, 'door')

const keepHouse = async (folder: string): Promise<void> => {
  const ownership = takeFolder({ folder, random: randomBytes })
  const database = join(folder, 'database')
  // A keeper that was killed may have left anything; without fsync not even its files can be trusted.
  await endLeftovers({ folder: join(database, 'cluster'), log: silentLog })
  rmSync(database, { recursive: true, force: true })
  const server = await startEmbedded({ dataDir: folder, log: silentLog, random: randomBytes, settings })
  await receive(door(folder), server.url)
  await server.close()
  rmSync(database, { recursive: true, force: true })
  ownership.release()
}

/** Resolves when no guest has been there for a while and the door is shut. */
const receive = (path: string, url: string): Promise<void> => {
  const guests = new Set<Socket>()
  rmSync(path, { force: true })
  return new Promise((resolve, reject) => {
    const house = createServer((guest) => {
      clearTimeout(empty)
      guests.add(guest)
      guest.on('error', () => {})
      guest.on('close', () => {
        guests.delete(guest)
        if (guests.size === 0) wait()
      })
      guest.resume()
      guest.write(`${url}\n`)
    })
    let empty: NodeJS.Timeout | undefined
    const wait = (): void => {
      clearTimeout(empty)
      empty = setTimeout(() => house.close(() => resolve()), lingerMs)
    }
    house.on('error', reject)
    house.listen(path, () => {
      chmodSync(path, 0o600)
      wait()
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = houseFolder()] = process.argv
  await keepHouse(folder).catch((error: unknown) => {
    // Another keeper was faster, and does what this one came for.
    if (error instanceof StorageFailure && error.code === 'folder_in_use') return
    writeFileSync(join(folder, 'keeper.log'), error instanceof Error ? `${error.message}\n` : String(error))
    process.exitCode = 1
  })
}
