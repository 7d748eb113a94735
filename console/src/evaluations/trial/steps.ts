import type { TrialStep } from '@diorama/contract'

/** A word of a step's detail; empty where it has none. */
export const stepWord = (step: TrialStep | undefined, field: string): string => {
  const value = step?.detail?.[field]
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
}

export interface StepMutation {
  readonly operation: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly id: string
}

/** The records that a step changed. */
export const mutationsOf = (step: TrialStep): readonly StepMutation[] => {
  const changes = step.detail?.['mutations']
  return Array.isArray(changes) ? changes : []
}

export const hasFailed = (step: TrialStep): boolean =>
  step.status === 'failed' || step.status === 'refused' || Number(stepWord(step, 'status') || 0) >= 400

/** Where to look first in a trial that failed: the first step that went wrong, else the last change. */
export const firstFault = (steps: readonly TrialStep[]): number | undefined => {
  const failed = steps.findIndex(hasFailed)
  if (failed >= 0) return failed
  const changed = steps.findLastIndex((step) => mutationsOf(step).length > 0)
  return changed >= 0 ? changed : undefined
}
