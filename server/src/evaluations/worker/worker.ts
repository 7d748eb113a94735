import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'
import type { EvaluationStore, TrialRow } from '../store.ts'

/** Sent when there may be trials to run. */
export const trialsWaiting = 'trials'
/** Sent with a job's id when something happened in it. */
export const jobMoved = 'job'

const leaseMs = 30_000
const renewEveryMs = 5_000
const lookEveryMs = 2_000
const mostAttempts = 3

export interface WorkerParts {
  readonly store: EvaluationStore
  readonly wake: Wake
  readonly holder: string
  readonly slots: number
  readonly log: Log
  /** Runs one trial and stores its outcome; what it throws is the platform's failure. */
  readonly run: (trial: TrialRow, signal: AbortSignal) => Promise<void>
  /** Stores that the platform failed for good. */
  readonly giveUp: (trial: TrialRow, error: unknown) => Promise<void>
}

interface Running {
  readonly trial: TrialRow
  readonly abort: AbortController
  readonly done: Promise<void>
}

/**
 * Leases trials and runs them, as many at once as it has slots. A lease is renewed while the trial runs; a trial whose
 * lease is lost is dropped here, since another worker has begun it anew from a fresh copy of the world.
 */
export const openWorker = ({ store, wake, holder, slots, log, run, giveUp }: WorkerParts) => {
  const running = new Map<string, Running>()
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  const begin = (trial: TrialRow) => {
    const abort = new AbortController()
    const done = work(trial, abort.signal).finally(() => {
      running.delete(trial.id)
      look()
    })
    running.set(trial.id, { trial, abort, done })
  }

  const tell = (jobId: string) => {
    wake.send(jobMoved, jobId).catch((error) => log.warn({ error }, 'A run could not be announced.'))
  }

  const work = async (trial: TrialRow, signal: AbortSignal): Promise<void> => {
    try {
      await run(trial, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ trial: trial.id, attempt: trial.attempt, error }, 'A trial failed on our side.')
      const over = trial.attempt >= mostAttempts
      await (over ? giveUp(trial, error) : store.finish(trial, holder, { status: 'queued' })).catch((cause) =>
        log.error(
          { trial: trial.id, error: cause },
          'A trial could not be put back; its lease will run out.',
        ),
      )
    } finally {
      tell(trial.job_id)
    }
  }

  const claim = async () => {
    do {
      again = false
      const free = slots - running.size
      if (free <= 0 || stopped) return
      const claimed = await store.claim(holder, free, leaseMs)
      for (const trial of claimed) begin(trial)
      for (const jobId of new Set(claimed.map(({ job_id }) => job_id))) tell(jobId)
    } while (again)
  }

  /** One look at a time; a call during a look makes it look once more. */
  const look = () => {
    if (stopped) return
    again = true
    looking ??= claim()
      .catch((error) => log.error({ error }, 'Looking for trials failed.'))
      .finally(() => {
        looking = undefined
        if (again && running.size < slots) look()
      })
  }

  /** Drops what was asked for and is no longer held; a trial that began meanwhile was not asked for. */
  const renew = async () => {
    const asked = [...running.values()]
    const held = await store.renew(
      holder,
      asked.map(({ trial }) => ({ id: trial.id, attempt: trial.attempt })),
      leaseMs,
    )
    for (const { trial, abort } of asked)
      if (!held.has(trial.id)) abort.abort(new Error('the lease was lost'))
  }

  const timers = [
    setInterval(look, lookEveryMs),
    setInterval(
      () => renew().catch((error) => log.error({ error }, 'Renewing leases failed.')),
      renewEveryMs,
    ),
  ]
  for (const timer of timers) timer.unref()
  const quiet = wake.on(trialsWaiting, look)
  look()

  return {
    get running() {
      return running.size
    },
    /** Takes no new trial, and gives back those that run: they begin anew elsewhere, or here after the next start. */
    close: async (): Promise<void> => {
      stopped = true
      quiet()
      for (const timer of timers) clearInterval(timer)
      await looking
      const left = [...running.values()]
      for (const { abort } of left) abort.abort(new Error('the service stops'))
      await Promise.allSettled(left.map(({ done }) => done))
      for (const { trial } of left) await store.finish(trial, holder, { status: 'queued' })
    },
  }
}
export type Worker = ReturnType<typeof openWorker>
