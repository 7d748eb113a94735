import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import type { Zone } from '../dates.ts'
import type { FieldSchema, ObjectSchema, Schema } from '../schema/schema.ts'
import type { Access } from './access/access.ts'

/** What is left of the work that one request may take. */
export interface Meter {
  left: number
}

/** About what a core does in 50 milliseconds. */
export const maxSteps = 700_000

/** The organization as one request reads it. */
export interface Org {
  /** The schema as the user sees it. */
  readonly schema: Schema
  /** What the user may do; everything, for the service's own work. */
  readonly access: Access
  readonly tables: Readonly<Record<string, TableView>>
  readonly now: number
  readonly userId: string
  readonly zone: Zone
  readonly baseUrl: string
  /** The version of the API that the caller speaks, such as `62.0`. */
  readonly version: string
  /** Whether records in the recycle bin are seen too. */
  readonly withDeleted: boolean
  readonly get: (object: ObjectSchema, id: string) => Row | undefined
  /** The record behind an id of any object. */
  readonly lookup: (id: string) => { object: ObjectSchema; row: Row } | undefined
  readonly rows: (object: ObjectSchema) => Iterable<Row>
  readonly find: (object: ObjectSchema, field: FieldSchema, value: string | number) => Iterable<Row>
  readonly count: (object: ObjectSchema, field: FieldSchema, value: string | number) => number
  /** How a field's value is read from a row: stored, or worked out from other records. */
  readonly read: (object: ObjectSchema, field: FieldSchema) => (row: Row) => unknown
  readonly object: (name: string) => ObjectSchema
  /** Counts steps of work; a query that needs too many is refused, so that it never holds up the others. */
  readonly spend: (steps: number) => void
}
