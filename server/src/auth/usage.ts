const cacheMs = 1_000
const maxCached = 10_000

export interface Usage {
  readonly live_twins: number
  readonly running_trials: number
}

export interface UsageCounts {
  readonly liveTwins: (organizationId: string) => Promise<number>
  readonly runningTrials: (organizationId: string) => Promise<number>
}

/** What an organization has in use; counted at most once a second. */
export const createUsage = (counts: UsageCounts, now: () => number) => {
  const cache = new Map<string, { readonly at: number; readonly use: Usage }>()
  return async (organizationId: string): Promise<Usage> => {
    const last = cache.get(organizationId)
    if (last && now() - last.at < cacheMs) return last.use
    const [live_twins, running_trials] = await Promise.all([
      counts.liveTwins(organizationId),
      counts.runningTrials(organizationId),
    ])
    if (cache.size > maxCached) cache.clear()
    const use = { live_twins, running_trials }
    cache.set(organizationId, { at: now(), use })
    return use
  }
}
