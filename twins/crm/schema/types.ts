import type { Formula } from '../formula/parse.ts'
import type { RollUp, ValidationRule } from './customization.ts'

/** One field as describe, query and write all read it. */
export interface FieldSchema {
  readonly name: string
  readonly type: string
  readonly label: string
  readonly length: number
  readonly createable: boolean
  readonly updateable: boolean
  readonly nillable: boolean
  readonly filterable: boolean
  readonly sortable: boolean
  readonly groupable: boolean
  readonly aggregatable: boolean
  readonly nameField: boolean
  readonly idLookup: boolean
  readonly defaultedOnCreate: boolean
  readonly restricted: boolean
  readonly polymorphic: boolean
  readonly autoNumber: boolean
  readonly externalId: boolean
  readonly unique: boolean
  readonly custom: boolean
  readonly picklist: readonly string[]
  readonly defaultValue: string | null
  readonly referenceTo: readonly string[]
  readonly relationshipName: string | null
  readonly precision: number
  readonly scale: number
  readonly digits: number
  readonly compound: string | null
  readonly info: string | null
  /** Computed on reading, from the record's own fields and its parents'. */
  readonly formula?: { readonly text: string; readonly parsed: Formula }
  /** Computed on reading, from the record's children. */
  readonly rollUp?: RollUp
  /** How an automatic number is written, such as `ISS-{0000}`. */
  readonly displayFormat?: string
}

export interface ChildRelationship {
  readonly object: string
  readonly field: string
  readonly name: string
  readonly cascade: boolean
}

export interface ObjectSchema {
  readonly name: string
  readonly label: string
  readonly plural: string
  readonly prefix: string | null
  readonly custom: boolean
  readonly createable: boolean
  readonly updateable: boolean
  readonly deletable: boolean
  readonly queryable: boolean
  readonly retrieveable: boolean
  readonly searchable: boolean
  readonly undeletable: boolean
  readonly mergeable: boolean
  readonly replicateable: boolean
  readonly triggerable: boolean
  readonly fields: readonly FieldSchema[]
  readonly children: readonly ChildRelationship[]
  /** Case is of no account in names. */
  readonly field: (name: string) => FieldSchema | undefined
  /** The reference field behind a parent relationship's name. */
  readonly parent: (relationship: string) => FieldSchema | undefined
  readonly child: (relationship: string) => ChildRelationship | undefined
  readonly nameField: FieldSchema | undefined
  readonly recordTypes: readonly RecordTypeSchema[]
}

export interface RecordTypeSchema {
  readonly name: string
  readonly label: string
  readonly isDefault: boolean
}

/** Everything an organization's metadata says. */
export interface Schema {
  readonly objects: readonly ObjectSchema[]
  readonly object: (name: string) => ObjectSchema | undefined
  readonly withPrefix: (prefix: string) => readonly ObjectSchema[]
  /** Child relationships of any object whose child is the given one: who points at what. */
  readonly rules: readonly ValidationRule[]
}

/** The metadata of an organization, found by its tables: each may have its own custom objects and fields. */
export type SchemaIn = (tables: Readonly<Record<string, { get: (key: string) => unknown }>>) => Schema

/**
 * Objects that have metadata but no stored rows: theirs are computed from the schema. Subscribers of the event bus are
 * triggers, processes and flows, of which the twin runs none.
 */
export const computedObjects: readonly string[] = [
  'EntityDefinition',
  'FieldDefinition',
  'UserRecordAccess',
  'EventBusSubscriber',
]
/** The face that a polymorphic parent shows; it cannot be queried. */
export const nameObject = 'Name'
