/**
 * Durations counted in buckets whose bounds grow by a tenth, from a millisecond to more than a day: quantiles within
 * 5 % without keeping or scanning the durations themselves.
 */
const growth = 1.1
const logGrowth = Math.log(growth)
export const bucketCount = 196

export const bucketOf = (durationMs: number): number =>
  durationMs <= 1 ? 0 : Math.min(bucketCount - 1, Math.ceil(Math.log(durationMs) / logGrowth))

/** The value that is within 5 % of everything in a bucket. */
const middleOf = (bucket: number): number => (bucket === 0 ? 1 : (2 * growth ** bucket) / (growth + 1))

export interface Durations {
  readonly counts: readonly number[]
  readonly shortestMs: number | null
  readonly maxMs: number | null
}

export const quantile = ({ counts, shortestMs, maxMs }: Durations, share: number): number | null => {
  if (shortestMs === null || maxMs === null) return null
  const total = counts.reduce((sum, count) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(total * share))
  let seen = 0
  for (const [bucket, count] of counts.entries()) {
    seen += count
    if (seen >= rank) return round(Math.min(Math.max(middleOf(bucket), shortestMs), maxMs))
  }
  return maxMs
}

const round = (value: number) => Math.round(value * 1_000) / 1_000
