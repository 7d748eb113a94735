import { RowFault } from '@diorama/twin-kit/datasets/dataset'
import type { IndexSpec, Row, TableSpec, TableView, WritableTable } from '@diorama/twin-kit/kernel/table'
import { table } from '@diorama/twin-kit/kernel/table'
import { oauthTables } from './oauth/requests.ts'
import { outboundTables } from './outbound/table.ts'
import {
  computedObjects,
  type FieldSchema,
  nameObject,
  type ObjectSchema,
  type Schema,
} from './schema/schema.ts'
import { streamingTables } from './streaming/log.ts'

/** One table per object, under the object's own name, and a few of the service's own beside them. */
export type CrmTables = Readonly<Record<string, TableSpec>>

/** Deleted records wait here until they are restored or purged: for a grader they are gone. */
export const binTable = '$recycle bin'
/** Result sets that a caller is still paging through. */
export const cursorTable = '$cursor'
export const jobTable = '$bulk job'
/** Logins that were ended. */
export const endedTable = '$ended session'
/** Who looked at which record last. */
export const viewedTable = '$viewed'

/** The e-mails that were sent. No object of the service: what leaves it is seen only by graders. */
export const sentEmailTable = 'SentEmail'
/** The organization's custom objects, fields, record types and validation rules, as one row. */
export const customizationTable = '$customization'
/** The row `enforced` says that the organization has a security model. */
export const securityTable = '$security'
/** Who shares whose records with whom, beyond the organization's defaults. */
export const sharingRuleTable = '$sharing rule'

/** The organization's rules for cases that stay open, in their order. */
export const escalationTable = '$escalation rule'

/** The rules of approval processes, by the id of their definition. */
export const approvalTable = '$approval process'

/** Which user acts for which subject. */
export const personTable = '$person'

export interface BinRow extends Row {
  readonly Id: string
  readonly object: string
  readonly row: Row
  readonly at: string
  readonly by: string
  /** The record whose deletion took this one along. */
  readonly along: string
}

const plain = { parse: (value: unknown) => value as Row }

/** The tables of an organization with the given schema. */
export const tables = (schema: Schema): CrmTables => {
  const objects = schema.objects.filter(({ name }) => name !== nameObject && !computedObjects.includes(name))
  return {
    ...Object.fromEntries(objects.map((object) => [object.name, objectTable(object)])),
    [binTable]: table<Row>({
      key: 'Id',
      row: plain,
      internal: true,
      indexes: {
        object: { by: (row: BinRow) => row.object },
        along: { by: (row: BinRow) => row.along },
      },
    }),
    [cursorTable]: table<Row>({
      key: 'id',
      row: plain,
      internal: true,
      indexes: { user: { by: (row: Row) => String(row.user), order: (row: Row) => Number(row.opened) } },
    }),
    [jobTable]: table<Row>({
      key: 'id',
      row: plain,
      internal: true,
      indexes: { kind: { by: (row: Row) => String(row.kind) } },
    }),
    [sentEmailTable]: table<Row>({ key: 'Id', row: plain }),
    ...streamingTables,
    ...oauthTables,
    ...outboundTables,
    [customizationTable]: table<Row>({ key: 'key', row: plain, internal: true }),
    [securityTable]: table<Row>({ key: 'key', row: plain, internal: true }),
    [sharingRuleTable]: table<Row>({
      key: 'key',
      row: plain,
      internal: true,
      indexes: { object: { by: (row: Row) => String(row.object) } },
    }),
    [escalationTable]: table<Row>({ key: 'key', row: plain, internal: true, sparse: true }),
    [approvalTable]: table<Row>({ key: 'key', row: plain, internal: true, sparse: true }),
    [personTable]: table<Row>({ key: 'subject', row: plain, internal: true }),
    [endedTable]: table<Row>({ key: 'subject', row: plain, internal: true }),
    [viewedTable]: table<Row>({
      key: 'key',
      row: plain,
      internal: true,
      indexes: { user: { by: (row: Row) => String(row.user), order: (row: Row) => Number(row.order) } },
    }),
  }
}

/** Histories are bookkeeping that follows from other changes, so they are no part of what graders compare. */
export const isHistory = (object: ObjectSchema): boolean => /History$/.test(object.name)

const objectTable = (object: ObjectSchema): TableSpec =>
  table<Row>({
    key: 'Id',
    row: { parse: (value) => checkRow(object, value) },
    indexes: Object.fromEntries(
      object.fields.filter(isIndexed).map((field): [string, IndexSpec] => [field.name, indexOn(field)]),
    ),
    internal: isHistory(object),
    sparse: object.name.startsWith('Process'),
  })

/** Looked up by equality without reading the whole table. Authors of changes are not: everybody has the same few. */
export const isIndexed = (field: FieldSchema): boolean => {
  if (field.name === 'CreatedById' || field.name === 'LastModifiedById') return false
  if (field.type === 'reference') return true
  if (field.type === 'id') return false
  return (
    field.idLookup ||
    field.externalId ||
    field.unique ||
    field.name === 'Name' ||
    field.name === 'Username' ||
    field.name === 'UrlName'
  )
}

const indexOn = (field: FieldSchema): IndexSpec => ({
  by: (row: Row) => {
    const value = row[field.name]
    return typeof value === 'string' || typeof value === 'number' ? indexValue(field, value) : undefined
  },
})

export const indexValue = (field: FieldSchema, value: string | number): string =>
  field.type === 'reference' ? String(value) : String(value).toLowerCase()

const numeric = ['int', 'double', 'currency', 'percent']

const checkRow = (object: ObjectSchema, value: unknown): Row => {
  if (typeof value !== 'object' || value === null) throw new RowFault('', `a ${object.name} is a row`)
  for (const [name, item] of Object.entries(value)) {
    const field = object.field(name)
    if (!field || field.name !== name) throw new RowFault(name, `is no field of ${object.name}`)
    if (item === null) throw new RowFault(name, 'is null; empty fields are left out of rows')
    const expected = field.type === 'boolean' ? 'boolean' : numeric.includes(field.type) ? 'number' : 'string'
    if (field.type !== 'anyType' && field.type !== 'complexvalue' && typeof item !== expected)
      throw new RowFault(name, `is a ${typeof item} and should be a ${expected}`)
  }
  return value as Row
}

/** The table of an object; every object of the schema has one. */
export const tableOf = <T extends TableView | WritableTable>(
  tables: Readonly<Record<string, T>>,
  name: string,
): T => {
  const found = tables[name]
  if (!found) throw new Error(`the crm has no table ${name}`)
  return found
}
