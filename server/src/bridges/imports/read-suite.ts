import type { FrozenTask, UnaskedPolicy } from '@diorama/contract'

/** A task as it was read, before it is known to the service. */
export interface ReadTask {
  /** What the other tool calls it. */
  readonly name: string
  readonly key: string | null
  readonly title: string
  readonly instruction: string
  readonly expected_outcome: string
  readonly metadata: Record<string, unknown>
  /** The blueprint of its world; null for a task without one. */
  readonly blueprint: Readonly<Record<string, unknown>> | null
  readonly scorers: readonly Pick<FrozenTask['scorers'][number], 'definition' | 'weight' | 'pass_threshold'>[]
}

export interface Refusal {
  readonly name: string
  readonly reason: string
}

/** What an import makes of a file. */
export interface ReadSuite {
  readonly name: string
  readonly description: string
  readonly unasked: UnaskedPolicy
  readonly tasks: readonly ReadTask[]
  readonly refused: readonly Refusal[]
}
