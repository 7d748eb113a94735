import type { Row } from '@diorama/twin-kit/kernel/table'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { duplicateValue, refuse } from './refusals.ts'
import { type Draft, str, type Writing } from './writing.ts'

/** Fields that no two records may share. */
export const checkUnique = (
  writing: Writing,
  object: ObjectSchema,
  draft: Draft,
  id: string | undefined,
): void => {
  if (object.name === 'PermissionSetAssignment' && id === undefined) checkAssignment(writing, object, draft)
  for (const field of object.fields) {
    if (!field.unique) continue
    const value = draft[field.name]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    for (const row of writing.org.find(object, field, value))
      if (row.Id !== id) throw duplicateValue(field.name, String(row.Id))
  }
}

/** A user has a permission set once. */
const checkAssignment = (writing: Writing, object: ObjectSchema, draft: Draft): void => {
  const [assignee, set] = [str(draft, 'AssigneeId') ?? '', str(draft, 'PermissionSetId') ?? '']
  for (const row of writing.table(object).all())
    if (row.AssigneeId === assignee && row.PermissionSetId === set)
      throw refuse(
        'DUPLICATE_VALUE',
        `Duplicate PermissionSetAssignment. Assignee: ${assignee}; Permission Set: ${set}`,
        ['AssigneeId', 'PermissionSetId'],
      )
}

/** The service's own rules for what looks like a record that is there: same person at the same address, same company. */
const alike: Readonly<Record<string, { by: string; and: readonly (readonly string[])[] }>> = {
  Contact: { by: 'Email', and: [['FirstName'], ['LastName']] },
  Lead: { by: 'Email', and: [['FirstName'], ['LastName']] },
  Account: { by: 'Name', and: [['Website', 'Phone']] },
}

export const checkDuplicates = (
  writing: Writing,
  object: ObjectSchema,
  draft: Draft,
  id: string | undefined,
): void => {
  const rule = alike[object.name]
  const field = rule && object.field(rule.by)
  const value = rule && str(draft, rule.by)
  if (!rule || !field || value === undefined || writing.allowDuplicates) return
  const found = [...matching(writing, object, field, value)].filter(
    (row) =>
      row.Id !== id &&
      row.IsConverted !== true &&
      rule.and.every((any) => any.some((name) => same(row, draft, name))),
  )
  if (found.length === 0) return
  throw refuse('DUPLICATES_DETECTED', 'Use one of these records?', [])
}

const matching = (writing: Writing, object: ObjectSchema, field: FieldSchema, value: string): Iterable<Row> =>
  writing.org.find(object, field, value)

const same = (row: Row, draft: Draft, name: string): boolean => {
  const [held, given] = [str(row, name), str(draft, name)]
  return held !== undefined && given !== undefined && held.toLowerCase() === given.toLowerCase()
}
