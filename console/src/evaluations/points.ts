export interface Interval {
  readonly low: number
  readonly high: number
}

/** A difference of two rates in points, as it was computed: an interval may reach past a hundred. */
export const points = (share: number): string => {
  const rounded = Math.round(share * 100)
  return `${rounded > 0 ? '+' : rounded < 0 ? '−' : ''}${Math.abs(rounded)} points`
}

/** Whether an interval reaches past what two rates can differ by. */
export const isBeyond = ({ low, high }: Interval): boolean => low < -1 || high > 1
