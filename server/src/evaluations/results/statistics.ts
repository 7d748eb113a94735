/** The arithmetic of pass rates: pure, and each number with the count it rests on. */

import { type Interval, wilson, z95 } from '../../scoring/interval.ts'

export { type Interval, wilson, z95 }

/** The trials of one task: repeats of a task are not independent, so a task is the unit of every interval. */
export interface Cluster {
  readonly passed: number
  readonly total: number
}

export interface ClusteredRate {
  readonly rate: number
  readonly interval: Interval
  /** How many independent trials would say as much. */
  readonly effectiveTrials: number
}

/**
 * A pass rate with an interval that is clustered by task: Wilson's, on as many trials as the design effect leaves. The
 * intraclass correlation is the ANOVA estimate within [0, 1]; where repeats never disagree it is 1, and each task counts
 * once. With one trial a task this is the plain Wilson interval.
 */
export const clusteredRate = (clusters: readonly Cluster[]): ClusteredRate | null => {
  const used = clusters.filter(({ total }) => total > 0)
  const total = sum(used.map((one) => one.total))
  if (total === 0) return null
  const rate = sum(used.map((one) => one.passed)) / total
  const squares = sum(used.map((one) => one.total ** 2))
  const effectiveTrials = total / (1 + (squares / total - 1) * intraclass(used, rate))
  return { rate, interval: wilson(rate, effectiveTrials), effectiveTrials }
}

const intraclass = (clusters: readonly Cluster[], rate: number): number => {
  const count = clusters.length
  const total = sum(clusters.map((one) => one.total))
  if (count < 2 || total === count) return 1
  const between = sum(clusters.map(({ passed, total: n }) => n * (passed / n - rate) ** 2)) / (count - 1)
  const within = sum(clusters.map(({ passed, total: n }) => passed * (1 - passed / n))) / (total - count)
  const size = (total - sum(clusters.map((one) => one.total ** 2)) / total) / (count - 1)
  const spread = between + (size - 1) * within
  return spread <= 0 ? 1 : Math.min(1, Math.max(0, (between - within) / spread))
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

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : sum(values) / values.length
