import type { FrozenTask, TaskContainer, UnaskedPolicy } from '@diorama/contract'

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
  /** Of a task that runs in its own container. */
  readonly container?: ReadContainer
  readonly scorers: readonly Pick<FrozenTask['scorers'][number], 'definition' | 'weight' | 'pass_threshold'>[]
}

/** A container with the files of its verifier, which are not stored yet. */
export interface ReadContainer extends Omit<TaskContainer, 'verifier'> {
  readonly verifier: Omit<TaskContainer['verifier'], 'tests_sha256'> & {
    /** By their path in /tests; null where the image has them. */
    readonly tests: ReadonlyMap<string, string | Uint8Array> | null
  }
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
