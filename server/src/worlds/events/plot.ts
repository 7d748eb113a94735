import type { EventCondition } from '@diorama/contract/blueprint/moving'
import type { ScriptEvent } from '../clock/script.ts'
import type { Coworkers } from '../coworkers/coworkers.ts'
import { conditionHolds, isQuietBroken, lengthOfQuiet } from './conditions.ts'
import type { Planned, SeenStep, SetInMotion } from './planned.ts'

/** What is to happen in a world. It decides; the moving world does. */
export interface Plot {
  /** What is planned from the start, or from the moment at which an event was added. */
  readonly begin: (events: readonly ScriptEvent[], at: number) => Planned[]
  readonly observe: (step: SeenStep) => SetInMotion
  /** What follows from something that has happened: what waited for it, and its next occurrence. */
  readonly happened: (item: Planned, at: number) => Planned[]
  /**
   * The next occurrence of something that has not happened yet, with so many before it that have not either; unknown
   * where more would follow from it. Changes nothing.
   */
  readonly foresee: (item: Planned, at: number, ahead: number) => Planned | undefined | 'unknown'
  /** Which steps that the world takes in a service can set something in motion: any, those that address somebody, or none. */
  readonly reactsTo: (service: string) => 'any' | 'notices' | 'none'
  /** Takes up again what a recorded step had set in motion. */
  readonly recall: (set: SetInMotion) => void
  /** Whether the changes of steps of this service are looked at. */
  readonly watches: (service: string) => boolean
  readonly events: () => readonly EventState[]
}

export interface EventState {
  readonly event: ScriptEvent
  readonly planned: number
  readonly fired: number
}

interface Progress {
  readonly event: ScriptEvent
  planned: number
  fired: number
  lastAt: number
}

export const createPlot = (startsAt: number, coworkers: Coworkers): Plot => {
  const progress = new Map<string, Progress>()
  const conditional: Progress[] = []
  const waiting = new Map<string, Progress[]>()
  const watched = new Set<string>()

  const plan = (of: Progress, at: number, depth: number): Planned => {
    of.planned++
    return occurrence(of.event, { at, depth, n: of.planned })
  }

  const enter = (event: ScriptEvent): Progress => {
    const of: Progress = { event, planned: 0, fired: 0, lastAt: 0 }
    progress.set(event.key, of)
    if (event.when) conditional.push(of)
    if (event.when?.record) watched.add(event.when.record.service)
    for (const key of event.after) waiting.set(key, [...(waiting.get(key) ?? []), of])
    return of
  }

  const firstOf = (of: Progress, at: number): Planned[] => {
    const { event } = of
    if (event.at !== undefined) return upTo(event, event.at + event.delayMs).map((time) => plan(of, time, 0))
    if (event.when?.quiet) return [plan(of, at + quietMs(event), 0)]
    if (event.when || event.after.length > 0) return followsOf(of, 0)
    if (event.everyMs === undefined) return []
    return upTo(event, at + event.everyMs).map((time) => plan(of, time, 0))
  }

  /** The events that this one waits for have all happened. */
  const followsOf = (of: Progress, depth: number): Planned[] => {
    const before = of.event.after.map((key) => progress.get(key))
    if (before.length === 0 || of.planned > 0) return []
    if (!before.every((one) => one !== undefined && one.fired > 0)) return []
    const last = Math.max(...before.map((one) => one?.lastAt ?? startsAt))
    return [plan(of, last + of.event.delayMs, depth)]
  }

  return {
    begin: (events, at) => events.map(enter).flatMap((of) => firstOf(of, at)),
    observe: (step) => {
      const planned: Planned[] = []
      const replaces: string[] = []
      for (const of of conditional) {
        const { when, key, delayMs, times } = of.event
        if (!when || of.fired >= times) continue
        if (when.quiet) {
          if (!isQuietBroken(when.quiet, step)) continue
          replaces.push(key)
          planned.push(plan(of, step.at + quietMs(of.event), 0))
        } else if (of.planned < times && conditionHolds(when, step))
          planned.push(plan(of, step.at + delayMs, step.depth + 1))
      }
      return { planned: [...planned, ...coworkers.observe(step)], replaces }
    },
    happened: (item, at) => {
      const of = item.event === undefined ? undefined : progress.get(item.event)
      if (!of) return []
      of.fired++
      of.lastAt = at
      const next = nextTime(of.event, at)
      const again = next === undefined ? [] : [plan(of, next, 0)]
      return [...again, ...(waiting.get(of.event.key) ?? []).flatMap((one) => followsOf(one, item.depth + 1))]
    },
    foresee: (item, at, ahead) => {
      const of = item.event === undefined ? undefined : progress.get(item.event)
      if (!of) return undefined
      if (waiting.get(of.event.key)?.some(({ planned }) => planned === 0)) return 'unknown'
      const next = nextTime(of.event, at)
      return next === undefined
        ? undefined
        : occurrence(of.event, { at: next, depth: 0, n: of.planned + ahead + 1 })
    },
    reactsTo: (service) => {
      const open = conditional.filter(({ event, fired }) => fired < event.times)
      if (open.some(({ event }) => event.when && isStepOf(service, event.when))) return 'any'
      return coworkers.isEmpty && !open.some(({ event }) => event.when?.message) ? 'none' : 'notices'
    },
    recall: ({ planned }) => {
      for (const item of planned) {
        const of = item.event === undefined ? undefined : progress.get(item.event)
        if (of) of.planned++
        coworkers.recall(item)
      }
    },
    watches: (service) => watched.has(service),
    events: () => [...progress.values()],
  }
}

const occurrence = (
  { key, actions }: ScriptEvent,
  { at, depth, n }: { at: number; depth: number; n: number },
): Planned => ({ at, key, name: `${key}/${n}`, cause: `event:${key}`, depth, actions, event: key })

/** The time, where the event goes on until then. */
const upTo = ({ everyMs, until }: ScriptEvent, time: number): number[] =>
  everyMs !== undefined && time > until ? [] : [time]

const nextTime = ({ everyMs, until }: ScriptEvent, at: number): number | undefined =>
  everyMs !== undefined && at + everyMs <= until ? at + everyMs : undefined

/** Whether a condition looks at the steps that the world takes in a service, other than at whom they address. */
const isStepOf = (service: string, { request, record, quiet }: EventCondition): boolean =>
  request?.service === service ||
  record?.service === service ||
  (!!quiet && quiet.actor !== null && (quiet.service === null || quiet.service === service))

const quietMs = ({ when, delayMs }: ScriptEvent): number =>
  (when?.quiet ? lengthOfQuiet(when.quiet) : 0) + delayMs
