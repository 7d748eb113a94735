import { setTimeout as sleep } from 'node:timers/promises'
import { ModelFailure } from './model.ts'

const attempts = 4
const firstDelayMs = 500
const maxDelayMs = 60_000
const passing = new Set(['rate_limited', 'unavailable', 'timeout'])

export interface RetryParts {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 up to 1: spreads the retries of many callers. */
  readonly jitter: () => number
}

export const waitFor = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal })

/** Tries again, ever later, after failures that may pass; as late as the endpoint asks, within a minute. */
export const retrying = async <Result>(
  work: () => Promise<Result>,
  { wait, jitter }: RetryParts,
  signal: AbortSignal,
): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelFailure) || !passing.has(error.reason) || attempt >= attempts) throw error
      const backOff = firstDelayMs * 2 ** (attempt - 1) * (0.75 + jitter() / 2)
      const asked = error.retryAfterMs ?? backOff
      if (asked > maxDelayMs) throw error
      await wait(asked, signal)
    }
  }
}

/** Jitter from the service's source of randomness: a number from 0 to 1. */
export const jitterFrom = (random: (bytes: number) => Uint8Array) => (): number => (random(1)[0] ?? 0) / 256
