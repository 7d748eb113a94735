import type { FrozenTask } from '@diorama/contract'
import { BoundedCache } from '../../storage/bounded-cache.ts'
import { createEpisode, type Episode, type EpisodeDeps } from './episode.ts'
import { openEpisodeWorld } from './episode-world.ts'

export type EpisodesDeps = Omit<EpisodeDeps, 'toolCache'>

export interface EpisodeOrder {
  readonly organizationId: string
  /** The key for which it is opened. */
  readonly createdBy: string
  readonly task: FrozenTask
}

/** Worlds whose lists of tools are kept. */
const maxToolLists = 200

/** Opens tasks as episodes that a program outside drives step by step, for training and for its own loops. */
export interface Episodes {
  /** Forks the world of the task. Fails with `TaskUnfit` where the task is none for an episode. */
  readonly open: (order: EpisodeOrder) => Promise<Episode>
}

/** A task that only a trial can run. */
export class TaskUnfit extends Error {
  override readonly name = 'TaskUnfit'
}

export const createEpisodes = (given: EpisodesDeps): Episodes => {
  const deps: EpisodeDeps = { ...given, toolCache: new BoundedCache({ most: maxToolLists }) }
  return {
    open: async (order) => {
      const { task } = order
      if (task.turns)
        throw new TaskUnfit(
          `The task ${task.key ?? task.id} is a conversation of several turns; run it in an evaluation.`,
        )
      const id = deps.makeId('eps')
      return createEpisode(deps, { ...order, id, world: await openEpisodeWorld(deps, { ...order, id }) })
    },
  }
}
