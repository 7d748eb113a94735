import type { Row } from '@diorama/twin-kit/kernel/table'
import { type FieldSchema, nameObject, type ObjectSchema, type Schema } from '../schema/schema.ts'
import type { Json } from '../soql/project.ts'

export const oldestVersion = 20
export const latestVersion = 67

/** `GET /services/data`: three releases a year, each with its season. */
export const versions = (): { label: string; url: string; version: string }[] =>
  Array.from({ length: latestVersion - 30 }, (_, n) => {
    const version = 31 + n
    const season = ['Summer', 'Winter', 'Spring'][
      (version - 58) % 3 < 0 ? ((version - 58) % 3) + 3 : (version - 58) % 3
    ]
    const year = 24 + Math.floor((version - 59) / 3)
    return { label: `${season} '${year}`, url: `/services/data/v${version}.0`, version: `${version}.0` }
  })

export const describeGlobal = (schema: Schema, version: string): Json => ({
  encoding: 'UTF-8',
  maxBatchSize: 200,
  sobjects: schema.objects
    .filter(({ name }) => name !== nameObject)
    .map((object) => globalEntry(object, version)),
})

const urlsOf = (object: ObjectSchema, version: string): Json => {
  const base = `/services/data/v${version}/sobjects/${object.name}`
  const urls: Json = { rowTemplate: `${base}/{ID}`, describe: `${base}/describe`, sobject: base }
  return object.createable ? { compactLayouts: `${base}/describe/compactLayouts`, ...urls } : urls
}

/** What the list of objects and an object's own description have in common. */
export const globalEntry = (object: ObjectSchema, version: string): Json => ({
  activateable: false,
  associateEntityType: null,
  associateParentEntity: null,
  createable: object.createable,
  custom: object.custom,
  customSetting: false,
  deepCloneable: false,
  deletable: object.deletable,
  deprecatedAndHidden: false,
  feedEnabled: object.createable && object.searchable,
  hasSubtypes: false,
  isInterface: false,
  isSubtype: false,
  keyPrefix: object.prefix,
  label: object.label,
  labelPlural: object.plural,
  layoutable: object.createable,
  mergeable: object.mergeable,
  mruEnabled: object.searchable,
  name: object.name,
  queryable: object.queryable,
  replicateable: object.replicateable,
  retrieveable: object.retrieveable,
  searchable: object.searchable,
  triggerable: object.triggerable,
  undeletable: object.undeletable,
  updateable: object.updateable,
  urls: urlsOf(object, version),
})

export const describeObject = (
  object: ObjectSchema,
  version: string,
  recordTypes: readonly Row[] = [],
): Json => {
  const { associateEntityType: _, associateParentEntity: __, ...entry } = globalEntry(object, version)
  return {
    ...entry,
    actionOverrides: [],
    childRelationships: object.children.map((child) => ({
      cascadeDelete: child.cascade,
      childSObject: child.object,
      deprecatedAndHidden: false,
      field: child.field,
      junctionIdListNames: [],
      junctionReferenceTo: [],
      relationshipName: child.name,
      restrictedDelete: false,
    })),
    compactLayoutable: object.createable,
    defaultImplementation: null,
    extendedBy: null,
    extendsInterfaces: null,
    fields: object.fields.map((field) => describeField(object, field)),
    implementedBy: null,
    implementsInterfaces: null,
    listviewable: null,
    lookupLayoutable: null,
    namedLayoutInfos: [],
    networkScopeFieldName: null,
    recordTypeInfos: recordTypeInfos(object, version, recordTypes),
    searchLayoutable: object.searchable,
    supportedScopes: [
      { label: `All ${object.plural.toLowerCase()}`, name: 'everything' },
      { label: `My ${object.plural.toLowerCase()}`, name: 'mine' },
    ],
  }
}

/** The record types of an object; the master one is always among them, and the default where no other is. */
const recordTypeInfos = (object: ObjectSchema, version: string, rows: readonly Row[]): Json[] => {
  const chosen = object.recordTypes.find(({ isDefault }) => isDefault)
  const info = (name: string, label: string, id: string): Json => ({
    active: true,
    available: true,
    defaultRecordTypeMapping: chosen ? chosen.name === name : name === 'Master',
    developerName: name,
    master: name === 'Master',
    name: label,
    recordTypeId: id,
    urls: { layout: `/services/data/v${version}/sobjects/${object.name}/describe/layouts/${id}` },
  })
  return [
    ...rows.map((row) => info(String(row.DeveloperName), String(row.Name), String(row.Id))),
    info('Master', 'Master', '012000000000000AAA'),
  ]
}

const soapTypes: Readonly<Record<string, string>> = {
  id: 'tns:ID',
  reference: 'tns:ID',
  boolean: 'xsd:boolean',
  int: 'xsd:int',
  double: 'xsd:double',
  currency: 'xsd:double',
  percent: 'xsd:double',
  date: 'xsd:date',
  datetime: 'xsd:dateTime',
  address: 'urn:address',
  anyType: 'xsd:anyType',
  base64: 'xsd:base64Binary',
}

const describeField = (object: ObjectSchema, field: FieldSchema): Json => ({
  aggregatable: field.aggregatable,
  aiPredictionField: false,
  autoNumber: field.autoNumber,
  byteLength: ['id', 'reference'].includes(field.type) ? 18 : field.length * 3,
  calculated: field.formula !== undefined || field.rollUp !== undefined,
  calculatedFormula: field.formula?.text ?? null,
  cascadeDelete: false,
  caseSensitive: false,
  compoundFieldName: field.compound,
  controllerName: null,
  createable: field.createable,
  custom: field.custom,
  defaultValue: field.type === 'boolean' ? false : field.defaultValue,
  defaultValueFormula: null,
  defaultedOnCreate: field.defaultedOnCreate,
  dependentPicklist: false,
  deprecatedAndHidden: false,
  digits: field.digits,
  displayLocationInDecimal: field.type === 'double' && /(Latitude|Longitude)$/.test(field.name),
  encrypted: false,
  externalId: field.externalId,
  extraTypeInfo: field.info,
  filterable: field.filterable,
  filteredLookupInfo: null,
  formulaTreatNullNumberAsZero: false,
  groupable: field.groupable,
  highScaleNumber: false,
  htmlFormatted: false,
  idLookup: field.idLookup,
  inlineHelpText: null,
  label: field.label,
  length: field.length,
  mask: null,
  maskType: null,
  name: field.name,
  nameField: field.nameField,
  namePointing: field.polymorphic,
  nillable: field.nillable,
  permissionable: field.nillable && field.createable,
  picklistValues: field.picklist.map((value) => ({
    active: true,
    defaultValue: value === field.defaultValue,
    label: value,
    validFor: null,
    value,
  })),
  polymorphicForeignKey: field.polymorphic,
  precision: field.precision,
  queryByDistance: field.type === 'address',
  referenceTargetField: null,
  referenceTo: field.referenceTo,
  relationshipName: field.relationshipName,
  relationshipOrder: null,
  restrictedDelete: false,
  restrictedPicklist: field.restricted,
  scale: field.scale,
  searchPrefilterable: field.type === 'reference' && object.searchable,
  soapType: soapTypes[field.type] ?? 'xsd:string',
  sortable: field.sortable,
  type: field.type,
  unique: field.unique,
  updateable: field.updateable,
  writeRequiresMasterRead: false,
})
