import type { Reading } from '@diorama/twin-kit/datasets/dataset'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { isDay, nativeSecond } from '../dates.ts'
import type { CustomField, Customization } from '../schema/customization.ts'
import { type FieldSchema, type ObjectSchema, type Schema, schemaOf } from '../schema/schema.ts'
import { customizationTable } from '../tables.ts'
import { createEvidence, type Evidence, momentOf } from './evidence.ts'

/** The records of one object, as often as they are asked for. */
export interface NamedTable {
  readonly object: string
  readonly file: string
  readonly columns: readonly string[]
  readonly rows: () => AsyncIterable<Record_> | Iterable<Record_>
}
type Record_ = Readonly<Record<string, unknown>>

/** What other tools write beside the fields. */
const ignored = new Set(['attributes', 'IsDeleted', 'index', 'rowid'])

/** Tables by object become records. Objects and fields that the standard schema has not are added as custom ones. */
export const readTables = async (tables: readonly NamedTable[], reading: Reading): Promise<void> => {
  const standard = schemaOf()
  const customization = await customizationFor(tables, standard)
  if (customization)
    await reading.insert(
      customizationTable,
      { key: 'customization', ...customization },
      { file: customizationTable },
    )
  const schema = customization ? schemaOf(customization) : standard
  let latest = 0
  let deleted = 0
  for (const { object: name, file, rows } of tables) {
    const object = schema.object(name)
    if (!object) continue
    let number = 0
    for await (const record of rows()) {
      number++
      if (record.IsDeleted === true || record.IsDeleted === 1 || record.IsDeleted === 'true') {
        deleted++
        continue
      }
      const row = rowOf(object, record, (field, message) =>
        reading.fault({ file, row: number, field }, message),
      )
      const changed = typeof row.LastModifiedDate === 'string' ? (momentOf(row.LastModifiedDate) ?? 0) : 0
      const created = typeof row.CreatedDate === 'string' ? (momentOf(row.CreatedDate) ?? 0) : 0
      latest = Math.max(latest, changed, created)
      if (typeof row.Id === 'string') await reading.insert(object.name, row, { file, row: number })
      else reading.fault({ file, row: number, field: 'Id' }, 'is missing')
    }
  }
  if (deleted > 0) reading.warn(`${deleted} records that were deleted are left out`)
  reading.company({ ...(latest > 0 && { latest }) })
}

const customizationFor = async (
  tables: readonly NamedTable[],
  standard: Schema,
): Promise<Customization | undefined> => {
  const prefixes = new Map<string, string>()
  const seen = new Map<NamedTable, Map<string, Evidence>>()
  for (const table of tables) {
    const object = standard.object(table.object)
    const unknown = table.columns.filter((name) => !ignored.has(name) && !object?.field(name))
    const evidence = new Map(unknown.map((name) => [name, createEvidence()]))
    seen.set(table, evidence)
    for await (const record of table.rows()) {
      if (typeof record.Id === 'string') prefixes.set(record.Id.slice(0, 3), object?.name ?? table.object)
      for (const [name, of] of evidence) of.see(record[name])
      if (evidence.size === 0) break
    }
  }
  const objectOf = (prefix: string) => prefixes.get(prefix) ?? standard.withPrefix(prefix)[0]?.name
  const fieldsOf = (table: NamedTable): CustomField[] =>
    [...(seen.get(table) ?? [])]
      .filter(([name]) => standard.object(table.object) !== undefined || !systemFields.has(name))
      .map(([name, evidence]) => evidence.field(name, objectOf))
  const objects = tables
    .filter(({ object }) => !standard.object(object))
    .map((table) => {
      const prefix = [...prefixes].find(([, name]) => name === table.object)?.[0]
      return { name: table.object, fields: fieldsOf(table), ...(prefix && { prefix }) }
    })
  const fields = Object.fromEntries(
    tables.flatMap((table) => {
      const object = standard.object(table.object)
      const added = object ? fieldsOf(table) : []
      return object && added.length > 0 ? [[object.name, added]] : []
    }),
  )
  return objects.length > 0 || Object.keys(fields).length > 0 ? { objects, fields } : undefined
}

/** Every custom object has these on its own. */
const systemFields = new Set([
  'Id',
  'OwnerId',
  'Name',
  'CreatedDate',
  'CreatedById',
  'LastModifiedDate',
  'LastModifiedById',
  'SystemModstamp',
  'LastViewedDate',
  'LastReferencedDate',
])

type Fault = (field: string, message: string) => void

const rowOf = (object: ObjectSchema, record: Record_, fault: Fault): Row => {
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    const field = ignored.has(name) ? undefined : object.field(name)
    if (!field || field.type === 'address' || field.formula || field.rollUp) continue
    const given = readValue(field, value, fault)
    if (given !== undefined) row[field.name] = given
  }
  const words = [row.FirstName, row.LastName].filter((word) => typeof word === 'string')
  if (row.Name === undefined && words.length > 0 && object.field('Name')) row.Name = words.join(' ')
  return row
}

const numeric = ['int', 'double', 'currency', 'percent']

const readValue = (field: FieldSchema, value: unknown, fault: Fault): unknown => {
  if (value === null || value === undefined || value === '') return undefined
  if (field.type === 'boolean') return value === true || value === 1 || /^(true|1|yes)$/i.test(String(value))
  if (numeric.includes(field.type)) {
    const number = Number(value)
    if (Number.isFinite(number)) return number
    fault(field.name, `${JSON.stringify(value)} is no number`)
    return undefined
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (field.type === 'date') {
    if (isDay(text.slice(0, 10))) return text.slice(0, 10)
    fault(field.name, `${JSON.stringify(text)} is no date`)
    return undefined
  }
  if (field.type !== 'datetime') return text
  const at = momentOf(text) ?? (isDay(text) ? Date.parse(`${text}T00:00:00Z`) : undefined)
  if (at !== undefined) return nativeSecond(at)
  fault(field.name, `${JSON.stringify(text)} is no moment`)
  return undefined
}
