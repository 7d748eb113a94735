import type { Row } from '@diorama/twin-kit/kernel/table'
import { type FieldSchema, nameObject, type ObjectSchema, type Schema } from '../schema/schema.ts'

/** What the service gives as the id of its metadata's rows. */
const noId = '000000000000000AAA'

/** Rows that a query makes itself, and rows that there are none of. */
const isElsewhere = ({ name }: ObjectSchema): boolean =>
  name === 'UserRecordAccess' || name === 'EventBusSubscriber'

/** The rows of the objects that describe other objects. */
export function* computedRows(schema: Schema, object: ObjectSchema): Generator<Row> {
  if (isElsewhere(object)) return
  for (const described of schema.objects) {
    if (described.name === nameObject) continue
    if (object.name === 'EntityDefinition') yield entityRow(described)
    else for (const field of described.fields) yield fieldRow(described, field)
  }
}

export const computedRow = (schema: Schema, object: ObjectSchema, id: string): Row | undefined => {
  if (isElsewhere(object)) return undefined
  const [entity = '', field] = id.split('.')
  const described = schema.object(entity)
  if (!described || described.name !== entity) return undefined
  if (object.name === 'EntityDefinition') return field === undefined ? entityRow(described) : undefined
  const found = described.fields.find(({ name }) => name === field)
  return found && fieldRow(described, found)
}

const bare = (name: string): string => name.replace(/__c$/, '')

const entityRow = (object: ObjectSchema): Row => ({
  Id: noId,
  DurableId: object.name,
  QualifiedApiName: object.name,
  DeveloperName: bare(object.name),
  MasterLabel: object.label,
  Label: object.label,
  PluralLabel: object.plural,
  KeyPrefix: object.prefix ?? undefined,
  IsCustomizable: object.createable,
  IsApexTriggerable: object.triggerable,
  IsTriggerable: object.triggerable,
  IsReplicateable: object.replicateable,
  IsRetrieveable: object.retrieveable,
  IsSearchable: object.searchable,
  IsQueryable: object.queryable,
  IsIdEnabled: true,
  IsEverCreatable: object.createable,
  IsEverUpdatable: object.updateable,
  IsEverDeletable: object.deletable,
  IsLayoutable: object.createable,
  IsCompactLayoutable: object.createable,
  IsSearchLayoutable: object.searchable,
  InternalSharingModel: 'ReadWrite',
  ExternalSharingModel: 'Private',
  DetailUrl: `/{ID}`,
  EditUrl: `/{ID}/e`,
  NewUrl: object.prefix ? `/${object.prefix}/e` : undefined,
})

const fieldRow = (object: ObjectSchema, field: FieldSchema): Row => ({
  Id: noId,
  DurableId: `${object.name}.${field.name}`,
  QualifiedApiName: field.name,
  EntityDefinitionId: object.name,
  DeveloperName: bare(field.name),
  MasterLabel: field.label,
  Label: field.label,
  Length: field.length,
  DataType: dataType(field),
  ValueTypeId: field.type,
  IsCalculated: field.formula !== undefined || field.rollUp !== undefined,
  IsNameField: field.nameField,
  IsNillable: field.nillable,
  IsIndexed: field.idLookup || field.externalId || field.type === 'reference' || field.type === 'id',
  IsApiFilterable: field.filterable,
  IsApiSortable: field.sortable,
  IsApiGroupable: field.groupable,
  IsListFilterable: field.filterable,
  IsListSortable: field.sortable,
  IsListVisible: true,
  IsPolymorphicForeignKey: field.polymorphic,
  Precision: field.precision,
  Scale: field.scale,
  RelationshipName: field.relationshipName ?? undefined,
  ReferenceTo: { referenceTo: field.referenceTo },
})

const dataType = (field: FieldSchema): string => {
  if (field.nameField && field.type === 'string')
    return field.info === 'personname' ? 'Name' : `Text(${field.length})`
  const named: Readonly<Record<string, string>> = {
    id: 'Lookup()',
    string: `Text(${field.length})`,
    textarea: field.length > 255 ? `Long Text Area(${field.length})` : `Text Area(${field.length})`,
    picklist: 'Picklist',
    multipicklist: 'Picklist (Multi-Select)',
    boolean: 'Checkbox',
    int: `Number(${field.digits || 8}, 0)`,
    double: `Number(${field.precision - field.scale}, ${field.scale})`,
    currency: `Currency(${field.precision - field.scale}, ${field.scale})`,
    percent: `Percent(${field.precision - field.scale}, ${field.scale})`,
    date: 'Date',
    datetime: 'Date/Time',
    email: 'Email',
    phone: 'Phone',
    url: `URL(${field.length})`,
    reference: `Lookup(${field.referenceTo.join(',')})`,
    address: 'Address',
  }
  return named[field.type] ?? field.type
}
