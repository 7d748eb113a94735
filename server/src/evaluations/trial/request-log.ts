import type { TrialStep } from '@diorama/contract'

/**
 * How much one trial may ask of its world. Every request within it is kept and shown to scorers; an agent that goes
 * beyond it is stopped, and the trial fails for that reason.
 */
export interface TrialBudget {
  readonly maxRequests: number
  readonly maxRequestBytes: number
}
export const maxTrialRequestBytes = 128 * 1_048_576

/** Why the agent was stopped before it ended. */
export interface Stopped {
  readonly by: 'agent' | 'budget' | 'platform'
  readonly reason: string
  /** Another attempt would end the same way. */
  readonly isFinal?: boolean
}

/** The requests of one trial, counted against its budget. */
export interface RequestLog {
  /** Counts a request; false when the budget is spent, and then the agent is stopped. */
  admit(bytes: number): boolean
  add(step: TrialStep): void
  /** Stops the agent; the first reason counts. */
  stop(stopped: Stopped): void
  /** Notes how an exchange with a host outside the world ended. */
  exchanged(host: string, failure: string | undefined): void
  readonly steps: readonly TrialStep[]
  readonly stopped: Stopped | undefined
  /** Aborted when the agent must be stopped. */
  readonly signal: AbortSignal
  /** The last exchange with one of the hosts outside, where it failed on their side. */
  readonly outsideFailure: string | undefined
}

export const createRequestLog = (budget: TrialBudget): RequestLog => {
  const steps: TrialStep[] = []
  const abort = new AbortController()
  const outside = new Map<string, string | undefined>()
  let requests = 0
  let bytes = 0
  let stopped: Stopped | undefined

  const stop = (why: Stopped) => {
    stopped ??= why
    abort.abort(new Error(why.reason))
  }
  return {
    admit: (size) => {
      requests++
      bytes += size
      if (requests > budget.maxRequests)
        stop({
          by: 'agent',
          reason: `The agent made more than ${budget.maxRequests} requests, which is the budget of a trial.`,
        })
      else if (bytes > budget.maxRequestBytes)
        stop({
          by: 'agent',
          reason: `The agent sent more than ${budget.maxRequestBytes / 1_048_576} MiB to the services, which is the budget of a trial.`,
        })
      return stopped === undefined
    },
    add: (step) => {
      if (steps.length < budget.maxRequests) steps.push(step)
    },
    stop,
    exchanged: (host, failure) => {
      outside.set(host, failure)
    },
    steps,
    get stopped() {
      return stopped
    },
    signal: abort.signal,
    get outsideFailure() {
      return [...outside.values()].find((failure) => failure !== undefined)
    },
  }
}
