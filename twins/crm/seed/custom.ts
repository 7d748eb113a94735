import type { Row } from '@diorama/twin-kit/kernel/table'
import type {
  CustomField,
  Customization,
  CustomObject,
  RecordType,
  ValidationRule,
} from '../schema/customization.ts'
import { numberedAs } from '../schema/numbering.ts'
import type { CrmSection } from '../section.ts'
import { dayMs, type SeedContext, seedRow } from './organization.ts'

type CustomSection = NonNullable<CrmSection['customization']>

/** The blueprint's custom metadata as the schema takes it. */
export const customizationOf = ({
  objects,
  fields,
  recordTypes,
  validationRules,
  platformEvents,
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
    ...(platformEvents === undefined
      ? {}
      : { platformEvents: platformEvents as NonNullable<Customization['platformEvents']> }),
  }
}

/** Record types as rows, and the records of custom and standard objects that the blueprint lists. */
export const seedCustomRecords = (context: SeedContext, { recordTypes, records }: CustomSection): void => {
  const at = context.company.clock - 400 * dayMs
  for (const { object, name, label } of recordTypes)
    seedRow(
      context,
      'RecordType',
      { Name: label ?? name.replaceAll('_', ' '), DeveloperName: name, SobjectType: object, IsActive: true },
      at,
    )
  for (const [nth, record] of records.entries()) seedRecord(context, record, `/customization/records/${nth}`)
}

const seedRecord = (
  context: SeedContext,
  record: CustomSection['records'][number],
  pointer: string,
): Row | undefined => {
  const object = context.schema.object(record.object)
  if (!object) return undefined
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record.fields)) {
    const field = object.field(name)
    const id = field?.type === 'reference' && typeof value === 'string' ? idOf(context, value) : undefined
    if (!field)
      context.seeding.warn(`${pointer}/fields/${name}`, `${object.name} has no such field; it is left out`)
    else if (field.type === 'reference' && id === undefined)
      context.seeding.warn(`${pointer}/fields/${name}`, `names no record: ${String(value)}`)
    else fields[field.name] = id ?? value
  }
  for (const field of object.fields)
    if (field.displayFormat !== undefined) {
      const number = (context.counters.get(`number ${object.name}.${field.name}`) ?? 0) + 1
      context.counters.set(`number ${object.name}.${field.name}`, number)
      fields[field.name] = numberedAs(field.displayFormat, number)
    } else if (field.custom && field.defaultValue !== null)
      fields[field.name] ??= defaultOf(field.type, field.defaultValue)
  const owner =
    record.owner === null ? context.integrationId : (context.users.get(record.owner) ?? context.integrationId)
  const at = context.company.clock - 30 * dayMs
  const row = seedRow(context, object.name, { OwnerId: owner, CreatedById: owner, ...fields }, at)
  context.keyed.set(`record ${record.key}`, String(row.Id))
  context.seeding.key(object.name, record.key, String(row.Id))
  return row
}

const defaultOf = (type: string, written: string): unknown =>
  type === 'boolean'
    ? written === 'true'
    : ['int', 'double', 'currency', 'percent'].includes(type)
      ? Number(written)
      : written

/** The record that a key of the section names: of this list, of the others, or a person. */
const idOf = (context: SeedContext, key: string): string | undefined =>
  context.keyed.get(`record ${key}`) ?? context.users.get(key)
