import type { Row, WritableTable } from '@diorama/twin-kit/kernel/table'
import { type Call, operation, VendorError, type Views } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { actor } from '../actor.ts'
import type { Rename } from '../schema/customization.ts'
import type { FieldSchema, ObjectSchema, Schema, SchemaIn } from '../schema/schema.ts'
import { customizationTable, tableOf } from '../tables.ts'

/** What an administrator can rename, by the name that a world's events give it. */
const renames = {
  'RENAME FieldLabel': 'label',
  'RENAME CustomField': 'field',
  'RENAME PicklistValue': 'value',
} as const

export const isRename = (operation: string): boolean => Object.hasOwn(renames, operation)

const name = z.string().min(1).max(255)
const RenameInput = z.strictObject({
  type: z.enum(Object.keys(renames) as [keyof typeof renames]),
  as: z.string(),
  object: name,
  field: name,
  from: name.optional(),
  to: name,
})

/** Standard picklists on whose values nothing else in the service depends. */
const plainPicklists: ReadonlySet<string> = new Set([
  ...['Account.Type', 'Account.Rating', 'Account.Ownership'],
  ...['Case.Type', 'Case.Reason', 'Case.Origin', 'Opportunity.Type', 'Campaign.Type'],
])

/** Whether the values of a picklist can be renamed without anything else that depends on them. */
export const hasPlainValues = (schema: Schema, object: ObjectSchema, field: FieldSchema): boolean =>
  ['picklist', 'multipicklist'].includes(field.type) &&
  (plainPicklists.has(`${object.name}.${field.name}`) || (field.custom && !isUsed(schema, field.name)))

/** Whether the name of a custom field can be changed: nothing looks records up by it, and nothing is computed from it. */
export const isRenamable = (schema: Schema, field: FieldSchema): boolean =>
  field.custom &&
  field.type !== 'reference' &&
  !field.idLookup &&
  !field.unique &&
  field.formula === undefined &&
  field.rollUp === undefined &&
  !isUsed(schema, field.name)

const isUsed = ({ objects, rules }: Schema, field: string): boolean =>
  [
    ...rules.flatMap(({ formula, refuseWhen, field: shown }) => [formula, refuseWhen, shown]),
    ...objects.flatMap((object) =>
      object.fields.flatMap(({ formula, rollUp }) => [formula?.text, rollUp?.of]),
    ),
  ].some((text) => text?.includes(field))

const refuse = (message: string): VendorError => new VendorError('INVALID_OPERATION', message)

/** What the setup pages are for, as far as they rename something. Records keep their values, under the new names. */
export const renameControls = (schemaIn: SchemaIn) => ({
  rename: {
    ...operation({
      effect: 'write',
      input: RenameInput,
      run: (call: Call, input: z.infer<typeof RenameInput>) => {
        const schema = schemaIn(call.tables)
        const object = schema.object(input.object)
        const field = object?.field(input.field)
        if (!object || !field) throw refuse(`${input.object} has no field ${input.field}`)
        const rename = checked(schema, object, field, input)
        moveValues(tableOf(call.tables, object.name), field, rename)
        keep(tableOf(call.tables, customizationTable), rename)
      },
    }),
    actor: (input: unknown, views: Views) => actor((input as z.infer<typeof RenameInput>).as, views),
  },
})

const checked = (
  schema: Schema,
  object: ObjectSchema,
  field: FieldSchema,
  { type, from, to }: z.infer<typeof RenameInput>,
): Rename => {
  const place = { object: object.name, field: field.name, to }
  const what = renames[type]
  if (what === 'label') return { what, ...place }
  if (what === 'field') {
    if (!/^[A-Za-z]\w*__c$/.test(to)) throw refuse(`${to} is no name of a custom field`)
    if (object.field(to)) throw refuse(`${object.name} has a field ${to} already`)
    if (!isRenamable(schema, field)) throw refuse(`${field.name} is used elsewhere and cannot be renamed`)
    return { what, ...place }
  }
  if (!hasPlainValues(schema, object, field)) throw refuse(`the values of ${field.name} cannot be renamed`)
  if (from === undefined || !field.picklist.includes(from)) throw refuse(`${field.name} has no such value`)
  if (field.picklist.includes(to) || to.includes(';'))
    throw refuse(`${field.name} cannot have the value ${to}`)
  return { what, ...place, from }
}

const moveValues = (rows: WritableTable, field: FieldSchema, rename: Rename): void => {
  if (rename.what === 'label') return
  for (const row of [...rows.all()]) {
    const value = row[field.name]
    if (value === undefined) continue
    if (rename.what === 'field') rows.update(String(row.Id), { [field.name]: undefined, [rename.to]: value })
    else {
      const choices = String(value).split(';')
      if (choices.includes(rename.from))
        rows.update(String(row.Id), {
          [field.name]: choices.map((one) => (one === rename.from ? rename.to : one)).join(';'),
        })
    }
  }
}

const keep = (rows: WritableTable, rename: Rename): void => {
  const row = rows.get('customization') as (Row & { renames?: readonly Rename[] }) | undefined
  const renames = [...(row?.renames ?? []), rename]
  if (row) rows.update('customization', { renames })
  else rows.insert({ key: 'customization', renames })
}
