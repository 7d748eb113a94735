import type { Delivery } from '../delivery.ts'
import { createPacing } from './pacing.ts'

/** The deliveries of one receiver by one channel: first attempts start in order, so many at once. */
interface ReceiverQueue {
  readonly key: string
  readonly twinId: string
  readonly concurrency: number
  waiting: Delivery[]
  running: number
  /** Whether it is in the queue of receivers that may start. */
  isListed: boolean
  /** Set while it waits for its turn as a receiver that keeps failing. */
  pause: NodeJS.Timeout | undefined
}

export interface Queues {
  readonly add: (delivery: Delivery, concurrency: number) => void
  /** How many deliveries of a twin wait or run. */
  readonly sizeOf: (twinId: string) => number
  readonly size: number
  readonly running: number
  /** Forgets what waits of a twin; what runs ends on its own. */
  readonly forget: (twinId: string) => readonly Delivery[]
  /** Resolves when nothing runs. */
  readonly idle: () => Promise<void>
}

/** What came of an attempt: the receiver took it, it did not, or none was made. */
export type RunResult = 'accepted' | 'failed' | 'not made'

export interface QueueDeps {
  readonly maxRunning: number
  readonly maxRunningOfOrganization: number
  /** Between two attempts to a receiver that keeps failing. */
  readonly minFailingIntervalMs: number
  /** Never rejects. */
  readonly run: (delivery: Delivery) => Promise<RunResult>
  /** In milliseconds, by a clock that never jumps. */
  readonly now: () => number
}

/**
 * Queues with bounded concurrency: of one receiver, of one organization and of all together. Receivers take turns, so
 * that one with a long queue holds up no one else, and one that keeps failing gets its attempts at a low rate.
 */
export const createQueues = (deps: QueueDeps): Queues => {
  const { maxRunning, maxRunningOfOrganization, run, now } = deps
  const queues = new Map<string, ReceiverQueue>()
  const counts = createCounts()
  const ofOrganizations = createCounts()
  let line: ReceiverQueue[] = []
  let running = 0
  const pacing = createPacing(deps.minFailingIntervalMs, now)
  let onIdle: (() => void)[] = []

  const enlist = (queue: ReceiverQueue): void => {
    if (queue.isListed || queue.pause || queue.waiting.length === 0) return
    if (queue.running >= queue.concurrency) return
    const pauseMs = pacing.readyAt(queue.key) - now()
    if (pauseMs > 0) {
      queue.pause = setTimeout(() => resume(queue), pauseMs).unref()
      return
    }
    queue.isListed = true
    line.push(queue)
  }

  const resume = (queue: ReceiverQueue): void => {
    queue.pause = undefined
    enlist(queue)
    advance()
  }

  const start = (queue: ReceiverQueue, delivery: Delivery): void => {
    pacing.started(queue.key)
    queue.running++
    running++
    ofOrganizations.add(delivery.organizationId, 1)
    void run(delivery).then((result) => {
      if (result !== 'not made') pacing.ended(queue.key, result === 'accepted')
      queue.running--
      running--
      ofOrganizations.add(delivery.organizationId, -1)
      counts.add(delivery.twinId, -1)
      if (queue.running === 0 && queue.waiting.length === 0) queues.delete(queue.key)
      enlist(queue)
      advance()
      if (running > 0) return
      for (const resolve of onIdle) resolve()
      onIdle = []
    })
  }

  const advance = (): void => {
    const passed: ReceiverQueue[] = []
    while (running < maxRunning && line.length > 0) {
      const queue = line.shift()
      if (!queue) break
      queue.isListed = false
      const [next] = queue.waiting
      if (!next) continue
      if (ofOrganizations.of(next.organizationId) >= maxRunningOfOrganization) {
        queue.isListed = true
        passed.push(queue)
        continue
      }
      queue.waiting.shift()
      start(queue, next)
      enlist(queue)
    }
    line = [...passed, ...line]
  }

  return {
    add: (delivery, concurrency) => {
      const key = keyOf(delivery)
      const queue = queues.get(key) ?? {
        ...{ key, twinId: delivery.twinId, concurrency, waiting: [], running: 0 },
        isListed: false,
        pause: undefined,
      }
      queues.set(key, queue)
      queue.waiting.push(delivery)
      counts.add(delivery.twinId, 1)
      enlist(queue)
      advance()
    },
    sizeOf: counts.of,
    get size() {
      return counts.total
    },
    get running() {
      return running
    },
    forget: (twinId) => {
      const forgotten: Delivery[] = []
      for (const [key, queue] of queues) {
        if (queue.twinId !== twinId) continue
        forgotten.push(...queue.waiting)
        counts.add(twinId, -queue.waiting.length)
        queue.waiting = []
        clearTimeout(queue.pause)
        queue.pause = undefined
        if (queue.running === 0) queues.delete(key)
      }
      return forgotten
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  }
}

const keyOf = ({ twinId, emission }: Delivery): string =>
  `${twinId} ${emission.channel} ${emission.receiver} ${emission.url ?? ''}`

/** Counts by name; a name whose count is 0 takes no room. */
const createCounts = () => {
  const counts = new Map<string, number>()
  let total = 0
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    get total() {
      return total
    },
    add: (name: string, step: number): void => {
      total += step
      const count = (counts.get(name) ?? 0) + step
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
  }
}
