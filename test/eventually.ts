const pauseMs = 20

/**
 * Polls until something that is already under way has happened, and returns what `look` returned: false, or an error,
 * means not yet. The number of looks is bounded, not the time, so a busy machine only makes it slower. It cannot prove
 * that something never happens.
 */
export const eventually = async <Seen>(
  look: () => Seen | Promise<Seen>,
  otherwise = 'it did not happen in time',
  maxLooks = 3_000,
): Promise<Exclude<Seen, false>> => {
  let cause: unknown
  for (let n = 0; n < maxLooks; n++) {
    try {
      const seen = await look()
      if (seen !== false) return seen as Exclude<Seen, false>
    } catch (error) {
      cause = error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  throw new Error(otherwise, { cause })
}
