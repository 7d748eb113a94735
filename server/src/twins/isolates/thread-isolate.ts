import { Worker } from 'node:worker_threads'
import { type Isolate, IsolateGone } from './isolate.ts'
import type { Op, Outcome, Results, Sent } from './protocol.ts'
import { TwinNotLoaded } from './runner.ts'
import { threadTimeMs } from './thread-time.ts'

export interface IsolateSettings {
  readonly databaseUrl: string
  /** A module that exports `allTwins`. */
  readonly twinsModule: string
  readonly cacheFolder: string
  /** The heap of one isolate. */
  readonly maxHeapMb: number
  /** How much processor time one op may take. */
  readonly maxOpMs: number
}

export interface IsolateData {
  readonly databaseUrl: string
  readonly twinsModule: string
  readonly cacheFolder: string
  /** The number of the op that is being run, 0 between two; then the number of the thread, 0 where it is unknown. */
  readonly current: Int32Array<SharedArrayBuffer>
}

interface Pending {
  readonly op: Op
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export interface ThreadIsolate extends Isolate {
  readonly ready: Promise<void>
  /** How many ops have no answer yet. */
  readonly pending: number
}

const watchEveryMs = 50
/** An op that uses no processor time may hold the thread for so many times its limit: the machine may be busy. */
const maxStarved = 12
/** Larger bodies are moved to the thread and not copied. */
const movedBytes = 65_536

/** Runs twins in a worker thread with a bounded heap, and ends the thread when one op holds it for too long. */
export const startThreadIsolate = (
  settings: IsolateSettings,
  onGone: (isolate: ThreadIsolate, reason: string, culprit: Op | undefined) => void,
): ThreadIsolate => {
  const current = new Int32Array(new SharedArrayBuffer(8))
  const { databaseUrl, twinsModule, cacheFolder, maxHeapMb, maxOpMs } = settings
  const data: IsolateData = { databaseUrl, twinsModule, cacheFolder, current }
  const worker = new Worker(new URL('./isolate-worker.ts', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    stdout: false,
    stderr: false,
  })
  const pending = new Map<number, Pending>()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined)
  let outbox: Sent[] = []
  let moved: ArrayBuffer[] = []
  let next = 1
  let gone = false

  const end = (reason: string): void => {
    if (gone) return
    gone = true
    clearInterval(watch)
    ready.reject(new Error(reason))
    const culprit = Atomics.load(current, 0)
    void worker.terminate()
    const left = [...pending]
    pending.clear()
    onGone(isolate, reason, left.find(([n]) => n === culprit)?.[1].op)
    for (const [n, { op, reject }] of left) reject(new IsolateGone(reason, op, n === culprit))
  }

  const settle = (outcome: Outcome): void => {
    const waiting = pending.get(outcome.n)
    pending.delete(outcome.n)
    if (!waiting) return
    if ('result' in outcome) waiting.resolve(outcome.result as never)
    else if (outcome.notLoaded) waiting.reject(new TwinNotLoaded(outcome.error))
    else waiting.reject(new Error(outcome.error))
  }
  worker.on('message', (outcomes: 'ready' | readonly Outcome[]) => {
    if (outcomes === 'ready') ready.resolve()
    else for (const outcome of outcomes) settle(outcome)
  })
  worker.on('error', (error) => end(String(error.message)))
  worker.on('exit', () => end('the thread ended'))
  worker.unref()

  let watched = 0
  let since = 0
  let usedBefore: number | undefined
  const processorTime = () => threadTimeMs(Atomics.load(current, 1))
  /**
   * A stuck thread cannot say so: the number of its op stays the same. It is held to processor time, since a request
   * on a busy machine can wait for longer than it runs, and ending it would blame the agent that sent it.
   */
  const watch = setInterval(() => {
    const n = Atomics.load(current, 0)
    if (n === 0 || n !== watched) {
      watched = n
      since = performance.now()
      usedBefore = n === 0 ? undefined : processorTime()
      return
    }
    const heldMs = performance.now() - since
    if (heldMs <= maxOpMs) return
    const used = processorTime()
    const tookMs = used === undefined || usedBefore === undefined ? heldMs : used - usedBefore
    if (tookMs > maxOpMs || heldMs > maxOpMs * maxStarved)
      end(`one request held it for more than ${maxOpMs} ms`)
  }, watchEveryMs)
  watch.unref()

  const send = () => {
    const [batch, transfer] = [outbox, moved]
    outbox = []
    moved = []
    if (!gone) worker.postMessage(batch, transfer)
  }

  const isolate: ThreadIsolate = {
    ready: ready.promise,
    get pending() {
      return pending.size
    },
    run: (op) => {
      if (gone) return Promise.reject(new IsolateGone('the isolate has ended', op, false))
      const n = next++ & 0x3fffffff || next++
      const { promise, resolve, reject } = Promise.withResolvers<never>()
      pending.set(n, { op, resolve, reject })
      // What other sockets deliver in this turn of the event loop travels in the same message.
      if (outbox.length === 0) setImmediate(send)
      outbox.push({ n, op: ownBody(op, moved) })
      return promise as Promise<Results[typeof op.kind]>
    },
    close: async () => {
      gone = true
      clearInterval(watch)
      await worker.terminate()
    },
  }
  return isolate
}

/** A small body shares its memory with others, and all of it would be copied: it is sent in its own memory. */
const ownBody = (op: Op, moved: ArrayBuffer[]): Op => {
  if (op.kind !== 'request' || op.request.body.length === 0) return op
  const body = new Uint8Array(op.request.body)
  if (body.length >= movedBytes) moved.push(body.buffer)
  return { ...op, request: { ...op.request, body } }
}
