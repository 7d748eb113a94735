import type { DeliveryStore } from '../store.ts'

/** Bounds what waits for receivers that do not keep up. */
export interface Backlog {
  /** To be called for a twin with much in its queues, as often as one likes. */
  readonly look: (twinId: string) => Promise<void>
}

/** Between two looks at the outbox of one twin: each reads all that waits there. */
const lookEveryMs = 10_000
/** Of twins that are remembered; forgetting one costs a look. */
const maxTwins = 10_000

/**
 * Load shedding: a receiver that hangs, or answers slower than its twin writes, would have the outbox grow without
 * end. Vendors stop at a number of events; what comes after the first `maxPending` of a receiver is dropped, and its
 * record says so.
 */
export const createBacklog = (
  store: Pick<DeliveryStore, 'shed'>,
  { maxPending, now }: { readonly maxPending: number; readonly now: () => number },
): Backlog => {
  const lookedAt = new Map<string, number>()
  return {
    look: async (twinId) => {
      if (now() - (lookedAt.get(twinId) ?? -Infinity) < lookEveryMs) return
      lookedAt.delete(twinId)
      lookedAt.set(twinId, now())
      const [oldest] = lookedAt.keys()
      if (lookedAt.size > maxTwins && oldest !== undefined) lookedAt.delete(oldest)
      await store.shed(twinId, maxPending)
    },
  }
}
