/** The time of the database, told by this machine's clock and its measured offset. */
export interface DatabaseClock {
  readonly now: () => number
  /** Measures the offset again. */
  readonly sync: () => Promise<void>
}

/** Clocks that differ by less are taken for equal: their machines are synchronised, and a step would do more harm. */
const toleratedMs = 1_000

/**
 * Nodes may have clocks that are wrong, even by days, and times that one wrote are read by others: when a twin expires,
 * when a trial is tried again, what comes first. So every node uses the time of the database that they share. A
 * measurement is off by at most half of its round trip, and only what is certainly wrong is corrected.
 */
export const openDatabaseClock = async (deps: {
  /** The database's time in milliseconds. */
  readonly ask: () => Promise<number>
  readonly now: () => number
}): Promise<DatabaseClock> => {
  const { ask, now } = deps
  let offsetMs = 0
  const sync = async (): Promise<void> => {
    const sentAt = now()
    const there = await ask()
    const roundTripMs = now() - sentAt
    const measured = there - (sentAt + roundTripMs / 2)
    if (Math.abs(measured - offsetMs) <= toleratedMs + roundTripMs / 2) return
    offsetMs = Math.abs(measured) <= toleratedMs ? 0 : Math.round(measured)
  }
  await sync()
  return { now: () => now() + offsetMs, sync }
}
