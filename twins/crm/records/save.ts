import type { Row } from '@diorama/twin-kit/kernel/table'
import { checkLock } from '../approvals/lock.ts'
import { malformedId, prefixOf, readId } from '../ids.ts'
import { numberedAs } from '../schema/numbering.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { type BinRow, binTable } from '../tables.ts'
import { checkSave } from './checks.ts'
import { checkDuplicates, checkUnique } from './duplicates.ts'
import { recordHistory } from './history.ts'
import type { Org } from './organization.ts'
import { isDeleted, noResource, noRights, notAllowed, refuse, unknownRecord } from './refusals.ts'
import type { Rules, Save } from './rule.ts'
import { rulesOf } from './rulebook.ts'
import { checkRules } from './validation.ts'
import { longIds, readFields } from './values.ts'
import { type Draft, type Writing, withoutNulls } from './writing.ts'

/** The object of a path; the service knows no others. */
export const objectNamed = (writing: Pick<Writing, 'own'>, name: string): ObjectSchema => {
  const object = writing.own.schema.object(name)
  if (!object || object.name === 'Name') throw noResource(name)
  return object
}

export const createRecord = (writing: Writing, object: ObjectSchema, body: Draft): string => {
  if (!object.createable) throw notAllowed('inserted', object)
  if (Object.keys(body).some((name) => name.toLowerCase() === 'id'))
    throw refuse('INVALID_FIELD_FOR_INSERT_UPDATE', 'cannot specify Id in an insert call', ['Id'])
  const given = longIds(object, readFields(writing, object, body, 'create'))
  return insertRecord(writing, object, given)
}

/** Puts a record in place with everything that follows from it; the fields have been checked, or are our own. */
export const insertRecord = (writing: Writing, { name }: ObjectSchema, given: Draft): string => {
  const object = writing.org.object(name)
  const rules = rulesOf(object)
  const draft: Draft = { ...defaultsOf(writing, object), ...withoutNulls(given) }
  rules.derive?.({ writing, object, before: undefined, draft, given })
  numberFields(writing, object, draft)
  checkSave({ writing, object, before: undefined, draft })
  checkRules(writing, { object, draft, before: undefined })
  checkUnique(writing, object, draft, undefined)
  checkDuplicates(writing, object, draft, undefined)
  const id = writing.newId(object)
  const row = withoutNulls({ Id: id, ...draft, ...stamps(writing, object, true) })
  writing.table(object).insert(forRow(object, row))
  settle(writing, object, rules, { before: undefined, id, given })
  return id
}

export const updateRecord = (writing: Writing, object: ObjectSchema, id: string, body: Draft): void => {
  const before = existing(writing, object, id)
  if (!object.updateable) throw notAllowed('updated', object)
  const { access } = writing.own
  if (!access.canEdit(object, before)) throw noRights()
  checkLock(writing, before)
  const given = longIds(object, readFields(writing, object, body, 'update'))
  const owner = given.OwnerId
  if (owner !== undefined && owner !== before.OwnerId && !access.canTransfer(object, before)) throw noRights()
  changeRecord(writing, object, before, given)
}

/** Changes a record with everything that follows from it. */
export const changeRecord = (writing: Writing, { name }: ObjectSchema, before: Row, given: Draft): void => {
  const object = writing.org.object(name)
  const rules = rulesOf(object)
  rules.guard?.({ writing, object, before, draft: { ...before }, given })
  const draft: Draft = { ...before, ...given }
  rules.derive?.({ writing, object, before, draft, given })
  checkSave({ writing, object, before, draft })
  const id = String(before.Id)
  checkRules(writing, { object, draft, before })
  checkUnique(writing, object, draft, id)
  const changed: Draft = { ...draft, ...stamps(writing, object, false) }
  const fields = forRow(object, changed)
  const patch = Object.fromEntries(
    Object.keys({ ...before, ...fields })
      .filter((field) => before[field] !== (fields[field] ?? undefined))
      .map((field) => [field, fields[field] ?? undefined]),
  )
  writing.table(object).update(id, patch)
  settle(writing, object, rules, { before, id, given })
}

const settle = (
  writing: Writing,
  object: ObjectSchema,
  rules: Rules,
  change: { before: Row | undefined; id: string; given: Draft },
): void => {
  const after = writing.table(object).get(change.id)
  if (!after) return
  recordHistory(writing, object, change.before, after)
  rules.follow?.({
    writing,
    object,
    before: change.before,
    after,
    given: change.given,
    save: saveOf(writing),
  })
}

export const saveOf = (writing: Writing): Save => ({
  insert: (object, fields) => insertRecord(writing, writing.org.object(object), fields),
  change: (object, before, fields) => changeRecord(writing, writing.org.object(object), before, fields),
})

/** Only fields of the object are kept; a record holds nothing that its description does not name. */
const forRow = (object: ObjectSchema, fields: Draft): Row =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => object.field(name)?.name === name && value !== null && value !== undefined,
    ),
  )

/** Gives the fields that are numbered automatically their next number. */
const numberFields = (writing: Writing, object: ObjectSchema, draft: Draft): void => {
  for (const field of object.fields) {
    const { name, displayFormat } = field
    if (displayFormat === undefined) continue
    let number: string
    // Numbers that the seed used are passed over.
    do number = numberedAs(displayFormat, writing.call.sequence(`number ${object.name}.${name}`))
    while (writing.org.count(object, field, number) > 0)
    draft[name] = number
  }
}

const defaultsOf = (writing: Writing, object: ObjectSchema): Draft => {
  const defaults: Draft = {}
  for (const field of object.fields) {
    if (field.defaultValue !== null && field.defaultedOnCreate !== false)
      defaults[field.name] = field.type === 'boolean' ? field.defaultValue === 'true' : field.defaultValue
    if (field.name === 'OwnerId') defaults.OwnerId = writing.userId
    if (field.name === 'RecordTypeId') defaults.RecordTypeId = defaultRecordType(writing, object)
  }
  return defaults
}

const defaultRecordType = (writing: Writing, object: ObjectSchema): string | undefined => {
  const chosen = object.recordTypes.find(({ isDefault }) => isDefault)
  for (const row of writing.table('RecordType').all())
    if (row.SobjectType === object.name && row.DeveloperName === chosen?.name) return String(row.Id)
  return undefined
}

const stamps = (writing: Writing, object: ObjectSchema, created: boolean): Draft => {
  const has = (name: string) => object.field(name) !== undefined
  const all: Draft = {
    ...(created ? { CreatedDate: writing.stamp, CreatedById: writing.userId } : {}),
    LastModifiedDate: writing.stamp,
    LastModifiedById: writing.userId,
    SystemModstamp: writing.stamp,
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => has(name)))
}

/** The record of an id, or the words in which the service says that there is none. */
export const existing = (
  writing: { readonly org: Org; readonly own?: Org },
  object: ObjectSchema,
  written: string,
): Row => {
  const org = writing.own ?? writing.org
  // Imported records may have odd ids: what is there is found before its shape is judged.
  const there = org.get(object, written)
  if (there) return there
  const id = readId(written)
  if (id === undefined && /^[0-9A-Za-z]{18}$/.test(written)) throw malformedId(written)
  if (id === undefined || (object.prefix !== null && prefixOf(id) !== object.prefix && !isComputed(object)))
    throw unknownRecord(written)
  const row = org.get(object, id)
  if (row) return row
  const binned = org.tables[binTable]?.get(id) as BinRow | undefined
  throw binned ? isDeleted() : unknownRecord(written)
}

const isComputed = (object: ObjectSchema): boolean => !object.createable && object.name.endsWith('Definition')
