import type { PlacedTwin } from './placement/placed-twin.ts'

/** Replies that a vendor holds back until something happens (long polling), and what wakes them. */
export interface Holds {
  /** A write of the twin is durable: what waits for one looks again. */
  readonly written: (twin: PlacedTwin) => void
  /** Resolves when the twin has more than so many writes, when the time is up, or when the caller is gone. */
  readonly wait: (twin: PlacedTwin, wait: Wait) => Promise<'written' | 'over'>
  /** Ends every wait, now and from now on. */
  readonly close: () => void
}

export interface Wait {
  /** The twin's `writes` before the request was answered. */
  readonly writes: number
  readonly ms: number
  readonly signal?: AbortSignal | undefined
}

export const createHolds = (): Holds => {
  const waiting = new Map<string, Set<() => void>>()
  let closed = false
  const wake = (twinId: string): void => {
    for (const end of [...(waiting.get(twinId) ?? [])]) end()
  }
  return {
    written: (twin) => {
      twin.writes++
      wake(twin.id)
    },
    wait: (twin, { writes, ms, signal }) =>
      new Promise((resolve) => {
        if (closed || signal?.aborted || ms <= 0) return resolve('over')
        if (twin.writes !== writes) return resolve('written')
        const ends = waiting.get(twin.id) ?? new Set()
        const end = (how: 'written' | 'over') => {
          clearTimeout(timer)
          ends.delete(written)
          if (ends.size === 0) waiting.delete(twin.id)
          signal?.removeEventListener('abort', over)
          resolve(closed ? 'over' : how)
        }
        const written = () => end('written')
        const over = () => end('over')
        const timer = setTimeout(over, ms)
        waiting.set(twin.id, ends.add(written))
        signal?.addEventListener('abort', over)
        return undefined
      }),
    close: () => {
      closed = true
      for (const twinId of [...waiting.keys()]) wake(twinId)
    },
  }
}
