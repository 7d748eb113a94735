import type { Log } from '../../storage/log.ts'

/** Whether this worker can run trials at all: a circuit breaker between a broken machine and the queue. */
export interface WorkerHealth {
  /** Whether to claim trials now. Tries the machine out where it is in doubt. */
  readonly isFit: () => Promise<boolean>
  /** An attempt failed on our side: the machine is tried out before the next claim. */
  readonly doubt: () => void
  readonly isQuarantined: () => boolean
}

const firstRetryMs = 1_000
const maxRetryMs = 60_000
/** After so many failures in a row an operator should look. */
const quarantineAfter = 5

/**
 * A worker whose sandbox does not start, or whose disk is full, would burn every trial it claims. A failed attempt alone
 * proves nothing, since it may be the trial that fails; so the machine is tried out with a job that always works. While
 * that fails nothing is claimed, and it is tried again with exponential back-off.
 */
export const createWorkerHealth = (deps: {
  /** Resolves to why the machine cannot run trials; undefined where it can. */
  readonly probe: () => Promise<string | undefined>
  /** Of a monotonic clock. */
  readonly now: () => number
  readonly log: Log
}): WorkerHealth => {
  const { probe, now, log } = deps
  let isDoubted = true
  let failures = 0
  let retryAt = 0

  const check = async (): Promise<boolean> => {
    const why = await probe().catch((error: unknown) => String(error))
    if (why === undefined) {
      if (failures > 0) log.info({ event: 'worker.recovered', failures }, 'This worker claims trials again.')
      failures = 0
      isDoubted = false
      return true
    }
    const retryMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failures)
    failures++
    retryAt = now() + retryMs
    const facts = { failures, retryMs, error: why }
    if (failures === quarantineAfter)
      log.error({ event: 'worker.quarantined', ...facts }, 'This worker cannot run trials, and claims none.')
    else log.warn({ event: 'worker.unfit', ...facts }, 'This worker cannot run trials for the moment.')
    return false
  }

  return {
    isFit: async () => {
      if (!isDoubted) return true
      if (now() < retryAt) return false
      return check()
    },
    doubt: () => {
      isDoubted = true
    },
    isQuarantined: () => failures >= quarantineAfter,
  }
}
