import { ApiError } from '../http/api-error.ts'

export interface GateLimits {
  readonly atOnce: number
  readonly maxWaiting: number
}

/** Lets a bounded number of works run and a bounded number wait; who comes after that is asked to come back later. */
export const openGate = ({ atOnce, maxWaiting }: GateLimits) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running++
    else {
      if (waiting.length >= maxWaiting)
        throw new ApiError('limit_exceeded', 'Too many scorers wait to be run; try again in a moment.', {
          retryAfterSeconds: 5,
        })
      // A call that ends hands its slot over, so the count stays.
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
