import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Scope } from './bind.ts'
import { testOf } from './compare.ts'
import { formatOf } from './format.ts'
import { callOperand, fieldOperand, isDateFunction, type Kind, type Operand, operandOf } from './operands.ts'
import { compareKeys, type Order, plainKey, sortKeyOf } from './order.ts'
import type { Json } from './project.ts'
import { malformed, refuseAt } from './syntax/refuse.ts'
import type { Condition, FunctionCall, GroupItem, Literal, Query } from './syntax/tree.ts'

const aggregates = ['COUNT', 'COUNT_DISTINCT', 'SUM', 'AVG', 'MIN', 'MAX']
export const isAggregate = (call: FunctionCall): boolean => aggregates.includes(call.name)

/** Whether a query yields groups rather than records. */
export const isGrouped = (query: Query): boolean =>
  query.groupBy.length > 0 || query.select.some((item) => item.kind === 'call' && isOfGroup(item.call))

const isOfGroup = (call: FunctionCall): boolean =>
  isAggregate(call) || call.name === 'GROUPING' || formattedCall(call) !== undefined

/** The aggregate that FORMAT is asked to write out. */
const formattedCall = (call: FunctionCall): FunctionCall | undefined => {
  const [argument, ...others] = call.args
  return call.name === 'FORMAT' &&
    argument?.kind === 'function' &&
    isAggregate(argument) &&
    others.length === 0
    ? argument
    : undefined
}

/** One line of the answer: its rows, the values they were grouped by, and which of those mean all. */
interface Group {
  readonly rows: readonly Row[]
  readonly keys: readonly unknown[]
  readonly rolled: readonly boolean[]
}

interface Value {
  readonly kind: Kind
  readonly name: string
  readonly type: string
  readonly at: number
  readonly read: (group: Group) => unknown
  /** A value as it sorts. */
  readonly key: (value: unknown) => unknown
}

export const runGroups = (scope: Scope, query: Query, rows: readonly Row[]): Json[] => {
  const keys = query.groupBy.map((item) => groupKey(scope, item))
  const columns = columnsOf(scope, query, keys)
  const having = query.having && groupTest(scope, query.having, query, keys)
  const order = query.orderBy.map((item) => {
    const value = groupValue(scope, item.by, query, keys, 'Ordered field must be grouped or aggregated')
    return { value, order: item satisfies Order }
  })
  if (query.groupBy.length === 0 && query.limit !== undefined)
    throw malformed('Non-grouped query that uses overall aggregate functions cannot also use LIMIT')
  let groups = groupsOf(query, keys, rows)
  if (having) groups = groups.filter(having)
  if (order.length > 0)
    groups.sort((a, b) => {
      for (const { value, order: direction } of order) {
        const compared = compareKeys(value.key(value.read(a)), value.key(value.read(b)), direction)
        if (compared !== 0) return compared
      }
      return 0
    })
  const offset = query.offset ?? 0
  return groups.slice(offset, query.limit === undefined ? undefined : offset + query.limit).map((group) => ({
    attributes: { type: 'AggregateResult' },
    ...Object.fromEntries(columns.map(({ name, read }) => [name, read(group)])),
  }))
}

interface Key extends Operand {
  readonly written: string
}

const groupKey = (scope: Scope, item: GroupItem): Key => {
  const operand = operandOf(scope, item)
  const { bound } = operand
  if (item.kind === 'call' && !isDateFunction(item.call.name))
    throw refuseAt(scope.text, item.call.at, 'MALFORMED_QUERY', `Invalid use of function: ${item.call.name}`)
  if (bound && !bound.field.groupable)
    throw refuseAt(
      scope.text,
      operand.at,
      'INVALID_FIELD',
      `field '${operand.name}' can not be grouped in a query call`,
    )
  return { ...operand, written: writtenOf(scope, item) }
}

/** What an expression is, however it was spelt: two that say the same are the same. */
const writtenOf = (
  scope: Scope,
  item: GroupItem | FunctionCall | { kind: 'path'; path: Parameters<typeof fieldOperand>[1]['path'] },
): string => {
  if (item.kind === 'path') {
    const { bound } = fieldOperand(scope, item)
    return [...(bound?.hops ?? []).map(({ reference }) => reference.name), bound?.field.name].join('.')
  }
  const call = item.kind === 'call' ? item.call : item
  const args = call.args.map((argument) =>
    argument.kind === 'literal' ? JSON.stringify(argument.literal) : writtenOf(scope, argument),
  )
  return `${call.name}(${args.join(',')})`
}

const groupsOf = (query: Query, keys: readonly Key[], all: readonly Row[]): Group[] => {
  if (keys.length === 0) return [{ rows: all, keys: [], rolled: [] }]
  const groups: Group[] = []
  for (const rolled of rollings(query.grouping, keys.length)) groups.push(...groupBy(all, keys, rolled))
  const placed = groups.map((group) => ({ group, places: group.keys.map(plainKey) }))
  return placed.sort(byPlaces).map(({ group }) => group)
}

/** Which keys mean all of their values, in each pass over the rows. */
const rollings = (grouping: Query['grouping'], count: number): boolean[][] => {
  const none = Array.from({ length: count }, () => false)
  if (grouping === 'plain') return [none]
  if (grouping === 'rollup')
    return Array.from({ length: count + 1 }, (_, left) => none.map((_one, at) => at >= count - left))
  return Array.from({ length: 2 ** Math.min(count, 3) }, (_, bits) =>
    none.map((_one, at) => (bits & (1 << at)) !== 0),
  )
}

const groupBy = (rows: readonly Row[], keys: readonly Key[], rolled: readonly boolean[]): Group[] => {
  const groups = new Map<string, Growing>()
  // Most rows hold a value that was met before, letter by letter, and need not be folded again.
  const met = new Map<unknown, Growing>()
  const [only, ...others] = keys
  const single = only && others.length === 0 && rolled[0] !== true ? only.read : undefined
  for (const row of rows) {
    const value = single?.(row) ?? null
    const known = single ? met.get(value) : undefined
    if (known) {
      known.rows.push(row)
      continue
    }
    const values = single ? [value] : keys.map(({ read }, at) => (rolled[at] ? null : (read(row) ?? null)))
    const place = placeOf(values)
    const group = groups.get(place) ?? { rows: [], keys: values, rolled }
    group.rows.push(row)
    groups.set(place, group)
    if (single) met.set(value, group)
  }
  return [...groups.values()]
}

interface Growing extends Group {
  readonly rows: Row[]
}

/** Rows with the same place are one group; text without regard to case. */
const placeOf = (values: readonly unknown[]): string => {
  let place = ''
  for (const value of values)
    place += typeof value === 'string' ? `'${value.toLowerCase()}\u0000` : `${String(value)}\u0000`
  return place
}

const plainOrder: Order = { descending: false, nullsLast: false }

/** Without ORDER BY, an answer comes by its keys, totals after what they add up. */
const byPlaces = (a: Placed, b: Placed): number => {
  for (let at = 0; at < a.places.length; at++) {
    if (a.group.rolled[at] !== b.group.rolled[at]) return a.group.rolled[at] ? 1 : -1
    const compared = compareKeys(a.places[at], b.places[at], plainOrder)
    if (compared !== 0) return compared
  }
  return 0
}

interface Placed {
  readonly group: Group
  readonly places: readonly unknown[]
}

const columnsOf = (scope: Scope, query: Query, keys: readonly Key[]) => {
  const taken = new Set<string>()
  let unnamed = 0
  return query.select.map((item) => {
    if (item.kind === 'subquery' || item.kind === 'typeof')
      throw malformed('Aggregate queries cannot select child records')
    const by: GroupItem = item.kind === 'call' ? item : { kind: 'path', path: item.path }
    const value = groupValue(scope, by, query, keys, 'Field must be grouped or aggregated')
    const name = item.alias?.name ?? (item.kind === 'call' ? `expr${unnamed++}` : value.name)
    if (taken.has(name.toLowerCase())) throw malformed(`duplicate alias: ${name}`)
    taken.add(name.toLowerCase())
    return { name, read: value.read }
  })
}

const groupValue = (
  scope: Scope,
  item: GroupItem,
  query: Query,
  keys: readonly Key[],
  refusal: string,
): Value => {
  if (item.kind === 'call' && isAggregate(item.call)) return aggregateValue(scope, item.call)
  if (item.kind === 'call' && item.call.name === 'GROUPING')
    return groupingValue(scope, item.call, query, keys)
  const inner = item.kind === 'call' ? formattedCall(item.call) : undefined
  if (inner) {
    const value = aggregateValue(scope, inner)
    const format = formatOf(value.type, scope.org.zone)
    return { ...value, kind: 'text', read: (group) => format(value.read(group)) }
  }
  const written = writtenOf(scope, item)
  const at = keys.findIndex((key) => key.written === written)
  const key = keys[at]
  if (!key) {
    const name = item.kind === 'path' ? item.path.parts.map((part) => part.name).join('.') : item.call.name
    throw malformed(`${refusal}: ${name}`)
  }
  return {
    kind: key.kind,
    name: key.name,
    type: key.type,
    at: key.at,
    read: (group) => group.keys[at] ?? null,
    key: sortKeyOf(key),
  }
}

const groupingValue = (scope: Scope, call: FunctionCall, query: Query, keys: readonly Key[]): Value => {
  const [argument] = call.args
  if (query.grouping === 'plain' || argument?.kind !== 'path')
    throw malformed('GROUPING function is only allowed with GROUP BY ROLLUP or CUBE')
  const written = writtenOf(scope, argument)
  const at = keys.findIndex((key) => key.written === written)
  if (at === -1) throw malformed('GROUPING function must use a grouped field')
  return {
    kind: 'number',
    name: 'GROUPING',
    type: 'int',
    at: call.at,
    read: (group) => (group.rolled[at] ? 1 : 0),
    key: plainKey,
  }
}

const aggregateValue = (scope: Scope, call: FunctionCall): Value => {
  const [argument, ...others] = call.args
  if (others.length > 0 || argument?.kind === 'literal')
    throw malformed(`Invalid use of function: ${call.name}`)
  const value = (read: Value['read'], kind: Kind = 'number', type = 'double', key = plainKey): Value => ({
    kind,
    name: call.name,
    type,
    at: call.at,
    read,
    key,
  })
  if (!argument) {
    if (call.name !== 'COUNT') throw malformed(`Invalid use of function: ${call.name}`)
    return value((group) => group.rows.length, 'number', 'int')
  }
  const operand =
    argument.kind === 'path' ? fieldOperand(scope, { path: argument.path }) : callOperand(scope, argument)
  checkAggregate(scope, call, operand)
  const held = (group: Group): unknown[] =>
    group.rows.map(operand.read).filter((one) => one !== null && one !== undefined)
  if (call.name === 'COUNT') return value((group) => held(group).length, 'number', 'int')
  if (call.name === 'COUNT_DISTINCT') return value((group) => distinct(held(group)), 'number', 'int')
  if (call.name === 'MIN' || call.name === 'MAX') {
    const key = sortKeyOf(operand)
    const read = (group: Group) => extreme(held(group), key, call.name === 'MAX')
    return value(read, operand.kind, operand.type, key)
  }
  const read = (group: Group): number | null => {
    const numbers = held(group).filter((one) => typeof one === 'number')
    if (numbers.length === 0) return null
    const total = tidy(numbers.reduce((sum, one) => sum + one, 0))
    return call.name === 'SUM' ? total : total / numbers.length
  }
  return value(read, 'number', operand.type === 'currency' ? 'currency' : 'double')
}

/** Sums of cents come out as cents. */
const tidy = (sum: number): number => Math.round(sum * 1e6) / 1e6

const checkAggregate = (scope: Scope, call: FunctionCall, operand: Operand): void => {
  const wantsNumber = call.name === 'SUM' || call.name === 'AVG'
  if ((operand.bound && !operand.bound.field.aggregatable) || (wantsNumber && operand.kind !== 'number'))
    throw refuseAt(
      scope.text,
      operand.at,
      'MALFORMED_QUERY',
      `field ${operand.name} does not support aggregate operator ${call.name}`,
    )
}

const distinct = (values: readonly unknown[]): number =>
  new Set(values.map((value) => (typeof value === 'string' ? value.toLowerCase() : value))).size

const extreme = (values: readonly unknown[], key: (value: unknown) => unknown, greatest: boolean): unknown =>
  values.reduce<unknown>((best, one) => {
    if (best === null) return one
    return compareKeys(key(one), key(best), plainOrder) > 0 === greatest ? one : best
  }, null)

const groupTest = (
  scope: Scope,
  condition: Condition,
  query: Query,
  keys: readonly Key[],
): ((group: Group) => boolean) => {
  if (query.groupBy.length === 0) throw malformed('HAVING requires GROUP BY')
  if (condition.kind === 'not') {
    const inner = groupTest(scope, condition.inner, query, keys)
    return (group) => !inner(group)
  }
  if (condition.kind !== 'compare') {
    const tests = condition.all.map((one) => groupTest(scope, one, query, keys))
    return condition.kind === 'and'
      ? (group) => tests.every((test) => test(group))
      : (group) => tests.some((test) => test(group))
  }
  if ('kind' in condition.right && condition.right.kind === 'query')
    throw malformed('Semi join sub-selects are not allowed in HAVING')
  const value = groupValue(scope, condition.left, query, keys, 'Field must be grouped or aggregated')
  const { zone, now } = scope.org
  const right = condition.right as Literal | readonly Literal[]
  const test = testOf(value, condition.operator, right, {
    text: scope.text,
    zone,
    now,
    spend: scope.org.spend,
  })
  return (group) => test(value.read(group))
}
