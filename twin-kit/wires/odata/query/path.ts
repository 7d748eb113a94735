import { fault } from '../faults.ts'
import type { EdmValue, EntitySet, FunctionImport, Navigation, Property, ServiceModel } from '../model.ts'
import { rowId, setOf } from '../model.ts'
import { tokens } from '../values/lexer.ts'
import { literalValue } from '../values/literals.ts'

/** What a resource path names. `id` is there where one entity is meant. */
export type Resource =
  | { readonly kind: 'service' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'function'; readonly called: FunctionImport }
  | {
      readonly kind: 'entities'
      readonly steps: readonly Step[]
      readonly count: boolean
      readonly links: boolean
    }
  | {
      readonly kind: 'property'
      readonly steps: readonly Step[]
      readonly property: Property
      readonly raw: boolean
    }

/** One step of a path: a set or a navigation, and the id of one row in it where it has a key. */
export interface Step {
  readonly set: EntitySet
  readonly navigation?: Navigation
  readonly id?: string
}

const maxPathLength = 2_000

/** Reads a resource path below a service's root. */
export const parsePath = (service: ServiceModel, raw: string): Resource => {
  if (raw.length > maxPathLength)
    throw fault('too_large', { limit: maxPathLength, what: 'characters of path' })
  const segments = split(raw).filter((segment) => segment !== '')
  const [first, ...rest] = segments
  if (first === undefined) return { kind: 'service' }
  if (first === '$metadata' || first === '$batch') {
    if (rest.length > 0) throw fault('unknown_segment', { segment: rest[0] ?? '' })
    return { kind: first === '$metadata' ? 'metadata' : 'batch' }
  }
  const called = service.functions.get(first)
  if (called) {
    if (rest.length > 0) throw fault('unknown_segment', { segment: rest[0] ?? '' })
    return { kind: 'function', called }
  }
  return parseEntities(service, first, rest)
}

const parseEntities = (service: ServiceModel, first: string, rest: readonly string[]): Resource => {
  const { name, predicate } = cut(first)
  const set = service.sets.get(name)
  if (!set) throw fault('unknown_segment', { segment: name })
  const steps: Step[] = [predicate === undefined ? { set } : { set, id: keyId(set, predicate) }]
  for (let n = 0; n < rest.length; n++) {
    const segment = rest[n] ?? ''
    const last = n === rest.length - 1
    const here = steps.at(-1)
    if (!here) break
    if (segment === '$count' && last) return { kind: 'entities', steps, count: true, links: false }
    const single = isSingle(here)
    if (segment === '$links' && single && n === rest.length - 2) {
      const linked = navigate(service, here, rest[n + 1] ?? '')
      return { kind: 'entities', steps: [...steps, linked], count: false, links: true }
    }
    if (segment === '$value' && last) throw fault('malformed_syntax')
    if (!single) throw fault('unknown_segment', { segment })
    const property = here.set.type.byName.get(segment)
    if (property) {
      const raw = rest[n + 1] === '$value' && n === rest.length - 2
      if (!last && !raw) throw fault('unknown_segment', { segment: rest[n + 1] ?? '' })
      return { kind: 'property', steps, property, raw }
    }
    steps.push(navigate(service, here, segment))
  }
  return { kind: 'entities', steps, count: false, links: false }
}

export const isSingle = (step: Step): boolean => step.id !== undefined || step.navigation?.many === false

const navigate = (service: ServiceModel, from: Step, segment: string): Step => {
  const { name, predicate } = cut(segment)
  const navigation = from.set.type.navigations.get(name)
  if (!navigation) throw fault('unknown_segment', { segment: name })
  const set = setOf(service, navigation.target)
  return predicate === undefined ? { set, navigation } : { set, navigation, id: keyId(set, predicate) }
}

/** Cuts at slashes that stand outside quotes, and decodes each segment on its own. */
const split = (raw: string): string[] => {
  const parts: string[] = []
  let part = ''
  let quoted = false
  for (let n = 0; n < raw.length; n++) {
    const quote = raw[n] === "'" ? 1 : raw.slice(n, n + 3) === '%27' ? 3 : 0
    if (quote > 0) quoted = !quoted
    if (raw[n] === '/' && !quoted) {
      parts.push(part)
      part = ''
    } else part += raw[n]
  }
  return [...parts, part].map(decoded)
}

export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw fault('malformed_syntax')
  }
}

const cut = (segment: string): { name: string; predicate?: string } => {
  const open = segment.indexOf('(')
  if (open === -1) return { name: segment }
  if (!segment.endsWith(')')) throw fault('malformed_uri')
  const predicate = segment.slice(open + 1, -1)
  const name = segment.slice(0, open)
  return predicate.trim() === '' ? { name } : { name, predicate }
}

/** The id that a key predicate names, in its positional or its named form. */
const keyId = (set: EntitySet, predicate: string): string => rowId(set.type, keyValues(set, predicate))

const keyValues = (set: EntitySet, predicate: string): Record<string, EdmValue> => {
  const { type } = set
  const wrong = () => fault('invalid_key', { type: type.name })
  const values: Record<string, EdmValue> = {}
  const put = (name: string, token: ReturnType<typeof tokens>[number] | undefined): void => {
    const property = type.byName.get(name)
    if (!property || !type.keys.includes(name) || name in values || token?.kind !== 'literal') throw wrong()
    const fitted = literalValue(property, token.literal, token.text)
    if (!fitted || fitted.value === null) throw fault('malformed_uri')
    values[name] = fitted.value
  }
  const all = tokens(predicate)
  const [only] = all
  if (all.length === 1) {
    const [key] = type.keys
    if (type.keys.length !== 1 || key === undefined) throw wrong()
    put(key, only)
    return values
  }
  for (let n = 0; n < all.length; n += 4) {
    const [name, equals, value, comma] = all.slice(n, n + 4)
    if (name?.kind !== 'word' || equals?.kind !== 'mark' || equals.text !== '=') throw wrong()
    if (comma && (comma.kind !== 'mark' || comma.text !== ',' || n + 4 >= all.length)) throw wrong()
    put(name.text, value)
  }
  if (type.keys.some((key) => !(key in values))) throw wrong()
  return values
}
