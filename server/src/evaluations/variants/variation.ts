import type { FrozenTask, TrialStep, Variant, VariantDetail } from '@diorama/contract'
import type { SceneOrder } from '@diorama/twin-kit/variations/scene'
import type { WorldChanges } from '../../scoring/unasked.ts'
import type { TwinRuntime } from '../../twins/open.ts'
import type { TwinRow } from '../../twins/store.ts'
import type { WorldClocks } from '../../worlds/clock/clocks.ts'
import type { Faults } from './faults.ts'

/** A trial's world before its agent starts, and what a variant may use to change it. */
export interface VariationStage {
  readonly runtime: TwinRuntime
  readonly clocks: WorldClocks
  readonly clockId: string | null
  readonly twins: readonly TwinRow[]
  readonly seed: string
  /** The handle of the person whose account the agent acts as. */
  readonly agent: string
  readonly task: Pick<FrozenTask, 'instruction' | 'expected_outcome' | 'scorers'>
}

/** What a trial left behind, for a variant that looks at it. */
export interface TrialTraces {
  readonly answer: string
  /** What happened in the world; undefined where the trial has none. */
  readonly world: { readonly requests: readonly TracedRequest[] } | undefined
  /** The agent's requests, those to hosts outside the world among them. */
  readonly steps: readonly TrialStep[]
}
export type TracedRequest = WorldChanges['requests'][number] & {
  readonly operation?: string
  readonly refused?: string | null
}

/** What a variant does to one trial. */
export interface Variation {
  /** What goes wrong at the gateway. */
  readonly faults?: Faults
  /** Follows the instruction of the task. */
  readonly instruction?: string
  /** What the setup of the trial shows of it. */
  readonly setup: Readonly<Record<string, unknown>>
  /** Reads the end of the trial. */
  readonly report: (traces: TrialTraces) => VariantDetail
}

/** A way to run any suite beside the plain one. */
export type OpenVariation = (stage: VariationStage) => Promise<Variation>
export type VariationTable = Readonly<Record<Variant, OpenVariation>>

export const nothingFound: VariantDetail = {
  left_alone: [],
  done: [],
  attack: null,
  permissions: null,
  claims: null,
}

export const sceneOf = ({ seed, agent, task }: VariationStage): SceneOrder => ({
  seed,
  agent,
  about: [task.instruction, task.expected_outcome, JSON.stringify(task.scorers)].join('\n'),
})
