import { DatabaseSync } from 'node:sqlite'

export interface FileLock {
  release(): void
}

/** SQLITE_BUSY, also with an extended code in the higher bytes. */
const busy = 5

/** A lock whose object is garbage would be closed, and with it the lock. */
const held = new Set<DatabaseSync>()

/**
 * An advisory lock of the operating system on a file, or undefined while another has it. The kernel keeps it for the
 * file, so that it counts across containers and PID namespaces, and drops it when the process ends in any way. Node has
 * no call for such a lock; SQLite, which comes with Node, takes one for an exclusive transaction. The file stays empty
 * and must not be opened in another way by this process: closing it would drop the lock.
 */
export const lockFile = (path: string): FileLock | undefined => {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
  held.add(database)
  return {
    release() {
      if (held.delete(database)) database.close()
    },
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busy
