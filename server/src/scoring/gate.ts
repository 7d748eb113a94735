import { Refused } from '../http/refused.ts'

export interface GateLimits {
  readonly atOnce: number
  readonly mostWaiting: number
}

/** Lets a bounded number of works run and a bounded number wait; who comes after that is asked to come back later. */
export const openGate = ({ atOnce, mostWaiting }: GateLimits) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running++
    else {
      if (waiting.length >= mostWaiting)
        throw new Refused('limit_exceeded', 'Too many scorers wait to be run; try again in a moment.', {
          retryAfterSeconds: 5,
        })
      // Whoever leaves hands the place over, so it stays counted.
      await new Promise<void>((enter) => waiting.push(enter))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
