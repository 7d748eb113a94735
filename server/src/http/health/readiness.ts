import { statfs } from 'node:fs/promises'
import { ApiError } from '../api-error.ts'
import { withTimeout } from './with-timeout.ts'

export interface ReadinessDeps {
  /** Asks the database something that costs nothing. */
  readonly pingDatabase: () => Promise<unknown>
  readonly dataDir: string
  readonly now: () => number
}

const cacheMs = 500
const timeoutMs = 2_000
const minFreeBytes = 64 * 1_048_576

/**
 * Whether this node can do its work: the database answers and the disk has room. The result is shared for a moment,
 * since anybody may ask as often as they like.
 */
export const createReadiness = ({ pingDatabase, dataDir, now }: ReadinessDeps) => {
  let last: { at: number; outcome: Promise<string | undefined> } | undefined

  const check = async (): Promise<string | undefined> => {
    try {
      await withTimeout(pingDatabase(), timeoutMs)
    } catch {
      return 'The database does not answer.'
    }
    const disk = await statfs(dataDir).catch(() => undefined)
    return disk && disk.bavail * disk.bsize < minFreeBytes
      ? 'The disk of the data folder is full.'
      : undefined
  }

  /** Throws a refusal that says what is missing. */
  return async (): Promise<void> => {
    if (!last || now() - last.at > cacheMs) last = { at: now(), outcome: check() }
    const reason = await last.outcome
    if (reason !== undefined) throw new ApiError('unavailable', reason, { retryAfterSeconds: 1 })
  }
}
