import type { TableView } from '@diorama/twin-kit/kernel/table'
import { type Context, viewOf } from '../context.ts'
import { budgetOf } from '../graphql/budget.ts'
import type { EntityRow } from '../rows.ts'
import { hiddenTeams, isVisible } from '../rules/access.ts'
import { inputError, invalidArgument } from '../shapes/refusals.ts'
import { createdPlace, type EntityType, every, tables, updatedPlace } from '../tables.ts'
import { isUuid } from '../values/uuid.ts'
import { compileFilter, type Predicate, type Types } from './filter.ts'
import { type Many, rowsOf } from './relations.ts'
import { compileSort } from './sort.ts'

export interface Page {
  readonly nodes: EntityRow[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

export type PageArguments = Readonly<Record<string, unknown>>
const defaultSize = 50
const maxRows = 250

/** Where a list's rows come from: an index that is already in order, or rows that are worked out and then ordered. */
export type Source =
  | { readonly type: EntityType; readonly index: string; readonly value: string }
  | { readonly type: EntityType; readonly rows: () => EntityRow[] }

export const everything = (type: EntityType): Source => ({ type, index: 'all', value: every })

export const sourceOf = (many: Many, row: EntityRow, context: Context): Source =>
  'column' in many
    ? { type: many.type, index: many.column, value: row.id }
    : { type: many.type, rows: () => rowsOf(many, row, context) }

/**
 * A page of a list. Newest first by default; a cursor is a record's id, so that it stays true while
 * others come and go.
 */
export const pageOf = (options: {
  source: Source
  args: PageArguments
  filterType: string | undefined
  types: Types
  context: Context
  keep?: Predicate
}): Page => {
  const { args, filterType, types, keep } = options
  const budget = options.context.budget ?? budgetOf(args)
  const context = budget ? { ...options.context, budget } : options.context
  const { filter, sort, includeArchived } = args
  const source = narrowed(options.source, filter)
  const matches =
    filterType !== undefined && typeof filter === 'object' && filter !== null
      ? compileFilter(filterType, { ...filter }, types, context)
      : undefined
  const hidden = context.hidden ?? hiddenTeams(context)
  const accept: Predicate = (row) => {
    budget?.spendRows(1)
    return (
      isVisible(source.type, row, context, hidden) &&
      (includeArchived === true || row.archivedAt === null) &&
      (keep === undefined || keep(row)) &&
      (matches === undefined || matches(row))
    )
  }
  const size = sizeOf(args)
  const backwards = typeof args.last === 'number' && typeof args.first !== 'number'
  const walk = { size, backwards, after: cursor(args.after), before: cursor(args.before) }
  const byUpdate = args.orderBy === 'updatedAt'
  const view = viewOf(context.tables, source.type)
  if (Array.isArray(sort) && sort.length > 0)
    return slice(sorted([...unordered(source, view)].filter(accept), sort, context), walk)
  if ('rows' in source || (byUpdate && source.index !== 'all')) {
    const place = byUpdate ? updatedPlace : createdPlace
    const rows = [...unordered(source, view)].filter(accept)
    return slice(
      rows.sort((a, b) => (place(a) < place(b) ? 1 : -1)),
      walk,
    )
  }
  return walkIndex({
    view,
    index: byUpdate ? 'updated' : source.index,
    value: source.value,
    accept,
    walk,
    byUpdate,
  })
}

/** Each comparison may look up related records of both rows. */
const sorted = (rows: EntityRow[], sort: PageArguments[], context: Context): EntityRow[] => {
  context.budget?.spendRows(rows.length * Math.ceil(Math.log2(rows.length + 1)))
  return rows.sort(compileSort(sort, context))
}

/** A filter that names a related record by its id needs only the rows that refer to it. */
const narrowed = (source: Source, filter: unknown): Source => {
  if ('rows' in source || source.index !== 'all' || typeof filter !== 'object' || filter === null)
    return source
  for (const [key, condition] of Object.entries(filter)) {
    const index = `${key}Id`
    const value = condition?.id?.eq
    if (isUuid(value) && index in (tables[source.type].indexes ?? {}))
      return { type: source.type, index, value: value.toLowerCase() }
  }
  return source
}

interface Walk {
  readonly size: number
  readonly backwards: boolean
  readonly after: string | undefined
  readonly before: string | undefined
}

const cursor = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const sizeOf = (args: PageArguments): number => {
  for (const property of ['first', 'last']) {
    const value = args[property]
    if (typeof value !== 'number') continue
    if (value > maxRows)
      throw invalidArgument({
        target: { ...args },
        property,
        value,
        constraints: { max: `${property} must not be greater than ${maxRows}` },
      })
    if (value < 0)
      throw invalidArgument({
        target: { ...args },
        property,
        value,
        constraints: { min: `${property} must not be less than 0` },
      })
    return value
  }
  return defaultSize
}

const unordered = (source: Source, view: TableView<EntityRow>): Iterable<EntityRow> =>
  'rows' in source ? source.rows() : view.find(source.index, source.value)

/** Walks from the cursor until the page is full, and one row on, to know whether there is more. */
const walkIndex = (options: {
  view: TableView<EntityRow>
  index: string
  value: string
  accept: Predicate
  walk: Walk
  byUpdate: boolean
}): Page => {
  const { view, index, value, accept, walk, byUpdate } = options
  const place = (id: string): string => {
    const row = view.get(id)
    if (!row) throw badCursor(id)
    return byUpdate ? updatedPlace(row) : createdPlace(row)
  }
  const range = {
    ...(walk.after === undefined ? {} : { before: place(walk.after) }),
    ...(walk.before === undefined ? {} : { after: place(walk.before) }),
    reverse: !walk.backwards,
  }
  const nodes: EntityRow[] = []
  let more = false
  for (const row of view.find(index, value, range)) {
    if (!accept(row)) continue
    if (nodes.length === walk.size) {
      more = true
      break
    }
    nodes.push(row)
  }
  return finish(walk.backwards ? nodes.reverse() : nodes, more, walk)
}

const slice = (rows: EntityRow[], walk: Walk): Page => {
  const at = (id: string): number => {
    const found = rows.findIndex((row) => row.id === id)
    if (found === -1) throw badCursor(id)
    return found
  }
  const from = walk.after === undefined ? 0 : at(walk.after) + 1
  const to = walk.before === undefined ? rows.length : at(walk.before)
  const held = rows.slice(from, Math.max(from, to))
  const nodes = walk.backwards ? held.slice(Math.max(0, held.length - walk.size)) : held.slice(0, walk.size)
  return finish(nodes, held.length > nodes.length, walk)
}

const finish = (nodes: EntityRow[], more: boolean, walk: Walk): Page => ({
  nodes,
  pageInfo: {
    hasNextPage: walk.backwards ? walk.before !== undefined : more,
    hasPreviousPage: walk.backwards ? more : walk.after !== undefined,
    startCursor: nodes[0]?.id ?? null,
    endCursor: nodes.at(-1)?.id ?? null,
  },
})

const badCursor = (id: string) =>
  inputError('Invalid cursor', `The cursor ${id} points to no record of this list.`)
