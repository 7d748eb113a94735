import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../failure.ts'
import { isAlive, startOf } from './processes.ts'

export interface Ownership {
  release(): void
}

interface Owner {
  readonly pid: number
  readonly start: string | undefined
  /** Tells two claims of one process apart. */
  readonly claim: string
}

export interface Claim {
  readonly folder: string
  readonly random: (bytes: number) => Uint8Array
}

/** Long enough for another reader of the same stale claim to have replaced it as well. */
const settleMs = 50

/**
 * Makes this process the only one of ours that works in the folder, or throws naming the one that does. The
 * claim of a process that is gone counts for nothing.
 */
export const takeFolder = async ({ folder, random }: Claim): Promise<Ownership> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'owner.json')
  const claim = Buffer.from(random(12)).toString('hex')
  const mine: Owner = { pid: process.pid, start: startOf(process.pid), claim }
  const draft = `${path}.${claim}`
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    if (!linkNew(draft, path)) {
      refuseIfLive(path, folder)
      renameSync(draft, path)
      await pause(settleMs)
      // Two processes may have replaced the same stale claim; the later one has it.
      if (read(path)?.claim !== claim) refuseIfLive(path, folder)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return {
    release() {
      if (read(path)?.claim === claim) rmSync(path, { force: true })
    },
  }
}

const linkNew = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

const refuseIfLive = (path: string, folder: string): void => {
  const owner = read(path)
  if (owner === undefined || !isAlive(owner.pid)) return
  const start = startOf(owner.pid)
  if (start === undefined || start !== owner.start) return
  throw new StorageFailure(
    'folder_in_use',
    `The data folder ${folder} is in use by process ${owner.pid}. Stop that process, choose another folder ` +
      'with DIORAMA_DATA_DIR, or let several processes share a PostgreSQL server with DATABASE_URL.',
  )
}

const read = (path: string): Owner | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Gone, or cut short by a crash of the machine: no claim.
    return undefined
  }
}
