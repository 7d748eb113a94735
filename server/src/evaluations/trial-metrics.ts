import type { Metrics } from '../http/metrics.ts'
import type { EvaluationStore } from './store.ts'
import { type Backlog, readBacklog } from './worker/backlog.ts'
import type { Worker } from './worker/worker.ts'

/** The backlog is that of all nodes, and anybody may read the metrics: they share one look for a second. */
const sharedMs = 1_000

export interface TrialMetricsDeps {
  readonly metrics: Metrics
  readonly store: EvaluationStore
  readonly now: () => number
  /** Runs trials in this process, once it was started. */
  readonly worker: () => Pick<Worker, 'running'> | undefined
  readonly slots: number
}

export const showTrials = ({ metrics, store, now, worker, slots }: TrialMetricsDeps): void => {
  let last: { at: number; backlog: Promise<Backlog> } | undefined
  const backlog = (): Promise<Backlog> => {
    if (!last || now() - last.at >= sharedMs) last = { at: now(), backlog: readBacklog(store.db) }
    return last.backlog
  }
  metrics.gauge('trials_queued', 'Trials of all nodes that wait for a worker.', async () => {
    const { queued } = await backlog()
    return queued
  })
  metrics.gauge(
    'trials_wanted',
    'Trials of all nodes that wait or run, within the concurrency of their evaluations: what workers are scaled by.',
    async () => {
      const { wanted } = await backlog()
      return wanted
    },
  )
  metrics.gauge('trials_running', 'Trials that this process runs.', () => worker()?.running ?? 0)
  metrics.gauge(
    'trial_slots',
    'Trials that this process can run at the same time; 0 without the role.',
    () => (worker() ? slots : 0),
  )
}

/** The same store, which counts how attempts at trials end in this process. */
export const countOutcomes = (store: EvaluationStore, metrics: Metrics): EvaluationStore => {
  const ended = metrics.counter(
    'trial_attempts_total',
    'Attempts at trials that ended in this process: passed, failed, errored, cancelled, voided (a fault that says ' +
      'nothing about the agent; tried again) or returned (to the queue, at the end of the process).',
    ['outcome'],
  )
  for (const outcome of outcomes) ended.inc({ outcome }, 0)
  return {
    ...store,
    finish: async (trial, holder, outcome) => {
      const finished = await store.finish(trial, holder, outcome)
      if (finished !== 'lost') ended.inc({ outcome: outcomeOf(outcome) })
      return finished
    },
  }
}

const outcomes = ['passed', 'failed', 'errored', 'cancelled', 'voided', 'returned'] as const

type Ended = Parameters<EvaluationStore['finish']>[2]

const outcomeOf = ({ status, passed, voided }: Ended): (typeof outcomes)[number] => {
  if (status === 'queued') return voided ? 'voided' : 'returned'
  if (status === 'errored' || status === 'cancelled') return status
  return passed === true ? 'passed' : 'failed'
}
