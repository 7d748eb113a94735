export interface Interval {
  readonly low: number
  readonly high: number
}

export const z95 = 1.959963984540054

/** Wilson's 95 % interval of a share of `total` independent trials, which need not be a whole number. */
export const wilson = (share: number, total: number): Interval => {
  const square = z95 * z95
  const centre = (share + square / (2 * total)) / (1 + square / total)
  const spread =
    (z95 / (1 + square / total)) * Math.sqrt((share * (1 - share)) / total + square / (4 * total * total))
  return { low: Math.max(0, centre - spread), high: Math.min(1, centre + spread) }
}
