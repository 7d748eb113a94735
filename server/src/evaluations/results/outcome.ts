import type { NotEmulated, Trial, TrialStep } from '@diorama/contract'
import type { TrialRow } from '../store.ts'

interface Ending extends Pick<TrialRow, 'status' | 'passed' | 'error'> {
  /** How the sandbox says that the agent's command ended. */
  readonly ended: string | null
}

/** Limits of the sandbox, as the agent's step names them. */
const overLimits = new Set(['memory', 'output', 'files'])
const overBudget = /budget of a trial|which no scorer can read/

/** How a trial ended, in one word: a crash, a time-out, a spent budget and a low score are different news. */
export const outcomeOf = ({ status, passed, error, ended }: Ending): Trial['outcome'] => {
  if (status === 'errored') return 'errored'
  if (status === 'succeeded') return passed === null ? null : passed ? 'passed' : 'failed'
  if (status !== 'failed') return null
  if (ended === 'timeout') return 'timed_out'
  if (overLimits.has(ended ?? '') || overBudget.test(error ?? '')) return 'over_budget'
  return 'crashed'
}

export const endedOf = ({ steps }: Pick<TrialRow, 'steps'>): string | null => {
  const agent = (steps as TrialStep[]).find(({ kind }) => kind === 'agent')
  const ended = agent?.detail?.['ended']
  return typeof ended === 'string' ? ended : null
}

/** What the agent asked of the twins and they do not have, by service and operation, most wanted first. */
export const notEmulatedIn = ({ steps }: Pick<TrialRow, 'steps'>): NotEmulated[] => {
  const counts = new Map<string, NotEmulated>()
  for (const { detail } of steps as TrialStep[]) {
    const asked = Array.isArray(detail?.['not_emulated']) ? detail['not_emulated'] : []
    for (const operation of asked.map(String)) {
      const service = String(detail?.['service'] ?? '')
      const count = (counts.get(`${service} ${operation}`)?.count ?? 0) + 1
      counts.set(`${service} ${operation}`, { service, operation, count })
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)
}
