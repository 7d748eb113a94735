/** What a sequential evaluation knows so far. Valid whenever one looks: the error rate holds over all looks together. */
export interface SequentialState {
  readonly answer: 'above' | 'below' | null
  /** Evidence for each side; the answer is known when one of them reaches `2 / errorRate`. */
  readonly evidence: { readonly above: number; readonly below: number }
  readonly observations: number
}

/**
 * Whether the mean of values in [0, 1] lies above or below a limit, tested by betting (Waudby-Smith and Ramdas): the
 * capital of a gambler who stakes on one side is a martingale where the limit is the mean, so it reaches 2 / errorRate
 * with a probability of at most errorRate / 2, however often one looks. Stakes depend on earlier values alone.
 */
export const sequentialTest = (
  values: readonly number[],
  { limit, errorRate }: { limit: number; errorRate: number },
): SequentialState => {
  let [above, below] = [1, 1]
  let total = 0
  /** Of the values so far from the means up to each of them. */
  let squares = 0
  for (const [place, value] of values.entries()) {
    const n = place + 1
    const variance = (0.25 + squares) / n
    const stake = Math.sqrt((2 * Math.log(2 / errorRate)) / (variance * n * Math.log(1 + n)))
    above *= 1 + Math.min(stake, 0.5 / limit) * (value - limit)
    below *= 1 - Math.min(stake, 0.5 / (1 - limit)) * (value - limit)
    total += value
    squares += (value - (0.5 + total) / (n + 1)) ** 2
    const answer = above >= 2 / errorRate ? 'above' : below >= 2 / errorRate ? 'below' : null
    if (answer !== null) return { answer, evidence: { above, below }, observations: n }
  }
  return { answer: null, evidence: { above, below }, observations: values.length }
}
