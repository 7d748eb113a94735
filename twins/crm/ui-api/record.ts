import { createHash } from 'node:crypto'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { readMoment } from '../dates.ts'
import type { Org } from '../records/org.ts'
import { noColumn } from '../records/refusals.ts'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { formatOf } from '../soql/format.ts'
import type { Json } from '../soql/project.ts'
import { masterRecordType } from './object-info.ts'

/** What a caller wants of a record: fields, and of its parents in turn. */
export interface Wanted {
  readonly fields: Set<string>
  readonly parents: Map<string, Wanted>
}

const nothing = (): Wanted => ({ fields: new Set(), parents: new Map() })

const maxParents = 5

/** Reads `Account.Name,Account.Owner.Name`; every name begins with the object's. */
export const wantedOf = (
  org: Org,
  object: ObjectSchema,
  list: string,
  optional: boolean,
  into = nothing(),
): Wanted => {
  for (const written of list.split(',').map((one) => one.trim())) {
    if (written === '') continue
    const [first = '', ...path] = written.split('.')
    if (first.toLowerCase() !== object.name.toLowerCase() || path.length === 0)
      throw new VendorError('ILLEGAL_QUERY_PARAMETER_VALUE', `${written} is not a field of ${object.name}`)
    if (path.length > maxParents + 1)
      throw new VendorError('ILLEGAL_QUERY_PARAMETER_VALUE', `${written} has more than ${maxParents} parents`)
    add({ org, into, optional, written }, object, path)
  }
  return into
}

interface Adding {
  readonly org: Org
  readonly into: Wanted
  readonly optional: boolean
  readonly written: string
}

const add = (adding: Adding, object: ObjectSchema, [name = '', ...rest]: readonly string[]): void => {
  const { org, into, optional } = adding
  if (rest.length === 0) {
    const field = object.field(name)
    if (field) into.fields.add(field.name)
    else if (!optional) throw noColumn(name, object.name)
    return
  }
  const reference = object.parent(name)
  const target = reference && org.schema.object(reference.referenceTo.at(-1) ?? '')
  if (!reference?.relationshipName || !target) {
    if (optional) return
    throw noColumn(name, object.name)
  }
  const above = into.parents.get(reference.relationshipName) ?? nothing()
  into.parents.set(reference.relationshipName, above)
  add({ ...adding, into: above }, target, rest)
}

/** Moments end in Z here, unlike everywhere else in the service. */
const isoMoment = (value: unknown): string | null =>
  typeof value === 'string' ? new Date(readMoment(value) ?? 0).toISOString() : null

const shown = (org: Org, field: FieldSchema, value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (['picklist', 'multipicklist'].includes(field.type)) return String(value)
  if (!['currency', 'percent', 'double', 'int', 'date', 'datetime'].includes(field.type)) return null
  const written = formatOf(field.type, org.zone)(value)
  return typeof written === 'string' ? written : null
}

/** A record as this API writes it. */
export const uiRecord = (org: Org, object: ObjectSchema, row: Row, wanted: Wanted): Json => {
  const fields: Json = {}
  for (const name of wanted.fields) {
    const field = object.field(name)
    if (!field) continue
    const value = org.read(object, field)(row)
    fields[name] = {
      displayValue: shown(org, field, value),
      value: field.type === 'datetime' ? isoMoment(value) : value,
    }
  }
  for (const [relationship, above] of wanted.parents) {
    const reference = object.parent(relationship)
    const found = reference && org.lookup(String(row[reference.name] ?? ''))
    const name = found?.object.nameField
    fields[relationship] = found
      ? {
          displayValue: name ? org.read(found.object, name)(found.row) : null,
          value: uiRecord(org, found.object, found.row, above),
        }
      : { displayValue: null, value: null }
  }
  const record = {
    apiName: object.name,
    childRelationships: {},
    fields,
    id: row.Id,
    lastModifiedById: row.LastModifiedById ?? null,
    lastModifiedDate: isoMoment(row.LastModifiedDate),
    recordTypeId: row.RecordTypeId ?? (object.recordTypes.length > 0 ? masterRecordType : null),
    recordTypeInfo: null,
    systemModstamp: isoMoment(row.SystemModstamp),
  }
  return { ...record, eTag: createHash('md5').update(JSON.stringify(record)).digest('hex') }
}
