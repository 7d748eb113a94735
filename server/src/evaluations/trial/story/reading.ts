import type { Heard, WorldClock } from '../../../worlds/clock/world-clock.ts'
import type { RequestLog } from '../request-log.ts'
import { waitStep } from './story-programs.ts'
import type { StoryWaited } from './story-wait.ts'

/** A wait of the agent, by the story's time in milliseconds. */
export interface RecordedWait {
  readonly from: number
  readonly to: number
  readonly by: 'endpoint' | 'preload'
}

/** What the agent can have read so far, and when it waited. */
export interface Reading {
  readonly waits: () => readonly RecordedWait[]
  readonly waited: (wait: StoryWaited, by: 'endpoint' | 'preload') => void
  /** The agent asks a service for something, and may read what has happened by now. */
  readonly asks: () => void
  /** What the world has said to the agent and the agent cannot have read. */
  readonly unread: () => Promise<readonly Heard[]>
  /** Marks what was passed to the agent with a turn as read. */
  readonly told: (told: readonly Heard[]) => void
}

export interface ReadingDeps {
  readonly clock: WorldClock | undefined
  readonly log: Pick<RequestLog, 'add'>
  readonly maxRequests: number
  readonly now: () => number
}

export const followReading = ({ clock, log, maxRequests, now }: ReadingDeps): Reading => {
  const waits: RecordedWait[] = []
  let readUntil = Number.NEGATIVE_INFINITY
  return {
    waits: () => waits,
    waited: (wait, by) => {
      // A wait by the endpoint is answered with what was said meanwhile.
      if (by === 'endpoint') readUntil = wait.to
      log.add(waitStep(wait, by, now()))
      if (waits.length < maxRequests) waits.push({ from: wait.from, to: wait.to, by })
    },
    asks: () => {
      if (clock) readUntil = Math.max(readUntil, clock.now())
    },
    unread: async () => {
      await clock?.settle()
      return (clock?.heard() ?? []).filter(({ at }) => at > readUntil)
    },
    told: (told) => {
      readUntil = Math.max(readUntil, ...told.map(({ at }) => at))
    },
  }
}
