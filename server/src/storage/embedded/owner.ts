import { mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { StorageFailure } from '../failure.ts'
import { type FileLock, lockFile } from './file-lock.ts'

export interface Ownership {
  /** Whether an earlier owner ended without releasing the folder, in a place whose processes are not seen from here. */
  readonly leftElsewhere: boolean
  release(): void
}

/** Who has the folder. The lock decides; this only names its holder. */
interface Owner {
  readonly pid: number
  readonly host: string
  readonly pidNamespace: string
  readonly claim: string
}

export interface Claim {
  readonly folder: string
  readonly random: (bytes: number) => Uint8Array
}

/** Makes this process the only one of ours that works in the folder, or throws naming the one that does. */
export const takeFolder = ({ folder, random }: Claim): Ownership => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'owner.json')
  const mine: Owner = {
    pid: process.pid,
    host: hostname(),
    pidNamespace: pidNamespace(),
    claim: Buffer.from(random(12)).toString('hex'),
  }
  const draft = `${path}.${mine.claim}`
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    const lock = takeLock(join(folder, 'owner.lock'), folder)
    if (lock === undefined) throw inUse(folder, read(path), mine)
    const before = read(path)
    renameSync(draft, path)
    return {
      leftElsewhere: before !== undefined && !isHere(before, mine),
      release() {
        if (read(path)?.claim === mine.claim) rmSync(path, { force: true })
        lock.release()
      },
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

const takeLock = (path: string, folder: string): FileLock | undefined => {
  try {
    return lockFile(path)
  } catch (error) {
    throw new StorageFailure(
      'server_failed',
      `The data folder ${folder} cannot be locked (${error instanceof Error ? error.message : error}). ` +
        'Set DIORAMA_DATA_DIR to a folder on a file system with file locks, such as a local disk.',
      { cause: error },
    )
  }
}

const inUse = (folder: string, owner: Owner | undefined, mine: Owner): StorageFailure => {
  const elsewhere =
    owner && !isHere(owner, mine) ? ` in another container or on another host (${owner.host})` : ''
  const holder = owner ? `process ${owner.pid}${elsewhere}` : 'another process'
  return new StorageFailure(
    'folder_in_use',
    `The data folder ${folder} is in use by ${holder}. Stop that process, choose another folder ` +
      'with DIORAMA_DATA_DIR, or let several processes share a PostgreSQL server with DATABASE_URL.',
  )
}

const isHere = (owner: Owner, mine: Owner): boolean =>
  owner.host === mine.host && owner.pidNamespace === mine.pidNamespace

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

const read = (path: string): Owner | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Gone, or cut short by a crash of the machine.
    return undefined
  }
}
