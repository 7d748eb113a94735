import { setImmediate } from 'node:timers/promises'
import type { ClockMode } from '@diorama/contract/blueprint/moving'
import type { Heard, WorldClock } from '../../../worlds/clock/world-clock.ts'

/** Nothing may be under way for so long before the story moves on. */
const idleMs = 5

/** One wait of the agent, as it is recorded. */
export interface StoryWaited {
  readonly from: number
  readonly to: number
  /** What the world said to the agent meanwhile. */
  readonly told: readonly Heard[]
}

/**
 * How an agent waits. The story moves only while the trial is idle: nothing of it is under way at the gateway, neither
 * to a twin nor to a model. Then it moves to the earliest moment that somebody waits for.
 */
export interface StoryWait {
  readonly mode: () => ClockMode
  readonly now: () => number
  /** Notes that an exchange has begun; the function that it gives is called when that has ended. */
  readonly begin: () => () => void
  /** How many exchanges have begun, when the last one did, and whether one is under way. */
  readonly begun: () => number
  readonly lastBegunAt: () => number
  readonly isUnderWay: () => boolean
  /** When something next happens in the world. */
  readonly nextDue: () => number | undefined
  /** How far waits have moved the story in all. */
  readonly waitedMs: () => number
  /**
   * Resolves when the story has reached the moment, or earlier where the world tells the agent something and that is
   * wanted, or where the signal ends the wait.
   */
  readonly waitUntil: (deadline: number, options?: WaitOptions) => Promise<StoryWaited>
}

export interface WaitOptions {
  readonly untilTold?: boolean
  readonly signal?: AbortSignal
}

interface Waiter {
  readonly deadline: number
  readonly from: number
  readonly heardBefore: number
  readonly untilTold: boolean
  readonly signal: AbortSignal | undefined
  readonly resolve: (waited: StoryWaited) => void
  readonly reject: (error: unknown) => void
}

export const createStoryWait = (clock: WorldClock): StoryWait => {
  const waiters = new Set<Waiter>()
  let underWay = 0
  let begun = 0
  let lastBegunAt = 0
  let timer: NodeJS.Timeout | undefined
  let isMoving = false
  let isAdvancing = false
  let waitedMs = 0

  const isOver = ({ deadline, untilTold, heardBefore, signal }: Waiter): boolean =>
    signal?.aborted === true || clock.now() >= deadline || (untilTold && clock.heard().length > heardBefore)

  const end = (waiter: Waiter): void => {
    if (!waiters.delete(waiter)) return
    const { from, heardBefore } = waiter
    waiter.resolve({ from, to: clock.now(), told: clock.heard().slice(heardBefore) })
  }
  const release = (): void => {
    for (const waiter of [...waiters]) if (isOver(waiter)) end(waiter)
  }

  /** One move: to the earliest deadline, and no further than what happens next where a waiter wants to be notified. */
  const move = async (): Promise<void> => {
    const earliest = Math.min(...[...waiters].map(({ deadline }) => deadline))
    const isWatching = [...waiters].some(({ untilTold }) => untilTold)
    const next = isWatching ? (clock.nextDue() ?? earliest) : earliest
    if (clock.mode() === 'wall') await clock.settle()
    else {
      const before = clock.now()
      isAdvancing = true
      await clock.advance({ to: Math.max(before, Math.min(earliest, next)) })
      waitedMs += clock.now() - before
    }
  }

  const turn = async (): Promise<void> => {
    if (isMoving || underWay > 0 || waiters.size === 0) return
    isMoving = true
    try {
      // After a stall the timer may be due before a request that has arrived meanwhile was read.
      await setImmediate()
      if (underWay > 0 || waiters.size === 0) return
      await move()
      release()
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error)
      waiters.clear()
    } finally {
      isMoving = false
      isAdvancing = false
      schedule()
    }
  }

  const schedule = (): void => {
    clearTimeout(timer)
    if (waiters.size > 0 && underWay === 0) timer = setTimeout(() => void turn(), pauseMs())
  }
  const pauseMs = (): number => (clock.mode() === 'wall' ? wallPauseMs : idleMs)

  return {
    mode: clock.mode,
    now: clock.now,
    waitedMs: () => waitedMs,
    nextDue: clock.nextDue,
    begun: () => begun,
    lastBegunAt: () => lastBegunAt,
    isUnderWay: () => underWay > 0,
    begin: () => {
      underWay++
      begun++
      lastBegunAt = clock.now()
      clearTimeout(timer)
      let isEnded = false
      return () => {
        if (isEnded) return
        isEnded = true
        underWay--
        schedule()
      }
    },
    waitUntil: (deadline, { untilTold = false, signal } = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<StoryWaited>()
      const waiter = {
        deadline,
        from: clock.now(),
        heardBefore: clock.heard().length,
        untilTold,
        signal,
        resolve,
        reject,
      }
      waiters.add(waiter)
      signal?.addEventListener('abort', () => {
        // While the clock moves, the wait ends with the move.
        if (!isAdvancing) end(waiter)
      })
      release()
      schedule()
      return promise
    },
  }
}

/** How often somebody who waits for the wall looks at it. */
const wallPauseMs = 50
