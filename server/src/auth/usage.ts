const cacheMs = 1_000
/** Measuring a large database takes a while. */
const databaseCacheMs = 30_000
const maxCached = 10_000

export interface Usage {
  readonly live_twins: number
  readonly running_trials: number
  readonly database_bytes: number | null
}

type Counted = Omit<Usage, 'database_bytes'>

export interface UsageCounts {
  readonly liveTwins: (organizationId: string) => Promise<number>
  readonly runningTrials: (organizationId: string) => Promise<number>
  /** The size of the whole database, of all organizations. */
  readonly databaseBytes: () => Promise<number>
}

/** What an organization has in use; counted at most once a second. */
export const createUsage = (counts: UsageCounts, now: () => number) => {
  const cache = new Map<string, { readonly at: number; readonly use: Counted }>()
  let database: { readonly at: number; readonly bytes: Promise<number> } | undefined
  const databaseBytes = (): Promise<number> => {
    if (!database || now() - database.at >= databaseCacheMs)
      database = { at: now(), bytes: counts.databaseBytes() }
    return database.bytes
  }
  const count = async (organizationId: string): Promise<Counted> => {
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
  return async (organizationId: string, isOperator: boolean): Promise<Usage> => ({
    ...(await count(organizationId)),
    database_bytes: isOperator ? await databaseBytes() : null,
  })
}
