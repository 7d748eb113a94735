import { parseFormula } from '../formula/parse.ts'
import type { CustomField, Customization, CustomObject } from './customization.ts'
import type { Draft } from './draft.ts'
import { standardField } from './fields.ts'
import type { FieldSchema } from './types.ts'

/** The field that an object has once it has record types. */
export const recordTypeField: FieldSchema = standardField([
  'RecordTypeId',
  'reference',
  'Record Type ID',
  18,
  'cunfsgad',
  { to: ['RecordType'], as: 'RecordType' },
])

const lengths: Readonly<Record<string, number>> = {
  string: 255,
  textarea: 255,
  email: 80,
  phone: 40,
  url: 255,
  picklist: 255,
  multipicklist: 4099,
  reference: 18,
}

export const customField = (written: CustomField): FieldSchema => {
  const long = written.type === 'textarea' && (written.length ?? 255) > 255
  const numeric = ['double', 'currency', 'percent'].includes(written.type)
  const computed =
    written.formula !== undefined || written.rollUp !== undefined || written.autoNumber !== undefined
  return {
    name: written.name,
    type: written.type,
    label: written.label ?? written.name.replace(/__c$/, '').replaceAll('_', ' '),
    length: written.length ?? lengths[written.type] ?? 0,
    createable: !computed,
    // Records below a master keep it, unless the relationship allows another one.
    updateable: !computed && (written.masterDetail !== true || written.reparentable === true),
    nillable: written.required !== true && written.type !== 'boolean',
    filterable: !long,
    sortable: !long && written.type !== 'multipicklist',
    groupable: !long && !numeric && !['datetime', 'multipicklist'].includes(written.type),
    aggregatable: !long && written.type !== 'boolean',
    nameField: false,
    idLookup: written.externalId === true || written.autoNumber !== undefined,
    defaultedOnCreate: written.type === 'boolean' || written.defaultValue !== undefined,
    restricted: written.restricted === true,
    polymorphic: false,
    autoNumber: written.autoNumber !== undefined,
    externalId: written.externalId === true,
    unique: written.unique === true,
    custom: true,
    picklist: written.picklist ?? [],
    defaultValue: written.defaultValue ?? null,
    referenceTo: written.referenceTo ? [written.referenceTo] : [],
    relationshipName: written.referenceTo
      ? written.name.replace(/__c$/, '__r').replace(/(?<!^)Id$/, '')
      : null,
    precision: numeric ? (written.precision ?? 18) : 0,
    scale: numeric ? (written.scale ?? 2) : 0,
    digits: written.type === 'int' ? 9 : 0,
    compound: null,
    info: written.type === 'textarea' && !long ? 'plaintextarea' : null,
    ...(written.formula === undefined
      ? {}
      : { formula: { text: written.formula, parsed: parseFormula(written.formula) } }),
    ...(written.rollUp ? { rollUp: written.rollUp } : {}),
    ...(written.autoNumber ? { displayFormat: written.autoNumber } : {}),
  }
}

/** The fields that every custom object begins with. */
export const customObject = (written: CustomObject, nth: number): Draft => ({
  name: written.name,
  label: written.label ?? written.name.replace(/__c$/, ''),
  plural: written.plural ?? `${written.label ?? written.name.replace(/__c$/, '')}s`,
  prefix:
    written.prefix ?? `a0${'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(nth)}`,
  flags: 'cudqRrtsU',
  recordTypes: [],
  fields: [...systemFields(written), ...written.fields.map(customField)],
  children: [],
})

const systemFields = (written: CustomObject): FieldSchema[] =>
  [
    ['Id', 'id', 'Record ID', 18, 'fsgadi'],
    ['OwnerId', 'reference', 'Owner ID', 18, 'cufsgad', { to: ['Group', 'User'], as: 'Owner' }],
    ['IsDeleted', 'boolean', 'Deleted', 0, 'fsgd'],
    ['Name', 'string', written.nameLabel ?? 'Name', 80, written.nameFormat ? 'fsgaNid' : 'cunfsgaNid'],
    ['CreatedDate', 'datetime', 'Created Date', 0, 'fsad'],
    ['CreatedById', 'reference', 'Created By ID', 18, 'fsgad', { to: ['User'], as: 'CreatedBy' }],
    ['LastModifiedDate', 'datetime', 'Last Modified Date', 0, 'fsad'],
    [
      'LastModifiedById',
      'reference',
      'Last Modified By ID',
      18,
      'fsgad',
      { to: ['User'], as: 'LastModifiedBy' },
    ],
    ['SystemModstamp', 'datetime', 'System Modstamp', 0, 'fsad'],
    ['LastViewedDate', 'datetime', 'Last Viewed Date', 0, 'nfsa'],
    ['LastReferencedDate', 'datetime', 'Last Referenced Date', 0, 'nfsa'],
  ]
    .map(standardField)
    .map((field) =>
      field.name === 'Name' && written.nameFormat
        ? { ...field, autoNumber: true, displayFormat: written.nameFormat }
        : field,
    )

export const adoptChildren = (
  draft: Draft,
  drafts: ReadonlyMap<string, Draft>,
  added: Customization,
): void => {
  const custom = [...(added.objects ?? []).map((object) => [object.name, object.fields] as const)]
  for (const [object, fields] of [...custom, ...Object.entries(added.fields ?? {})])
    for (const field of fields)
      if (field.referenceTo && drafts.get(field.referenceTo) === draft)
        draft.children.push({
          object,
          field: field.name,
          name: `${field.childRelationshipName ?? object.replace(/__c$/, 's')}__r`,
          cascade: field.masterDetail === true,
        })
}
