import type { Log } from '../../storage/log.ts'
import type { WorldSteps } from '../../twins/isolates/movement.ts'
import type { MovingStep } from '../../twins/ledger/moving-steps.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { type ActsOf, createCoworkers } from '../coworkers/coworkers.ts'
import type { Planned, SetInMotion, Speak } from '../events/planned.ts'
import { createPlot, type Plot } from '../events/plot.ts'
import { createStoryClock } from './clock.ts'
import { type ClockRow, type ClockStore, settingOf } from './clock-store.ts'
import { createMovingWorld, type MovingWorld } from './moving-world.ts'
import { WorldStale } from './moving-world-deps.ts'
import { createAgenda } from './order/agenda.ts'
import { costOf, type StoredScript, scriptEvent } from './script.ts'
import type { Addressed } from './world-clock.ts'

export interface LoadDeps {
  readonly store: ClockStore
  readonly steps: WorldSteps
  readonly now: () => number
  readonly holder: string
  readonly log: Log
  readonly actsOf: ActsOf
  /** Puts what people say into words, where models play them. */
  readonly speak: (row: ClockRow) => Speak
}

/** What is kept of a world that is loaded again. */
export interface Earlier {
  readonly addressed: readonly Addressed[]
  readonly isCautious: boolean
  /** Where its clock was: that of a trial may not be saved yet. */
  readonly reached: number | undefined
}

/** Makes a world ready to move on from where the ledger says it is. */
export const loadMovingWorld = async (
  { store, steps, now, holder, log, actsOf, speak }: LoadDeps,
  row: ClockRow,
  twins: readonly PlacedTwin[],
  { addressed, isCautious, reached }: Earlier,
): Promise<MovingWorld> => {
  const ids = twins.map(({ id }) => id)
  await steps.flush(ids)
  const script = JSON.parse(row.script) as StoredScript
  const startsAt = row.starts_at.getTime()
  const [moving, last, added] = await Promise.all([
    store.movingSteps(ids),
    store.lastSteps(row.id),
    store.events(row.id, row.life),
  ])
  const cost = costOf(script.time)
  const clock = createStoryClock(settingOf(row), now)
  for (const { world_time, operation, cause } of last)
    clock.moveTo(world_time.getTime() + (cause === null && row.mode === 'story' ? cost(operation) : 0))
  if (reached !== undefined && row.trial_id !== null) clock.moveTo(reached)
  const coworkers = createCoworkers(script, actsOf)
  const plot = createPlot(startsAt, coworkers)
  const planned = plot.begin(
    script.events.map((event) => scriptEvent(event, startsAt)),
    startsAt,
  )
  for (const { definition, addedAt } of added)
    planned.push(...plot.begin([scriptEvent(definition, addedAt)], addedAt))
  const { pending, fired } = recalled(plot, planned, moving, { id: row.id, life: row.life })
  const agenda = createAgenda<Planned>()
  for (const item of pending) agenda.add(item)
  return createMovingWorld({
    id: row.id,
    life: row.life,
    clock,
    agenda,
    plot,
    fired,
    halted: row.halted,
    addressed,
    isCautious,
    speak: speak(row),
    twins,
    steps,
    script,
    added,
    isTrial: row.trial_id !== null,
    startsAt,
    saveClock: async (setting, changed) => {
      if (!(await store.save(row.id, holder, setting, JSON.stringify(changed))))
        throw new WorldStale('another node runs the world')
    },
    saveHalt: (reason) => store.halt(row.id, reason),
    log,
  })
}

/** What the recorded steps leave to be done: everything that was planned and has not happened, or not to its end. */
const recalled = (
  plot: Plot,
  begun: readonly Planned[],
  steps: readonly MovingStep[],
  { id, life }: { id: string; life: number },
): { pending: Iterable<Planned>; fired: Set<string> } => {
  const pending = new Map(begun.map((item) => [item.name, item]))
  const fired = new Set<string>()
  const prefix = `${id}/${life}/`
  for (const { mark, sets, world_time } of steps) {
    const set = sets === null ? undefined : (JSON.parse(sets) as SetInMotion & { life: number })
    if (set?.life === life) {
      plot.recall(set)
      for (const key of set.replaces)
        for (const item of [...pending.values()]) if (item.event === key) pending.delete(item.name)
      for (const item of set.planned) pending.set(item.name, item)
    }
    if (mark?.startsWith(prefix)) {
      fired.add(mark)
      const end = mark.lastIndexOf('/')
      const item = pending.get(mark.slice(prefix.length, end))
      if (item && Number(mark.slice(end + 1)) === item.actions.length - 1) {
        pending.delete(item.name)
        for (const next of plot.happened(item, world_time.getTime())) pending.set(next.name, next)
      }
    }
  }
  return { pending: pending.values(), fired }
}
