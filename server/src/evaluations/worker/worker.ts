import type { Log } from '../../storage/log.ts'
import type { Wake } from '../../storage/wake.ts'
import type { EvaluationStore, TrialRow } from '../store.ts'
import type { WorkerHealth } from './worker-health.ts'

/** Sent when there may be trials to run. */
export const trialsWaiting = 'trials'
/** Sent with an evaluation's id when something happened in it. */
export const jobMoved = 'job'

const leaseMs = 30_000
const renewEveryMs = 5_000
const pollEveryMs = 2_000
/** Attempts that a trial gets in all: a crash of the service counts, since it may be the trial that crashes it. */
const maxAttempts = 5
/** After this many attempts a failure on our side is final. */
const maxFailures = 3

export interface WorkerDeps {
  readonly store: EvaluationStore
  readonly wake: Wake
  readonly holder: string
  readonly slots: number
  readonly health: Pick<WorkerHealth, 'isFit' | 'doubt'>
  readonly log: Log
  /** Runs one trial and stores its outcome; what it throws is the platform's failure. */
  readonly run: (trial: TrialRow, signal: AbortSignal) => Promise<void>
  /** Stores that an attempt failed on our side: the trial is queued again, or ended where `final`. */
  readonly failed: (trial: TrialRow, error: unknown, final: boolean) => Promise<unknown>
}

export interface Worker {
  readonly running: number
  /** Takes no new trial and returns those that run to the queue: they start again elsewhere, or after the next start. */
  close(): Promise<void>
}

interface Running {
  readonly trial: TrialRow
  readonly abort: AbortController
  readonly done: Promise<void>
}

/** Whether a failed attempt is the last one. */
export const isFinalAttempt = ({ attempt }: Pick<TrialRow, 'attempt'>): boolean => attempt >= maxFailures

/**
 * Leases trials and runs them, as many at once as it has slots. A lease is renewed while the trial runs; a trial whose
 * lease is lost is dropped here, since another worker has started it again from a fresh copy of the world.
 */
export const openWorker = ({ store, wake, holder, slots, health, log, run, failed }: WorkerDeps): Worker => {
  // One entry an attempt, not a trial: the next attempt may be claimed here before this one is taken out.
  const running = new Set<Running>()
  let stopped = false
  let polling: Promise<void> | undefined
  let again = false

  const begin = (trial: TrialRow) => {
    const abort = new AbortController()
    const entry = { trial, abort, done: work(trial, abort.signal).finally(() => finished()) }
    const finished = () => {
      running.delete(entry)
      poll()
    }
    running.add(entry)
  }

  const announce = (jobId: string) => {
    wake
      .send(jobMoved, jobId)
      .catch((error) => log.warn({ event: 'run.announce_failed', error }, 'An evaluation was not announced.'))
  }

  const work = async (trial: TrialRow, signal: AbortSignal): Promise<void> => {
    try {
      await run(trial, signal)
    } catch (error) {
      if (signal.aborted) return
      health.doubt()
      const facts = { trial: trial.id, attempt: trial.attempt }
      log.warn({ event: 'trial.failed', ...facts, error }, 'A trial failed on our side.')
      await failed(trial, error, isFinalAttempt(trial)).catch((cause) =>
        log.error({ event: 'trial.stuck', ...facts, error: cause }, 'A trial waits for its lease to expire.'),
      )
    } finally {
      announce(trial.job_id)
    }
  }

  const claim = async () => {
    do {
      again = false
      const free = slots - running.size
      if (free <= 0 || stopped) return
      const limits = { maxTrials: free, leaseMs, maxAttempts }
      const claimed = await store.claim(holder, limits, health.isFit)
      for (const trial of claimed) begin(trial)
      for (const jobId of new Set(claimed.map(({ job_id }) => job_id))) announce(jobId)
    } while (again)
  }

  /** One poll at a time; a call during a poll makes it poll once more. */
  const poll = () => {
    if (stopped) return
    again = true
    polling ??= claim()
      .catch((error) => log.error({ event: 'trials.poll_failed', error }, 'Polling for trials failed.'))
      .finally(() => {
        polling = undefined
        if (again && running.size < slots) poll()
      })
  }

  const renew = async () => {
    const asked = [...running]
    const lost = await store.renew(
      holder,
      asked.map(({ trial }) => ({ id: trial.id, attempt: trial.attempt })),
      leaseMs,
    )
    for (const { trial, abort } of asked)
      if (lost.some(({ id, attempt }) => id === trial.id && attempt === trial.attempt))
        abort.abort(new Error('the lease was lost'))
  }

  const timers = [
    setInterval(poll, pollEveryMs),
    setInterval(
      () =>
        renew().catch((error) =>
          log.error({ event: 'leases.renew_failed', error }, 'Renewing leases failed.'),
        ),
      renewEveryMs,
    ),
  ]
  for (const timer of timers) timer.unref()
  const unsubscribe = wake.on(trialsWaiting, poll)
  poll()

  return {
    get running() {
      return running.size
    },
    close: async (): Promise<void> => {
      stopped = true
      unsubscribe()
      for (const timer of timers) clearInterval(timer)
      await polling
      const left = [...running]
      for (const { abort } of left) abort.abort(new Error('the service stops'))
      await Promise.allSettled(left.map(({ done }) => done))
      for (const { trial } of left) await store.finish(trial, holder, { status: 'queued' })
    },
  }
}
