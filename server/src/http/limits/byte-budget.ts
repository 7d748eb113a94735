export interface Reservation {
  /** Adds to what is held, or answers false where that would pass a limit. */
  grow(bytes: number): boolean
  release(): void
}

export interface Share {
  readonly name: string
  readonly maxBytes: number
}

export interface ByteBudget {
  /** Holds bytes in every share at once, or in none; undefined when one of them has no room. */
  reserve(shares: readonly Share[], bytes: number): Reservation | undefined
  readonly held: (name: string) => number
}

/** A semaphore in bytes: how much of what callers sent is in memory at once, by name. */
export const createByteBudget = (): ByteBudget => {
  const held = new Map<string, number>()
  const heldBy = (name: string) => held.get(name) ?? 0
  const add = (shares: readonly Share[], bytes: number) => {
    for (const { name } of shares) {
      const sum = heldBy(name) + bytes
      if (sum > 0) held.set(name, sum)
      else held.delete(name)
    }
  }
  const fits = (shares: readonly Share[], bytes: number) =>
    shares.every(({ name, maxBytes }) => heldBy(name) + bytes <= maxBytes)
  return {
    held: heldBy,
    reserve: (shares, bytes) => {
      if (!fits(shares, bytes)) return undefined
      add(shares, bytes)
      let mine = bytes
      let isOpen = true
      return {
        grow: (more) => {
          if (!isOpen || !fits(shares, more)) return false
          add(shares, more)
          mine += more
          return true
        },
        release: () => {
          if (isOpen) add(shares, -mine)
          isOpen = false
        },
      }
    },
  }
}
