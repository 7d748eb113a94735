import { find, type RequestContext } from '../context.ts'
import { bareType, compileFilter, type Types } from '../lists/filter.ts'
import { everything, type Page, pageOf, sourceOf } from '../lists/page.ts'
import { manyOf, upperFirst } from '../lists/relations.ts'
import { checkScope } from '../oauth/scopes.ts'
import type { EntityRow } from '../rows.ts'
import { isVisible } from '../rules/access.ts'
import type { Resolver, ResolverOf } from '../schema/build.ts'
import type { FieldModel } from '../schema/model.ts'
import { shapes } from '../shapes/index.ts'
import { notAccessible, notFound } from '../shapes/refusals.ts'
import { type EntityType, isEntityType } from '../tables.ts'
import { budgetKey } from './budget.ts'

export const emptyPage: Page = {
  nodes: [],
  pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
}

/** The name of an operation as it is recorded: `mutation IssueUpdate`. */
export const operationName = (root: 'query' | 'mutation' | 'subscription', field: string): string =>
  `${root} ${upperFirst(field)}`

/**
 * How each field of the schema is answered. The order is: root fields call operations; fields that are worked out;
 * lists; related records; and what is left is read off the row. Types that the twin keeps no records of have no
 * rows, and their lists are truly empty.
 */
export const makeResolvers =
  (types: Types): ResolverOf =>
  (type, field) => {
    if (type === 'Query') return rootField('query', field)
    if (type === 'Mutation') return rootField('mutation', field)
    if (field.name === 'edges' && /(Connection|Payload)$/.test(type)) return edges
    const shape = shapes[type]?.[field.name]
    if (shape) return charged(shape)
    const target = bareType(field.type)
    if (target.endsWith('Connection')) return connection(recordType(type), field, types)
    if (field.type.startsWith('[')) return listField(field)
    if (isEntityType(target)) return (row: EntityRow, _args, context) => one(row, field, target, context)
    if (field.type.endsWith('!') && types.get(target)?.kind === 'object')
      return (row: EntityRow) => row[field.name] ?? {}
    return undefined
  }

/** Fields that are worked out pay for the text they answer with; those read off a row pay in `readField`. */
const charged =
  (resolve: Resolver): Resolver =>
  (source, args, context: RequestContext, info) => {
    const value = resolve(source, args, context, info)
    context.budget.spendText(value)
    return value
  }

/** Reads a field that has no resolver off its row. */
export const readField: Resolver = (source, _args, context: RequestContext, { fieldName }) => {
  const value = source?.[fieldName]
  context.budget.spendText(value)
  return value
}

/** Search results are the records they found. */
const recordType = (type: string): string => type.replace(/SearchResult$/, '')

const edges: Resolver = ({ nodes }: Page) => nodes.map((node) => ({ node, cursor: node.id }))

/** A related record; one that the caller may not see is left out where the schema allows that. */
const one = (row: EntityRow, field: FieldModel, target: EntityType, context: RequestContext): unknown => {
  const held = row[field.name] ?? find(context, target, row[`${field.name}Id`])
  if (field.type.endsWith('!') || typeof held !== 'object' || held === null || !('id' in held)) return held
  return isVisible(target, held as EntityRow, context) ? held : null
}

const listField = (field: FieldModel): Resolver | undefined =>
  field.type.endsWith('!') ? (row: EntityRow) => row[field.name] ?? [] : undefined

const connection = (parent: string, field: FieldModel, types: Types): Resolver => {
  const target = bareType(field.type).replace(/Connection$/, '')
  const many = manyOf(parent, field.name, target)
  const filterType = filterTypeOf(field)
  if (parent === 'CustomView' && isEntityType(target) && filterType)
    return viewed(target, field.name, filterType, types)
  if (!many) return (row: EntityRow) => row?.[field.name] ?? emptyPage
  const enabledOnly = (field.args ?? []).some(({ name }) => name === 'includeDisabled')
  return (row: EntityRow, args, context: RequestContext) =>
    pageOf({
      source: sourceOf(many, row, context),
      args,
      filterType,
      types,
      context,
      ...(enabledOnly && args.includeDisabled !== true ? { keep: isActive } : {}),
    })
}

/** A saved view shows what its own filter lets through; one of projects holds no issues. */
const viewed =
  (type: EntityType, field: string, filterType: string, types: Types): Resolver =>
  (row: EntityRow, args, context: RequestContext) => {
    const saved = field === 'issues' ? row.filterData : row[`${field.slice(0, -1)}FilterData`]
    if (row.modelName !== type || typeof saved !== 'object' || saved === null) return emptyPage
    const keep = compileFilter(filterType, { ...saved }, types, context)
    return pageOf({ source: everything(type), args, filterType, types, context, keep })
  }

/** Accounts that were suspended are left out unless they are asked for. */
export const isActive = (row: EntityRow): boolean => row.active !== false

export const filterTypeOf = (field: Pick<FieldModel, 'args'>): string | undefined => {
  const type = (field.args ?? []).find(({ name }) => name === 'filter')?.type
  return type === undefined ? undefined : bareType(type)
}

/** What calling an operation costs at least, in rows: a document may hold hundreds of them. */
const rowsPerRootField = 100

const rootField = (root: 'query' | 'mutation', field: FieldModel): Resolver => {
  const name = operationName(root, field.name)
  return (_source, args, context: RequestContext) => {
    context.budget.spendRows(rowsPerRootField)
    checkScope(root, field.name, context.grant)
    return context.has(name)
      ? context.session.call(name, { ...args, [budgetKey]: context.budget })
      : unmodelled(root, name, field, context)
  }
}

/** How a query of what the twin keeps no records of is answered. */
export type Fallback = 'empty' | 'not found' | 'not emulated'
export const fallbackOf = (root: 'query' | 'mutation', field: FieldModel): Fallback => {
  if (root === 'mutation') return 'not emulated'
  const target = bareType(field.type)
  if (target.endsWith('Connection') || field.type.startsWith('[')) return 'empty'
  const args = field.args ?? []
  return args.length === 1 && args[0]?.name === 'id' && field.type.endsWith('!')
    ? 'not found'
    : 'not emulated'
}

const unmodelled = (
  root: 'query' | 'mutation',
  name: string,
  field: FieldModel,
  context: RequestContext,
): unknown => {
  const fallback = fallbackOf(root, field)
  if (fallback === 'empty') return field.type.startsWith('[') ? [] : emptyPage
  if (fallback === 'not found') throw notFound(bareType(field.type))
  context.session.notEmulated(name)
  throw notAccessible(field.name)
}
