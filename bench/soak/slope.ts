/** A straight line through samples, and whether it rises or falls by more than their scatter explains. */
export interface Slope {
  /** Change of the value for each unit of time. */
  readonly perUnit: number
  /** Two standard errors of it. */
  readonly noise: number
  readonly isFlat: boolean
}

/** Least squares. */
export const slopeOf = (samples: readonly { readonly at: number; readonly value: number }[]): Slope => {
  const n = samples.length
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / n
  const [at, value] = [mean(samples.map((one) => one.at)), mean(samples.map((one) => one.value))]
  const spread = samples.reduce((sum, one) => sum + (one.at - at) ** 2, 0)
  const perUnit = samples.reduce((sum, one) => sum + (one.at - at) * (one.value - value), 0) / spread
  const rest = samples.reduce((sum, one) => sum + (one.value - value - perUnit * (one.at - at)) ** 2, 0)
  const noise = 2 * Math.sqrt(rest / Math.max(1, n - 2) / spread)
  return { perUnit, noise, isFlat: Math.abs(perUnit) <= noise }
}
