import type { ClockMode, WorldEventBlueprint } from '@diorama/contract/blueprint/moving'
import type { Notice } from '@diorama/twin-kit/kernel/twin'

/** Somebody was addressed in a step. */
export interface Addressed {
  readonly at: number
  readonly service: string
  readonly requestId: string
  /** Whether the world did it on its own. */
  readonly byWorld: boolean
  readonly notice: Notice
}

/** Something that was said to the agent, or done to it, by the world. */
export type Heard = Addressed

/** What a world's clock shows. */
export interface ClockView {
  readonly mode: ClockMode
  readonly now: number
  readonly factor: number
  readonly nextDue: number | undefined
  readonly pending: number
  readonly fired: number
  readonly halted: string | null
}

/** The time of one world, and what happens in it as that passes. */
export interface WorldClock {
  readonly mode: () => ClockMode
  readonly now: () => number
  /** Moves the story on; what comes due on the way happens in order. Resolves when all of it is durable. */
  readonly advance: (move: { to: number }) => Promise<ClockView>
  /** When something next happens on its own. */
  readonly nextDue: () => number | undefined
  readonly view: () => ClockView
  /** Lets what is due by now happen, and resolves when it is durable. */
  readonly settle: () => Promise<ClockView>
  /** What the world has said to the agent so far; kept in trials alone. */
  readonly heard: () => readonly Heard[]
  /** Who was addressed so far, by anybody; kept in trials alone. */
  readonly addressed: () => readonly Addressed[]
  /** Whose account the agent acts as, and when the story began. */
  readonly facts: () => { readonly agent: string; readonly startsAt: number }
}

export interface ClockChange {
  readonly mode?: ClockMode | undefined
  readonly factor?: number | undefined
  readonly requestCost?: string | undefined
}

export interface EventProgress {
  readonly definition: WorldEventBlueprint
  readonly fired: number
  readonly nextAt: number | undefined
}
