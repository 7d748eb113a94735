import { isRecord } from '@diorama/twin-kit/records'
import { type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import type { FieldModel, TypeModel } from '../schema/model.ts'
import { shapes } from '../shapes/index.ts'
import { notEmulated } from '../shapes/refusals.ts'
import { isEntityType } from '../tables.ts'
import { compareWith, conditionsIn, measureOf, type Test } from './comparators.ts'
import { derivedLists, derivedValues } from './derived.ts'
import { idComparators, idTest } from './ids.ts'
import { manyOf, rowsOf } from './relations.ts'

export type Predicate = (row: EntityRow) => boolean
export type Types = ReadonlyMap<string, TypeModel>
type Filter = Readonly<Record<string, unknown>>

/** A condition on a value; none where the filter names nothing to compare with, which lets everything through. */
type Condition<T> = ((value: T) => boolean) | undefined

/** The named type inside list and non-null marks. */
export const bareType = (type: string): string => type.replace(/[[\]!]/g, '')

/** The record type that a filter is about: `NullableUserFilter` and `UserCollectionFilter` are about users. */
const subjectOf = (filterType: string): string =>
  filterType.replace(/^Nullable/, '').replace(/(Collection)?Filter$/, '')

interface Scope {
  readonly types: Types
  readonly context: Context
}

/** A filter as the schema describes it, compiled into one predicate over rows. */
export const compileFilter = (
  filterType: string,
  filter: Filter,
  types: Types,
  context: Context,
): Predicate => compileRecord(filterType, filter, { types, context }) ?? (() => true)

/**
 * What a key means follows from its type: a comparator looks at a value, a filter at a related record, a collection
 * filter at a list. Operands that are absent or null are no condition, and neither is a filter that holds none.
 */
const compileRecord = (filterType: string, filter: Filter, scope: Scope): Condition<EntityRow> => {
  const fields = fieldsOf(filterType, scope)
  const subject = subjectOf(filterType)
  const conditions = Object.entries(filter).map(([key, value]): Condition<EntityRow> => {
    const field = fields.get(key)
    if (!field || isAbsent(value) || key === 'null') return undefined
    if (key === 'and' || key === 'or')
      return compound(
        key,
        listOf(value).map((part) => compileRecord(filterType, part, scope)),
      )
    return compileKey({ subject, field, operands: recordOf(value), value }, scope)
  })
  return all(conditions)
}

interface Key {
  readonly subject: string
  readonly field: FieldModel
  readonly operands: Filter
  readonly value: unknown
}

const compileKey = (key: Key, scope: Scope): Condition<EntityRow> => {
  const type = bareType(key.field.type)
  if (type.endsWith('CollectionFilter')) return compileList(type, key, scope)
  if (type.endsWith('Filter')) return compileRelation(type, key, scope)
  return compileValue(type, key, scope)
}

const compileList = (type: string, { subject, field, operands }: Key, scope: Scope): Condition<EntityRow> => {
  const element = subjectOf(bareType(fieldsOf(type, scope).get('some')?.type ?? type))
  const derived = derivedLists[`${subject}.${field.name}`]
  const many = derived ? undefined : manyOf(subject, field.name, element)
  const condition = compileCollection(type, operands, scope)
  if (!condition) return undefined
  if (derived) return (row) => condition(derived(row, scope.context))
  if (!many) throw notEmulated(`${subject}Filter.${field.name}`)
  return (row) => condition(rowsOf(many, row, scope.context).filter(isLive))
}

const compileRelation = (
  type: string,
  { subject, field, operands }: Key,
  scope: Scope,
): Condition<EntityRow> => {
  const { context } = scope
  const target = subjectOf(type)
  const read = derivedValues[`${subject}.${field.name}`] ?? shapes[subject]?.[field.name]
  const condition = compileNullable(type, operands, scope)
  if (!condition) return undefined
  if (!read && !isEntityType(target)) throw notEmulated(`${subject}Filter.${field.name}`)
  return (row) => {
    context.budget?.spendRows(1)
    const found = read ? read(row, {}, context) : find(context, target, row[`${field.name}Id`])
    return condition(isRow(found) ? found : undefined)
  }
}

/** A filter on a record that may be missing: `null` asks about that, and a missing record meets no other condition. */
const compileNullable = (
  filterType: string,
  { null: missing, and, or, ...rest }: Filter,
  scope: Scope,
): Condition<EntityRow | undefined> => {
  const own = compileRecord(filterType, rest, scope)
  const nested = (parts: unknown) => listOf(parts).map((part) => compileNullable(filterType, part, scope))
  return all<EntityRow | undefined>([
    typeof missing === 'boolean' ? (row) => (row === undefined) === missing : undefined,
    own && ((row) => row !== undefined && own(row)),
    compound('and', nested(and)),
    compound('or', nested(or)),
  ])
}

const compileCollection = (filterType: string, filter: Filter, scope: Scope): Condition<EntityRow[]> => {
  const fields = fieldsOf(filterType, scope)
  const { some, every, none, length, null: empty, and, or, ...bare } = filter
  const one = (value: unknown) =>
    isAbsent(value)
      ? undefined
      : compileRecord(bareType(fields.get('some')?.type ?? ''), recordOf(value), scope)
  const [inSome, inEvery, inNone] = [one(some), one(every), one(none)]
  const inBare = compileRecord(filterType, bare, scope)
  const lengths = isAbsent(length) ? undefined : compareWith(recordOf(length), 'plain', scope.context.now)
  const nested = (parts: unknown) => listOf(parts).map((part) => compileCollection(filterType, part, scope))
  return all<EntityRow[]>([
    inSome && ((rows) => rows.some(inSome)),
    inEvery && ((rows) => rows.every(inEvery)),
    inNone && ((rows) => !rows.some(inNone)),
    inBare && ((rows) => rows.some(inBare)),
    lengths && ((rows) => lengths(rows.length)),
    typeof empty === 'boolean' ? (rows) => (rows.length === 0) === empty : undefined,
    compound('and', nested(and)),
    compound('or', nested(or)),
  ])
}

/** What testing one value costs beside looking at a row. */
const rowsPerCondition = 0.2

const compileValue = (
  type: string,
  { subject, field, operands, value }: Key,
  scope: Scope,
): Condition<EntityRow> => {
  const { context } = scope
  if (ignored.has(`${subject}.${field.name}`)) return undefined
  const test = compileTest(type, { operands, value, subject }, scope)
  if (!test) return undefined
  const read = readerOf(subject, field.name, scope)
  const rows = rowsPerCondition * Math.max(1, conditionsIn(operands))
  return (row) => {
    const found = read(row)
    context.budget?.spendRows(rows)
    context.budget?.spendText(found)
    return test(found)
  }
}

/** The old `state` of projects is still in the schema, and the service lets everything through (seen by its callers). */
const ignored = new Set(['Project.state'])

const compileTest = (
  type: string,
  { operands, value, subject }: { operands: Filter; value: unknown; subject: string },
  { types, context }: Scope,
): Test | undefined => {
  if (typeof value === 'boolean') return (found) => (found ?? false) === value
  if (type === 'StringArrayComparator') return compileStrings(operands, context.now)
  if (idComparators.has(type)) return idTest(type, operands, { subject, context })
  const fields = types.get(type)?.fields ?? []
  const operandType = fields.find(({ name }) => name === 'eq' || name === 'contains')?.type ?? 'String'
  return compareWith(operands, measureOf(bareType(operandType)), context.now)
}

/** A list of texts: some of them, all of them, or how many there are. */
const compileStrings = ({ some, every, length }: Filter, now: number): Test | undefined => {
  const each = (operands: unknown) =>
    isAbsent(operands) ? undefined : compareWith(recordOf(operands), 'plain', now)
  const [inSome, inEvery, lengths] = [each(some), each(every), each(length)]
  const condition = all<unknown[]>([
    inSome && ((items) => items.some(inSome)),
    inEvery && ((items) => items.every(inEvery)),
    lengths && ((items) => lengths(items.length)),
  ])
  return condition && ((value) => condition(Array.isArray(value) ? value : []))
}

const readerOf = (subject: string, name: string, { types, context }: Scope) => {
  const read = derivedValues[`${subject}.${name}`] ?? shapes[subject]?.[name]
  if (read) return (row: EntityRow): unknown => read(row, {}, context)
  if (!types.get(subject)?.fields?.some((field) => field.name === name))
    throw notEmulated(`${subject}Filter.${name}`)
  return (row: EntityRow): unknown => row[name]
}

const fieldsOf = (type: string, { types }: Scope): Map<string, FieldModel> =>
  new Map((types.get(type)?.fields ?? []).map((field) => [field.name, field]))

/** All conditions together; none where there are none. */
const all = <T>(conditions: readonly Condition<T>[]): Condition<T> => {
  const held = conditions.filter((condition) => condition !== undefined)
  if (held.length < 2) return held[0]
  return (value) => held.every((condition) => condition(value))
}

/** A part without conditions lets everything through, and so does an `or` that holds one. */
const compound = <T>(key: 'and' | 'or', parts: readonly Condition<T>[]): Condition<T> => {
  if (key === 'and') return all(parts)
  const held = parts.filter((part) => part !== undefined)
  if (held.length < parts.length || held.length === 0) return undefined
  return (value) => held.some((condition) => condition(value))
}

const isRow = (value: unknown): value is EntityRow =>
  typeof value === 'object' && value !== null && 'id' in value
const isLive = ({ archivedAt }: EntityRow): boolean => archivedAt === null
const isAbsent = (value: unknown): boolean => value === undefined || value === null
const recordOf = (value: unknown): Filter => (isRecord(value) ? { ...value } : {})
const listOf = (value: unknown): Filter[] => (Array.isArray(value) ? value.map(recordOf) : [])
