import type { Row } from '@diorama/twin-kit/kernel/table'
import { type Operation, operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { noResource, refuse, unknownRecord } from '../records/refusals.ts'
import { deleteRecord, objectOfId, purgeRecord, undeleteRecord } from '../records/remove.ts'
import { createRecord, existing, objectNamed, updateRecord } from '../records/save.ts'
import { type Draft, type Writing, writingOf } from '../records/writing.ts'
import type { FieldSchema, ObjectSchema, SchemaIn } from '../schema/schema.ts'
import type { CrmTables } from '../tables.ts'

export interface SaveInput {
  readonly object: string
  readonly fields: Draft
  readonly id?: string
  readonly allowDuplicates?: boolean
}
export interface UpsertInput extends SaveInput {
  readonly externalField: string
  readonly value: string | null
  /** Refuses to create a record where none is found. */
  readonly updateOnly?: boolean
}
export interface Upserted {
  readonly id: string
  readonly created: boolean
}

/** Changes of single records; what takes several is made of these by the wire. */
export const recordOperations = (schemaIn: SchemaIn): Readonly<Record<string, Operation>> => ({
  create: operation<CrmTables, SaveInput, string>({
    effect: 'write',
    run: (call, { object, fields, allowDuplicates = false }) => {
      const writing = writingOf(schemaIn(call.tables), call, { allowDuplicates })
      return createRecord(writing, objectNamed(writing, object), fields)
    },
  }),
  update: operation<CrmTables, SaveInput, string>({
    effect: 'write',
    run: (call, { object, id = '', fields }) => {
      const writing = writingOf(schemaIn(call.tables), call)
      const named = objectNamed(writing, object)
      const row = existing(writing, named, id)
      updateRecord(writing, named, String(row.Id), fields)
      return String(row.Id)
    },
  }),
  upsert: operation<CrmTables, UpsertInput, Upserted>({
    effect: 'write',
    run: (call, input) =>
      upsert(
        writingOf(schemaIn(call.tables), call, { allowDuplicates: input.allowDuplicates === true }),
        input,
      ),
  }),
  delete: operation<CrmTables, { object?: string; id: string }, string>({
    effect: 'write',
    run: (call, { object, id }) => {
      const writing = writingOf(schemaIn(call.tables), call)
      const named = object === undefined ? objectOfId(writing, id) : objectNamed(writing, object)
      deleteRecord(writing, named, id)
      return id
    },
  }),
  undelete: operation<CrmTables, { id: string }, string>({
    effect: 'write',
    run: (call, { id }) => undeleteRecord(writingOf(schemaIn(call.tables), call), id),
  }),
  emptyRecycleBin: operation<CrmTables, { id: string }, string>({
    effect: 'write',
    run: (call, { id }) => purgeRecord(writingOf(schemaIn(call.tables), call), id),
  }),
})

const upsert = (writing: Writing, input: UpsertInput): Upserted => {
  const { object: name, externalField, value, fields } = input
  const object = objectNamed(writing, name)
  const field = lookupField(object, externalField)
  if (field.type === 'id') {
    if (value === null || value === '') return { id: createRecord(writing, object, fields), created: true }
    const row = existing(writing, object, value)
    updateRecord(writing, object, String(row.Id), fields)
    return { id: String(row.Id), created: false }
  }
  if (value === null || value === '') throw refuse('MISSING_ARGUMENT', `${field.name} not specified`, [])
  const found = [...writing.own.find(object, field, value)]
  const [only, ...others] = found
  if (others.length > 0) throw several(field, found)
  if (only) {
    updateRecord(writing, object, String(only.Id), fields)
    return { id: String(only.Id), created: false }
  }
  if (input.updateOnly) throw noResource()
  return { id: createRecord(writing, object, { ...fields, [field.name]: value }), created: true }
}

/** A field that records can be found by from outside. */
export const lookupField = (object: ObjectSchema, name: string): FieldSchema => {
  const field = object.field(name)
  if (!field || !(field.idLookup || field.externalId)) throw unknownRecord(name)
  return field
}

export const several = (field: FieldSchema, rows: readonly Row[]): VendorError =>
  new VendorError('DUPLICATE_VALUE', `${field.name}: more than one record found for external id field`, {
    status: 300,
    data: { fields: [field.name], ids: rows.map((row) => String(row.Id)) },
  })

/** The one record that an external id names. */
export const recordByExternalId = (
  writing: Pick<Writing, 'org'>,
  object: ObjectSchema,
  name: string,
  value: string,
): Row => {
  const field = lookupField(object, name)
  const found =
    field.type === 'id' ? [writing.org.get(object, value)] : [...writing.org.find(object, field, value)]
  const [only, ...others] = found
  if (others.length > 0)
    throw several(
      field,
      found.filter((row) => row !== undefined),
    )
  if (!only) throw noResource()
  return only
}
