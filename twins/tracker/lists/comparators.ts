import { fold } from '../values/text.ts'
import { durationOf, instantOf, iso, isoDay } from '../values/times.ts'

export type Test = (value: unknown) => boolean
type Operands = Readonly<Record<string, unknown>>

/** How values of a comparator are made comparable; the type of its operands says which. */
export type Measure = 'plain' | 'instant' | 'day' | 'duration'
export const measureOf = (operandType: string): Measure =>
  operandType.startsWith('DateTime')
    ? 'instant'
    : operandType.startsWith('TimelessDate')
      ? 'day'
      : operandType === 'Duration'
        ? 'duration'
        : 'plain'

const readers: Readonly<Record<Measure, (operand: unknown, now: number) => unknown>> = {
  plain: (operand) => operand,
  instant: (operand, now) => iso(instantOf(String(operand), now)),
  day: (operand, now) => isoDay(instantOf(String(operand), now)),
  duration: (operand) => durationOf(operand),
}

const isNull = (value: unknown): boolean => value === null || value === undefined

/** Membership in a list of operands, which may be thousands of ids. */
const oneOf = (operand: unknown): Test => {
  const items = new Set(Array.isArray(operand) ? operand : [])
  return (value) => items.has(value)
}

/** Numbers, and times written so that they sort as text; nothing is below or above null. */
const below = (a: unknown, b: unknown): boolean =>
  typeof a === 'number' && typeof b === 'number'
    ? a < b
    : typeof a === 'string' && typeof b === 'string' && a < b

type Holds = (value: string, operand: string) => boolean
type Form = (text: string) => string
const asIs: Form = (text) => text
const lowered: Form = (text) => text.toLowerCase()

/** A test of texts, both sides brought into the same form, the operand only once. A value that is null fails it. */
const texts =
  (form: Form, holds: Holds) =>
  (operand: unknown): Test => {
    const wanted = form(String(operand))
    return (value) => typeof value === 'string' && holds(form(value), wanted)
  }
/** The negation: a value that is null passes it. */
const notTexts =
  (form: Form, holds: Holds) =>
  (operand: unknown): Test => {
    const test = texts(form, holds)(operand)
    return (value) => !test(value)
  }
const equal: Holds = (value, operand) => value === operand
const starts: Holds = (value, operand) => value.startsWith(operand)
const ends: Holds = (value, operand) => value.endsWith(operand)
const includes: Holds = (value, operand) => value.includes(operand)

const tests: Readonly<Record<string, (operand: unknown) => Test>> = {
  eq: (operand) => (value) => value === operand,
  neq: (operand) => (value) => value !== operand,
  in: (operand) => oneOf(operand),
  nin: (operand) => {
    const test = oneOf(operand)
    return (value) => !test(value)
  },
  null: (operand) => (value) => isNull(value) === operand,
  lt: (operand) => (value) => below(value, operand),
  lte: (operand) => (value) => !isNull(value) && !below(operand, value),
  gt: (operand) => (value) => below(operand, value),
  gte: (operand) => (value) => !isNull(value) && !below(value, operand),
  eqIgnoreCase: texts(lowered, equal),
  neqIgnoreCase: notTexts(lowered, equal),
  startsWith: texts(asIs, starts),
  startsWithIgnoreCase: texts(lowered, starts),
  notStartsWith: notTexts(asIs, starts),
  endsWith: texts(asIs, ends),
  notEndsWith: notTexts(asIs, ends),
  contains: texts(asIs, includes),
  notContains: notTexts(asIs, includes),
  containsIgnoreCase: texts(lowered, includes),
  notContainsIgnoreCase: notTexts(lowered, includes),
  containsIgnoreCaseAndAccent: texts(fold, includes),
}

/**
 * All operands of a comparator must hold; `and` and `or` hold further comparators. Operands that are absent or null
 * are no condition, and a comparator without conditions is none: undefined.
 */
export const compareWith = (operands: Operands, measure: Measure, now: number): Test | undefined => {
  const read = (operand: unknown): unknown =>
    typeof operand === 'boolean'
      ? operand
      : Array.isArray(operand)
        ? operand.map((item) => readers[measure](item, now))
        : readers[measure](operand, now)
  const all = Object.entries(operands).flatMap(([name, operand]): Test[] => {
    if (isNull(operand)) return []
    if (name === 'and' || name === 'or') return nested(name, list(operand), measure, now)
    const test = tests[name]
    return test ? [test(read(operand))] : []
  })
  if (all.length < 2) return all[0]
  return (value) => all.every((test) => test(value))
}

const nested = (name: 'and' | 'or', parts: Operands[], measure: Measure, now: number): Test[] => {
  const all = parts.map((part) => compareWith(part, measure, now))
  const held = all.filter((test) => test !== undefined)
  if (held.length === 0) return []
  if (name === 'and') return held
  return held.length < all.length ? [] : [(value) => held.some((test) => test(value))]
}

const list = (value: unknown): Operands[] => (Array.isArray(value) ? value : [])

/** How many conditions a comparator holds, nested ones included: what testing one value with it costs. */
export const conditionsIn = (operands: Operands): number =>
  Object.entries(operands).reduce(
    (sum, [name, operand]) =>
      sum +
      (name === 'and' || name === 'or'
        ? list(operand).reduce((inner, part) => inner + conditionsIn(part), 0)
        : 1),
    0,
  )
