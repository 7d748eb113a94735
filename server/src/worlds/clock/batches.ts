import type { Taken, WorldSteps } from '../../twins/isolates/movement.ts'
import type { PlacedTwin } from '../../twins/placement/placed-twin.ts'
import type { Planned } from '../events/planned.ts'
import type { Plot } from '../events/plot.ts'
import { type Agenda, comesBefore, type Due } from './order/agenda.ts'

const maxBatch = 2_048
/** So many actions are on their way to a twin's thread at once: it never waits for the next, and others have their turns. */
const maxInFlight = 256

/** An item of the agenda, and when it happens. */
export interface Timed {
  readonly item: Planned
  readonly at: number
}

export interface BatchDeps {
  readonly agenda: Agenda<Planned>
  readonly plot: Plot
  readonly steps: Pick<WorldSteps, 'act'>
  readonly markOf: (item: Planned, n: number) => string
  /** Whether an item can only happen alone. */
  readonly isSingle: (item: Planned) => boolean
  /** The twin of a service; undefined where it has ended. */
  readonly presentTwin: (service: string) => Promise<PlacedTwin | undefined>
  /** Keeps the step that the nth action of an item was. */
  readonly acted: (taken: Taken, place: Timed & { readonly n: number }) => Promise<void>
  /** All actions of an item are done. */
  readonly happened: (timed: Timed) => void
}

export interface BatchLimits {
  /** Nothing happens before what has happened. */
  readonly reached: number
  readonly until: number
  /** The first thing that a twin does on its own: what comes after it is not part of the batch. */
  readonly due: Due | undefined
}

/**
 * Items of the agenda that are sent to their twin at once: a trip to its thread costs more than a step. What a step sets
 * in motion is not known beforehand, so a batch ends where something could come before its next item.
 */
export interface Batches {
  /** Lets the items that are next happen, if there are several; returns how many did. */
  readonly fire: (limits: BatchLimits) => Promise<number>
  /** Whether one was lost: its twin is ahead of the ledger, and the world must be loaded again. */
  readonly hasLost: () => boolean
}

export const createBatches = (deps: BatchDeps): Batches => {
  const { agenda, plot, steps, markOf } = deps
  let hasLost = false

  /** The actions of a batch, each sent when it is asked for. */
  const sending = function* (twin: PlacedTwin, batch: readonly Timed[], endsByNotice: boolean) {
    for (const [place, { item, at }] of batch.entries())
      for (const [n, action] of item.actions.entries()) {
        const isLast = n === item.actions.length - 1
        const taking = steps.act(twin, {
          action,
          cause: { cause: item.cause, mark: markOf(item, n) },
          worldTime: at,
          shows: false,
          batch: {
            isFirst: place === 0 && n === 0,
            nextAt: isLast ? (batch[place + 1]?.at ?? at) : undefined,
            endsByNotice,
          },
        })
        // It is awaited in its turn, which does not come when one before it fails.
        taking.catch(() => undefined)
        yield { item, n, at, isLast, taking }
      }
  }

  return {
    hasLost: () => hasLost,
    fire: async (limits) => {
      const batch = nextItems(deps, limits)
      const service = batch[0]?.item.actions[0]?.service ?? ''
      const twin = batch.length > 1 ? await deps.presentTwin(service) : undefined
      if (!twin) return 0
      let count = 0
      try {
        const sent = sending(twin, batch, plot.reactsTo(service) === 'notices')
        for (const { item, n, at, isLast, taking } of readAhead(sent, maxInFlight)) {
          const taken = await taking
          if (!taken) break
          if (n === 0 && agenda.takeFirst()?.name !== item.name)
            throw new Error(`${item.name} was not the next thing to happen`)
          await deps.acted(taken, { item, n, at })
          if (!isLast) continue
          deps.happened({ item, at })
          count++
        }
      } catch (error) {
        hasLost = true
        twin.lost = true
        throw error
      }
      return count
    },
  }
}

/** The items that are next, all in one service, as far as they can be foreseen. The agenda stays as it is. */
const nextItems = ({ agenda, plot, isSingle }: BatchDeps, { reached, until, due }: BatchLimits): Timed[] => {
  const service = agenda.first()?.actions[0]?.service
  if (service === undefined || plot.reactsTo(service) === 'any') return []
  const batch: Timed[] = []
  const taken: Planned[] = []
  const foreseen: Planned[] = []
  const ahead = new Map<string, number>()
  for (let at = reached; batch.length < maxBatch; ) {
    const item = earlier(agenda.first(), foreseen[0])
    if (!item || item.at > until || isSingle(item) || (due && !comesBefore(item, due))) break
    if (item.actions.some((action) => action.service !== service)) break
    if (item === foreseen[0]) foreseen.shift()
    else taken.push(agenda.takeFirst() ?? item)
    at = Math.max(at, item.at)
    batch.push({ item, at })
    const { event = '' } = item
    const following = plot.foresee(item, at, ahead.get(event) ?? 0)
    if (following === 'unknown') break
    if (!following) continue
    ahead.set(event, (ahead.get(event) ?? 0) + 1)
    const place = foreseen.findIndex((one) => comesBefore(following, one))
    foreseen.splice(place < 0 ? foreseen.length : place, 0, following)
  }
  for (const item of taken) agenda.add(item)
  return batch
}

const earlier = (a: Planned | undefined, b: Planned | undefined): Planned | undefined =>
  a && b ? (comesBefore(b, a) ? b : a) : (a ?? b)

/** The same items, with so many more taken from their source before one is handed on. */
const readAhead = function* <T>(source: Iterator<T>, count: number): Generator<T> {
  const ahead: T[] = []
  for (let at = 0; ; at++) {
    while (ahead.length - at < count) {
      const { value, done } = source.next()
      if (done) break
      ahead.push(value)
    }
    const item = ahead[at]
    if (item === undefined) return
    yield item
  }
}
