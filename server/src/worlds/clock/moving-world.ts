import type { WorldEventBlueprint } from '@diorama/contract/blueprint/moving'
import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import type { Log } from '../../storage/log.ts'
import { IsolateGone } from '../../twins/isolates/isolate.ts'
import type { Handled, Taken, WorldSteps } from '../../twins/isolates/movement.ts'
import type { Answered } from '../../twins/isolates/protocol.ts'
import { TwinNotLoaded } from '../../twins/isolates/runner.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { SpeechFailed, worded } from '../coworkers/worded.ts'
import type { Planned, SeenStep, Speak } from '../events/planned.ts'
import type { Plot } from '../events/plot.ts'
import { listAddressed } from './addressed.ts'
import { type Agenda, comesBefore, type Due } from './agenda.ts'
import type { ClockSetting, StoryClock } from './clock.ts'
import type { AddedEvent } from './clock-store.ts'
import { costOf, type StoredScript, scriptEvent } from './script.ts'
import { createSerial } from './serial.ts'
import type { Addressed, ClockChange, ClockView, EventProgress, WorldClock } from './world-clock.ts'

/** Events that trigger each other are stopped here. */
export const maxChain = 100
/** What may happen on its own in one move of the clock. */
export const maxFiredAtOnce = 100_000
/** So many steps may be on their way to the ledger before the next one waits. */
const maxUnwritten = 256

export interface MovingWorld extends WorldClock {
  readonly handle: (twin: PlacedTwin, request: TwinRequest) => Promise<Handled>
  /** Whether this is still the world that the twin is part of; where not, it is loaded again. */
  readonly holds: (twin: PlacedTwin) => boolean
  /** Whether its twins are still the ones that it began with: not after a reset, for one. */
  readonly isCurrent: () => boolean
  /** Does something else in the order of the world, at its time. */
  readonly perform: <T>(work: (at: number) => Promise<T>) => Promise<T>
  readonly set: (change: ClockChange) => Promise<ClockView>
  /** What a request costs where nothing else is said of its operation. */
  readonly requestCostMs: () => number
  readonly events: () => EventProgress[]
  /** Takes in an event that is written down already. */
  readonly add: (event: AddedEvent) => Promise<void>
  /** No timer of it runs on. */
  readonly close: () => void
}

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
  readonly speak: Speak
  readonly saveClock: (setting: ClockSetting, script: StoredScript) => Promise<void>
  readonly saveHalt: (reason: string) => Promise<void>
  readonly log: Log
}

/** What is next: an item of the agenda, or something that a twin does on its own. */
type Next = { readonly due: Due; readonly item?: Planned; readonly twin?: PlacedTwin }

/** The world is not run by this node any more, or not by these twins: it must be loaded again. */
export class WorldStale extends Error {
  override readonly name = 'WorldStale'
}

export const createMovingWorld = (deps: MovingWorldDeps): MovingWorld => {
  const { clock, agenda, plot, steps, log, fired } = deps
  const serial = createSerial()
  const byService = new Map(deps.twins.map((twin) => [twin.service, twin]))
  const dues = new Map(deps.twins.map((twin) => [twin, twin.nextDue]))
  const addressed = listAddressed(deps)
  let { script } = deps
  let cost = costOf(script.time)
  const definitions = definitionsOf(deps)
  const unwritten = new Set<Promise<unknown>>()
  let halted = deps.halted
  let stale = false
  /** Nothing happens before what has happened. */
  let reached = clock.now()
  let timer: NodeJS.Timeout | undefined

  const next = (): Next | undefined => {
    const item = halted === null ? agenda.first() : undefined
    let found: Next | undefined = item && { due: item, item }
    for (const [twin, at] of dues) {
      if (at === undefined) continue
      const due = { at, key: `due:${twin.service}` }
      if (!found || comesBefore(due, found.due)) found = { due, twin }
    }
    return found
  }

  const track = (written: Promise<Handled>): void => {
    const watched = written.then(
      ({ isPlatformFault }) => {
        unwritten.delete(watched)
        if (isPlatformFault) stale = true
      },
      () => {
        unwritten.delete(watched)
        stale = true
      },
    )
    unwritten.add(watched)
  }
  const written = async (): Promise<void> => {
    await Promise.all(unwritten)
    if (stale) throw new WorldStale('a step of the world was not written')
  }

  const halt = async (reason: string): Promise<void> => {
    halted = reason
    log.warn(
      { event: 'world.halted', clock: deps.id, reason },
      'A world stopped: nothing happens on its own any more.',
    )
    await deps.saveHalt(reason)
  }

  /** Looks at a step: what it sets in motion is planned here, and kept with the step. */
  const observe = (taken: Taken, at: number, by: Pick<SeenStep, 'cause' | 'depth'>): string | null => {
    const { twin, answered } = taken
    dues.set(twin, answered.nextDue)
    const seen = seenStep(twin, answered, { ...by, at })
    addressed.note(seen, answered.summary.requestId)
    const set = plot.observe(seen)
    if (set.planned.length === 0) return null
    for (const key of set.replaces) agenda.remove(({ event }) => event === key)
    for (const item of set.planned) agenda.add(item)
    return JSON.stringify({ life: deps.life, ...set })
  }

  const act = async (item: Planned, n: number, at: number): Promise<void> => {
    const action = item.actions[n]
    const mark = `${deps.id}/${deps.life}/${item.name}/${n}`
    if (!action || fired.has(mark)) return
    const known = byService.get(action.service)
    const twin = known ? await steps.find(known.id) : 'ended'
    if (twin === 'ended') {
      log.warn({ event: 'event.skipped', clock: deps.id, cause: item.cause }, 'A twin has ended.')
      return
    }
    if (twin !== known) throw new WorldStale('a twin of the world was loaded again')
    const { cause, depth, speech } = item
    const said = await worded(action, speech, deps.speak)
    const shows = plot.watches(action.service)
    const taken = await steps.act(twin, { action: said, cause: { cause, mark }, worldTime: at, shows })
    fired.add(mark)
    if (taken.answered.failed)
      log.warn(
        { event: 'event.refused', clock: deps.id, cause, operation: action.operation },
        'A service refused what the world did.',
      )
    const sets = observe(taken, at, { cause, depth })
    track(steps.record(taken, { sets, durableReads: true }))
    if (unwritten.size >= maxUnwritten) await written()
  }

  const fire = async (item: Planned, at: number): Promise<void> => {
    if (item.depth > maxChain)
      return halt(
        `Events trigger each other: ${item.cause} was the last of a chain of ${maxChain}, and nothing more happens on its own.`,
      )
    agenda.takeFirst()
    try {
      for (const n of item.actions.keys()) await act(item, n, at)
    } catch (error) {
      if (error instanceof SpeechFailed)
        return halt(
          `The model behind ${item.cause} gave no answer, and nothing more happens on its own: ${error.message}`,
        )
      if (!(error instanceof IsolateGone && error.isCulprit)) throw error
      return halt(
        `${item.cause} took more time or memory than a twin has, and nothing more happens on its own.`,
      )
    }
    for (const following of plot.happened(item, at)) agenda.add(following)
  }

  /** What a twin does on its own. One that has nothing to do when it said so is asked again after its next step. */
  const twinDue = async (known: PlacedTwin, at: number): Promise<void> => {
    const twin = await steps.find(known.id)
    if (twin !== 'ended' && twin !== known) throw new WorldStale('a twin of the world was loaded again')
    const { nextDue } = twin === 'ended' ? { nextDue: undefined } : await steps.due(twin, at)
    dues.set(known, nextDue !== undefined && nextDue <= at ? undefined : nextDue)
  }

  /** Lets everything happen that is due by then, each at its own time. */
  const moveTo = async (until: number): Promise<void> => {
    for (let count = 0; ; count++) {
      const first = next()
      if (!first || first.due.at > until) break
      if (count >= maxFiredAtOnce)
        await halt(`More than ${maxFiredAtOnce} things happened in one move of the clock; nothing more does.`)
      reached = Math.max(reached, first.due.at)
      if (first.twin) await twinDue(first.twin, reached)
      else if (first.item && halted === null) await fire(first.item, reached)
    }
    reached = Math.max(reached, until)
  }

  const settle = async (): Promise<void> => {
    await moveTo(clock.now())
    arm()
  }

  /** In wall mode time passes without requests. */
  const arm = (): void => {
    clearTimeout(timer)
    const { mode, factor } = clock.setting
    const first = next()
    if (mode !== 'wall' || !first || stale) return
    const waitMs = Math.min(maxTimerMs, Math.max(0, (first.due.at - clock.now()) / factor) + 1)
    timer = setTimeout(() => void serial(settle).catch(failed), waitMs)
    timer.unref()
  }

  const failed = (error: unknown): void => {
    stale = true
    if (!(error instanceof WorldStale || isLoss(error)))
      log.error({ event: 'world.stuck', clock: deps.id, error }, 'A world could not move.')
  }

  const guarded = <T>(work: () => Promise<T>): Promise<T> =>
    serial(async () => {
      if (stale) throw new WorldStale('the world was loaded again')
      try {
        return await work()
      } catch (error) {
        failed(error)
        throw isLoss(error) ? new WorldStale('a twin of the world is gone', { cause: error }) : error
      }
    })

  const request = async (twin: PlacedTwin, message: TwinRequest): Promise<() => Promise<Handled>> => {
    await settle()
    const at = reached
    const taken = await steps.request(twin, message, { worldTime: at, shows: plot.watches(twin.service) })
    if (!('answered' in taken)) return async () => taken
    if (taken.twin !== twin) stale = true
    const sets = observe(taken, at, { cause: null, depth: 0 })
    // A reply that is held back costs nothing: the request is asked again.
    if (clock.setting.mode === 'story' && !taken.answered.reply.hold)
      clock.moveTo(at + cost(taken.answered.summary.operation))
    const recorded = steps.record(taken, { sets, durableReads: !deps.isTrial }, message)
    track(recorded)
    if (isDueBy(clock.now())) void guarded(settle).catch(() => undefined)
    return () => recorded
  }
  const isDueBy = (time: number): boolean => (next()?.due.at ?? Number.POSITIVE_INFINITY) <= time

  const view = (): ClockView => ({
    mode: clock.setting.mode,
    factor: clock.setting.factor,
    now: clock.now(),
    nextDue: next()?.due.at,
    pending: agenda.size + [...dues.values()].filter((at) => at !== undefined).length,
    fired: fired.size,
    halted,
  })

  return {
    mode: () => clock.setting.mode,
    now: clock.now,
    nextDue: () => next()?.due.at,
    view,
    ...addressed.shown,
    facts: () => ({ agent: script.agent, startsAt: deps.startsAt }),
    isCurrent: () => !stale && deps.twins.every(({ lost }) => !lost),
    holds: (twin) => !stale && deps.twins.includes(twin),
    handle: async (twin, message) => {
      const recorded = await guarded(() => request(twin, message))
      return recorded()
    },
    perform: (work) =>
      guarded(async () => {
        await settle()
        return work(reached)
      }),
    settle: () =>
      guarded(async () => {
        await settle()
        await written()
        return view()
      }),
    advance: (move) =>
      guarded(async () => {
        const target = 'to' in move ? move.to : clock.now() + move.by
        await moveTo(target)
        clock.moveTo(target)
        await Promise.all([written(), deps.saveClock(clock.setting, script)])
        arm()
        return view()
      }),
    set: ({ mode, factor, requestCost }) =>
      guarded(async () => {
        await settle()
        clock.set({ mode, factor })
        if (requestCost !== undefined) script = { ...script, time: { ...script.time, requestCost } }
        cost = costOf(script.time)
        await Promise.all([written(), deps.saveClock(clock.setting, script)])
        arm()
        return view()
      }),
    requestCostMs: () => cost(''),
    events: () => progressOf(definitions.values(), agenda, plot),
    add: ({ definition, addedAt }) =>
      guarded(async () => {
        definitions.set(definition.key, definition)
        for (const item of plot.begin([scriptEvent(definition, addedAt)], addedAt)) agenda.add(item)
        await settle()
      }),
    close: () => clearTimeout(timer),
  }
}

const maxTimerMs = 3_600_000

/** The thread of a twin ended, or the twin left it: it is loaded again from the ledger. */
const isLoss = (error: unknown): boolean => error instanceof IsolateGone || error instanceof TwinNotLoaded

const progressOf = (
  definitions: Iterable<WorldEventBlueprint>,
  agenda: Agenda<Planned>,
  plot: Plot,
): EventProgress[] => {
  const next = new Map<string, number>()
  for (const { event = '', at } of agenda.all()) next.set(event, Math.min(at, next.get(event) ?? at))
  const fires = new Map(plot.events().map(({ event, fired }) => [event.key, fired]))
  return [...definitions].map((definition) => ({
    definition,
    fired: fires.get(definition.key) ?? 0,
    nextAt: next.get(definition.key),
  }))
}

const definitionsOf = ({ script, added }: MovingWorldDeps): Map<string, WorldEventBlueprint> =>
  new Map([...script.events, ...added.map(({ definition }) => definition)].map((event) => [event.key, event]))

const seenStep = (
  twin: PlacedTwin,
  { summary, notices = [], shown = [], failed = false, subject }: Answered,
  by: Pick<SeenStep, 'cause' | 'depth' | 'at'>,
): SeenStep => ({
  service: twin.service,
  operation: summary.operation,
  subject,
  failed,
  notices,
  shown,
  ...by,
})
