import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from './account.ts'

/** The kernel takes 108 bytes for a socket's path on Linux and 104 on macOS, and the name itself has its share. */
const maxFolderBytes = 85
/** Only names the socket; nothing listens on the network. */
export const socketPort = 5432
/** The server reads a list of folders, in which commas and quotes have a meaning. */
const plainPath = /^[\w/.-]+$/

/**
 * A folder that only the database's account may enter: who can reach the socket in it is the database's
 * user. Where the data folder's own path does not do for a socket, a short private one among the temporary
 * files; a note beside the data remembers it, so that the next start can remove it after a crash.
 */
export const makeSocketFolder = (home: string, account: Account): string => {
  removeSocketFolder(home)
  const near = join(home, 'socket')
  let folder = near
  if (Buffer.byteLength(near) > maxFolderBytes || !plainPath.test(near)) {
    folder = mkdtempSync(join(shortTemporary(), 'diorama-'))
    writeFileSync(note(home), folder, { mode: 0o600 })
  } else {
    mkdirSync(near, { mode: 0o700 })
  }
  chmodSync(folder, 0o700)
  if (process.getuid?.() !== account.uid) chownSync(folder, account.uid, account.gid)
  return folder
}

export const removeSocketFolder = (home: string): void => {
  rmSync(join(home, 'socket'), { recursive: true, force: true })
  const far = remembered(home)
  if (far !== undefined) rmSync(far, { recursive: true, force: true })
  rmSync(note(home), { force: true })
}

/** The socket of the server that was started last on these data. */
export const socketIn = (home: string): string =>
  join(remembered(home) ?? join(home, 'socket'), `.s.PGSQL.${socketPort}`)

const remembered = (home: string): string | undefined => {
  try {
    return readFileSync(note(home), 'utf8')
  } catch {
    return undefined
  }
}

const note = (home: string): string => join(home, 'socket-folder')

const shortTemporary = (): string => (Buffer.byteLength(tmpdir()) > maxFolderBytes - 20 ? '/tmp' : tmpdir())
