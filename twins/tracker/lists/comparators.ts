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

const words = (value: unknown): string => (typeof value === 'string' ? value : '')
const isNull = (value: unknown): boolean => value === null || value === undefined
/** A value may have several spellings, such as an issue's id and its identifier. */
const same = (value: unknown, operand: unknown): boolean =>
  Array.isArray(value) ? value.includes(operand) : value === operand

/** Membership in a list of operands, which may be thousands of ids. */
const oneOf = (operand: unknown): Test => {
  const items = new Set(Array.isArray(operand) ? operand : [])
  return (value) => (Array.isArray(value) ? value.some((spelling) => items.has(spelling)) : items.has(value))
}

const below = (a: unknown, b: unknown): boolean =>
  typeof a === 'number' && typeof b === 'number'
    ? a < b
    : typeof a === 'string' && typeof b === 'string' && a < b

/** A test of words, both sides brought into the same form; the operand only once. */
const worded =
  (form: (text: string) => string, holds: (value: string, operand: string) => boolean) =>
  (operand: unknown): Test => {
    const wanted = form(words(operand))
    return (value) => holds(form(words(value)), wanted)
  }
type Holds = (value: string, operand: string) => boolean
const exactly = (holds: Holds) => worded((text) => text, holds)
const ignoringCase = (holds: Holds) => worded((text) => text.toLowerCase(), holds)

/** `contains` minds case and what is null matches no word; what differs from a value may well be null. */
const tests: Readonly<Record<string, (operand: unknown) => Test>> = {
  eq: (operand) => (value) => (operand === null ? isNull(value) : same(value, operand)),
  neq: (operand) => (value) => (operand === null ? !isNull(value) : !same(value, operand)),
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
  eqIgnoreCase: ignoringCase((value, operand) => value === operand),
  neqIgnoreCase: ignoringCase((value, operand) => value !== operand),
  startsWith: exactly((value, operand) => value.startsWith(operand)),
  startsWithIgnoreCase: ignoringCase((value, operand) => value.startsWith(operand)),
  notStartsWith: exactly((value, operand) => !value.startsWith(operand)),
  endsWith: exactly((value, operand) => value.endsWith(operand)),
  notEndsWith: exactly((value, operand) => !value.endsWith(operand)),
  contains: exactly((value, operand) => value.includes(operand)),
  notContains: exactly((value, operand) => !value.includes(operand)),
  containsIgnoreCase: ignoringCase((value, operand) => value.includes(operand)),
  notContainsIgnoreCase: ignoringCase((value, operand) => !value.includes(operand)),
  containsIgnoreCaseAndAccent: worded(fold, (value, operand) => value.includes(operand)),
}

/** All operands of a comparator must hold; `and` and `or` hold further comparators. */
export const compareWith = (operands: Operands, measure: Measure, now: number): Test => {
  const read = (operand: unknown): unknown =>
    isNull(operand) || typeof operand === 'boolean'
      ? operand
      : Array.isArray(operand)
        ? operand.map((item) => readers[measure](item, now))
        : readers[measure](operand, now)
  const all = Object.entries(operands).map(([name, operand]): Test => {
    if (name === 'and' || name === 'or') {
      const parts = list(operand).map((part) => compareWith(part, measure, now))
      return (value) =>
        name === 'and' ? parts.every((part) => part(value)) : parts.some((part) => part(value))
    }
    const test = tests[name]
    return test ? test(read(operand)) : () => true
  })
  return all.length === 1 && all[0] ? all[0] : (value) => all.every((test) => test(value))
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
