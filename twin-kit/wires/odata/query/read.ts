import type { Views } from '../../../kernel/twin.ts'
import type { Budget } from '../budget.ts'
import { fault } from '../faults.ts'
import {
  type EdmRow,
  type EdmValue,
  type EntitySet,
  type EntityType,
  indexName,
  indexValue,
  numeric,
  type Property,
  rowId,
  type ServiceModel,
  setOf,
  wholeIndex,
} from '../model.ts'
import { compareDecimals } from '../values/decimals.ts'
import { related, relations, rowsOf } from './data.ts'
import { compileFilter, equalities, type Predicate } from './filter.ts'
import type { Expression } from './filter-syntax.ts'
import type { Options } from './options.ts'
import { isSingle, type Step } from './path.ts'

/** The most entities on one page; the rest is behind `__next`. */
const maxPage = 1_000
const maxOrderTerms = 20

export interface Reading {
  readonly service: ServiceModel
  readonly steps: readonly Step[]
  readonly options: Options
  /** Only the number is wanted. */
  readonly countOnly?: boolean
  readonly budget: Budget
}

export interface Found {
  readonly rows: readonly EdmRow[]
  readonly total?: number
  /** How many rows are before the next page, where there is one. */
  readonly next?: number
  /** How many rows are before this page. */
  readonly from?: number
}

/** Reads what a path and its options name: one entity, or a page of them. */
export const read = (views: Views, { service, steps, options, countOnly, budget }: Reading): Found => {
  const last = steps.at(-1)
  if (!last) throw new Error('a path has at least one step')
  if (isSingle(last)) {
    refuseListOptions(options)
    return { rows: [entityAt(views, service, steps)] }
  }
  const { set } = last
  const keep = options.filter ? compileFilter(options.filter, set.type, relations(views, service)) : undefined
  const source = candidates(views, service, steps, options, set)
  const meter = options.filter ? metered(source, sizeOf(options.filter), budget) : source
  const needsAll = countOnly === true || options.inlinecount || options.orderby.length > 0
  const limit = Math.min(options.top ?? maxPage, maxPage)
  const from = offset(options)
  if (!keep && !needsAll) return page(take(source, from, limit + 1), limit, from, options)
  const matching = collect(meter, keep, needsAll ? Number.POSITIVE_INFINITY : from + limit + 1)
  if (countOnly) return { rows: [], total: matching.length }
  if (options.orderby.length > maxOrderTerms)
    throw fault('too_large', { limit: maxOrderTerms, what: 'terms of $orderby' })
  // A term that follows a navigation looks up a row for each comparison.
  for (const { path } of options.orderby) budget.compare(matching.length * (path.length > 1 ? 5 : 1))
  const sorted = options.orderby.length > 0 ? order(matching, options, set.type, views, service) : matching
  const found = page(sorted.slice(from, from + limit + 1), limit, from, options)
  // A count is of everything that the filter lets through, whatever the page.
  return options.inlinecount ? { ...found, total: matching.length } : found
}

/** What chooses, sorts and counts entities does not go with a single one. */
const refuseListOptions = ({ filter, orderby, top, skip, inlinecount }: Options): void => {
  if (filter || orderby.length > 0 || top !== undefined || skip > 0 || inlinecount)
    throw fault('options_not_allowed')
}

/** Counts the comparisons of each row before it is looked at. */
function* metered(rows: Iterable<EdmRow>, cost: number, budget: Budget): Generator<EdmRow> {
  for (const row of rows) {
    budget.compare(cost)
    yield row
  }
}

/** How many parts an expression has. */
const sizeOf = (expression: Expression): number => {
  switch (expression.kind) {
    case 'call':
      return expression.args.reduce((sum, arg) => sum + sizeOf(arg), 2)
    case 'binary':
      return 1 + sizeOf(expression.left) + sizeOf(expression.right)
    case 'not':
    case 'minus':
      return 1 + sizeOf(expression.operand)
    default:
      return expression.kind === 'path' ? expression.path.length : 0
  }
}

const offset = ({ skip, skiptoken }: Options): number => {
  if (skiptoken === undefined) return skip
  if (!/^\d{1,9}$/.test(skiptoken)) throw fault('invalid_option', { name: '$skiptoken' })
  return Number(skiptoken)
}

const page = (rows: readonly EdmRow[], limit: number, from: number, { top }: Options): Found => {
  const more = rows.length > limit && (top === undefined || top > limit)
  const shown = rows.slice(0, limit)
  return more ? { rows: shown, from, next: from + limit } : { rows: shown, from }
}

const take = (rows: Iterable<EdmRow>, from: number, limit: number): EdmRow[] => {
  const taken: EdmRow[] = []
  let n = 0
  for (const row of rows) {
    if (n++ < from) continue
    if (taken.length >= limit) break
    taken.push(row)
  }
  return taken
}

const collect = (rows: Iterable<EdmRow>, keep: Predicate | undefined, most: number): EdmRow[] => {
  const kept: EdmRow[] = []
  for (const row of rows) {
    if (keep && !keep(row)) continue
    kept.push(row)
    if (kept.length >= most) break
  }
  return kept
}

/** The entity that a path names; refused where it, or one on the way to it, is missing. */
export const entityAt = (views: Views, service: ServiceModel, steps: readonly Step[]): EdmRow => {
  let row: EdmRow | undefined
  for (const { set, navigation, id } of steps) {
    const before = row
    if (!navigation || !before) row = id === undefined ? undefined : rowsOf(views, set).get(id)
    else if (id === undefined) row = first(related(views, service, navigation, before))
    else row = first(withId(related(views, service, navigation, before), id))
    if (!row) throw fault('entity_missing', { type: set.type.name })
  }
  if (!row) throw new Error('a path has at least one step')
  return row
}

const first = (rows: Iterable<EdmRow>): EdmRow | undefined => {
  for (const row of rows) return row
  return undefined
}

function* withId(rows: Iterable<EdmRow>, id: string): Generator<EdmRow> {
  for (const row of rows) if (row.id === id) yield row
}

/** Rows that may match: by the navigation, by an index that the filter allows, or all of them. */
const candidates = (
  views: Views,
  service: ServiceModel,
  steps: readonly Step[],
  { filter }: Options,
  set: EntitySet,
): Iterable<EdmRow> => {
  const navigation = steps.at(-1)?.navigation
  if (navigation) return related(views, service, navigation, entityAt(views, service, steps.slice(0, -1)))
  const table = rowsOf(views, set)
  if (!filter) return table.find(wholeIndex, wholeIndex)
  const equal = Object.fromEntries(equalities(filter, set.type))
  if (set.type.keys.every((key) => key in equal)) {
    const row = table.get(rowId(set.type, equal))
    return row ? [row] : []
  }
  const usable = set.indexes.filter((fields) => fields.every((field) => field in equal))
  const counted = usable.map((fields) => {
    const [name, value] = [indexName(fields), indexValue(fields, equal)]
    return { name, value, count: table.count(name, value) }
  })
  const [least] = counted.sort((a, b) => a.count - b.count)
  return least ? table.find(least.name, least.value) : table.find(wholeIndex, wholeIndex)
}

const order = (
  rows: readonly EdmRow[],
  { orderby }: Options,
  type: EntityType,
  views: Views,
  service: ServiceModel,
): EdmRow[] => {
  const terms = orderby.map(({ path, descending }) => ({
    ...sortKey(path, type, views, service),
    descending,
  }))
  const keyed = rows.map((row) => ({ row, keys: terms.map(({ read }) => read(row)) }))
  keyed.sort((a, b) => {
    for (const [n, { decimal, descending }] of terms.entries()) {
      const compared = compareValues(a.keys[n] ?? null, b.keys[n] ?? null, decimal)
      if (compared !== 0) return descending ? -compared : compared
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

const compareValues = (a: EdmValue, b: EdmValue, decimal: boolean): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  if (decimal) return compareDecimals(String(a), String(b))
  return a < b ? -1 : a > b ? 1 : 0
}

const sortKey = (
  path: readonly string[],
  type: EntityType,
  views: Views,
  service: ServiceModel,
): { read: (row: EdmRow) => EdmValue; decimal: boolean } => {
  const [name = '', ...rest] = path
  const navigation = type.navigations.get(name)
  if (rest.length > 0 && navigation && !navigation.many) {
    const inner = sortKey(rest, setOf(service, navigation.target).type, views, service)
    return {
      decimal: inner.decimal,
      read: (row) => {
        const there = first(related(views, service, navigation, row))
        return there ? inner.read(there) : null
      },
    }
  }
  const property: Property | undefined = rest.length === 0 ? type.byName.get(name) : undefined
  if (!property) throw fault('unknown_property', { property: path.join('/') })
  if (!property.sortable) throw fault('not_sortable', { property: name })
  // Keys and codes made of digits sort as the numbers they are.
  const width = property.canonical ? (property.maxLength ?? 0) : 0
  return {
    decimal: property.type === 'Decimal' || property.type === 'Int64' || property.type === 'Double',
    read: (row) => {
      const value = row[name] ?? property.initial
      return width > 0 && typeof value === 'string' ? numeric(value, width) : value
    },
  }
}
