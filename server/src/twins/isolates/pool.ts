import type { Log } from '../../storage/log.ts'
import type { Isolate } from './isolate.ts'
import type { Op } from './protocol.ts'
import { type IsolateSettings, startThreadIsolate, type ThreadIsolate } from './thread-isolate.ts'

/** The isolates of this process. */
export interface IsolatePool {
  /** Where a twin is to be run from now on: in the isolate with the fewest twins. */
  readonly choose: () => Promise<Isolate>
  /** Resolves when there is an isolate that can run twins. */
  readonly ready: () => Promise<void>
  /** Counts a twin in, or out. */
  readonly count: (isolate: Isolate, step: 1 | -1) => void
  readonly size: number
  readonly restarts: number
  readonly close: () => Promise<void>
}

export interface ThreadPoolDeps {
  readonly settings: IsolateSettings
  readonly size: number
  readonly log: Log
  /** The twins of this isolate are gone from memory; what they recorded is in the ledger or on its way to it. */
  readonly onGone: (isolate: Isolate, culprit: Op | undefined) => void
}

/** A pool of worker threads. One that ends is replaced at once; its twins are restored wherever there is room. */
export const openThreadPool = ({ settings, size, log, onGone }: ThreadPoolDeps): IsolatePool => {
  const twins = new Map<Isolate, number>()
  let isolates: ThreadIsolate[] = []
  let restarts = 0
  let closed = false

  const gone = (isolate: ThreadIsolate, reason: string, culprit: Op | undefined): void => {
    if (closed) return
    restarts++
    const twinId = culprit && 'twinId' in culprit ? culprit.twinId : undefined
    log.error(
      { event: 'isolate.ended', reason, twin: twinId, op: culprit?.kind, twins: twins.get(isolate) ?? 0 },
      'An isolate ended; its twins are restored elsewhere.',
    )
    twins.delete(isolate)
    isolates = isolates.filter((other) => other !== isolate)
    isolates.push(start())
    onGone(isolate, culprit)
  }
  const start = (): ThreadIsolate => {
    const isolate = startThreadIsolate(settings, gone)
    twins.set(isolate, 0)
    isolate.ready.then(
      () => ready.add(isolate),
      () => undefined,
    )
    return isolate
  }
  const ready = new WeakSet<Isolate>()
  isolates = Array.from({ length: size }, start)

  const leastLoaded = (among: readonly ThreadIsolate[]): ThreadIsolate | undefined =>
    among.toSorted((a, b) => (twins.get(a) ?? 0) - (twins.get(b) ?? 0))[0]

  return {
    choose: async () => {
      const now = leastLoaded(isolates.filter((isolate) => ready.has(isolate)))
      if (now) return now
      return Promise.any(isolates.map((isolate) => isolate.ready.then(() => isolate)))
    },
    ready: async () => {
      await Promise.any(isolates.map((isolate) => isolate.ready))
    },
    count: (isolate, step) => {
      const there = twins.get(isolate)
      if (there !== undefined) twins.set(isolate, there + step)
    },
    get size() {
      return isolates.length
    },
    get restarts() {
      return restarts
    },
    close: async () => {
      closed = true
      await Promise.all(isolates.map((isolate) => isolate.close()))
    },
  }
}

/** One isolate in this thread. */
export const inlinePool = (isolate: Isolate): IsolatePool => ({
  choose: async () => isolate,
  ready: async () => {},
  count: () => {},
  size: 0,
  restarts: 0,
  close: () => isolate.close(),
})
