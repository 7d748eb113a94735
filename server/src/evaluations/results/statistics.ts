/** The arithmetic of results: pure, and each number with the count it stands on. */

export interface Interval {
  readonly low: number
  readonly high: number
}

const z95 = 1.959963984540054

/** Wilson's 95 % interval of a share; undefined for none of none. */
export const wilson = (passed: number, total: number): Interval | null => {
  if (total === 0) return null
  const share = passed / total
  const square = z95 * z95
  const centre = (share + square / (2 * total)) / (1 + square / total)
  const spread =
    (z95 / (1 + square / total)) * Math.sqrt((share * (1 - share)) / total + square / (4 * total * total))
  return { low: Math.max(0, centre - spread), high: Math.min(1, centre + spread) }
}

/** The chance that at least one of k draws without return passes: the unbiased pass@k. */
export const passAt = (passed: number, total: number, k: number): number | null =>
  total < k ? null : 1 - ratio(total - passed, total, k)

/** The chance that all of k draws without return pass: pass^k. */
export const passAll = (passed: number, total: number, k: number): number | null =>
  total < k ? null : ratio(passed, total, k)

/** C(some, k) / C(total, k), multiplied out so that nothing overflows. */
const ratio = (some: number, total: number, k: number): number => {
  if (some < k) return 0
  let product = 1
  for (let n = 0; n < k; n++) product *= (some - n) / (total - n)
  return product
}

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * A two-sided test of paired differences by turning their signs: exact where all turns can be tried, otherwise over a
 * fixed sequence of turns, so that the same results always give the same number.
 */
export const signFlipTest = (differences: readonly number[]): number | null => {
  const moved = differences.filter((difference) => Math.abs(difference) > 1e-12)
  if (differences.length === 0) return null
  if (moved.length === 0) return 1
  const observed = Math.abs(moved.reduce((sum, value) => sum + value, 0))
  const atLeast = (sum: number) => Math.abs(sum) >= observed - 1e-9
  if (moved.length <= 16) {
    let extreme = 0
    const turns = 2 ** moved.length
    for (let mask = 0; mask < turns; mask++)
      if (atLeast(moved.reduce((sum, value, n) => sum + (mask & (1 << n) ? -value : value), 0))) extreme++
    return extreme / turns
  }
  const draws = 20_000
  let extreme = 0
  let state = 0x2545f491
  for (let n = 0; n < draws; n++) {
    let sum = 0
    for (const value of moved) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      sum += state & 1 ? -value : value
    }
    if (atLeast(sum)) extreme++
  }
  return (extreme + 1) / (draws + 1)
}

/** A 95 % interval of the mean of paired differences, by Student's t. */
export const meanInterval = (differences: readonly number[]): Interval | null => {
  const middle = mean(differences)
  const n = differences.length
  if (middle === null || n < 2) return null
  const variance = differences.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (n - 1)
  const spread = studentT95(n - 1) * Math.sqrt(variance / n)
  return { low: middle - spread, high: middle + spread }
}

const studentTable = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

const studentT95 = (degrees: number): number => studentTable[degrees - 1] ?? z95 + 2.4 / degrees
