import type { Log } from '../storage/log.ts'
import type { Wake } from '../storage/wake.ts'
import { keysChanged } from './authenticate.ts'

export interface KeyWatch {
  /** Calls `end` once when the key of `authorization` stops being valid. Returns the function that stops watching. */
  watch(authorization: string | undefined, end: () => void): () => void
  close(): void
}

interface KeyWatchDeps {
  readonly isValid: (authorization: string) => Promise<boolean>
  readonly wake: Wake
  readonly log: Log
}

const checkEveryMs = 500

/**
 * Ends what outlives a request, such as event streams, when its key is revoked or expires. A revocation anywhere is
 * announced to every node; keys are also checked periodically, which finds those that expire and makes up for an
 * announcement that was lost. Each key is looked up once, however many streams it has.
 */
export const openKeyWatch = ({ isValid, wake, log }: KeyWatchDeps): KeyWatch => {
  const watchers = new Map<string, Set<() => void>>()

  const check = async (authorization: string): Promise<void> => {
    if (await isValid(authorization)) return
    const ended = watchers.get(authorization) ?? []
    watchers.delete(authorization)
    for (const end of ended) end()
  }

  let checking: Promise<unknown> = Promise.resolve()
  const checkAll = () => {
    checking = checking
      .then(async () => {
        for (const authorization of [...watchers.keys()]) await check(authorization)
      })
      // Without the database a key cannot be checked; its streams stay open until it can.
      .catch((error) =>
        log.warn({ event: 'key_watch.failed', error }, 'The keys of open streams were not checked.'),
      )
  }
  const stopListening = wake.on(keysChanged, checkAll)
  const timer = setInterval(checkAll, checkEveryMs).unref()

  return {
    watch: (authorization = '', end) => {
      const mine = watchers.get(authorization) ?? new Set()
      watchers.set(authorization, mine.add(end))
      return () => {
        mine.delete(end)
        if (mine.size === 0 && watchers.get(authorization) === mine) watchers.delete(authorization)
      }
    },
    close: () => {
      stopListening()
      clearInterval(timer)
    },
  }
}
