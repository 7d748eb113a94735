import type { Row } from '../../kernel/table.ts'
import type {
  CustomField,
  Customization,
  CustomObject,
  RecordType,
  ValidationRule,
} from '../schema/customization.ts'
import { numberedAs } from '../schema/numbering.ts'
import type { CrmSection } from '../section.ts'
import { dayMs, type Sowing, sow } from './organization.ts'

type CustomSection = NonNullable<CrmSection['customization']>

/** The blueprint's custom metadata as the schema takes it. */
export const customizationOf = ({
  objects,
  fields,
  recordTypes,
  validationRules,
}: CustomSection): Customization => {
  const own = (object: string) =>
    fields
      .filter((field) => field.object === object)
      .map(({ object: _object, ...field }) => field as CustomField)
  const custom = new Set(objects.map(({ name }) => name))
  const standard = [...new Set(fields.map(({ object }) => object))].filter((object) => !custom.has(object))
  return {
    objects: objects.map((object) => ({ ...object, fields: own(object.name) }) as CustomObject),
    fields: Object.fromEntries(standard.map((object) => [object, own(object)])),
    recordTypes: recordTypes as RecordType[],
    validationRules: validationRules as ValidationRule[],
  }
}

/** Record types as rows, and the records of custom and standard objects that the blueprint lists. */
export const sowCustomRecords = (sowing: Sowing, { recordTypes, records }: CustomSection): void => {
  const at = sowing.company.clock - 400 * dayMs
  for (const { object, name, label } of recordTypes)
    sow(
      sowing,
      'RecordType',
      { Name: label ?? name.replaceAll('_', ' '), DeveloperName: name, SobjectType: object, IsActive: true },
      at,
    )
  for (const [nth, record] of records.entries()) sowRecord(sowing, record, `/customization/records/${nth}`)
}

const sowRecord = (
  sowing: Sowing,
  record: CustomSection['records'][number],
  pointer: string,
): Row | undefined => {
  const object = sowing.schema.object(record.object)
  if (!object) return undefined
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record.fields)) {
    const field = object.field(name)
    const id = field?.type === 'reference' && typeof value === 'string' ? idOf(sowing, value) : undefined
    if (!field)
      sowing.seeding.warn(`${pointer}/fields/${name}`, `${object.name} has no such field; it is left out`)
    else if (field.type === 'reference' && id === undefined)
      sowing.seeding.warn(`${pointer}/fields/${name}`, `names no record: ${String(value)}`)
    else fields[field.name] = id ?? value
  }
  for (const field of object.fields)
    if (field.displayFormat !== undefined) {
      const number = (sowing.counters.get(`number ${object.name}.${field.name}`) ?? 0) + 1
      sowing.counters.set(`number ${object.name}.${field.name}`, number)
      fields[field.name] = numberedAs(field.displayFormat, number)
    } else if (field.custom && field.defaultValue !== null)
      fields[field.name] ??= defaultOf(field.type, field.defaultValue)
  const owner =
    record.owner === null ? sowing.integrationId : (sowing.users.get(record.owner) ?? sowing.integrationId)
  const at = sowing.company.clock - 30 * dayMs
  const row = sow(sowing, object.name, { OwnerId: owner, CreatedById: owner, ...fields }, at)
  sowing.keyed.set(`record ${record.key}`, String(row.Id))
  sowing.seeding.key(object.name, record.key, String(row.Id))
  return row
}

const defaultOf = (type: string, written: string): unknown =>
  type === 'boolean'
    ? written === 'true'
    : ['int', 'double', 'currency', 'percent'].includes(type)
      ? Number(written)
      : written

/** The record that a key of the section names: of this list, of the others, or a person. */
const idOf = (sowing: Sowing, key: string): string | undefined =>
  sowing.keyed.get(`record ${key}`) ?? sowing.users.get(key)
