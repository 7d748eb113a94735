import type { FailureCause, TrialStep } from '@diorama/contract'

/** An attempt at a trial that says nothing about the agent: it is counted, and run again from a fresh world. */
export class AttemptVoided extends Error {
  override readonly name = 'AttemptVoided'
  readonly blames: Exclude<FailureCause, 'agent'>
  /** What the agent did until then, kept where this was the last attempt. */
  readonly steps: readonly TrialStep[]

  constructor(
    blames: Exclude<FailureCause, 'agent'>,
    message: string,
    options: ErrorOptions & { readonly steps?: readonly TrialStep[] } = {},
  ) {
    super(message, options)
    this.blames = blames
    this.steps = options.steps ?? []
  }
}
