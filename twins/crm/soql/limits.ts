import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { ObjectSchema } from '../schema/schema.ts'
import { isGrouped } from './aggregate.ts'
import { malformed } from './syntax/refuse.ts'
import type { Condition, Query } from './syntax/tree.ts'

const maxOffset = 2_000
const maxOrderFields = 32
const maxChildQueries = 20
const maxRollupFields = 3
const maxParentRelationships = 55
const maxSemiJoins = 2
const maxTextLength = 4_000

/** Activities, notes and attachments cannot be the object of a query inside a condition. */
const notJoinable = new Set([
  'activityhistory',
  'attachment',
  'event',
  'eventattendee',
  'note',
  'openactivity',
  'task',
])

/** What the service allows of a query as a whole, besides its grammar: sizes, and the places of semi-joins. */
export const checkQuery = (query: Query, object: ObjectSchema): void => {
  if ((query.offset ?? 0) > maxOffset)
    throw new VendorError('NUMBER_OUTSIDE_VALID_RANGE', `Maximum SOQL offset allowed is ${maxOffset}`)
  if (query.orderBy.length > maxOrderFields)
    throw malformed(`ORDER BY clause cannot have more than ${maxOrderFields} fields`)
  if (query.grouping !== 'plain' && query.groupBy.length > maxRollupFields)
    throw malformed(
      `GROUP BY ${query.grouping.toUpperCase()} cannot have more than ${maxRollupFields} fields`,
    )
  const children = query.select.filter((item) => item.kind === 'subquery')
  if (children.length > maxChildQueries)
    throw malformed(`A query cannot have more than ${maxChildQueries} parent-to-child relationships`)
  const parents = new Set(
    query.select.flatMap((item) =>
      item.kind === 'path' && item.path.parts.length > 1
        ? [
            item.path.parts
              .slice(0, -1)
              .map(({ name }) => name.toLowerCase())
              .join('.'),
          ]
        : [],
    ),
  )
  if (parents.size > maxParentRelationships)
    throw malformed(`A query cannot have more than ${maxParentRelationships} child-to-parent relationships`)
  if (query.groupBy.length > 0 && query.select.some((item) => item.kind === 'typeof'))
    throw malformed('TYPEOF cannot be used with GROUP BY')
  if (isGrouped(query) && query.select.some((item) => item.kind === 'call' && item.call.name === 'FIELDS'))
    throw malformed('The SOQL FIELDS function cannot be used with GROUP BY or aggregate functions')
  for (const child of children) if (child.query.where) refuseJoins(child.query.where)
  if (query.where) checkJoins(query.where, object)
  checkLinkFilter(query, object)
  for (const condition of [query.where, query.having]) if (condition) checkTexts(condition)
}

/** Links of files are found through one side of them, never all at once. */
const checkLinkFilter = ({ where }: Query, object: ObjectSchema): void => {
  if (object.name !== 'ContentDocumentLink') return
  const top = where === undefined ? [] : where.kind === 'and' ? where.all : [where]
  const filtered = top.some(
    (one) =>
      one.kind === 'compare' &&
      one.left.kind === 'path' &&
      ['id', 'contentdocumentid', 'linkedentityid'].includes(
        one.left.path.parts.at(-1)?.name.toLowerCase() ?? '',
      ) &&
      (one.operator === '=' || one.operator === 'in'),
  )
  if (!filtered)
    throw malformed(
      "Implementation restriction: ContentDocumentLink requires a filter by a single Id on ContentDocumentId or LinkedEntityId using the equals operator or multiple Id's using the IN operator.",
    )
}

const notNested =
  'Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE expressions.'

type Comparison = Extract<Condition, { kind: 'compare' }>
type Join = Comparison & { readonly right: { kind: 'query'; query: Query } }

const isJoin = (condition: Condition): condition is Join =>
  condition.kind === 'compare' && 'kind' in condition.right && condition.right.kind === 'query'

/** Every comparison in a condition. */
function* comparisons(condition: Condition): Generator<Comparison> {
  if (condition.kind === 'compare') yield condition
  else if (condition.kind === 'not') yield* comparisons(condition.inner)
  else for (const one of condition.all) yield* comparisons(one)
}

const joinsIn = (condition: Condition): Join[] => [...comparisons(condition)].filter(isJoin)

const refuseJoins = (where: Condition): void => {
  if (joinsIn(where).length > 0) throw malformed(notNested)
}

const checkJoins = (where: Condition, object: ObjectSchema): void => {
  const joins = joinsIn(where)
  if (joins.length === 0) return
  if (where.kind === 'or') throw malformed("Semi join sub-selects are not allowed with the 'OR' operator")
  const top = where.kind === 'and' ? where.all : [where]
  for (const one of top) {
    if (one.kind === 'not' && joinsIn(one).length > 0)
      throw malformed("Semi join sub-selects are not allowed with the 'NOT' operator")
    if (!isJoin(one)) refuseJoins(one)
  }
  if (joins.length > maxSemiJoins)
    throw malformed(`Maximum ${maxSemiJoins} semi join sub-selects are allowed`)
  for (const { right } of joins) checkInner(right.query, object)
}

const checkInner = (inner: Query, outer: ObjectSchema): void => {
  const { name } = inner.from
  if (notJoinable.has(name.toLowerCase()))
    throw malformed(`Entity '${name}' is not supported for semi join inner selects`)
  if (name.toLowerCase() === outer.name.toLowerCase())
    throw malformed('The inner and outer selects should not be on the same object type')
  if (inner.where && joinsIn(inner.where).length > 0)
    throw malformed('Nesting of semi join sub-selects is not supported')
  if (inner.limit !== undefined || inner.offset !== undefined || inner.groupBy.length > 0)
    throw malformed('semi join sub-selects cannot use LIMIT, OFFSET or GROUP BY')
  if (inner.orderBy.length > 0 || inner.purpose !== undefined)
    throw malformed('semi join sub-selects cannot use ORDER BY or FOR')
  const [only] = inner.select
  if (only?.kind === 'path' && only.path.parts.length > 1 && !isOwn(only.path.parts[0]?.name, inner))
    throw malformed(
      `The inner select field '${only.path.parts.map((part) => part.name).join('.')}' cannot have more than one level of relationships`,
    )
}

const isOwn = (first: string | undefined, { alias, from }: Query): boolean =>
  [alias, from.name].some((own) => own?.toLowerCase() === first?.toLowerCase())

const checkTexts = (condition: Condition): void => {
  for (const { right } of comparisons(condition)) {
    const literals = Array.isArray(right) ? right : [right]
    for (const literal of literals)
      if (literal.kind === 'text' && literal.value.length > maxTextLength)
        throw malformed(`Strings in a WHERE clause cannot be longer than ${maxTextLength} characters`)
  }
}
