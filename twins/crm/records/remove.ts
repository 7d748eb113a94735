import type { Row } from '@diorama/twin-kit/kernel/table'
import { checkLock } from '../approvals/lock.ts'
import { prefixOf, readId } from '../ids.ts'
import { computedObjects, type ObjectSchema } from '../schema/schema.ts'
import { type BinRow, binTable, isHistory, isIndexed } from '../tables.ts'
import { isDeleted, noRights, refuse, unknownRecord } from './refusals.ts'
import { rulesOf } from './rulebook.ts'
import { existing, saveOf } from './save.ts'
import type { Writing } from './writing.ts'

/** Moves a record to the recycle bin, and what lives only through it along with it. */
export const deleteRecord = (writing: Writing, object: ObjectSchema, written: string): void => {
  const row = existing(writing, object, written)
  if (!object.deletable || !writing.own.access.canDelete(object, row)) throw noRights()
  checkLock(writing, row)
  const full = writing.org.object(object.name)
  const rules = rulesOf(full)
  const removing = { writing, object: full, row, save: saveOf(writing) }
  rules.keep?.(removing)
  moveToBin(writing, full, row, String(row.Id))
  rules.removed?.(removing)
}

const moveToBin = (writing: Writing, object: ObjectSchema, row: Row, along: string): void => {
  const id = String(row.Id)
  if (!writing.table(object).has(id)) return
  writing.table(object).delete(id)
  writing.table(binTable).insert({
    Id: id,
    object: object.name,
    row: { ...row, IsDeleted: true, LastModifiedDate: writing.stamp, SystemModstamp: writing.stamp },
    at: writing.stamp,
    by: writing.userId,
    along,
  })
  for (const child of childrenOf(writing, object)) {
    const children = [...writing.table(child.object).find(child.field, id)]
    for (const one of children)
      if (child.cascade) moveToBin(writing, child.object, one, along)
      else if (child.clears) writing.table(child.object).update(String(one.Id), { [child.field]: undefined })
  }
}

/** Who points at an object's records, and whether they go with them or let go of them. */
const childrenOf = (writing: Writing, object: ObjectSchema) => {
  const declared = new Map(object.children.map((child) => [`${child.object}.${child.field}`, child.cascade]))
  return writing.schema.objects.flatMap((child) =>
    child.name === 'Name' || computedObjects.includes(child.name) || isHistory(child)
      ? []
      : child.fields
          .filter((field) => field.referenceTo.includes(object.name) && isIndexed(field))
          .map((field) => ({
            object: child,
            field: field.name,
            cascade: declared.get(`${child.name}.${field.name}`) === true,
            clears: field.nillable && !field.name.startsWith('Converted') && field.name !== 'OwnerId',
          })),
  )
}

/** Brings a record back from the bin, and what went with it. */
export const undeleteRecord = (writing: Writing, written: string): string => {
  const id = readId(written)
  const bin = writing.table(binTable)
  const binned = id === undefined ? undefined : (bin.get(id) as BinRow | undefined)
  if (!binned) {
    const there = id !== undefined && writing.org.lookup(id)
    throw there
      ? refuse('UNDELETE_FAILED', 'Entity is not in the recycle bin', [])
      : refuse('INVALID_ID_FIELD', 'Invalid ID or type.', [])
  }
  checkBinRights(writing, binned)
  for (const one of [...bin.find('along', binned.Id)] as BinRow[]) {
    const { IsDeleted: _, ...row } = one.row
    bin.delete(one.Id)
    writing.table(one.object).insert({ ...row, SystemModstamp: writing.stamp })
  }
  return binned.Id
}

/** A person who may delete a record may restore it, or take it out of the bin. */
const checkBinRights = (writing: Writing, { object, row }: BinRow): void => {
  if (!writing.own.access.canDelete(writing.org.object(object), row)) throw noRights()
}

/** Takes a record out of the bin for good. */
export const purgeRecord = (writing: Writing, written: string): string => {
  const id = readId(written)
  const bin = writing.table(binTable)
  if (id === undefined || !bin.has(id))
    throw refuse('INVALID_ID_FIELD', 'Invalid ID or not in the recycle bin', [])
  const binned = bin.get(id) as BinRow | undefined
  if (binned) checkBinRights(writing, binned)
  for (const one of [...bin.find('along', id)]) bin.delete(String(one.Id))
  if (bin.has(id)) bin.delete(id)
  return id
}

/** The object whose record an id names, from its first three characters. */
export const objectOfId = (writing: Pick<Writing, 'own' | 'org'>, written: string): ObjectSchema => {
  const named = writing.own.schema
    .withPrefix(prefixOf(written))
    .find((object) => writing.org.get(object, written))
  if (named) return named
  const id = readId(written)
  if (id === undefined) throw refuse('MALFORMED_ID', `malformed id ${written}`, [])
  const objects = writing.own.schema.withPrefix(prefixOf(id))
  const found = objects.find((object) => writing.org.get(object, id)) ?? objects[0]
  if (!found) throw unknownRecord(written)
  if (!writing.org.get(found, id) && writing.org.tables[binTable]?.has(id)) throw isDeleted()
  return found
}
