import catalogue from './catalogue.generated.json' with { type: 'json' }
import { adoptChildren, customField, customObject, recordTypeField } from './custom.ts'
import type { Customization } from './customization.ts'
import type { Draft } from './draft.ts'
import { standardField } from './fields.ts'
import { applyRename } from './renames.ts'
import type { ObjectSchema, Schema } from './types.ts'

export * from './types.ts'

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
  for (const { object, ...recordType } of added.recordTypes ?? []) {
    const draft = drafts.get(object)
    if (!draft) throw new Error(`record types are declared for ${object}, which is no object`)
    if (draft.recordTypes.length === 0) draft.fields.push(recordTypeField)
    draft.recordTypes.push({
      name: recordType.name,
      label: recordType.label ?? recordType.name.replaceAll('_', ' '),
      isDefault: recordType.isDefault === true,
    })
  }
  for (const draft of drafts.values()) adoptChildren(draft, drafts, added)
  for (const rename of added.renames ?? []) applyRename(drafts, rename)
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

const standardObject = (name: string, written: WrittenObject): Draft => ({
  name,
  label: written.label,
  plural: written.plural,
  prefix: written.prefix,
  flags: written.flags,
  recordTypes: [],
  fields: written.fields.map(standardField),
  children: written.children.map(([object, field, relationship, cascade]) => ({
    object: String(object),
    field: String(field),
    name: String(relationship),
    cascade: cascade === 1,
  })),
})

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
    recordTypes: draft.recordTypes,
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
