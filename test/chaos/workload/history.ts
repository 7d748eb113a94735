/** What one client did to one twin, and what is wrong with what it was answered. */
export interface History {
  /** The number of the next write. Each number is sent once, whatever becomes of it. */
  readonly begin: () => number
  readonly acknowledged: (n: number) => void
  /** Before a read is sent: what its reply must hold. */
  readonly expect: () => Expected
  /** Checks a reply to a read: numbers in the order of the twin, oldest first. */
  readonly seen: (expected: Expected, numbers: readonly number[], read: ReadOf) => void
  readonly faults: readonly Fault[]
  readonly counts: { readonly sent: number; readonly acknowledged: number; readonly reads: number }
}

export interface Expected {
  /** All that was acknowledged, or was seen by a read that had ended. */
  readonly numbers: readonly number[]
}

export interface ReadOf {
  /** Nothing older was left out. */
  readonly isWhole: boolean
  /** Nothing is under way any more: what is missing is lost. */
  readonly isLast?: boolean
}

export interface Fault {
  readonly kind: 'lost' | 'duplicated' | 'reordered' | 'stale' | 'invented'
  readonly text: string
}

const maxFaults = 20

/**
 * One client writes numbers, one after the other, so an acknowledged number comes before every later one. A write that was
 * refused or not answered may be there or not, once; where a read has shown it, it stays.
 */
export const openHistory = (name: string): History => {
  const acknowledged = new Set<number>()
  /** Acknowledged or seen. */
  const there = new Set<number>()
  const faults: Fault[] = []
  let sent = 0
  let reads = 0
  const report = (kind: Fault['kind'], text: string) => {
    if (faults.length < maxFaults) faults.push({ kind, text: `${name}: ${text}` })
  }
  return {
    begin: () => ++sent,
    acknowledged: (n) => {
      acknowledged.add(n)
      there.add(n)
    },
    expect: () => ({ numbers: [...there] }),
    seen: (expected, numbers, { isWhole, isLast = false }) => {
      reads++
      const found = new Set(numbers)
      if (found.size < numbers.length)
        report('duplicated', `${numbers.filter((n, at) => numbers.indexOf(n) !== at).join(', ')} twice`)
      const inOrder = numbers.filter((n) => acknowledged.has(n))
      const turned = inOrder.findIndex((n, at) => at > 0 && n < (inOrder[at - 1] ?? 0))
      if (turned > 0) report('reordered', `${inOrder[turned]} comes after ${inOrder[turned - 1]}`)
      const unknown = numbers.filter((n) => n > sent)
      if (unknown.length > 0) report('invented', `${unknown.join(', ')} was never sent`)
      // A page of the newest says nothing of what is older than it. It begins with the first that was acknowledged: one
      // before that may have arrived late, after numbers that are older than the page.
      const oldest = isWhole ? 0 : Math.min(...inOrder)
      const missing = expected.numbers.filter((n) => n >= oldest && !found.has(n))
      if (missing.length > 0)
        report(isLast ? 'lost' : 'stale', `${missing.join(', ')} of ${expected.numbers.length} missing`)
      for (const n of numbers) there.add(n)
    },
    faults,
    get counts() {
      return { sent, acknowledged: acknowledged.size, reads }
    },
  }
}
