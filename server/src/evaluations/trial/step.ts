import type { TrialStep } from '@diorama/contract'

/** One step of a trial: what was done, how it ended and when. */
export const stepOf = (
  kind: TrialStep['kind'],
  name: string,
  status: string,
  { began, ended, detail }: { began: number; ended: number; detail?: Record<string, unknown> },
): TrialStep => ({
  kind,
  name,
  status,
  started_at: new Date(began).toISOString(),
  duration_ms: ended - began,
  ...(detail ? { detail } : {}),
})
