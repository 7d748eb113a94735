import type { Log } from '../../storage/log.ts'
import type { Taken, WorldSteps } from '../../twins/isolates/movement.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { worded } from '../coworkers/worded.ts'
import type { Planned, Speak } from '../events/planned.ts'
import type { Plot } from '../events/plot.ts'
import type { Timed } from './batches.ts'

export interface ActingDeps {
  readonly id: string
  readonly life: number
  readonly plot: Plot
  /** Actions that the ledger holds already, by their mark. */
  readonly fired: Set<string>
  readonly steps: WorldSteps
  readonly speak: Speak
  /** The twin of a service; undefined where it has ended. */
  readonly presentTwin: (service: string) => Promise<PlacedTwin | undefined>
  /** Keeps a step of the world, and what it sets in motion. */
  readonly keep: (taken: Taken, timed: Timed) => Promise<void>
  readonly log: Log
}

/** What people do on their own, action by action; each has a mark, so that it is done once. */
export interface Acting {
  readonly markOf: (item: Planned, n: number) => string
  /** Whether some action of an item was done before the world was loaded again. */
  readonly isBegun: (item: Planned) => boolean
  readonly act: (item: Planned, n: number, at: number) => Promise<void>
  /** An action was done. */
  readonly acted: (taken: Taken, place: Timed & { readonly n: number }) => Promise<void>
}

export const createActing = (deps: ActingDeps): Acting => {
  const { plot, fired, steps, log } = deps
  const markOf = (item: Planned, n: number): string => `${deps.id}/${deps.life}/${item.name}/${n}`

  const acted: Acting['acted'] = (taken, { item, n, at }) => {
    fired.add(markOf(item, n))
    if (taken.answered.failed)
      log.warn(
        {
          event: 'event.refused',
          clock: deps.id,
          cause: item.cause,
          operation: item.actions[n]?.operation,
        },
        'A service refused what the world did.',
      )
    return deps.keep(taken, { item, at })
  }

  return {
    markOf,
    isBegun: (item) => item.actions.some((_, n) => fired.has(markOf(item, n))),
    acted,
    act: async (item, n, at) => {
      const action = item.actions[n]
      const mark = markOf(item, n)
      if (!action || fired.has(mark)) return
      const { cause, speech } = item
      const twin = await deps.presentTwin(action.service)
      if (!twin) {
        log.warn({ event: 'event.skipped', clock: deps.id, cause }, 'A twin has ended.')
        return
      }
      const said = await worded(action, speech, deps.speak)
      const shows = plot.watches(action.service)
      const taken = await steps.act(twin, { action: said, cause: { cause, mark }, worldTime: at, shows })
      if (taken) await acted(taken, { item, n, at })
    },
  }
}
