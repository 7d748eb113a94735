import type { Heartbeat } from '../../../deliveries/sockets/heartbeat.ts'

/**
 * The heartbeats of an agent's sockets. Clients watch the other end by timers, so after a step of the story the agent
 * would hold a socket for dead: before its timers run, it hears of the other end at the new time.
 */
export interface SocketHearts {
  readonly add: (heartbeat: Heartbeat) => void
  /** The agent's clock has moved to this time, and its timers have not run yet. */
  readonly beat: (at: number) => Promise<void>
  /** How long a step may be that does not make the agent hold a socket for dead, as far as is known. */
  readonly maxStepMs: () => number
}

/** No client holds a socket for dead that is silent for so long. */
const shortStepMs = 2_000
/** Of sockets that are lost without a consequence: on a busy machine, an answer can be late. */
const maxForgiven = 1
/** After a step by which another socket was lost, the next ones are shorter by this factor. */
const shorterBy = 2
/** In short steps a heartbeat is due as often as services send one. */
const beatEveryMs = 10_000

export const createSocketHearts = (): SocketHearts => {
  const hearts = new Set<Heartbeat>()
  let maxStepMs = Infinity
  let lastStepMs = 0
  let lost = 0
  let lastAt: number | undefined
  let beatAt = 0
  const lose = () => {
    if (lastStepMs <= shortStepMs) return
    lost++
    if (lost > maxForgiven) maxStepMs = Math.min(maxStepMs, lastStepMs / shorterBy)
  }
  return {
    add: (heartbeat) => {
      hearts.add(heartbeat)
      heartbeat.onEnded(() => {
        hearts.delete(heartbeat)
        lose()
      })
    },
    maxStepMs: () => maxStepMs,
    beat: async (at) => {
      const movedMs = at - (lastAt ?? at)
      lastAt = at
      lastStepMs = movedMs
      if (hearts.size === 0 || (movedMs <= shortStepMs && at - beatAt < beatEveryMs)) return
      beatAt = at
      await Promise.all([...hearts].map((heart) => heart.beat(at)))
    },
  }
}
