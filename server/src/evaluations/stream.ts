import type { StreamMessage } from '../http/handler.ts'
import type { Wake } from '../storage/wake.ts'
import type { EvaluationStore } from './store.ts'
import { jobMoved } from './worker/worker.ts'

const pageSize = 500
/** A look without being woken: a wake-up can be lost, the rows cannot. */
const lookEveryMs = 5_000

/** The progress of an evaluation from a point on; ends after `run_finished`. */
export async function* jobEvents(
  { store, wake }: { store: EvaluationStore; wake: Wake },
  jobId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const bell = openBell(signal)
  const quiet = wake.on(jobMoved, (payload) => {
    if (payload === undefined || payload === jobId) bell.ring()
  })
  let seen = after
  try {
    while (!signal.aborted) {
      const rows = await store.events(jobId, seen, pageSize)
      for (const { seq, type, trial_id, status } of rows) {
        seen = seq
        yield { id: String(seq), event: type, data: { type, trial_id, status } }
        if (type === 'run_finished') return
      }
      if (rows.length < pageSize) await bell.heard(lookEveryMs)
    }
  } finally {
    quiet()
  }
}

/** Remembers a wake-up that came while there was no waiter. */
const openBell = (signal: AbortSignal) => {
  let rung = false
  let wakeUp: (() => void) | undefined
  const ring = () => {
    rung = true
    wakeUp?.()
  }
  signal.addEventListener('abort', ring, { once: true })
  return {
    ring,
    heard: async (atMostMs: number): Promise<void> => {
      if (!rung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, atMostMs)
          timer.unref()
          wakeUp = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      rung = false
      wakeUp = undefined
    },
  }
}
