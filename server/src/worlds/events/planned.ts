import type { Notice } from '@diorama/twin-kit/kernel/twin'
import type { ShownChange } from '../../twins/isolates/inspect.ts'
import type { Due } from '../clock/order/agenda.ts'
import type { ServiceAction } from '../clock/script.ts'

/** Something that the world is going to do on its own. */
export interface Planned extends Due {
  /** Unique in one life of the world. */
  readonly name: string
  /** As it is recorded with the steps: the event. */
  readonly cause: string
  /** How many things that happened on their own led to this one. */
  readonly depth: number
  readonly actions: readonly ServiceAction[]
  /** The event that this is an occurrence of. */
  readonly event?: string
  /** Whose answer this is, and what they remember of it. */
  readonly coworker?: { readonly person: string; readonly marks: readonly string[] }
  /** What a model is to put into words. */
  readonly speech?: Speech
}

/** Something that a person says in words of a model. */
export interface Speech {
  readonly person: string
  readonly name: string
  readonly title: string
  readonly manner: string
  readonly model: { readonly provider: string; readonly id: string }
  /** What was said before, one line each. */
  readonly conversation: readonly string[]
  /** What the person has decided to say. */
  readonly says: readonly string[]
}

/** Puts what somebody says into words. */
export type Speak = (speech: Speech) => Promise<string>

/** A step, as the events of the world see it. */
export interface SeenStep {
  readonly service: string
  readonly operation: string
  /** The handle of the actor, or `integration`. */
  readonly subject: string | undefined
  readonly failed: boolean
  readonly cause: string | null
  readonly depth: number
  readonly at: number
  readonly notices: readonly Notice[]
  readonly shown: readonly ShownChange[]
}

/** What a step sets in motion; kept with the step, so that it is durable with it. */
export interface SetInMotion {
  readonly planned: readonly Planned[]
  /** Events whose planned occurrence is given up for the new one. */
  readonly replaces: readonly string[]
}
