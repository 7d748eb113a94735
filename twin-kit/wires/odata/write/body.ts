import { isRecord } from '../../../records.ts'
import { type Element, parseXml, XmlError } from '../../xml.ts'
import type { Budget } from '../budget.ts'
import { fault } from '../faults.ts'
import type { EdmValue, EntitySet, Navigation, Property, ServiceModel } from '../model.ts'
import { setOf } from '../model.ts'
import { type Fitted, fromJson, fromText } from '../values/values.ts'

/** What a body says of an entity: its values, and the related entities that come with it. */
export interface Draft {
  readonly set: EntitySet
  readonly values: Readonly<Record<string, EdmValue>>
  readonly children: ReadonlyMap<string, readonly Draft[]>
  /** Read-only properties that were given all the same, with what was given; they are not taken over. */
  readonly ignored: Readonly<Record<string, EdmValue>>
}

const decoder = new TextDecoder()
const maxDepth = 10

interface Reading {
  readonly service: ServiceModel
  readonly source: string
  readonly budget: Budget
}

/** Reads the body of a create or an update. */
export const parseBody = (
  service: ServiceModel,
  set: EntitySet,
  { contentType, body, budget }: { contentType: string; body: Uint8Array; budget: Budget },
): Draft => {
  const source = decoder.decode(body)
  const reading: Reading = { service, source, budget }
  if (/^application\/(atom\+)?xml\b/i.test(contentType)) return readEntry(reading, set, readXml(source), 0)
  if (contentType !== '' && !/^application\/json\b/i.test(contentType))
    throw fault('unsupported_media', { type: contentType.split(';')[0] ?? '' })
  const parsed = parseJson(source)
  const inside = 'd' in parsed && isRecord(parsed.d) && Object.keys(parsed).length === 1 ? parsed.d : parsed
  return readObject(reading, set, inside, 0)
}

const readXml = (source: string): Element => {
  try {
    return parseXml(source)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    if (error.limit !== undefined) throw fault('too_large', { limit: error.limit, what: 'pieces of XML' })
    throw fault('malformed_body', { reason: error.message })
  }
}

const parseJson = (source: string): Record<string, unknown> => {
  let parsed: unknown
  try {
    parsed = JSON.parse(source)
  } catch {
    throw fault('malformed_body', { reason: source.trim() === '' ? 'it is empty' : 'it is not JSON' })
  }
  if (!isRecord(parsed)) throw fault('malformed_body', { reason: 'it is not one entity' })
  return parsed
}

const admit = (reading: Reading, depth: number): void => {
  reading.budget.change(1)
  if (depth > maxDepth) throw fault('too_large', { limit: maxDepth, what: 'nested levels' })
}

/** Where a property's value is in the source, as parsers report it. */
const offsetOf = (source: string, name: string): number => {
  const quoted = source.indexOf(`"${name}"`)
  if (quoted !== -1) return quoted + name.length + 3
  const element = source.indexOf(`:${name}>`)
  return element === -1 ? 0 : element + name.length + 2
}

const taken = (reading: Reading, property: Property, fitted: Fitted, given: unknown): EdmValue => {
  if ('value' in fitted) return fitted.value
  const offset = offsetOf(reading.source, property.name)
  if (fitted.misfit === 'unreadable') throw fault('unreadable_property', { property: property.name, offset })
  throw fault('invalid_value', { property: property.name, offset, value: String(given).slice(0, 100) })
}

/** Gathers an entity's values as they are met. */
const gathering = (set: EntitySet) => {
  const values: Record<string, EdmValue> = {}
  const ignored: Record<string, EdmValue> = {}
  const children = new Map<string, Draft[]>()
  return {
    put: (property: Property, value: EdmValue) => {
      const settled = value ?? property.initial
      if (property.readOnly && !set.type.keys.includes(property.name)) ignored[property.name] = settled
      else values[property.name] = settled
    },
    add: (name: string, drafts: readonly Draft[]) => {
      children.set(name, [...(children.get(name) ?? []), ...drafts])
    },
    draft: { set, values, ignored, children } satisfies Draft,
  }
}

const readObject = (
  reading: Reading,
  set: EntitySet,
  object: Record<string, unknown>,
  depth: number,
): Draft => {
  admit(reading, depth)
  const { put, add, draft } = gathering(set)
  for (const [name, given] of Object.entries(object)) {
    if (name.startsWith('__')) continue
    const property = set.type.byName.get(name)
    const navigation = set.type.navigations.get(name)
    if (property) put(property, taken(reading, property, fromJson(property, given), given))
    else if (navigation) add(name, readInline(reading, navigation, given, depth))
    else
      throw fault('invalid_property', {
        property: name,
        type: set.type.name,
        offset: offsetOf(reading.source, name),
      })
  }
  return draft
}

const readInline = (reading: Reading, navigation: Navigation, given: unknown, depth: number): Draft[] => {
  if (given === null || (isRecord(given) && '__deferred' in given)) return []
  const list = isRecord(given) && Array.isArray(given.results) ? given.results : given
  const wrong = fault('unreadable_property', {
    property: navigation.name,
    offset: offsetOf(reading.source, navigation.name),
  })
  const entities = Array.isArray(list) ? list : navigation.many ? undefined : [list]
  if (!entities) throw wrong
  const set = setOf(reading.service, navigation.target)
  return entities.map((entity: unknown) => {
    if (!isRecord(entity)) throw wrong
    return readObject(reading, set, entity, depth + 1)
  })
}

const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name)

const readEntry = (reading: Reading, set: EntitySet, entry: Element, depth: number): Draft => {
  admit(reading, depth)
  if (entry.name !== 'entry') throw fault('malformed_body', { reason: 'it is no entry' })
  const { put, add, draft } = gathering(set)
  const properties = childOf(childOf(entry, 'content'), 'properties') ?? childOf(entry, 'properties')
  for (const { name, attributes, text } of properties?.children ?? []) {
    const property = set.type.byName.get(name)
    if (!property)
      throw fault('invalid_property', {
        property: name,
        type: set.type.name,
        offset: offsetOf(reading.source, name),
      })
    const isNull = attributes.null === 'true' || (text === '' && property.type !== 'String')
    put(property, isNull ? null : taken(reading, property, fromText(property, text), text))
  }
  for (const link of entry.children.filter(({ name }) => name === 'link')) {
    const inline = childOf(link, 'inline')
    if (!inline) continue
    const name = link.attributes.title ?? link.attributes.rel?.split('/').at(-1) ?? ''
    const navigation = set.type.navigations.get(name)
    if (!navigation) throw fault('invalid_property', { property: name, type: set.type.name, offset: 0 })
    const target = setOf(reading.service, navigation.target)
    const entries = (childOf(inline, 'feed') ?? inline).children.filter((child) => child.name === 'entry')
    add(
      name,
      entries.map((child) => readEntry(reading, target, child, depth + 1)),
    )
  }
  return draft
}
