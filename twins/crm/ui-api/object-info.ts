import type { Row } from '@diorama/twin-kit/kernel/table'
import type { FieldSchema, ObjectSchema, Schema } from '../schema/schema.ts'
import type { Json } from '../soql/project.ts'

/** The one that every object has, before it has record types. */
export const masterRecordType = '012000000000000AAA'

/** Names of types as this API writes them. */
const dataTypes: Readonly<Record<string, string>> = {
  id: 'Reference',
  anyType: 'AnyType',
  datetime: 'DateTime',
  multipicklist: 'MultiPicklist',
  textarea: 'TextArea',
}

export const dataTypeOf = ({ type }: FieldSchema): string =>
  dataTypes[type] ?? `${type.charAt(0).toUpperCase()}${type.slice(1)}`

const nameFieldsOf = (object: ObjectSchema): string[] =>
  ['FirstName', 'LastName', object.nameField?.name ?? ''].filter((name) => object.field(name))

const fieldInfo = (schema: Schema, field: FieldSchema): Json => ({
  apiName: field.name,
  calculated: field.formula !== undefined || field.rollUp !== undefined,
  compound: field.type === 'address',
  compoundComponentName:
    field.compound === null ? null : field.name.replace(/^(Billing|Shipping|Mailing|Other)/, ''),
  compoundFieldName: field.compound,
  controllerName: null,
  controllingFields: [],
  createable: field.createable,
  custom: field.custom,
  dataType: dataTypeOf(field),
  extraTypeInfo: field.info,
  filterable: field.filterable,
  filteredLookupInfo: null,
  highScaleNumber: false,
  htmlFormatted: false,
  inlineHelpText: null,
  label: field.label,
  length: field.length,
  nameField: field.nameField,
  polymorphicForeignKey: field.polymorphic,
  precision: field.precision,
  reference: field.type === 'reference',
  referenceTargetField: null,
  referenceToInfos: field.referenceTo.flatMap((name) => {
    const target = schema.object(name)
    return target ? [{ apiName: target.name, nameFields: nameFieldsOf(target) }] : []
  }),
  relationshipName: field.relationshipName,
  required: !field.nillable && field.createable && !field.defaultedOnCreate,
  scale: field.scale,
  searchPrefilterable: false,
  sortable: field.sortable,
  unique: field.unique,
  updateable: field.updateable,
})

/** An object and its fields, as this API describes them. */
export const objectInfo = (schema: Schema, object: ObjectSchema, recordTypes: readonly Row[]): Json => {
  const chosen = object.recordTypes.find(({ isDefault }) => isDefault)
  const standard = recordTypes.find(({ DeveloperName }) => DeveloperName === chosen?.name)
  const typeInfo = (id: string, name: string): Json => ({
    available: true,
    defaultRecordTypeMapping: id === (standard?.Id ?? masterRecordType),
    master: id === masterRecordType,
    name,
    recordTypeId: id,
  })
  return {
    apiName: object.name,
    associateEntityType: null,
    associateParentEntity: null,
    childRelationships: object.children.map((child) => ({
      childObjectApiName: child.object,
      fieldName: child.field,
      junctionIdListNames: [],
      junctionReferenceTo: [],
      relationshipName: child.name,
    })),
    createable: object.createable,
    custom: object.custom,
    defaultRecordTypeId: standard?.Id ?? masterRecordType,
    deletable: object.deletable,
    dependentFields: {},
    feedEnabled: object.createable && object.searchable,
    fields: Object.fromEntries(object.fields.map((field) => [field.name, fieldInfo(schema, field)])),
    keyPrefix: object.prefix,
    label: object.label,
    labelPlural: object.plural,
    layoutable: object.createable,
    mruEnabled: object.searchable,
    nameFields: nameFieldsOf(object),
    queryable: object.queryable,
    recordTypeInfos: Object.fromEntries(
      [
        ...recordTypes.map((row) => typeInfo(String(row.Id), String(row.Name))),
        typeInfo(masterRecordType, 'Master'),
      ].map((info) => [String(info.recordTypeId), info]),
    ),
    searchable: object.searchable,
    themeInfo: null,
    updateable: object.updateable,
  }
}

/** One line of the list of objects. */
export const objectEntry = (object: ObjectSchema, version: string): Json => ({
  apiName: object.name,
  keyPrefix: object.prefix,
  label: object.label,
  labelPlural: object.plural,
  nameFields: nameFieldsOf(object),
  objectInfoUrl: `/services/data/v${version}/ui-api/object-info/${object.name}`,
})

const choice = (value: string): Json => ({ attributes: null, label: value, validFor: [], value })

export const picklistValues = (field: FieldSchema, url: string): Json => ({
  controllerValues: {},
  defaultValue: field.defaultValue === null ? null : choice(field.defaultValue),
  url,
  values: field.picklist.map(choice),
})
