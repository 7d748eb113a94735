import type { Row } from '@diorama/twin-kit/kernel/table'
import type { ObjectSchema } from '../schema/schema.ts'
import type { Draft, Writing } from './writing.ts'

export interface Deriving {
  readonly writing: Writing
  readonly object: ObjectSchema
  readonly before: Row | undefined
  /** The record as it will be; derived fields are set here. */
  readonly draft: Draft
  /** What the caller asked for; null where a field is to be emptied. */
  readonly given: Draft
}

export interface Following {
  readonly writing: Writing
  readonly object: ObjectSchema
  readonly before: Row | undefined
  readonly after: Row
  readonly given: Draft
  readonly save: Save
}

/** How a rule changes other records, with everything that follows from that in turn. */
export interface Save {
  readonly insert: (object: string, fields: Draft) => string
  readonly change: (object: string, before: Row, fields: Draft) => void
}

/** A record that is about to be deleted, or has just been. */
export interface Removing {
  readonly writing: Writing
  readonly object: ObjectSchema
  readonly row: Row
  readonly save: Save
}

/** What one object does beyond keeping its fields. */
export interface Rules {
  /** Refuses a change that the record's state forbids. */
  readonly guard?: (deriving: Deriving) => void
  /** Sets the fields that follow from others. */
  readonly derive?: (deriving: Deriving) => void
  /** Changes other records once this one is in place. */
  readonly follow?: (following: Following) => void
  /** Refuses a deletion that the record's state or other records forbid. */
  readonly keep?: (removing: Removing) => void
  /** Changes other records once this one is deleted. */
  readonly removed?: (removing: Removing) => void
}
