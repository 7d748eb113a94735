import catalogue from './catalogue.generated.json' with { type: 'json' }
import type { CustomField, Customization, CustomObject, ValidationRule } from './customization.ts'

/** One field as describe, query and write all read it. */
export interface FieldSchema {
  readonly name: string
  readonly type: string
  readonly label: string
  readonly length: number
  readonly createable: boolean
  readonly updateable: boolean
  readonly nillable: boolean
  readonly filterable: boolean
  readonly sortable: boolean
  readonly groupable: boolean
  readonly aggregatable: boolean
  readonly nameField: boolean
  readonly idLookup: boolean
  readonly defaultedOnCreate: boolean
  readonly restricted: boolean
  readonly polymorphic: boolean
  readonly autoNumber: boolean
  readonly externalId: boolean
  readonly unique: boolean
  readonly custom: boolean
  readonly picklist: readonly string[]
  readonly defaultValue: string | null
  readonly referenceTo: readonly string[]
  readonly relationshipName: string | null
  readonly precision: number
  readonly scale: number
  readonly digits: number
  readonly compound: string | null
  readonly info: string | null
}

export interface ChildRelationship {
  readonly object: string
  readonly field: string
  readonly name: string
  readonly cascade: boolean
}

export interface ObjectSchema {
  readonly name: string
  readonly label: string
  readonly plural: string
  readonly prefix: string | null
  readonly custom: boolean
  readonly createable: boolean
  readonly updateable: boolean
  readonly deletable: boolean
  readonly queryable: boolean
  readonly retrieveable: boolean
  readonly searchable: boolean
  readonly undeletable: boolean
  readonly mergeable: boolean
  readonly replicateable: boolean
  readonly triggerable: boolean
  readonly fields: readonly FieldSchema[]
  readonly children: readonly ChildRelationship[]
  /** Case is of no account in names. */
  readonly field: (name: string) => FieldSchema | undefined
  /** The reference field behind a parent relationship's name. */
  readonly parent: (relationship: string) => FieldSchema | undefined
  readonly child: (relationship: string) => ChildRelationship | undefined
  readonly nameField: FieldSchema | undefined
}

/** Everything an organization's metadata says. */
export interface Schema {
  readonly objects: readonly ObjectSchema[]
  readonly object: (name: string) => ObjectSchema | undefined
  readonly withPrefix: (prefix: string) => readonly ObjectSchema[]
  /** Child relationships of any object whose child is the given one: who points at what. */
  readonly rules: readonly ValidationRule[]
}

/** Objects that have metadata but no rows of their own: theirs are computed from the schema. */
export const computedObjects: readonly string[] = ['EntityDefinition', 'FieldDefinition', 'UserRecordAccess']
/** The face that a polymorphic parent shows; it cannot be queried. */
export const nameObject = 'Name'

interface WrittenObject {
  readonly label: string
  readonly plural: string
  readonly prefix: string | null
  readonly flags: string
  readonly fields: readonly (readonly unknown[])[]
  readonly children: readonly (readonly unknown[])[]
}

/** The organization's metadata: the standard objects, and what a deployment adds to them. */
export const schemaOf = (added: Customization = {}): Schema => {
  const drafts = new Map<string, Draft>()
  for (const [name, written] of Object.entries<WrittenObject>(catalogue))
    drafts.set(name, standardObject(name, written))
  let prefix = 0
  for (const custom of added.objects ?? []) drafts.set(custom.name, customObject(custom, prefix++))
  for (const [object, fields] of Object.entries(added.fields ?? {})) {
    const draft = drafts.get(object)
    if (!draft) throw new Error(`custom fields are declared on ${object}, which is no object`)
    draft.fields.push(...fields.map(customField))
  }
  for (const draft of drafts.values()) adoptChildren(draft, drafts, added)
  const objects = [...drafts.values()].map((draft) => finish(draft, drafts))
  const byName = new Map(objects.map((object) => [object.name.toLowerCase(), object]))
  const byPrefix = Map.groupBy(objects, (object) => object.prefix ?? '')
  return {
    objects,
    object: (name) => byName.get(name.toLowerCase()),
    withPrefix: (wanted) => byPrefix.get(wanted) ?? [],
    rules: added.validationRules ?? [],
  }
}

interface Draft {
  readonly name: string
  readonly label: string
  readonly plural: string
  readonly prefix: string | null
  readonly flags: string
  readonly fields: FieldSchema[]
  readonly children: ChildRelationship[]
}

const standardObject = (name: string, written: WrittenObject): Draft => ({
  name,
  label: written.label,
  plural: written.plural,
  prefix: written.prefix,
  flags: written.flags,
  fields: written.fields.map(standardField),
  children: written.children.map(([object, field, relationship, cascade]) => ({
    object: String(object),
    field: String(field),
    name: String(relationship),
    cascade: cascade === 1,
  })),
})

const standardField = (written: readonly unknown[]): FieldSchema => {
  const [name, type, label, length, flags] = written.map(String)
  const extra = (written[5] ?? {}) as {
    picklist?: string[]
    default?: string
    to?: string[]
    as?: string
    precision?: number
    scale?: number
    digits?: number
    of?: string
    info?: string
  }
  const has = (letter: string) => (flags ?? '').includes(letter)
  return {
    name: name ?? '',
    type: type ?? 'string',
    label: label ?? '',
    length: Number(length),
    createable: has('c'),
    updateable: has('u'),
    nillable: has('n'),
    filterable: has('f'),
    sortable: has('s'),
    groupable: has('g'),
    aggregatable: has('a'),
    nameField: has('N'),
    idLookup: has('i'),
    defaultedOnCreate: has('d'),
    restricted: has('r'),
    polymorphic: (extra.to?.length ?? 0) > 1,
    autoNumber: has('A'),
    externalId: false,
    unique: false,
    custom: false,
    picklist: extra.picklist ?? [],
    defaultValue: extra.default ?? null,
    referenceTo: extra.to ?? [],
    relationshipName: extra.as ?? null,
    precision: extra.precision ?? 0,
    scale: extra.scale ?? 0,
    digits: extra.digits ?? 0,
    compound: extra.of ?? null,
    info: extra.info ?? null,
  }
}

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

const customField = (written: CustomField): FieldSchema => {
  const long = written.type === 'textarea' && (written.length ?? 255) > 255
  const numeric = ['double', 'currency', 'percent'].includes(written.type)
  return {
    name: written.name,
    type: written.type,
    label: written.label ?? written.name.replace(/__c$/, '').replaceAll('_', ' '),
    length: written.length ?? lengths[written.type] ?? 0,
    createable: true,
    updateable: true,
    nillable: written.required !== true && written.type !== 'boolean',
    filterable: !long,
    sortable: !long && written.type !== 'multipicklist',
    groupable: !long && !numeric && !['datetime', 'multipicklist'].includes(written.type),
    aggregatable: !long && written.type !== 'boolean',
    nameField: false,
    idLookup: written.externalId === true,
    defaultedOnCreate: written.type === 'boolean' || written.defaultValue !== undefined,
    restricted: written.restricted === true,
    polymorphic: false,
    autoNumber: false,
    externalId: written.externalId === true,
    unique: written.unique === true,
    custom: true,
    picklist: written.picklist ?? [],
    defaultValue: written.defaultValue ?? null,
    referenceTo: written.referenceTo ? [written.referenceTo] : [],
    relationshipName: written.referenceTo ? written.name.replace(/__c$/, '__r') : null,
    precision: numeric ? (written.precision ?? 18) : 0,
    scale: numeric ? (written.scale ?? 2) : 0,
    digits: written.type === 'int' ? 9 : 0,
    compound: null,
    info: written.type === 'textarea' && !long ? 'plaintextarea' : null,
  }
}

/** The fields that every custom object begins with. */
const customObject = (written: CustomObject, nth: number): Draft => ({
  name: written.name,
  label: written.label ?? written.name.replace(/__c$/, ''),
  plural: written.plural ?? `${written.label ?? written.name.replace(/__c$/, '')}s`,
  prefix: `a0${'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(nth)}`,
  flags: 'cudqRrtsU',
  fields: [...systemFields(written), ...written.fields.map(customField)],
  children: [],
})

const systemFields = (written: CustomObject): FieldSchema[] =>
  [
    ['Id', 'id', 'Record ID', 18, 'fsgadi'],
    ['OwnerId', 'reference', 'Owner ID', 18, 'cufsgad', { to: ['Group', 'User'], as: 'Owner' }],
    ['IsDeleted', 'boolean', 'Deleted', 0, 'fsgd'],
    ['Name', 'string', written.nameLabel ?? 'Name', 80, 'cunfsgaNid'],
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
  ].map(standardField)

const adoptChildren = (draft: Draft, drafts: ReadonlyMap<string, Draft>, added: Customization): void => {
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

const finish = (draft: Draft, drafts: ReadonlyMap<string, Draft>): ObjectSchema => {
  const has = (letter: string) => draft.flags.includes(letter)
  const fields = new Map(draft.fields.map((field) => [field.name.toLowerCase(), field]))
  const parents = new Map(
    draft.fields
      .filter((field) => field.relationshipName)
      .map((field) => [field.relationshipName?.toLowerCase() ?? '', field]),
  )
  const children = draft.children.filter(({ object, field }) =>
    drafts.get(object)?.fields.some(({ name }) => name === field),
  )
  const byName = new Map(children.map((child) => [child.name.toLowerCase(), child]))
  return {
    name: draft.name,
    label: draft.label,
    plural: draft.plural,
    prefix: draft.prefix,
    custom: draft.name.endsWith('__c'),
    createable: has('c'),
    updateable: has('u'),
    deletable: has('d'),
    queryable: has('q'),
    retrieveable: has('R'),
    searchable: has('s'),
    undeletable: has('U'),
    mergeable: has('m'),
    replicateable: has('r'),
    triggerable: has('t'),
    fields: draft.fields,
    children,
    field: (name) => fields.get(name.toLowerCase()),
    parent: (relationship) => parents.get(relationship.toLowerCase()),
    child: (relationship) => byName.get(relationship.toLowerCase()),
    nameField: draft.fields.find((field) => field.nameField),
  }
}

/** The same object with fewer fields or rights. */
export const narrowObject = (
  object: ObjectSchema,
  less: Pick<ObjectSchema, 'fields' | 'createable' | 'updateable' | 'deletable'>,
): ObjectSchema => {
  const fields = new Map(less.fields.map((field) => [field.name.toLowerCase(), field]))
  return {
    ...object,
    ...less,
    field: (name) => fields.get(name.toLowerCase()),
    parent: (relationship) => fields.get(object.parent(relationship)?.name.toLowerCase() ?? ''),
  }
}
