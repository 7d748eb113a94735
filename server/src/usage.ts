import type { Nouns } from './wire-nouns.ts'

const freshMs = 1_000
const maxCached = 10_000

/** What an organization has in use; counted at most once a second. */
export const usageOf = (
  { runtime, evaluations }: Pick<Nouns, 'runtime' | 'evaluations'>,
  now: () => number,
) => {
  const counted = new Map<string, { at: number; use: { live_twins: number; running_trials: number } }>()
  return async (organizationId: string) => {
    const last = counted.get(organizationId)
    if (last && now() - last.at < freshMs) return last.use
    const [live_twins, running_trials] = await Promise.all([
      runtime.store.countLive(organizationId),
      evaluations.store.countRunning(organizationId),
    ])
    if (counted.size > maxCached) counted.clear()
    const use = { live_twins, running_trials }
    counted.set(organizationId, { at: now(), use })
    return use
  }
}
