import { addMonths, dayNumber, dayText, isDay, nativeSecond, partsOf, readMoment } from '../dates.ts'
import type { Formula } from './parse.ts'

/** A value of a formula; dates and datetimes have their own shapes, so that they are not confused with text and numbers. */
export type Value = number | string | boolean | null | { readonly day: number } | { readonly ms: number }

/** What a formula is evaluated against. */
export interface Environment {
  /** The value of a field, such as `Amount` or `Account.Industry`. */
  readonly read: (path: readonly string[]) => unknown
  /** The value that a field of the record had before the save. */
  readonly prior: (path: readonly string[]) => unknown
  readonly isNew: boolean
  readonly today: number
  readonly now: number
}

/** A field's value as formulas take it. */
const valueFrom = (held: unknown): Value => {
  if (typeof held === 'string') {
    if (isDay(held)) return { day: dayNumber(held) }
    const ms = /^\d{4}-\d\d-\d\dT/.test(held) ? readMoment(held) : undefined
    return ms === undefined ? held : { ms }
  }
  return typeof held === 'number' || typeof held === 'boolean' ? held : null
}

/** A value as records hold it. */
export const heldAs = (value: Value): unknown => {
  if (typeof value !== 'object' || value === null) return value
  return 'day' in value ? dayText(value.day) : nativeSecond(value.ms)
}

const dayMs = 86_400_000
/** Longer texts are cut, so that no formula grows without bound. */
const maxTextLength = 32_768
const isBlank = (value: Value): boolean => value === null || value === ''
const truth = (value: Value): boolean => value === true
const text = (value: Value): string => {
  if (value === null) return ''
  return typeof value === 'object' ? String(heldAs(value)) : String(value)
}
const numeric = (value: Value): number => {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return Number(value) || 0
  if (value === null || typeof value === 'boolean') return value === true ? 1 : 0
  return 'day' in value ? value.day : value.ms / dayMs
}

/** Days and moments move by days; the difference of two is a number of days. */
const add = (left: Value, right: Value, sign: 1 | -1): Value => {
  const isTime = (value: Value): value is { day: number } | { ms: number } =>
    typeof value === 'object' && value !== null
  if (isTime(left) && isTime(right)) return numeric(left) - numeric(right)
  if (isTime(left)) {
    const days = sign * numeric(right)
    return 'day' in left ? { day: Math.floor(left.day + days) } : { ms: left.ms + days * dayMs }
  }
  if (isTime(right) && sign === 1) return add(right, left, 1)
  if (typeof left === 'string' || typeof right === 'string')
    return sign === 1 ? text(left) + text(right) : null
  return left === null || right === null ? null : numeric(left) + sign * numeric(right)
}

const compare = (left: Value, right: Value): number => {
  if (typeof left === 'string' || typeof right === 'string') {
    const [one, other] = [text(left), text(right)]
    return one < other ? -1 : one > other ? 1 : 0
  }
  return numeric(left) - numeric(right)
}
const same = (left: Value, right: Value): boolean =>
  isBlank(left) || isBlank(right) ? isBlank(left) === isBlank(right) : compare(left, right) === 0

const arithmetic =
  (work: (left: number, right: number) => number) =>
  (args: readonly Value[]): Value => {
    const [left = null, right = null] = args
    if (left === null || right === null) return null
    const result = work(numeric(left), numeric(right))
    return Number.isFinite(result) ? result : null
  }
const ordering =
  (holds: (order: number) => boolean) =>
  (args: readonly Value[]): Value => {
    const [left = null, right = null] = args
    return isBlank(left) || isBlank(right) ? false : holds(compare(left, right))
  }
const part =
  (name: 'year' | 'month' | 'day') =>
  ([value = null]: readonly Value[]): Value =>
    typeof value === 'object' && value !== null ? partsOf(Math.floor(numeric(value)))[name] : null
const rounded =
  (work: (value: number) => number) =>
  ([value = null, digits = null]: readonly Value[]): Value => {
    if (value === null) return null
    const scale = 10 ** Math.max(-15, Math.min(15, numeric(digits)))
    return work(numeric(value) * scale) / scale
  }

/** Functions whose arguments are all evaluated. */
const functions: Readonly<Record<string, (args: readonly Value[], environment: Environment) => Value>> = {
  '+': ([left = null, right = null]) => add(left, right, 1),
  '-': ([left = null, right = null]) => add(left, right, -1),
  '&': (args) => args.map(text).join('').slice(0, maxTextLength),
  '*': arithmetic((left, right) => left * right),
  '/': arithmetic((left, right) => left / right),
  '^': arithmetic((left, right) => left ** right),
  '=': ([left = null, right = null]) => same(left, right),
  '<>': ([left = null, right = null]) => !same(left, right),
  '<': ordering((order) => order < 0),
  '>': ordering((order) => order > 0),
  '<=': ordering((order) => order <= 0),
  '>=': ordering((order) => order >= 0),
  NEGATE: ([value = null]) => (value === null ? null : -numeric(value)),
  NOT: ([value = null]) => !truth(value),
  ABS: ([value = null]) => (value === null ? null : Math.abs(numeric(value))),
  ADDMONTHS: ([value = null, months = null]) =>
    typeof value === 'object' && value !== null && 'day' in value
      ? { day: dayNumber(addMonths(dayText(value.day), Math.trunc(numeric(months)))) }
      : null,
  BEGINS: ([value = null, start = null]) => text(value).startsWith(text(start)),
  CEILING: rounded(Math.ceil),
  CONTAINS: ([value = null, piece = null]) => text(value).includes(text(piece)),
  DATE: ([year = null, month = null, day = null]) => {
    const written = [numeric(year), numeric(month), numeric(day)].map((one, n) =>
      String(one).padStart(n === 0 ? 4 : 2, '0'),
    )
    return isDay(written.join('-')) ? { day: dayNumber(written.join('-')) } : null
  },
  DATEVALUE: ([value = null]) => {
    if (typeof value === 'object' && value !== null) return { day: Math.floor(numeric(value)) }
    return typeof value === 'string' && isDay(value) ? { day: dayNumber(value) } : null
  },
  DAY: part('day'),
  FLOOR: rounded(Math.floor),
  INCLUDES: ([value = null, choice = null]) => text(value).split(';').includes(text(choice)),
  ISBLANK: ([value = null]) => isBlank(value),
  ISNEW: (_args, { isNew }) => isNew,
  ISNULL: ([value = null]) => isBlank(value),
  ISNUMBER: ([value = null]) => !isBlank(value) && Number.isFinite(Number(text(value))),
  ISPICKVAL: ([value = null, choice = null]) => text(value) === text(choice),
  LEFT: ([value = null, count = null]) => text(value).slice(0, Math.max(0, numeric(count))),
  LEN: ([value = null]) => text(value).length,
  LOWER: ([value = null]) => text(value).toLowerCase(),
  MAX: (args) => Math.max(...args.map(numeric)),
  MIN: (args) => Math.min(...args.map(numeric)),
  MOD: arithmetic((left, right) => left - right * Math.floor(left / right)),
  MONTH: part('month'),
  NOW: (_args, { now }) => ({ ms: now }),
  RIGHT: ([value = null, count = null]) =>
    text(value).slice(Math.max(0, text(value).length - numeric(count))),
  ROUND: rounded((value) => Math.sign(value) * Math.round(Math.abs(value))),
  SUBSTITUTE: ([value = null, from = null, to = null]) =>
    from === null || text(from) === ''
      ? text(value)
      : text(value).replaceAll(text(from), text(to)).slice(0, maxTextLength),
  TEXT: ([value = null]) => text(value),
  TODAY: (_args, { today }) => ({ day: today }),
  TRIM: ([value = null]) => text(value).trim(),
  UPPER: ([value = null]) => text(value).toUpperCase(),
  VALUE: ([value = null]) => (isBlank(value) ? null : numeric(text(value))),
  YEAR: part('year'),
}

/** Functions that evaluate only some of their arguments, or need a field itself. */
const special: Readonly<Record<string, (args: readonly Formula[], environment: Environment) => Value>> = {
  IF: ([test, yes, no], environment) => evaluate(truth(evaluate(test, environment)) ? yes : no, environment),
  AND: (args, environment) => args.every((one) => truth(evaluate(one, environment))),
  OR: (args, environment) => args.some((one) => truth(evaluate(one, environment))),
  BLANKVALUE: ([value, otherwise], environment) => {
    const found = evaluate(value, environment)
    return isBlank(found) ? evaluate(otherwise, environment) : found
  },
  NULLVALUE: (args, environment) => special.BLANKVALUE?.(args, environment) ?? null,
  CASE: ([value, ...cases], environment) => {
    const wanted = evaluate(value, environment)
    for (let at = 0; at + 1 < cases.length; at += 2)
      if (same(wanted, evaluate(cases[at], environment))) return evaluate(cases[at + 1], environment)
    return evaluate(cases.length % 2 === 1 ? cases.at(-1) : undefined, environment)
  },
  ISCHANGED: ([field], { read, prior, isNew }) =>
    field?.kind === 'field' && !isNew && !same(valueFrom(read(field.path)), valueFrom(prior(field.path))),
  PRIORVALUE: ([field], { read, prior, isNew }) =>
    field?.kind === 'field' ? valueFrom((isNew ? read : prior)(field.path)) : null,
}

/** The names that have an evaluation here. */
export const evaluated: readonly string[] = [...Object.keys(functions), ...Object.keys(special)]

export const evaluate = (formula: Formula | undefined, environment: Environment): Value => {
  if (!formula) return null
  if (formula.kind === 'literal') return formula.value
  if (formula.kind === 'field') return valueFrom(environment.read(formula.path))
  const chosen = special[formula.name]
  if (chosen) return chosen(formula.args, environment)
  const work = functions[formula.name]
  return work
    ? work(
        formula.args.map((one) => evaluate(one, environment)),
        environment,
      )
    : null
}
