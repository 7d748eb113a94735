import type { Usage } from '@diorama/contract'
import type { TrialSummary } from '../store.ts'

/** What a pass costs: the model calls of all trials, by the trials that passed. Null where there is no price or no pass. */
export const costPerPass = (trials: readonly TrialSummary[]): number | null => {
  const passed = trials.filter((trial) => trial.passed === true).length
  const costs = trials.flatMap(({ usage }) => (usage as Usage | null)?.cost_usd ?? [])
  if (passed === 0 || costs.length === 0) return null
  return costs.reduce((sum, cost) => sum + cost, 0) / passed
}
