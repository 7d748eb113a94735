import { fault } from '../faults.ts'
import type { EdmRow, EdmType, EdmValue, EntityType, Navigation, Property } from '../model.ts'
import { compareDecimals } from '../values/decimals.ts'
import { literalValue } from '../values/literals.ts'
import { timeSeconds } from '../values/moments.ts'
import { fromText } from '../values/values.ts'
import { functions, type Kind, type Runtime } from './filter-functions.ts'
import type { Comparison, Expression, Operator } from './filter-syntax.ts'

/** Finds the one row that a navigation leads to, and the type it is of. */
export interface Related {
  readonly typeOf: (navigation: Navigation) => EntityType
  readonly one: (navigation: Navigation, row: EdmRow) => EdmRow | undefined
}

export type Predicate = (row: EdmRow) => boolean

interface Typed {
  readonly kind: Kind
  readonly read: (row: EdmRow) => Runtime
  /** The exact text, where it is a decimal of a row or of the filter. */
  readonly exact?: (row: EdmRow) => string
  /** The property, where it is one of the row itself. */
  readonly property?: Property
  readonly literal?: Extract<Expression, { kind: 'literal' }>
}

const kinds: Readonly<Record<EdmType, Kind>> = {
  String: 'string',
  Decimal: 'number',
  Double: 'number',
  Byte: 'number',
  Int16: 'number',
  Int32: 'number',
  Int64: 'number',
  Boolean: 'boolean',
  DateTime: 'datetime',
  DateTimeOffset: 'offset',
  Time: 'time',
  Guid: 'guid',
}

/** Makes a filter into a test of one row, after checking that its types fit together. */
export const compileFilter = (expression: Expression, type: EntityType, related: Related): Predicate => {
  const typed = compile(expression, type, related)
  if (typed.kind !== 'boolean')
    throw fault('invalid_filter', { reason: 'it is no condition', position: expression.at })
  return (row) => typed.read(row) === true
}

const compile = (expression: Expression, type: EntityType, related: Related): Typed => {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(expression)
    case 'path':
      return compilePath(expression.path, type, related)
    case 'call':
      return compileCall(expression, type, related)
    case 'not': {
      const operand = expectKind(compile(expression.operand, type, related), 'boolean', 'not', expression.at)
      return { kind: 'boolean', read: (row) => operand.read(row) !== true }
    }
    case 'minus': {
      const operand = expectKind(compile(expression.operand, type, related), 'number', '-', expression.at)
      return { kind: 'number', read: (row) => negated(operand.read(row)) }
    }
    case 'binary':
      return compileBinary(expression, type, related)
  }
}

const negated = (value: Runtime): Runtime => (value === null ? null : -Number(value))

const literalTypes = {
  string: 'String',
  integer: 'Int64',
  decimal: 'Decimal',
  double: 'Double',
  boolean: 'Boolean',
  datetime: 'DateTime',
  datetimeoffset: 'DateTimeOffset',
  time: 'Time',
  guid: 'Guid',
} as const

const compileLiteral = (literal: Extract<Expression, { kind: 'literal' }>): Typed => {
  if (literal.literal === 'null') return { kind: 'null', read: () => null, literal }
  const type = literalTypes[literal.literal]
  const fitted = fromText(bare(type), literal.text)
  if (!('value' in fitted)) throw fault('malformed_uri')
  const value = comparable(type, fitted.value)
  const typed: Typed = { kind: kinds[type], read: () => value, literal }
  return typed.kind === 'number' && literal.literal !== 'double'
    ? { ...typed, exact: () => literal.text }
    : typed
}

/** A property of a type and nothing more, to read literals by. */
const bare = (type: EdmType): Property => ({
  name: '',
  type,
  precision: 60,
  scale: 30,
  nullable: true,
  readOnly: false,
  fixed: false,
  filterable: true,
  sortable: true,
  day: false,
  initial: null,
  upper: false,
  attributes: [],
  json: { label: '' },
})

/** Moments compare as text; midnight is written as its day, so that days and moments compare alike. */
const shortened = (text: string): string => (text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text)

const comparable = (type: EdmType, value: EdmValue): Runtime => {
  if (value === null) return null
  switch (type) {
    case 'DateTime':
      return shortened(String(value))
    case 'Time':
      return timeSeconds(String(value)) ?? 0
    case 'Decimal':
    case 'Int64':
    case 'Double':
      return Number(value)
    default:
      return value
  }
}

const compilePath = (path: readonly string[], type: EntityType, related: Related): Typed => {
  const [name = '', ...rest] = path
  if (rest.length === 0) return compileProperty(name, type)
  const navigation = type.navigations.get(name)
  if (!navigation || navigation.many) throw fault('unknown_property', { property: name })
  const inner = compilePath(rest, related.typeOf(navigation), related)
  const { read, exact } = inner
  const through =
    <V>(use: (row: EdmRow) => V, otherwise: V) =>
    (row: EdmRow) => {
      const there = related.one(navigation, row)
      return there ? use(there) : otherwise
    }
  const typed: Typed = { kind: inner.kind, read: through(read, null) }
  return exact ? { ...typed, exact: through(exact, '0') } : typed
}

const compileProperty = (name: string, type: EntityType): Typed => {
  const property = type.byName.get(name)
  if (!property) throw fault('unknown_property', { property: name })
  if (!property.filterable) throw fault('not_filterable', { property: name })
  const { initial } = property
  const typed: Typed = {
    kind: kinds[property.type],
    read: (row) => comparable(property.type, row[name] ?? initial),
    property,
  }
  return property.type === 'Decimal' || property.type === 'Int64'
    ? { ...typed, exact: (row) => String(row[name] ?? initial ?? '0') }
    : typed
}

const compileCall = (
  { name, args, at }: Extract<Expression, { kind: 'call' }>,
  type: EntityType,
  related: Related,
): Typed => {
  const called = functions.get(name)
  if (!called) throw fault('invalid_filter', { reason: `unknown function '${name}'`, position: at })
  const least = called.takes.length - (called.optional ?? 0)
  if (args.length < least || args.length > called.takes.length)
    throw fault('invalid_argument', { name, position: at })
  const compiled = args.map((arg, n) => {
    const typed = compile(arg, type, related)
    if (!called.takes[n]?.includes(typed.kind)) throw fault('invalid_argument', { name, position: arg.at })
    return typed
  })
  const [first, second, third] = compiled
  const kind = called.gives === 'same' ? (first?.kind ?? 'null') : called.gives
  if (!first) throw fault('invalid_argument', { name, position: at })
  if (!second) return { kind, read: (row) => called.run(first.read(row)) }
  if (!third) return { kind, read: (row) => called.run(first.read(row), second.read(row)) }
  return { kind, read: (row) => called.run(first.read(row), second.read(row), third.read(row)) }
}

const compileBinary = (
  expression: Extract<Expression, { kind: 'binary' }>,
  type: EntityType,
  related: Related,
): Typed => {
  const { operator, at } = expression
  const left = compile(expression.left, type, related)
  const right = compile(expression.right, type, related)
  if (operator === 'and' || operator === 'or') {
    expectKind(left, 'boolean', operator, at)
    expectKind(right, 'boolean', operator, at)
    return operator === 'and'
      ? { kind: 'boolean', read: (row) => left.read(row) === true && right.read(row) === true }
      : { kind: 'boolean', read: (row) => left.read(row) === true || right.read(row) === true }
  }
  if (isComparison(operator)) return compileComparison(operator, left, right, at)
  expectKind(left, 'number', operator, at)
  expectKind(right, 'number', operator, at)
  return { kind: 'number', read: (row) => arithmetic(operator, left.read(row), right.read(row)) }
}

const comparisons: readonly Operator[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le']
const isComparison = (operator: Operator): operator is Comparison => comparisons.includes(operator)

const holds: Readonly<Record<Comparison, (compared: number) => boolean>> = {
  eq: (compared) => compared === 0,
  ne: (compared) => compared !== 0,
  gt: (compared) => compared > 0,
  ge: (compared) => compared >= 0,
  lt: (compared) => compared < 0,
  le: (compared) => compared <= 0,
}

const compileComparison = (operator: Comparison, a: Typed, b: Typed, at: number): Typed => {
  if (a.kind !== b.kind && a.kind !== 'null' && b.kind !== 'null')
    throw fault('invalid_argument', { name: operator, position: at })
  const test = holds[operator]
  const [left, right] = [settled(a, b), settled(b, a)]
  if (left.exact && right.exact) {
    const [one, other] = [left.exact, right.exact]
    return { kind: 'boolean', read: (row) => test(compareDecimals(one(row), other(row))) }
  }
  return {
    kind: 'boolean',
    read: (row) => {
      const [one, other] = [left.read(row), right.read(row)]
      if (one === null || other === null)
        return operator === 'eq' ? one === other : operator === 'ne' && one !== other
      return test(one < other ? -1 : one > other ? 1 : 0)
    },
  }
}

/** A text beside a property that has one canonical spelling is compared in that spelling. */
const settled = (side: Typed, beside: Typed): Typed => {
  const canonical = beside.property?.canonical
  if (!canonical || side.literal?.literal !== 'string') return side
  const value = canonical(side.literal.text)
  return { ...side, read: () => value }
}

const arithmetic = (operator: Operator, a: Runtime, b: Runtime): Runtime => {
  if (a === null || b === null) return null
  const [left, right] = [Number(a), Number(b)]
  if (operator === 'add') return left + right
  if (operator === 'sub') return left - right
  if (operator === 'mul') return left * right
  if (right === 0) return null
  return operator === 'div' ? left / right : left % right
}

const expectKind = (typed: Typed, kind: Kind, name: string, position: number): Typed => {
  if (typed.kind !== kind) throw fault('invalid_argument', { name, position })
  return typed
}

/** Properties that must have one value for the filter to hold: what an index can be asked for. */
export const equalities = (expression: Expression, type: EntityType): Map<string, EdmValue> => {
  const found = new Map<string, EdmValue>()
  const walk = (part: Expression): void => {
    if (part.kind !== 'binary') return
    if (part.operator === 'and') {
      walk(part.left)
      walk(part.right)
    } else if (part.operator === 'eq') {
      const [path, literal] = part.left.kind === 'path' ? [part.left, part.right] : [part.right, part.left]
      if (path.kind !== 'path' || path.path.length !== 1 || literal.kind !== 'literal') return
      const property = type.byName.get(path.path[0] ?? '')
      const value = property && literalValue(property, literal.literal, literal.text)
      if (property && value && typeof value.value === 'string') found.set(property.name, value.value)
    }
  }
  walk(expression)
  return found
}
