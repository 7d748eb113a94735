import { Histogram, type Registry } from 'prom-client'

const everyMs = 10
/** A turn of 50 ms may be seen as one of 60. */
const buckets = [0.02, 0.06, 0.1, 0.25, 0.5, 1, 5]

/**
 * Measures how long turns of the event loop are, in processor time, so that a busy machine beside us does not count: a
 * timer that is always due soon notes what its thread has used since the timer last ran. A turn is seen as too long by
 * at most the timer's interval.
 */
export const watchLoopTurns = (registry: Registry): void => {
  const turns = new Histogram({
    name: 'diorama_event_loop_turn_seconds',
    help: 'Processor time between two looks at the event loop, which are due every 10 ms.',
    buckets,
    registers: [registry],
  })
  let last = threadMicroseconds()
  const look = (): void => {
    const now = threadMicroseconds()
    turns.observe((now - last) / 1e6)
    last = now
  }
  setInterval(look, everyMs).unref()
}

const threadMicroseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
