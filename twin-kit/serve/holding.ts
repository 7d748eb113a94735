/** Long polling for one twin that runs alone: requests that wait are woken by the next change. */
export interface Holding {
  /** Whether something changed before the time was up. */
  readonly wait: (ms: number) => Promise<boolean>
  readonly wake: () => void
  readonly close: () => void
}

export const holdReplies = (): Holding => {
  const waiting = new Set<(changed: boolean) => void>()
  const end = (changed: boolean) => {
    for (const wake of [...waiting]) wake(changed)
  }
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const wake = (changed: boolean) => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve(changed)
        }
        const timer = setTimeout(() => wake(false), Math.max(0, ms))
        waiting.add(wake)
      }),
    wake: () => end(true),
    close: () => end(false),
  }
}
