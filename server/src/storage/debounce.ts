interface Gap {
  readonly timer: NodeJS.Timeout
  next: PromiseWithResolvers<void> | undefined
}

const maxGaps = 10_000

/**
 * Sends a message at once, and the same message again at the earliest when the gap is over: calls within the gap share
 * the one that follows. So what happened after a message was sent is always followed by another.
 */
export const openDebounce = (gapMs: number, write: (message: string) => Promise<void>) => {
  const gaps = new Map<string, Gap>()

  const send = (message: string): Promise<void> => {
    const gap = gaps.get(message)
    if (gap) {
      gap.next ??= Promise.withResolvers()
      return gap.next.promise
    }
    if (gaps.size < maxGaps) {
      const timer = setTimeout(() => over(message), gapMs)
      gaps.set(message, { timer, next: undefined })
    }
    return write(message)
  }

  const over = (message: string) => {
    const gap = gaps.get(message)
    gaps.delete(message)
    gap?.next?.resolve(send(message))
  }

  return {
    send,
    /** Sends now what waits for its gap to be over. */
    settle: async (): Promise<void> => {
      const waiting = [...gaps].flatMap(([message, { timer, next }]) => {
        clearTimeout(timer)
        return next ? [{ message, next }] : []
      })
      gaps.clear()
      for (const { message, next } of waiting) next.resolve(write(message))
      await Promise.allSettled(waiting.map(({ next }) => next.promise))
    },
  }
}
