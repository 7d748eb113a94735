const minuteMs = 60_000
const maxBuckets = 50_000

export interface Taken {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Until the next request is allowed; 0 while there is room. */
  readonly retryAfterSeconds: number
  /** Until the bucket is full again. */
  readonly resetSeconds: number
}

interface Bucket {
  tokens: number
  updatedAt: number
}

export interface TokenBuckets {
  take(name: string, perMinute: number): Taken
}

/**
 * Token buckets: each name may spend a minute's worth at once and regains it at a steady rate. A full bucket is the same
 * as none, so full ones are dropped when there are many.
 */
export const createTokenBuckets = (now: () => number): TokenBuckets => {
  const buckets = new Map<string, Bucket & { perMinute: number }>()
  const refill = (bucket: Bucket, perMinute: number): number =>
    Math.min(perMinute, bucket.tokens + ((now() - bucket.updatedAt) * perMinute) / minuteMs)
  const dropFull = () => {
    for (const [name, bucket] of buckets)
      if (refill(bucket, bucket.perMinute) >= bucket.perMinute) buckets.delete(name)
    if (buckets.size >= maxBuckets) buckets.clear()
  }
  return {
    take: (name, perMinute) => {
      const known = buckets.get(name)
      if (!known && buckets.size >= maxBuckets) dropFull()
      const tokens = known ? refill(known, perMinute) : perMinute
      const isAllowed = tokens >= 1
      const left = isAllowed ? tokens - 1 : tokens
      buckets.set(name, { tokens: left, updatedAt: now(), perMinute })
      return {
        isAllowed,
        remaining: Math.floor(left),
        retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) * (60 / perMinute))),
        resetSeconds: Math.ceil((perMinute - left) * (60 / perMinute)),
      }
    },
  }
}
