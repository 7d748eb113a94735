/** The arithmetic of comparisons: two agents at the same tasks, paired by task and clustered by it. */
import { type Cluster, clusteredRate, type Interval, mean, sum, wilson } from './statistics.ts'

/** One task, done by both. */
export interface Pair {
  readonly baseline: Cluster
  readonly agent: Cluster
}

const rateOf = ({ passed, total }: Cluster): number => passed / total
export const differencesOf = (pairs: readonly Pair[]): number[] =>
  pairs.map(({ baseline, agent }) => rateOf(agent) - rateOf(baseline))

/**
 * A 95 % interval of the mean difference that never leaves [-1, 1]: the limits of the two clustered Wilson intervals,
 * combined by the method of variance estimates recovery (Newcombe's method 10), with the correlation of the two agents
 * over tasks.
 */
export const differenceInterval = (pairs: readonly Pair[]): Interval | null => {
  const a = side(pairs.map(({ agent }) => agent))
  const b = side(pairs.map(({ baseline }) => baseline))
  if (!a || !b) return null
  const r = correlation(a.rates, b.rates)
  const radius = (x: number, y: number) => Math.sqrt(Math.max(0, x * x - 2 * r * x * y + y * y))
  const difference = a.mean - b.mean
  return {
    low: Math.max(-1, difference - radius(a.mean - a.low, b.high - b.mean)),
    high: Math.min(1, difference + radius(a.high - a.mean, b.mean - b.low)),
  }
}

const side = (clusters: readonly Cluster[]) => {
  const clustered = clusteredRate(clusters)
  const rates = clusters.map(rateOf)
  const average = mean(rates)
  if (!clustered || average === null) return undefined
  return { rates, mean: average, ...wilson(average, clustered.effectiveTrials) }
}

const correlation = (xs: readonly number[], ys: readonly number[]): number => {
  const [mx, my] = [mean(xs) ?? 0, mean(ys) ?? 0]
  const cross = sum(xs.map((x, n) => (x - mx) * ((ys[n] ?? 0) - my)))
  const size = Math.sqrt(sum(xs.map((x) => (x - mx) ** 2)) * sum(ys.map((y) => (y - my) ** 2)))
  return size === 0 ? 0 : cross / size
}

const maxExact = 16
const draws = 20_000

/**
 * A test of paired differences by turning their signs: exact where all turns can be tried, otherwise over a fixed
 * sequence of turns, so that the same results always give the same number. One-sided for a drop, two-sided otherwise.
 */
export const signFlipTest = (
  differences: readonly number[],
  side: 'both' | 'drop' = 'both',
): number | null => {
  const moved = differences.filter((difference) => Math.abs(difference) > 1e-12)
  if (differences.length === 0) return null
  if (moved.length === 0) return 1
  const total = sum(moved)
  const isExtreme =
    side === 'both'
      ? (value: number) => Math.abs(value) >= Math.abs(total) - 1e-9
      : (value: number) => value <= total + 1e-9
  return moved.length <= maxExact ? everyTurn(moved, isExtreme) : someTurns(moved, isExtreme)
}

const everyTurn = (moved: readonly number[], isExtreme: (value: number) => boolean): number => {
  const turns = 2 ** moved.length
  let extreme = 0
  for (let mask = 0; mask < turns; mask++)
    if (isExtreme(moved.reduce((all, value, n) => all + (mask & (1 << n) ? -value : value), 0))) extreme++
  return extreme / turns
}

const someTurns = (moved: readonly number[], isExtreme: (value: number) => boolean): number => {
  let extreme = 0
  let state = 0x2545f491
  for (let n = 0; n < draws; n++) {
    let all = 0
    for (const value of moved) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      all += state & 1 ? -value : value
    }
    if (isExtreme(all)) extreme++
  }
  return (extreme + 1) / (draws + 1)
}

/** 97.5 % and 80 % quantiles of the normal distribution: a two-sided test at 5 % with a power of 80 %. */
const powerFactor = 1.959963984540054 + 0.8416212335729143

/** The spread of differences between tasks, with one task for and one against added, so that no difference is not no spread. */
const spreadOf = (differences: readonly number[]): number => {
  const all = [...differences, 1, -1]
  const middle = mean(all) ?? 0
  return Math.sqrt(sum(all.map((value) => (value - middle) ** 2)) / (all.length - 1))
}

/** The smallest difference that a comparison of this size finds four times out of five. */
export const minimumDetectable = (differences: readonly number[]): number | null =>
  differences.length === 0
    ? null
    : Math.min(1, (powerFactor * spreadOf(differences)) / Math.sqrt(differences.length))

/** How many tasks a difference of this size needs, to be found four times out of five. */
export const tasksNeeded = (differences: readonly number[], size: number): number | null =>
  differences.length === 0 || size === 0
    ? null
    : Math.ceil(((powerFactor * spreadOf(differences)) / Math.abs(size)) ** 2)

/** Fisher's exact test, one-sided: the chance of a drop this large in one task if nothing had changed. */
export const fisherDrop = (before: Cluster, after: Cluster): number => {
  const [n1, n2] = [before.total, after.total]
  const passed = before.passed + after.passed
  const most = Math.min(n1, passed)
  let tail = 0
  for (let x = before.passed; x <= most; x++)
    tail += Math.exp(choose(n1, x) + choose(n2, passed - x) - choose(n1 + n2, passed))
  return Math.min(1, tail)
}

/** The logarithm of C(n, k). */
const choose = (n: number, k: number): number => {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY
  let all = 0
  for (let i = 1; i <= k; i++) all += Math.log(n - k + i) - Math.log(i)
  return all
}

/** Holm's correction: p-values as they are when all of these are tested together. */
export const holm = (values: readonly number[]): number[] => {
  const order = values.map((value, place) => ({ value, place })).sort((a, b) => a.value - b.value)
  const adjusted = new Array<number>(values.length)
  let highest = 0
  order.forEach(({ value, place }, rank) => {
    highest = Math.max(highest, Math.min(1, value * (values.length - rank)))
    adjusted[place] = highest
  })
  return adjusted
}

/** A p-value in words: how often equal agents would differ this much. */
export const inWords = (p: number): string => {
  if (p >= 0.995) return 'as expected if there were no difference'
  if (p < 0.001) return 'less than once in 1,000 runs if there were no difference'
  if (p < 0.01) return `about ${Math.round(p * 1_000)} times in 1,000 runs if there were no difference`
  return `about ${Math.round(p * 100)} times in 100 runs if there were no difference`
}
