const maxLooks = 3_000
const pauseMs = 20

/**
 * Looks until something that is already under way has come about, and gives it back: false, or an error, means not yet.
 * Bounded by the number of looks and not by a short time, so that a busy machine only makes it slower. It cannot show
 * that something never happens.
 */
export const eventually = async <Seen>(
  look: () => Seen | Promise<Seen>,
  otherwise = 'it did not come about in time',
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
