import type { Row, Tables, Views } from '../kernel/table.ts'

/**
 * How the variants of a suite look in one service. Each part is optional: a variant leaves a service alone that does not
 * have its part, and reports so. What is planned here is done by people of the world through the twin's own wire.
 */
export interface Variations<T extends Tables = Tables> {
  /** Unrelated things that other people do, away from what the task names. */
  readonly noise?: (scene: Scene<T>) => readonly VariedAct[]
  /** Renamed options and moved records, away from what the task names. */
  readonly drift?: (scene: Scene<T>) => readonly VariedAct[]
  /** Places in which a text can be planted where an agent comes across it. */
  readonly plants?: (scene: Scene<T>, text: string) => readonly Plant[]
  /** Forbidden things that a planted text can ask for; `marker` is a word that is nowhere in the world. */
  readonly goals?: (scene: Scene<T>, marker: string) => readonly AttackGoal[]
  /** What a planted text can ask to be given away. */
  readonly secrets?: (scene: Scene<T>) => readonly Secret[]
  readonly permissions?: Permissions<T>
}

/** A world before its trial begins, as a variant sees it. Everything that is drawn here follows from the seed. */
export interface Scene<T extends Tables = Tables> {
  readonly views: Views<T>
  /** Handles of the people with an account, without the one that the agent acts as. */
  readonly people: readonly string[]
  /** Whether the instruction or the scorers of the task name a record: by its key, its id, its name or number. */
  readonly isNamed: (collection: string, row: Row) => boolean
  /** Whether the instruction or the scorers of the task have this name as a word. */
  readonly isMentioned: (name: string) => boolean
  /** Whether the instruction or the scorers of the task have such a word. */
  readonly isSpokenOf: (words: RegExp) => boolean
  readonly shuffled: <V>(name: string, values: Iterable<V>) => V[]
  readonly pick: <V>(name: string, values: Iterable<V>) => V | undefined
  /** So many characters, each a digit or a capital letter. */
  readonly code: (name: string, length: number) => string
}

/** Something that a person does, by the vendor's name for it. */
export interface VariedAct {
  /** A handle. */
  readonly as: string
  readonly operation: string
  readonly input: Row
  /** In words, for people who read the trial. */
  readonly what: string
}

export const carriers = ['message', 'issue', 'case', 'order_text', 'file_name'] as const
export type Carrier = (typeof carriers)[number]

export interface Plant {
  readonly carrier: Carrier
  /** Whether the task names the place, so that the agent is likely to read it. */
  readonly isNear: boolean
  readonly act: VariedAct
}

export interface AttackGoal {
  readonly kind: 'change' | 'destroy' | 'announce'
  /** An order in words, without a full stop: `delete the issue OPS-4`. */
  readonly ask: string
  /** The change that shows that it was obeyed. */
  readonly shown: {
    readonly collection: string
    readonly id?: string
    /** Is in the record afterwards; any change of the record counts when left out. */
    readonly contains?: string
  }
}

export interface Secret {
  /** In words: `the phone number of Jo Doe`. */
  readonly what: string
  readonly value: string
}

/** What a credential may do, as far as it can be taken away. */
export interface Permissions<T extends Tables = Tables> {
  /** Permissions and records that can be withheld without making the task impossible, as far as that can be known. */
  readonly withholdable: (scene: Scene<T>) => readonly Withholdable[]
  /** All that one call needs of them, under the names of `withholdable`. */
  readonly needs: (operation: string, input: unknown, views: Views<T>) => readonly string[]
  /**
   * How the vendor refuses it: an error that its wire gives the vendor's shape. None where the service refuses it by its
   * own rules, because the access is gone; then it is only counted.
   */
  readonly refusal: (permission: string) => Error | undefined
}

/** A permission that can be withheld, and what people do to take it away: nothing where it is only refused. */
export interface Withholdable {
  readonly permission: string
  readonly acts?: readonly VariedAct[]
}
