import type { Log } from '../../storage/log.ts'
import type { WorldSteps } from '../../twins/isolates/movement.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import type { Planned, Speak } from '../events/planned.ts'
import type { Plot } from '../events/plot.ts'
import type { ClockSetting, StoryClock } from './clock.ts'
import type { AddedEvent } from './clock-store.ts'
import type { Agenda } from './order/agenda.ts'
import type { StoredScript } from './script.ts'
import type { Addressed } from './world-clock.ts'

export interface MovingWorldDeps {
  readonly id: string
  readonly life: number
  readonly clock: StoryClock
  readonly agenda: Agenda<Planned>
  readonly plot: Plot
  /** Actions that the ledger holds already, by the end of their mark. */
  readonly fired: Set<string>
  readonly halted: string | null
  /** Who had been addressed before the world was loaded again. */
  readonly addressed: readonly Addressed[]
  readonly twins: readonly PlacedTwin[]
  readonly steps: WorldSteps
  readonly script: StoredScript
  /** Events that were added to the world since its launch. */
  readonly added: readonly AddedEvent[]
  /** A trial begins anew after a crash, so the time that a read took need not outlive one. */
  readonly isTrial: boolean
  readonly startsAt: number
  /** Takes one step at a time, so that one that takes its thread with it is known. */
  readonly isCautious: boolean
  readonly speak: Speak
  readonly saveClock: (setting: ClockSetting, script: StoredScript) => Promise<void>
  readonly saveHalt: (reason: string) => Promise<void>
  readonly log: Log
}

/** The world is not run by this node any more, or not by these twins: it must be loaded again. */
export class WorldStale extends Error {
  override readonly name = 'WorldStale'
}
