import type { TwinRequest } from '@diorama/twin-kit/kernel/twin'
import { IsolateGone } from '../../twins/isolates/isolate.ts'
import type { Handled } from '../../twins/isolates/movement.ts'
import { TwinNotLoaded } from '../../twins/isolates/runner.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { definitionsOf, progressOf } from '../events/progress.ts'
import type { AddedEvent } from './clock-store.ts'
import { createHappening } from './happening.ts'
import { type MovingWorldDeps, WorldStale } from './moving-world-deps.ts'
import { createSerial } from './order/serial.ts'
import { costOf, scriptEvent } from './script.ts'
import type { ClockChange, ClockView, EventProgress, WorldClock } from './world-clock.ts'
import { createWriteBehind } from './write-behind.ts'

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
  /** Whether several steps that were sent at once were lost: loaded again, it takes one at a time. */
  readonly hasLostBatch: () => boolean
  /** No timer of it runs on. */
  readonly close: () => void
}

export const createMovingWorld = (deps: MovingWorldDeps): MovingWorld => {
  const { clock, agenda, plot, steps, log } = deps
  const serial = createSerial()
  const happening = createHappening(deps)
  const { next, moveTo, observe, written, isStale } = happening
  let { script } = deps
  let cost = costOf(script.time)
  const definitions = definitionsOf(deps)
  let timer: NodeJS.Timeout | undefined

  const settle = async (): Promise<void> => {
    await moveTo(clock.now())
    arm()
  }

  /** In wall mode time passes without requests. */
  const arm = (): void => {
    clearTimeout(timer)
    const { mode, factor } = clock.setting
    const first = next()
    if (mode !== 'wall' || !first || isStale()) return
    const waitMs = Math.min(maxTimerMs, Math.max(0, (first.due.at - clock.now()) / factor) + 1)
    timer = setTimeout(() => void serial(settle).catch(failed), waitMs)
    timer.unref()
  }

  const failed = (error: unknown): void => {
    happening.makeStale()
    if (!(error instanceof WorldStale || isLoss(error)))
      log.error({ event: 'world.stuck', clock: deps.id, error }, 'A world could not move.')
  }

  const guarded = <T>(work: () => Promise<T>): Promise<T> =>
    serial(async () => {
      if (isStale()) throw new WorldStale('the world was loaded again')
      try {
        return await work()
      } catch (error) {
        failed(error)
        throw isLoss(error) ? new WorldStale('a twin of the world is gone', { cause: error }) : error
      }
    })

  const request = async (twin: PlacedTwin, message: TwinRequest): Promise<() => Promise<Handled>> => {
    await settle()
    const at = happening.reached()
    const taken = await steps.request(twin, message, { worldTime: at, shows: plot.watches(twin.service) })
    if (!('answered' in taken)) return async () => taken
    if (taken.twin !== twin) happening.makeStale()
    const sets = observe(taken, at, { cause: null, depth: 0 })
    // A reply that is held back costs nothing: the request is asked again.
    if (clock.setting.mode === 'story' && !taken.answered.reply.hold)
      clock.moveTo(at + cost(taken.answered.summary.operation))
    const recorded = steps.record(taken, { sets, durableReads: !deps.isTrial }, message)
    happening.unwritten.track(recorded)
    if (isDueBy(clock.now())) void guarded(settle).catch(() => undefined)
    return () => recorded
  }
  const isDueBy = (time: number): boolean => (next()?.due.at ?? Number.POSITIVE_INFINITY) <= time

  const save = (): Promise<void> => deps.saveClock(clock.setting, script)
  const saveLater = createWriteBehind(save, failed)

  const view = (): ClockView => ({
    mode: clock.setting.mode,
    factor: clock.setting.factor,
    now: clock.now(),
    nextDue: next()?.due.at,
    pending: happening.pending(),
    fired: deps.fired.size,
    halted: happening.halted(),
  })

  return {
    mode: () => clock.setting.mode,
    now: clock.now,
    nextDue: () => next()?.due.at,
    view,
    ...happening.shown,
    facts: () => ({ agent: script.agent, startsAt: deps.startsAt }),
    isCurrent: () => !isStale() && deps.twins.every(({ lost }) => !lost),
    holds: (twin) => !isStale() && deps.twins.includes(twin),
    handle: async (twin, message) => {
      const recorded = await guarded(() => request(twin, message))
      return recorded()
    },
    perform: (work) =>
      guarded(async () => {
        await settle()
        return work(happening.reached())
      }),
    settle: () =>
      guarded(async () => {
        await settle()
        await written()
        return view()
      }),
    advance: ({ to: target }) =>
      guarded(async () => {
        await moveTo(target)
        clock.moveTo(target)
        // A trial begins anew after a crash, so a move does not wait until its clock is saved.
        if (deps.isTrial) saveLater()
        await Promise.all([written(), deps.isTrial ? undefined : save()])
        arm()
        return view()
      }),
    set: ({ mode, factor, requestCost }) =>
      guarded(async () => {
        await settle()
        clock.set({ mode, factor })
        if (requestCost !== undefined) script = { ...script, time: { ...script.time, requestCost } }
        cost = costOf(script.time)
        await Promise.all([written(), save()])
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
    hasLostBatch: happening.hasLostBatch,
    close: () => clearTimeout(timer),
  }
}

const maxTimerMs = 3_600_000

/** The thread of a twin ended, or the twin left it: it is loaded again from the ledger. */
const isLoss = (error: unknown): boolean => error instanceof IsolateGone || error instanceof TwinNotLoaded
