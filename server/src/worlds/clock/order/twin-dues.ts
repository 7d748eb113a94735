import type { PlacedTwin } from '../../../twins/placement/placed-twin.ts'
import { comesBefore, type Due } from './agenda.ts'

/** When the twins of a world next do something on their own. */
export interface TwinDues {
  readonly set: (twin: PlacedTwin, at: number | undefined) => void
  readonly first: () => { readonly due: Due; readonly twin: PlacedTwin } | undefined
  /** How many twins have something to do. */
  readonly count: () => number
}

export const createTwinDues = (twins: readonly PlacedTwin[]): TwinDues => {
  const dues = new Map(twins.map((twin) => [twin, twin.nextDue]))
  return {
    set: (twin, at) => void dues.set(twin, at),
    first: () => {
      let found: { due: Due; twin: PlacedTwin } | undefined
      for (const [twin, at] of dues) {
        if (at === undefined) continue
        const due = { at, key: `due:${twin.service}` }
        if (!found || comesBefore(due, found.due)) found = { due, twin }
      }
      return found
    },
    count: () => [...dues.values()].filter((at) => at !== undefined).length,
  }
}
