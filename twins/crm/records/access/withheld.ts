import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import { isWithheld, withholdsAny } from '@diorama/twin-kit/variations/withhold'
import type { ObjectSchema } from '../../schema/schema.ts'
import { personTable } from '../../tables.ts'
import type { Access, ObjectRights } from './permissions.ts'

const nothing: ObjectRights = {
  read: false,
  create: false,
  edit: false,
  delete: false,
  viewAll: false,
  modifyAll: false,
}

/** Permission to see an object's records at all. */
export const readingObject = (object: string): string => `read ${object}`
/** Permission to see one record; ids come with and without their last three characters, which only check them. */
export const readingRecord = (id: string): string => `read record ${id.slice(0, 15)}`

/** The access that is left of one when objects and records were withheld from the user. */
export const withoutWithheld = (
  access: Access,
  tables: Readonly<Record<string, TableView>>,
  userId: string,
): Access => {
  if (!withholdsAny(tables)) return access
  const subjects = [...(tables[personTable]?.all() ?? [])]
    .filter((row) => row.userId === userId)
    .map(({ subject }) => String(subject))
    .filter((subject) => isWithheld(tables, subject, ''))
  if (subjects.length === 0) return access
  const lacks = (permission: string) => subjects.some((subject) => isWithheld(tables, subject, permission))
  const hides = (object: ObjectSchema, row: Row) =>
    lacks(readingObject(object.name)) || lacks(readingRecord(String(row.Id)))
  const unlessHidden =
    (decide: Access['canRead']): Access['canRead'] =>
    (object, row) =>
      !hides(object, row) && decide(object, row)
  return {
    enforced: true,
    permissions: {
      ...access.permissions,
      object: (object) => (lacks(readingObject(object.name)) ? nothing : access.permissions.object(object)),
    },
    canRead: unlessHidden(access.canRead),
    canEdit: unlessHidden(access.canEdit),
    canDelete: unlessHidden(access.canDelete),
    canTransfer: unlessHidden(access.canTransfer),
  }
}
