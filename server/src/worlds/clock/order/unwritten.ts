import type { Handled } from '../../../twins/isolates/movement.ts'

/** So many steps may be on their way to the ledger before the next one waits: a few flushes, and little to keep alive. */
const maxUnwritten = 512

/** The steps of a world that are on their way to the ledger. */
export interface Unwritten {
  readonly track: (written: Promise<Handled>) => void
  /** Backpressure: where there are too many, resolves when the oldest is written; the others are written meanwhile. */
  readonly room: () => Promise<void>
  readonly all: () => Promise<void>
}

export const createUnwritten = (lost: () => void): Unwritten => {
  const steps = new Set<Promise<void>>()
  return {
    track: (written) => {
      const watched = written.then(
        ({ isPlatformFault }) => {
          steps.delete(watched)
          if (isPlatformFault) lost()
        },
        () => {
          steps.delete(watched)
          lost()
        },
      )
      steps.add(watched)
    },
    room: async () => {
      if (steps.size >= maxUnwritten) await steps.values().next().value
    },
    all: async () => {
      await Promise.all(steps)
    },
  }
}
