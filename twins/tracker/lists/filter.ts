import type { Context } from '../context.ts'
import { find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import type { FieldModel, TypeModel } from '../schema/model.ts'
import { shapes } from '../shapes/index.ts'
import { compareWith, conditionsIn, measureOf, type Test } from './comparators.ts'
import { manyOf, rowsOf } from './relations.ts'

export type Predicate = (row: EntityRow) => boolean
export type Types = ReadonlyMap<string, TypeModel>
type Filter = Readonly<Record<string, unknown>>

/** The named type inside list and non-null marks. */
export const bareType = (type: string): string => type.replace(/[[\]!]/g, '')

/** The record type that a filter is about: `NullableUserFilter` and `UserCollectionFilter` are about users. */
const subjectOf = (filterType: string): string =>
  filterType.replace(/^Nullable/, '').replace(/(Collection)?Filter$/, '')

/**
 * A filter as the schema describes it, made into one test of a row. What a key means follows from its type: a
 * comparator looks at a value, a filter at a related record, a collection filter at a list.
 */
export const compileFilter = (
  filterType: string,
  filter: Filter,
  types: Types,
  context: Context,
): Predicate => {
  const fields = new Map((types.get(filterType)?.fields ?? []).map((field) => [field.name, field]))
  const subject = subjectOf(filterType)
  const all = Object.entries(filter).flatMap(([key, value]): Predicate[] => {
    const field = fields.get(key)
    if (!field || value === undefined || key === 'null') return []
    if (key === 'and' || key === 'or') return [compound(key, filterType, value, types, context)]
    return [compileKey({ subject, field, value, types, context })]
  })
  return all.length === 1 && all[0] ? all[0] : (row) => all.every((test) => test(row))
}

const compound = (
  key: 'and' | 'or',
  filterType: string,
  value: unknown,
  types: Types,
  context: Context,
): Predicate => {
  const parts = listOf(value).map((part) => nullable(filterType, part, types, context))
  if (parts.length === 0) return () => true
  return (row) => (key === 'and' ? parts.every((part) => part(row)) : parts.some((part) => part(row)))
}

/** What testing one value costs beside looking at a row. */
const rowsPerCondition = 0.2

type Key = { subject: string; field: FieldModel; value: unknown; types: Types; context: Context }

const compileKey = ({ subject, field, value, types, context }: Key): Predicate => {
  const type = bareType(field.type)
  const operands = recordOf(value)
  if (type.endsWith('CollectionFilter')) {
    const many = manyOf(subject, field.name, subjectOf(type))
    const test = compileCollection(type, operands, types, context)
    return (row) => test(many ? rowsOf(many, row, context).filter(isLive) : [])
  }
  if (type.endsWith('Filter')) {
    const target = subjectOf(type)
    const test = nullable(type, operands, types, context)
    const read = shapes[subject]?.[field.name]
    return (row) => {
      context.budget?.spendRows(1)
      const found = read ? read(row, {}, context) : find(context, target, row[`${field.name}Id`])
      return test(isRow(found) ? found : undefined)
    }
  }
  const test = compileComparator(type, operands, types, context.now)
  const read = readerOf(subject, field.name, type, context)
  const rows = rowsPerCondition * conditionsIn(operands)
  return (row) => {
    const value = read(row)
    context.budget?.spendRows(rows)
    context.budget?.spendText(value)
    return test(value)
  }
}

/** A filter on a record that may be missing: `null: true` asks for that, any other condition fails on it. */
const nullable = (
  filterType: string,
  filter: Filter,
  types: Types,
  context: Context,
): ((row: EntityRow | undefined) => boolean) => {
  const test = compileFilter(filterType, filter, types, context)
  const wanted = filter.null
  const alternatives = listOf(filter.or).map((part) => nullable(filterType, part, types, context))
  return (row) => {
    if (row) return wanted !== true && test(row)
    if (alternatives.length > 0) return alternatives.some((part) => part(undefined))
    return wanted === true
  }
}

const compileCollection = (
  filterType: string,
  filter: Filter,
  types: Types,
  context: Context,
): ((rows: EntityRow[]) => boolean) => {
  const fields = types.get(filterType)?.fields ?? []
  const about = (name: string) => bareType(fields.find((field) => field.name === name)?.type ?? '')
  const { some, every, none, length, null: empty, and, or, ...bare } = filter
  const tests: ((rows: EntityRow[]) => boolean)[] = []
  const one = (value: unknown) => compileFilter(about('some'), recordOf(value), types, context)
  if (some)
    tests.push(
      (
        (test) => (rows) =>
          rows.some(test)
      )(one(some)),
    )
  if (every)
    tests.push(
      (
        (test) => (rows) =>
          rows.every(test)
      )(one(every)),
    )
  if (none)
    tests.push(
      (
        (test) => (rows) =>
          !rows.some(test)
      )(one(none)),
    )
  if (length) {
    const test = compileComparator(about('length'), recordOf(length), types, context.now)
    tests.push((rows) => test(rows.length))
  }
  if (typeof empty === 'boolean') tests.push((rows) => (rows.length === 0) === empty)
  const nested = (value: unknown) =>
    listOf(value).map((part) => compileCollection(filterType, part, types, context))
  if (and)
    tests.push(
      (
        (parts) => (rows) =>
          parts.every((part) => part(rows))
      )(nested(and)),
    )
  if (or)
    tests.push(
      (
        (parts) => (rows) =>
          parts.some((part) => part(rows))
      )(nested(or)),
    )
  if (Object.keys(bare).length > 0) {
    const test = compileFilter(filterType, bare, types, context)
    tests.push((rows) => rows.some(test))
  }
  return (rows) => tests.every((test) => test(rows))
}

const compileComparator = (type: string, operands: Filter, types: Types, now: number): Test => {
  const fields = types.get(type)?.fields ?? []
  const operandType = bareType(
    fields.find(({ name }) => name === 'eq' || name === 'contains')?.type ?? 'String',
  )
  return compareWith(operands, measureOf(operandType), now)
}

/** Issues are also known by identifier, and projects and initiatives by slug. */
const readerOf = (subject: string, name: string, comparator: string, context: Context) => {
  if (name === 'id' && comparator !== 'IDComparator')
    return (row: EntityRow): unknown => [row.id, row.identifier, row.slugId]
  const read = shapes[subject]?.[name]
  return read ? (row: EntityRow) => read(row, {}, context) : (row: EntityRow) => row[name]
}

const isRow = (value: unknown): value is EntityRow =>
  typeof value === 'object' && value !== null && 'id' in value
const isLive = ({ archivedAt }: EntityRow): boolean => archivedAt === null
const recordOf = (value: unknown): Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const listOf = (value: unknown): Filter[] => (Array.isArray(value) ? value.map(recordOf) : [])
