import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Org } from '../records/org.ts'
import { nameObject, type ObjectSchema } from '../schema/schema.ts'
import { isGrouped, runGroups } from './aggregate.ts'
import { type BoundField, bindPath, hopTo, type Scope, scopeOf } from './bind.ts'
import { columnsOf } from './columns.ts'
import { checkQuery } from './limits.ts'
import { ordersOf, sortRows } from './order.ts'
import { type Children, type Json, type Shape, shapeOf } from './project.ts'
import { withRecordAccess } from './record-access.ts'
import { parseQuery } from './syntax/parse.ts'
import { malformed, noSuchChild, noSuchObject, refuseAt } from './syntax/refuse.ts'
import type { Query } from './syntax/tree.ts'
import { type Filter, filterOf, type Inner, innerField } from './where.ts'

export type Answer =
  /** `SELECT COUNT()`: a number and nothing else. */
  | { kind: 'count'; count: number }
  | { kind: 'groups'; records: Json[] }
  | { kind: 'records'; object: ObjectSchema; rows: Row[]; shape: Shape; purpose: Query['purpose'] }

export interface Asking {
  readonly org: Org
  readonly text: string
  readonly version: string
  /** Leaves out records that a search did not find. */
  readonly only?: (row: Row) => boolean
}

/** Parses, checks and answers a query. */
export const runQuery = (asking: Asking): Answer => {
  const { query, scope } = understand(asking)
  const filter = query.where && filterOf(scope, query.where, innerOf)
  const scoped = scopeFilter(scope, query)
  if (isGrouped(query)) return runAggregate(scope, query, everyMatch(scope, filter, scoped))
  const shape = shapeFor(asking, query, scope)
  const rows = query.orderBy.length > 0 ? everyMatch(scope, filter, scoped) : matching(scope, filter, scoped)
  const wanted = asking.only ? Iterator.from(rows).filter(asking.only) : rows
  return {
    kind: 'records',
    object: scope.object,
    rows: cut(scope, query, wanted),
    shape,
    purpose: query.purpose,
  }
}

/** How a query's records look, without finding any: for the later pages of an answer. */
export const recordShape = (asking: Asking): { object: ObjectSchema; shape: Shape } => {
  const { query, scope } = understand(asking)
  return { object: scope.object, shape: shapeFor(asking, query, scope) }
}

/** What the columns of a query's answer are; what is wrong with the query is refused as if it had been asked. */
export const describeColumns = (asking: Asking): Json => {
  runQuery(asking)
  const { query, scope } = understand(asking)
  return columnsOf(scope, query, isGrouped(query))
}

const understand = (asking: Asking): { query: Query; scope: Scope } => {
  asking.org.spend(asking.text.length)
  const query = parseQuery(asking.text)
  const object = rootObject(asking, query)
  const org = object.name === 'UserRecordAccess' ? withRecordAccess(asking.org, query) : asking.org
  const scope = scopeOf(org, asking.text, object, query)
  checkQuery(query, scope.object)
  checkJoinedNames(scope, query)
  return { query, scope }
}

/** What FROM lists after its object are relationships of that object, never another object. */
const checkJoinedNames = (scope: Scope, { joins }: Query): void => {
  for (const { path, alias } of joins) {
    let object = scope.object
    for (const name of scope.aliases.get(alias.toLowerCase()) ?? []) {
      const hop = hopTo(scope, object, name)
      if (!hop) throw refuseAt(scope.text, path.at, 'INVALID_TYPE', noSuchChild(name))
      object = hop.to
    }
  }
}

const shapeFor = ({ version }: Asking, query: Query, scope: Scope): Shape => {
  if (query.having) throw malformed('HAVING requires GROUP BY')
  return shapeOf(query.select, { scope, version, children: childrenOf(version, 1), limit: query.limit })
}

const rootObject = ({ org, text }: Asking, query: Query): ObjectSchema => {
  const object = org.schema.object(query.from.name)
  if (!object?.queryable || object.name === nameObject)
    throw refuseAt(text, query.from.at, 'INVALID_TYPE', noSuchObject(query.from.name), {
      kind: 'object',
      name: query.from.name,
    })
  return object
}

const runAggregate = (scope: Scope, query: Query, rows: readonly Row[]): Answer => {
  const [only, ...others] = query.select
  const counts = query.select.filter(
    (item) => item.kind === 'call' && item.call.name === 'COUNT' && item.call.args.length === 0,
  )
  if (counts.length === 0) return { kind: 'groups', records: runGroups(scope, query, rows) }
  if (others.length > 0 || query.groupBy.length > 0 || only !== counts[0])
    throw malformed('Grouped query cannot use COUNT() with no arguments')
  if (query.orderBy.length > 0) throw malformed('Ordered field must be grouped or aggregated: COUNT()')
  const left = Math.max(0, rows.length - (query.offset ?? 0))
  return { kind: 'count', count: Math.min(left, query.limit ?? left) }
}

function* matching(scope: Scope, filter: Filter | undefined, scoped: (row: Row) => boolean): Generator<Row> {
  const source = filter?.narrow?.rows() ?? scope.org.rows(scope.object)
  for (const row of source) if (scoped(row) && (!filter || filter.test(row))) yield row
}

/** All of them at once, for what cannot begin before the last is known. */
const everyMatch = (
  scope: Scope,
  filter: Filter | undefined,
  scoped: (row: Row) => boolean,
): readonly Row[] => {
  const found: Row[] = []
  const source = filter?.narrow?.rows() ?? scope.org.rows(scope.object)
  for (const row of source) if (scoped(row) && (!filter || filter.test(row))) found.push(row)
  return found
}

/** USING SCOPE narrows to what is the caller's own. */
const scopeFilter = ({ org, text }: Scope, query: Query): ((row: Row) => boolean) => {
  if (!query.scope) return () => true
  const name = query.scope.name.toLowerCase()
  if (name === 'mine') return (row) => row.OwnerId === org.userId
  if (['everything', 'team', 'my_territory', 'my_team_territory', 'delegated', 'queue_owned'].includes(name))
    return () => true
  throw refuseAt(text, query.scope.at, 'MALFORMED_QUERY', `unexpected scope: '${query.scope.name}'`)
}

const cut = (scope: Scope, query: Query, rows: Iterable<Row>): Row[] => {
  const offset = query.offset ?? 0
  const end = query.limit === undefined ? Number.POSITIVE_INFINITY : offset + query.limit
  if (query.orderBy.length > 0) return sortRows(scope, query.orderBy, [...rows]).slice(offset, end)
  ordersOf(scope, query.orderBy)
  const kept: Row[] = []
  let at = 0
  if (end === 0) return kept
  for (const row of rows) {
    if (at >= offset) kept.push(row)
    at++
    if (at >= end) break
  }
  return kept
}

/** A query inside a condition: the values of its one field. */
const innerOf: Inner = (outer, query, operand) => {
  const { org, text } = outer
  const object = rootObject({ org, text, version: '' }, query)
  const scope = scopeOf(org, text, object, query)
  const field = bindPath(scope, innerField(query))
  const left = operand.bound
  if (!sharesTarget(targetsOf(field), left ? targetsOf(left) : []))
    throw refuseAt(
      text,
      operand.at,
      'MALFORMED_QUERY',
      `The selected field '${field.field.name}' in the subquery and the left operand field in the where expression in the outer query '${operand.name}' should point to the same object type`,
    )
  const filter = query.where && filterOf(scope, query.where, innerOf)
  const values = new Set<unknown>()
  for (const row of matching(scope, filter, () => true)) {
    const value = field.read(row)
    if (typeof value === 'string') values.add(value)
  }
  return values
}

/** The objects whose ids a field holds. */
const targetsOf = ({ field, object }: BoundField): readonly string[] =>
  field.type === 'id' ? [object.name] : field.referenceTo

const sharesTarget = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.some((name) => outer.includes(name))

const maxChildDepth = 4

/** A query on a record's children, through the name that their relationship has. */
const childrenOf =
  (version: string, depth: number): Children =>
  (outer, query) => {
    const { org, text } = outer
    const name = query.from.name.split('.').at(-1) ?? ''
    const relationship = outer.object.child(name)
    const object = relationship && org.schema.object(relationship.object)
    const reference = relationship && object?.field(relationship.field)
    if (!relationship || !object || !reference || depth > maxChildDepth)
      throw refuseAt(text, query.from.at, 'INVALID_TYPE', noSuchChild(name), {
        kind: 'relation',
        object: outer.object.name,
        name,
      })
    if (isGrouped(query)) throw malformed('Aggregate functions are not allowed in child sub-queries')
    const scope = scopeOf(org, text, object, query)
    const filter = query.where && filterOf(scope, query.where, innerOf)
    ordersOf(scope, query.orderBy)
    const shape = shapeOf(query.select, {
      scope,
      version,
      children: childrenOf(version, depth + 1),
      limit: query.limit,
    })
    return (row) => {
      org.spend(10)
      const under = org.find(object, reference, String(row.Id))
      const met = filter ? Iterator.from(under).filter(filter.test) : under
      const rows = cut(scope, query, met)
      if (rows.length === 0) return null
      return { totalSize: rows.length, done: true, records: rows.map(shape) }
    }
  }
