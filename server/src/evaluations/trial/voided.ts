import type { FailureCause, TrialStep } from '@diorama/contract'

/** Whose fault leaves a trial without a verdict. */
export type VoidingCause = Exclude<FailureCause, 'agent' | 'budget'>

/** An attempt at a trial that says nothing about the agent: it is counted, and run again from a fresh world. */
export class AttemptVoided extends Error {
  override readonly name = 'AttemptVoided'
  readonly blames: VoidingCause
  /** Another attempt would end the same way. */
  readonly isFinal: boolean
  /** What the agent did until then, kept where this was the last attempt. */
  readonly steps: readonly TrialStep[]

  constructor(
    blames: VoidingCause,
    message: string,
    options: ErrorOptions & { readonly steps?: readonly TrialStep[]; readonly isFinal?: boolean } = {},
  ) {
    super(message, options)
    this.blames = blames
    this.steps = options.steps ?? []
    this.isFinal = options.isFinal ?? false
  }
}
