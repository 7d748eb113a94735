import type { Rename } from './customization.ts'
import type { Draft } from './draft.ts'
import type { FieldSchema } from './types.ts'

export const applyRename = (drafts: ReadonlyMap<string, Draft>, rename: Rename): void => {
  const fields = drafts.get(rename.object)?.fields ?? []
  const at = fields.findIndex(({ name }) => name === rename.field)
  const field = fields[at]
  if (field) fields[at] = renamed(field, rename)
}

const renamed = (field: FieldSchema, rename: Rename): FieldSchema => {
  if (rename.what === 'label') return { ...field, label: rename.to }
  if (rename.what === 'field') return { ...field, name: rename.to }
  const { from, to } = rename
  return {
    ...field,
    picklist: field.picklist.map((value) => (value === from ? to : value)),
    defaultValue: field.defaultValue === from ? to : field.defaultValue,
  }
}
