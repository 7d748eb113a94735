import { dayText, isDay, nativeMoment, type Zone } from '../dates.ts'
import { readId } from '../ids.ts'
import type { Kind } from './operands.ts'
import { daysOf } from './periods.ts'
import { refuseAt } from './syntax/refuse.ts'
import { plainText } from './syntax/tokens.ts'
import type { Literal, Operator } from './syntax/tree.ts'
import { likePattern, matchesPattern } from './wildcards.ts'

export type Test = (value: unknown) => boolean

/** What is compared, as far as checking and comparing need it. */
export interface Compared {
  readonly kind: Kind
  readonly name: string
  readonly type: string
  readonly at: number
}

export interface Comparing {
  readonly text: string
  readonly zone: Zone
  readonly now: number
  /** Counts the work of a comparison that can take long. */
  readonly spend: (steps: number) => void
}

/** Makes the test of one comparison, or refuses it in the service's words. */
export const testOf = (
  compared: Compared,
  operator: Operator,
  right: Literal | readonly Literal[],
  comparing: Comparing,
): Test => {
  const literals = Array.isArray(right) ? (right as readonly Literal[]) : [right as Literal]
  for (const literal of literals) checkLiteral(compared, literal, comparing)
  if (operator === 'like') return likeTest(compared, literals[0], comparing)
  if (operator === 'includes' || operator === 'excludes')
    return choiceTest(compared, operator, literals, comparing)
  if (operator === 'in' || operator === 'not in') {
    const tests = setTest(compared, literals, comparing)
    return operator === 'in' ? tests : (value) => !tests(value)
  }
  const [literal] = literals
  if (!literal) return () => false
  return orderTest(compared, operator, literal, comparing)
}

const refuse = (compared: Compared, { text }: Comparing, code: string, message: string) =>
  refuseAt(text, compared.at, code, message)

const fits: Readonly<Record<Kind, readonly Literal['kind'][]>> = {
  text: ['text'],
  id: ['text'],
  number: ['number'],
  boolean: ['boolean'],
  date: ['date', 'period'],
  datetime: ['datetime', 'period'],
  address: [],
  other: [],
}

const checkLiteral = (compared: Compared, literal: Literal, comparing: Comparing): void => {
  if (literal.kind === 'null') return
  if (!fits[compared.kind].includes(literal.kind)) {
    const quoted = compared.kind === 'text' || compared.kind === 'id'
    const type = compared.kind === 'text' ? 'string' : compared.type
    throw refuse(
      compared,
      comparing,
      'INVALID_FIELD',
      `value of filter criterion for field '${compared.name}' must be of type ${type} and should ${quoted ? '' : 'not '}be enclosed in quotes`,
    )
  }
  if (literal.kind === 'date' && !isDay(literal.value))
    throw refuse(compared, comparing, 'MALFORMED_QUERY', `invalid date: ${literal.value}`)
}

const fold = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)

/** Several choices are the same in whichever order they were made. */
const choices = (text: string): string =>
  text
    .split(';')
    .map((choice) => choice.trim())
    .sort()
    .join(';')

/** A literal as the value that rows hold, folded for comparison. */
const heldAs = (compared: Compared, literal: Literal, comparing: Comparing): unknown => {
  // A box that nobody ticked is not ticked: null and false are the same.
  if (literal.kind === 'null' && compared.kind === 'boolean') return false
  if (literal.kind === 'null' || literal.kind === 'period') return null
  if (literal.kind === 'datetime') return nativeMoment(literal.value)
  if (literal.kind !== 'text') return literal.value
  const text = plainText(literal.value)
  if (compared.type === 'multipicklist') return choices(text.toLowerCase())
  if (compared.kind !== 'id') return text.toLowerCase()
  if (text === '') return null
  const id = readId(text)
  if (id === undefined && !/^[A-Z][A-Za-z0-9_.]*$/.test(text))
    throw refuse(compared, comparing, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${text}`)
  if (id === undefined && compared.name !== 'EntityDefinitionId' && compared.name !== 'DurableId')
    throw refuse(compared, comparing, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${text}`)
  return id ?? text
}

const foldFor = (compared: Compared): ((value: unknown) => unknown) => {
  if (compared.kind === 'boolean') return (value) => value ?? false
  if (compared.type === 'multipicklist')
    return (value) => (typeof value === 'string' ? choices(value.toLowerCase()) : value)
  return compared.kind === 'text' ? fold : (value) => value
}

const setTest = (compared: Compared, literals: readonly Literal[], comparing: Comparing): Test => {
  const folded = foldFor(compared)
  const ranges = literals
    .filter((literal) => literal.kind === 'period')
    .map((literal) => orderTest(compared, '=', literal, comparing))
  const values = new Set(
    literals
      .filter((literal) => literal.kind !== 'period')
      .map((literal) => emptyIsNull(heldAs(compared, literal, comparing))),
  )
  return (value) => values.has(folded(value ?? null)) || ranges.some((test) => test(value))
}

/** The service keeps no empty text: '' and null are the same to it. */
const emptyIsNull = (value: unknown): unknown => (value === '' ? null : value)

const orderTest = (compared: Compared, operator: Operator, literal: Literal, comparing: Comparing): Test => {
  if (literal.kind === 'period') return periodTest(compared, operator, literal, comparing)
  const wanted = emptyIsNull(heldAs(compared, literal, comparing))
  const folded = foldFor(compared)
  if (operator === '=') return (value) => folded(value ?? null) === wanted
  if (operator === '!=') return (value) => folded(value ?? null) !== wanted
  if (compared.kind === 'boolean')
    throw refuse(compared, comparing, 'INVALID_QUERY_FILTER_OPERATOR', 'invalid operator on boolean field')
  if (wanted === null) return () => false
  return compared.kind === 'text'
    ? ordered(operator, inCapitals(wanted), inCapitals)
    : ordered(operator, wanted, (value) => value)
}

/** Text comes before other text by its capitals, as it sorts. */
const inCapitals = (value: unknown): unknown => (typeof value === 'string' ? value.toUpperCase() : value)

const ordered = (operator: Operator, wanted: unknown, sorting: (value: unknown) => unknown): Test => {
  const compare = (value: unknown): number | undefined => {
    const held = sorting(value)
    if (typeof held === 'number' && typeof wanted === 'number') return held - wanted
    if (typeof held === 'string' && typeof wanted === 'string')
      return held < wanted ? -1 : held > wanted ? 1 : 0
    return undefined
  }
  const tests: Readonly<Record<string, (order: number) => boolean>> = {
    '<': (order) => order < 0,
    '<=': (order) => order <= 0,
    '>': (order) => order > 0,
    '>=': (order) => order >= 0,
  }
  const test = tests[operator]
  return (value) => {
    const order = compare(value)
    return order !== undefined && test?.(order) === true
  }
}

/** A period is compared as a whole: equal means inside it, less means before it begins, greater after it has ended. */
const periodTest = (
  compared: Compared,
  operator: Operator,
  literal: Extract<Literal, { kind: 'period' }>,
  { zone, now }: Comparing,
): Test => {
  const [first, end] = daysOf(literal.name, literal.n, zone.dayOf(now))
  const write = (day: number): string =>
    compared.kind === 'date' ? dayText(day) : nativeMoment(zone.startOf(day))
  const [from, to] = [write(first), write(end)]
  const tests: Readonly<Record<string, (value: string) => boolean>> = {
    '=': (value) => value >= from && value < to,
    '<': (value) => value < from,
    '<=': (value) => value < to,
    '>': (value) => value >= to,
    '>=': (value) => value >= from,
  }
  if (operator === '!=') return (value) => typeof value !== 'string' || value < from || value >= to
  const test = tests[operator]
  return (value) => typeof value === 'string' && test?.(value) === true
}

const likeTest = (compared: Compared, literal: Literal | undefined, comparing: Comparing): Test => {
  if (compared.kind !== 'text')
    throw refuse(
      compared,
      comparing,
      'INVALID_QUERY_FILTER_OPERATOR',
      `invalid operator on ${compared.kind === 'id' ? 'id' : compared.type} field`,
    )
  if (literal?.kind !== 'text') return (value) => value === null || value === undefined
  const pattern = likePattern(literal.value.toLowerCase())
  return (value) => typeof value === 'string' && matchesPattern(value.toLowerCase(), pattern, comparing.spend)
}

const choiceTest = (
  compared: Compared,
  operator: 'includes' | 'excludes',
  literals: readonly Literal[],
  comparing: Comparing,
): Test => {
  if (compared.type !== 'multipicklist')
    throw refuse(
      compared,
      comparing,
      'INVALID_QUERY_FILTER_OPERATOR',
      `includes or excludes operator only valid on multipicklist field`,
    )
  const wanted = literals.map((literal) =>
    literal.kind === 'text'
      ? plainText(literal.value)
          .split(';')
          .map((choice) => choice.trim().toLowerCase())
      : [],
  )
  const includes: Test = (value) => {
    const held = typeof value === 'string' ? value.toLowerCase().split(';') : []
    return wanted.some((all) => all.length > 0 && all.every((choice) => held.includes(choice)))
  }
  return operator === 'includes' ? includes : (value) => !includes(value)
}
