import type { Row } from '@diorama/twin-kit/kernel/table'
import { readId } from '../ids.ts'
import { accessOf } from '../records/access/access.ts'
import type { Org } from '../records/org.ts'
import { malformed } from './syntax/refuse.ts'
import { plainText } from './syntax/tokens.ts'
import type { Condition, Query } from './syntax/tree.ts'

const maxRecords = 200

/** The ids that a query compares a field with, at the top of its condition. */
const idsFor = (query: Query, name: string): string[] => {
  const { where } = query
  const top: readonly Condition[] = where === undefined ? [] : where.kind === 'and' ? where.all : [where]
  return top.flatMap((one) => {
    if (one.kind !== 'compare' || one.left.kind !== 'path') return []
    if (one.left.path.parts.at(-1)?.name.toLowerCase() !== name.toLowerCase()) return []
    if (one.operator !== '=' && one.operator !== 'in') return []
    const literals = Array.isArray(one.right) ? one.right : [one.right]
    return literals.flatMap((literal) =>
      literal.kind === 'text' ? [readId(plainText(literal.value)) ?? ''] : [],
    )
  })
}

/** An organization in which the rows of record access are those that a query asks for: one a record, of one user. */
export const withRecordAccess = (org: Org, query: Query): Org => {
  const [userId, ...others] = idsFor(query, 'UserId')
  const records = idsFor(query, 'RecordId')
  if (userId === undefined || others.length > 0 || records.length === 0)
    throw malformed('UserRecordAccess is queried with one UserId and with the ids of records in RecordId')
  if (records.length > maxRecords)
    throw malformed(`UserRecordAccess is queried for at most ${maxRecords} records`)
  const access = accessOf(org.schema, org.tables, userId)
  const rows = records.flatMap((id): Row[] => {
    const found = org.lookup(id)
    if (!found) return []
    const { object, row } = found
    const [read, edit, remove, transfer] = [
      access.canRead(object, row),
      access.canEdit(object, row),
      access.canDelete(object, row),
      access.canEdit(object, row) && access.canTransfer(object, row),
    ]
    const all = remove && transfer
    return [
      {
        Id: id,
        UserId: userId,
        RecordId: id,
        HasReadAccess: read,
        HasEditAccess: edit,
        HasDeleteAccess: remove,
        HasTransferAccess: transfer,
        HasAllAccess: all,
        MaxAccessLevel: all
          ? 'All'
          : remove
            ? 'Delete'
            : transfer
              ? 'Transfer'
              : edit
                ? 'Edit'
                : read
                  ? 'Read'
                  : 'None',
      },
    ]
  })
  return { ...org, rows: (object) => (object.name === 'UserRecordAccess' ? rows : org.rows(object)) }
}
