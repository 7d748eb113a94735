import type { Row, TableView } from '../../kernel/table.ts'
import type { Zone } from '../dates.ts'
import type { FieldSchema, ObjectSchema, Schema } from '../schema/schema.ts'

/** The organization as one request reads it. */
export interface Org {
  readonly schema: Schema
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
}
