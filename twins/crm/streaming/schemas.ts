import type { AvroRecord, AvroSchema } from '@diorama/twin-kit/wires/avro'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { changeEventOf } from './capture.ts'
import type { PlatformEvent } from './platform-events.ts'

const namespace = 'com.sforce.eventbus'
const texts: AvroSchema = { type: 'array', items: 'string' }

const changeTypes = [
  'CREATE',
  'UPDATE',
  'DELETE',
  'UNDELETE',
  'GAP_CREATE',
  'GAP_UPDATE',
  'GAP_DELETE',
  'GAP_UNDELETE',
  'GAP_OVERFLOW',
  'SNAPSHOT',
]

const header: AvroRecord = {
  type: 'record',
  name: 'ChangeEventHeader',
  fields: [
    { name: 'entityName', type: 'string' },
    { name: 'recordIds', type: texts },
    { name: 'changeType', type: { type: 'enum', name: 'ChangeType', symbols: changeTypes } },
    { name: 'changeOrigin', type: 'string' },
    { name: 'transactionKey', type: 'string' },
    { name: 'sequenceNumber', type: 'int' },
    { name: 'commitTimestamp', type: 'long' },
    { name: 'commitNumber', type: 'long' },
    { name: 'commitUser', type: 'string' },
    { name: 'nulledFields', type: texts },
    { name: 'diffFields', type: texts },
    { name: 'changedFields', type: texts },
  ],
}

const avroTypes: Readonly<Record<string, AvroSchema>> = {
  boolean: 'boolean',
  int: 'int',
  double: 'double',
  currency: 'double',
  percent: 'double',
  date: 'long',
  datetime: 'long',
}
const typeOf = (type: string): AvroSchema => avroTypes[type] ?? 'string'
const optional = (name: string, type: AvroSchema) => ({ name, type: ['null', type] as const, default: null })

const isTold = ({ name, type }: FieldSchema): boolean =>
  type !== 'base64' && !['Id', 'IsDeleted', 'SystemModstamp'].includes(name)

/** A field that others are parts of: a name of a person, an address. */
const wholeOf = (object: ObjectSchema, whole: string): AvroRecord => ({
  type: 'record',
  name: whole === 'Name' ? 'PersonName' : whole,
  fields: object.fields
    .filter(({ compound }) => compound === whole)
    .map((part) =>
      optional(whole.endsWith('Address') ? part.name.slice(whole.length - 7) : part.name, typeOf(part.type)),
    ),
})

/** The schema of an object's change events: a field for each of the object's, all of them optional. */
export const changeSchemaOf = (object: ObjectSchema): AvroRecord => {
  const wholes = new Set(object.fields.flatMap(({ compound }) => compound ?? []))
  return {
    type: 'record',
    name: changeEventOf(object.name),
    namespace,
    fields: [
      { name: 'ChangeEventHeader', type: header },
      ...object.fields
        .filter(
          (field) =>
            isTold(field) && field.compound === null && (field.type !== 'address' || wholes.has(field.name)),
        )
        .map((field) =>
          optional(field.name, wholes.has(field.name) ? wholeOf(object, field.name) : typeOf(field.type)),
        ),
    ],
  }
}

export const platformSchemaOf = (event: PlatformEvent): AvroRecord => ({
  type: 'record',
  name: event.name,
  namespace,
  fields: [
    { name: 'CreatedDate', type: 'long' },
    { name: 'CreatedById', type: 'string' },
    ...event.fields.map(({ name, type }) => optional(name, typeOf(type))),
  ],
})

/** Moments are numbers in the binary form. */
const numberIn = (schema: AvroSchema, value: unknown): unknown => {
  if (Array.isArray(schema))
    return value === null || value === undefined ? null : numberIn(schema[1] ?? 'null', value)
  if (schema === 'long' && typeof value === 'string') return Date.parse(value)
  if (typeof schema === 'object' && 'fields' in schema) {
    const row = (value ?? {}) as Readonly<Record<string, unknown>>
    return Object.fromEntries(schema.fields.map(({ name, type }) => [name, numberIn(type, row[name])]))
  }
  return value
}

/** An event's payload as its schema has it; which fields changed is a bitmap of their places. */
export const binaryPayload = (schema: AvroRecord, payload: Readonly<Record<string, unknown>>): unknown => {
  const row = numberIn(schema, payload) as Record<string, unknown>
  const told = payload.ChangeEventHeader as Record<string, unknown> | undefined
  if (!told) return row
  const bits = (names: unknown) => bitmapOf(schema, Array.isArray(names) ? names.map(String) : [])
  return {
    ...row,
    ChangeEventHeader: {
      ...told,
      nulledFields: bits(told.nulledFields),
      diffFields: bits(told.diffFields),
      changedFields: bits(told.changedFields),
    },
  }
}

/** `0x…` for the fields themselves, and `<place>-0x…` for parts of the field at that place. */
const bitmapOf = (schema: AvroRecord, names: readonly string[]): string[] => {
  const groups = new Map<string, bigint>()
  for (const name of names) {
    const [whole = '', part] = name.split('.')
    const place = schema.fields.findIndex((field) => field.name === whole)
    if (place === -1) continue
    const inner = part === undefined ? undefined : partsOf(schema.fields[place]?.type)
    const bit = inner ? inner.findIndex((field) => field.name === part) : place
    const group = inner ? `${place}-` : ''
    if (bit !== -1) groups.set(group, (groups.get(group) ?? 0n) | (1n << BigInt(bit)))
  }
  return [...groups].map(([group, bits]) => `${group}0x${hexOf(bits)}`)
}
const hexOf = (bits: bigint): string => {
  const hex = bits.toString(16).toUpperCase()
  return hex.length % 2 === 0 ? hex : `0${hex}`
}
const partsOf = (type: AvroSchema | undefined): AvroRecord['fields'] => {
  const record = Array.isArray(type) ? type[1] : type
  return typeof record === 'object' && record !== null && 'fields' in record ? record.fields : []
}
