import { fault } from '../faults.ts'
import type { EntitySet, EntityType, Navigation, Property, ServiceModel } from '../model.ts'
import { setOf } from '../model.ts'
import { type Expression, parseFilter } from './filter-syntax.ts'

/** A query string's parameters, each name once. */
export type Parameters = ReadonlyMap<string, string>

const maxQueryLength = 20_000

export const parseQuery = (query: string): Parameters => {
  if (query.length > maxQueryLength)
    throw fault('too_large', { limit: maxQueryLength, what: 'characters of query' })
  const found = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodedPart(equals === -1 ? pair : pair.slice(0, equals))
    if (found.has(name) && name.startsWith('$')) throw fault('invalid_option', { name })
    found.set(name, equals === -1 ? '' : decodedPart(pair.slice(equals + 1)))
  }
  return found
}

const decodedPart = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw fault('malformed_syntax')
  }
}

/** Which properties and which related entities an answer shows, at each level of `$expand`. */
export interface Shape {
  readonly set: EntitySet
  readonly properties: readonly Property[]
  readonly deferred: readonly Navigation[]
  readonly expanded: readonly { readonly navigation: Navigation; readonly shape: Shape }[]
}

export interface Options {
  readonly filter?: Expression
  readonly orderby: readonly { readonly path: readonly string[]; readonly descending: boolean }[]
  readonly top?: number
  readonly skip: number
  readonly skiptoken?: string
  readonly inlinecount: boolean
}

const known = new Set([
  '$filter',
  '$orderby',
  '$top',
  '$skip',
  '$skiptoken',
  '$inlinecount',
  '$select',
  '$expand',
  '$format',
])

/** Refuses system query options where the protocol allows none. */
export const refuseSystemOptions = (parameters: Parameters): void => {
  for (const name of parameters.keys()) if (name.startsWith('$')) throw fault('options_not_allowed', { name })
}

export const parseOptions = (parameters: Parameters): Options => {
  for (const name of parameters.keys())
    if (name.startsWith('$') && !known.has(name)) throw fault('unknown_option', { name })
  const filter = parameters.get('$filter')
  const top = wholeNumber('$top', parameters.get('$top'))
  const skiptoken = parameters.get('$skiptoken')
  const inlinecount = parameters.get('$inlinecount') ?? 'none'
  if (inlinecount !== 'allpages' && inlinecount !== 'none')
    throw fault('invalid_option', { name: '$inlinecount' })
  return {
    ...(filter !== undefined && filter.trim() !== '' ? { filter: parseFilter(filter) } : {}),
    orderby: parseOrder(parameters.get('$orderby') ?? ''),
    ...(top === undefined ? {} : { top }),
    skip: wholeNumber('$skip', parameters.get('$skip')) ?? 0,
    ...(skiptoken === undefined ? {} : { skiptoken }),
    inlinecount: inlinecount === 'allpages',
  }
}

const wholeNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text.trim())) throw fault('invalid_option', { name })
  return Number(text)
}

const parseOrder = (text: string): Options['orderby'] =>
  list(text).map((term) => {
    const match = /^([A-Za-z_][\w/]*)(?:\s+(asc|desc))?$/.exec(term)
    if (!match) throw fault('invalid_option', { name: '$orderby' })
    return { path: (match[1] ?? '').split('/'), descending: match[2] === 'desc' }
  })

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const maxExpandDepth = 10
const maxExpandPaths = 50

/** Lays `$select` and `$expand` over a set. */
export const parseShape = (service: ServiceModel, set: EntitySet, parameters: Parameters): Shape => {
  const paths = (name: string) => list(parameters.get(name) ?? '').map((path) => path.split('/'))
  const expand = paths('$expand')
  if (expand.length > maxExpandPaths)
    throw fault('too_large', { limit: maxExpandPaths, what: 'paths of $expand' })
  return shapeOf(service, set, paths('$select'), expand, 0)
}

const shapeOf = (
  service: ServiceModel,
  set: EntitySet,
  select: readonly (readonly string[])[],
  expand: readonly (readonly string[])[],
  depth: number,
): Shape => {
  if (depth > maxExpandDepth) throw fault('too_large', { limit: maxExpandDepth, what: 'levels of $expand' })
  const { type } = set
  const expandedNames = new Set(expand.map(([name = '']) => name))
  const expanded = [...expandedNames].map((name) => {
    const navigation = type.navigations.get(name)
    if (!navigation) throw fault('unknown_segment', { segment: name })
    const below = (paths: readonly (readonly string[])[]) =>
      paths.filter(([first, ...rest]) => first === name && rest.length > 0).map(([, ...rest]) => rest)
    const shape = shapeOf(service, setOf(service, navigation.target), below(select), below(expand), depth + 1)
    return { navigation, shape }
  })
  const chosen = new Set(select.map(([name = '']) => name))
  for (const [name = '', ...rest] of select) checkSelected(type, name, rest, expandedNames)
  const own = select.length === 0 || chosen.has('*')
  const wanted = ({ navigation }: { navigation: Navigation }) =>
    select.length === 0 || own || chosen.has(navigation.name)
  return {
    set,
    properties: own ? type.properties : type.properties.filter(({ name }) => chosen.has(name)),
    deferred: [...type.navigations.values()].filter(
      ({ name }) => !expandedNames.has(name) && (own || chosen.has(name)),
    ),
    expanded: expanded.filter(wanted),
  }
}

const checkSelected = (
  type: EntityType,
  name: string,
  rest: readonly string[],
  expanded: ReadonlySet<string>,
): void => {
  if (rest.length > 0) {
    if (!expanded.has(name)) throw fault('unknown_segment', { segment: name })
    return
  }
  if (name !== '*' && !type.byName.has(name) && !type.navigations.has(name))
    throw fault('unknown_property', { property: name })
}
