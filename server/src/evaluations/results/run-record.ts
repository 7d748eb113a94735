import type { FrozenTask, Results } from '@diorama/contract'
import type { JobRow, TrialSummary } from '../store.ts'

/** What the results of an evaluation must know. */
export interface RunRecord {
  readonly job: JobRow
  readonly trials: readonly TrialSummary[]
  readonly tasks: readonly FrozenTask[]
  /** Which grading the scores of the trials are: null for the one made when they ran. */
  readonly scoring: Results['scoring']
}

/** The platform's failures are no verdict on the agent: they are counted apart and lower no rate. */
export const isJudged = ({ status, passed }: TrialSummary): boolean =>
  (status === 'succeeded' || status === 'failed') && passed !== null
