/** Slows attempts to receivers that keep failing. */
export interface Pacing {
  /** When the next attempt to a receiver may start; 0 when at once. */
  readonly readyAt: (receiver: string) => number
  readonly started: (receiver: string) => void
  readonly ended: (receiver: string, isAccepted: boolean) => void
}

/** So many failures in a row, without one success, make a receiver a failing one. */
const maxFailures = 8
/** Of failing receivers that are remembered; the one that failed longest ago is forgotten first. */
const maxReceivers = 10_000

interface Failing {
  failures: number
  readyAt: number
}

/**
 * A rate limit for receivers that fail: a receiver that refuses connections fails in no time and has every delivery
 * tried again, so that without a limit it would cost more than one that answers. The first accepted delivery lifts it.
 */
export const createPacing = (minIntervalMs: number, now: () => number): Pacing => {
  const failing = new Map<string, Failing>()
  return {
    readyAt: (receiver) => failing.get(receiver)?.readyAt ?? 0,
    started: (receiver) => {
      const known = failing.get(receiver)
      if (known && known.failures >= maxFailures) known.readyAt = now() + minIntervalMs
    },
    ended: (receiver, isAccepted) => {
      const known = failing.get(receiver) ?? { failures: 0, readyAt: 0 }
      failing.delete(receiver)
      if (isAccepted) return
      known.failures++
      failing.set(receiver, known)
      const [oldest] = failing.keys()
      if (failing.size > maxReceivers && oldest !== undefined) failing.delete(oldest)
    },
  }
}
