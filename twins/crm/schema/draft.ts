import type { ChildRelationship, FieldSchema, RecordTypeSchema } from './types.ts'

/** An object on its way to its schema. */
export interface Draft {
  readonly name: string
  readonly label: string
  readonly plural: string
  readonly prefix: string | null
  readonly flags: string
  readonly fields: FieldSchema[]
  readonly children: ChildRelationship[]
  readonly recordTypes: RecordTypeSchema[]
}
