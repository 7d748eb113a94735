import type { Row } from '@diorama/twin-kit/kernel/table'
import { readId } from '../ids.ts'
import { computedObjects, type FieldSchema } from '../schema/schema.ts'
import { isIndexed } from '../tables.ts'
import type { Scope } from './bind.ts'
import { testOf } from './compare.ts'
import { type Operand, operandOf } from './operands.ts'
import { malformed, refuseAt } from './syntax/refuse.ts'
import { plainText } from './syntax/tokens.ts'
import type { Condition, Literal, Query } from './syntax/tree.ts'

export type Predicate = (row: Row) => boolean

/** Answers a query inside a query: the values of its one field. */
export type Inner = (scope: Scope, query: Query, operand: Operand) => ReadonlySet<unknown>

/** A condition ready to run, and the rows that can meet it at all where an index knows them. */
export interface Filter {
  readonly test: Predicate
  readonly narrow: Narrow | undefined
}

export interface Narrow {
  readonly size: number
  readonly rows: () => Iterable<Row>
}

export const filterOf = (scope: Scope, condition: Condition, inner: Inner): Filter => {
  if (condition.kind === 'not') {
    const { test } = filterOf(scope, condition.inner, inner)
    return { test: (row) => !test(row), narrow: undefined }
  }
  if (condition.kind === 'compare') return comparison(scope, condition, inner)
  const filters = condition.all.map((one) => filterOf(scope, one, inner))
  const tests = filters.map(({ test }) => test)
  if (condition.kind === 'or') return { test: (row) => tests.some((test) => test(row)), narrow: undefined }
  const narrowest = filters
    .map(({ narrow }) => narrow)
    .reduce((best, one) => (one && (!best || one.size < best.size) ? one : best), undefined)
  return { test: (row) => tests.every((test) => test(row)), narrow: narrowest }
}

type Comparison = Extract<Condition, { kind: 'compare' }>

const comparison = (scope: Scope, condition: Comparison, inner: Inner): Filter => {
  const operand = operandOf(scope, condition.left)
  const { bound } = operand
  if (bound && !bound.field.filterable)
    throw refuseAt(
      scope.text,
      operand.at,
      'INVALID_FIELD',
      `field '${operand.name}' can not be filtered in a query call`,
    )
  if (operand.kind === 'address' || operand.kind === 'other')
    throw refuseAt(
      scope.text,
      operand.at,
      'INVALID_FIELD',
      `field '${operand.name}' can not be filtered in a query call`,
    )
  if ('kind' in condition.right && condition.right.kind === 'query') {
    checkLeft(scope, operand)
    return joined(scope, operand, condition, inner(scope, condition.right.query, operand))
  }
  const right = condition.right as Literal | readonly Literal[]
  const { org } = scope
  const test = testOf(operand, condition.operator, right, {
    text: scope.text,
    zone: org.zone,
    now: org.now,
    spend: org.spend,
  })
  const cost = costOf(right)
  return {
    test: (row) => {
      org.spend(cost)
      return test(operand.read(row))
    },
    narrow: indexed(scope, operand, condition.operator, right),
  }
}

/** What one comparison costs: the periods of a list are tried one by one. */
const costOf = (right: Literal | readonly Literal[]): number => {
  const literals = Array.isArray(right) ? (right as readonly Literal[]) : [right as Literal]
  return literals.length === 1 ? 1 : 1 + 5 * literals.filter(({ kind }) => kind === 'period').length
}

const checkLeft = (scope: Scope, operand: Operand): void => {
  if (operand.kind !== 'id' || !operand.bound)
    throw refuseAt(
      scope.text,
      operand.at,
      'INVALID_FIELD',
      `The left operand field in the where expression for outer query should be an ID field, cannot use: '${operand.name}'`,
    )
  if (operand.bound.hops.length > 1)
    throw malformed(`The left operand '${operand.name}' cannot have more than one level of relationships`)
}

const joined = (
  scope: Scope,
  operand: Operand,
  condition: Comparison,
  values: ReadonlySet<unknown>,
): Filter => {
  if (condition.operator === 'not in')
    return { test: (row) => !values.has(operand.read(row)), narrow: undefined }
  const field = operand.bound && operand.bound.hops.length === 0 ? operand.bound.field : undefined
  return {
    test: (row) => values.has(operand.read(row)),
    narrow:
      field &&
      lookups(
        scope,
        field,
        [...values].filter((value) => typeof value === 'string'),
      ),
  }
}

const indexed = (
  scope: Scope,
  operand: Operand,
  operator: string,
  right: Literal | readonly Literal[],
): Narrow | undefined => {
  const { bound } = operand
  if (!bound || bound.hops.length > 0 || (operator !== '=' && operator !== 'in')) return undefined
  const literals = Array.isArray(right) ? (right as readonly Literal[]) : [right as Literal]
  const values: string[] = []
  for (const literal of literals) {
    if (literal.kind !== 'text' || literal.value === '') return undefined
    const text = plainText(literal.value)
    values.push(operand.kind === 'id' ? (readId(text) ?? text) : text)
  }
  return lookups(scope, bound.field, values)
}

const lookups = (scope: Scope, field: FieldSchema, values: readonly string[]): Narrow | undefined => {
  const { org, object } = scope
  if (computedObjects.includes(object.name)) return undefined
  if (field.type === 'id') {
    const keys = [...new Set(values)].sort()
    return {
      size: keys.length,
      rows: () => keys.map((key) => org.get(object, key)).filter((row) => row !== undefined),
    }
  }
  if (!isIndexed(field) || !stored(scope, field)) return undefined
  const distinct = [
    ...new Set(values.map((value) => (field.type === 'reference' ? value : value.toLowerCase()))),
  ]
  return {
    size: distinct.reduce((sum, value) => sum + org.count(object, field, value), 0),
    rows: () =>
      distinct.length === 1
        ? org.find(object, field, distinct[0] ?? '')
        : distinct.flatMap((value) => [...org.find(object, field, value)]).sort(byId),
  }
}

const byId = (a: Row, b: Row): number => (String(a.Id) < String(b.Id) ? -1 : 1)

/** Fields that are worked out when read are in no index. */
const stored = ({ org, object }: Scope, field: FieldSchema): boolean => {
  const probe = '\u0000probe'
  return org.read(object, field)({ [field.name]: probe }) === probe
}

/** The values that a query inside a query yields; it must ask for one reference or id. */
export const innerField = (query: Query) => {
  const [only, ...others] = query.select
  if (others.length > 0 || only?.kind !== 'path')
    throw malformed('semi join sub-selects must select exactly one field')
  return only.path
}
