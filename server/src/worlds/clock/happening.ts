import { IsolateGone } from '../../twins/isolates/isolate.ts'
import type { Taken } from '../../twins/isolates/movement.ts'
import type { Answered } from '../../twins/isolates/protocol.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import { SpeechFailed } from '../coworkers/worded.ts'
import type { Planned, SeenStep } from '../events/planned.ts'
import { createActing } from './acting.ts'
import { listAddressed } from './addressed.ts'
import { createBatches, type Timed } from './batches.ts'
import { type MovingWorldDeps, WorldStale } from './moving-world-deps.ts'
import { comesBefore, type Due } from './order/agenda.ts'
import { createTwinDues } from './order/twin-dues.ts'
import { createUnwritten, type Unwritten } from './order/unwritten.ts'
import type { WorldClock } from './world-clock.ts'

/** Events that trigger each other are stopped here. */
const maxChain = 100
/** What may happen on its own in one move of the clock. */
const maxFiredAtOnce = 100_000

/** What is next: an item of the agenda, or something that a twin does on its own. */
type Next = { readonly due: Due; readonly item?: Planned; readonly twin?: PlacedTwin }

/** What happens in a world, one thing after the other. */
export interface Happening {
  readonly next: () => Next | undefined
  /** Lets everything happen that is due by then, each at its own time. */
  readonly moveTo: (until: number) => Promise<void>
  /** How far the world has come: nothing happens before what has happened. */
  readonly reached: () => number
  /** Looks at a step: what it sets in motion is planned here, and kept with the step. */
  readonly observe: (taken: Taken, at: number, by: Pick<SeenStep, 'cause' | 'depth'>) => string | null
  readonly unwritten: Unwritten
  /** Resolves when every step so far is in the ledger. */
  readonly written: () => Promise<void>
  readonly halted: () => string | null
  readonly pending: () => number
  /** The world is not to be trusted any more, and is loaded again. */
  readonly isStale: () => boolean
  readonly makeStale: () => void
  readonly hasLostBatch: () => boolean
  readonly shown: Pick<WorldClock, 'addressed' | 'heard'>
}

export const createHappening = (deps: MovingWorldDeps): Happening => {
  const { agenda, plot, steps, log } = deps
  const byService = new Map(deps.twins.map((twin) => [twin.service, twin]))
  const dues = createTwinDues(deps.twins)
  const addressed = listAddressed(deps)
  let halted = deps.halted
  let stale = false
  let reached = deps.clock.now()
  const makeStale = (): void => {
    stale = true
  }
  const unwritten = createUnwritten(makeStale)

  const next = (): Next | undefined => {
    const item = halted === null ? agenda.first() : undefined
    const found = dues.first()
    return item && !(found && comesBefore(found.due, item)) ? { due: item, item } : found
  }

  const written = async (): Promise<void> => {
    await unwritten.all()
    if (stale) throw notWritten()
  }

  const halt = async (reason: string): Promise<void> => {
    halted = reason
    log.warn(
      { event: 'world.halted', clock: deps.id, reason },
      'A world stopped: nothing happens on its own any more.',
    )
    await deps.saveHalt(reason)
  }

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

  /** The twin of a service as this world began with it; undefined where it has ended. */
  const presentTwin = async (service: string): Promise<PlacedTwin | undefined> => {
    const known = byService.get(service)
    const twin = known ? await steps.find(known.id) : 'ended'
    if (twin === 'ended') return undefined
    if (twin !== known) throw new WorldStale('a twin of the world was loaded again')
    return twin
  }

  const keep = async (taken: Taken, { item, at }: Timed): Promise<void> => {
    const sets = observe(taken, at, item)
    unwritten.track(steps.record(taken, { sets, durableReads: true }))
    await unwritten.room()
    if (stale) throw notWritten()
  }
  const acting = createActing({ ...deps, presentTwin, keep })

  const happened = ({ item, at }: Timed): void => {
    reached = at
    for (const following of plot.happened(item, at)) agenda.add(following)
  }
  const isSingle = (item: Planned): boolean =>
    item.speech !== undefined || item.depth > maxChain || item.actions.length === 0 || acting.isBegun(item)
  const batches = createBatches({ agenda, plot, steps, ...acting, isSingle, presentTwin, happened })

  const fire = async (item: Planned, at: number): Promise<void> => {
    if (item.depth > maxChain)
      return halt(
        `Events trigger each other: ${item.cause} was the last of a chain of ${maxChain}, and nothing more happens on its own.`,
      )
    agenda.takeFirst()
    try {
      for (const n of item.actions.keys()) await acting.act(item, n, at)
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
    happened({ item, at })
  }

  /** What a twin does on its own. One that has nothing to do when it said so is asked again after its next step. */
  const twinDue = async (known: PlacedTwin, at: number): Promise<void> => {
    const twin = await steps.find(known.id)
    if (twin !== 'ended' && twin !== known) throw new WorldStale('a twin of the world was loaded again')
    const { nextDue } = twin === 'ended' ? { nextDue: undefined } : await steps.due(twin, at)
    dues.set(known, nextDue !== undefined && nextDue <= at ? undefined : nextDue)
  }

  const moveTo = async (until: number): Promise<void> => {
    for (let count = 0; ; count++) {
      const first = next()
      if (!first || first.due.at > until) break
      if (count >= maxFiredAtOnce)
        await halt(`More than ${maxFiredAtOnce} things happened in one move of the clock; nothing more does.`)
      if (first.item && halted === null && !deps.isCautious) {
        const happened = await batches.fire({ reached, until, due: dues.first()?.due })
        count += Math.max(0, happened - 1)
        if (happened > 0) continue
      }
      reached = Math.max(reached, first.due.at)
      if (first.twin) await twinDue(first.twin, reached)
      else if (first.item && halted === null) await fire(first.item, reached)
    }
    reached = Math.max(reached, until)
  }

  return {
    next,
    moveTo,
    reached: () => reached,
    observe,
    unwritten,
    written,
    halted: () => halted,
    pending: () => agenda.size + dues.count(),
    isStale: () => stale,
    makeStale,
    hasLostBatch: batches.hasLost,
    shown: addressed.shown,
  }
}

const notWritten = () => new WorldStale('a step of the world was not written')

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
