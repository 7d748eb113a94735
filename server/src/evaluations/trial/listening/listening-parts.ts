import type { AgentListen } from '@diorama/contract'
import type { Deliveries } from '../../../deliveries/open.ts'
import type { TrialWorld } from '../trial-world.ts'

/** What it takes to run an agent that waits to be called. */
export interface ListeningParts {
  readonly listen: AgentListen
  readonly trialId: string
  readonly world: TrialWorld
  readonly deliveries: Pick<Deliveries, 'ingresses' | 'pendingWork'>
  /** Whether the agent has its own network. */
  readonly isNamespaced: boolean
  /** Whether its programs live in the time of the story. */
  readonly hasStoryTime: boolean
  readonly now: () => number
}
