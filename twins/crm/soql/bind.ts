import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Org } from '../records/org.ts'
import { type FieldSchema, nameObject, type ObjectSchema } from '../schema/schema.ts'
import { noSuchColumn, noSuchRelation, refuseAt } from './syntax/refuse.ts'
import type { Path, Query } from './syntax/tree.ts'

/** Where the names of one query are looked up. */
export interface Scope {
  readonly org: Org
  readonly text: string
  readonly object: ObjectSchema
  /** Aliases of FROM, in lower case, with the relationships that they name. */
  readonly aliases: ReadonlyMap<string, readonly string[]>
}

export const scopeOf = (org: Org, text: string, object: ObjectSchema, query: Query): Scope => {
  const aliases = new Map<string, readonly string[]>()
  if (query.alias) aliases.set(query.alias.toLowerCase(), [])
  for (const { path, alias } of query.joins) {
    const [first, ...rest] = path.parts.map(({ name }) => name)
    const start = aliases.get((first ?? '').toLowerCase()) ?? [first ?? '']
    aliases.set(alias.toLowerCase(), [...start, ...rest])
  }
  return { org, text, object, aliases }
}

/** A step up to a parent record. */
export interface Hop {
  readonly from: ObjectSchema
  readonly reference: FieldSchema
  /** What the parent is taken for: an object, or, where it can be of several, the face they have in common. */
  readonly to: ObjectSchema
}

export interface BoundField {
  readonly hops: readonly Hop[]
  readonly object: ObjectSchema
  readonly field: FieldSchema
  readonly read: (row: Row) => unknown
}

const maxHops = 5

export const bindPath = (scope: Scope, path: Path): BoundField => {
  const parts = unaliased(scope, path)
  const hops: Hop[] = []
  let object = scope.object
  for (const { name, at } of parts.slice(0, -1)) {
    const hop = hopTo(scope, object, name)
    if (!hop) throw refuseAt(scope.text, at, 'INVALID_FIELD', noSuchRelation(name))
    hops.push(hop)
    object = hop.to
    if (hops.length > maxHops)
      throw refuseAt(scope.text, at, 'INVALID_FIELD', 'SOQL relationships can be at most 5 levels deep')
  }
  const last = parts.at(-1)
  const field = last && object.field(last.name)
  if (!last || !field)
    throw refuseAt(
      scope.text,
      last?.at ?? path.at,
      'INVALID_FIELD',
      noSuchColumn(last?.name ?? '', object.name),
      { kind: 'field', object: object.name, name: last?.name ?? '' },
    )
  return { hops, object, field, read: readThrough(scope.org, hops, object, field) }
}

const unaliased = (scope: Scope, path: Path): Path['parts'] => {
  const [first, ...rest] = path.parts
  if (!first || rest.length === 0) return path.parts
  const aliased = scope.aliases.get(first.name.toLowerCase())
  if (aliased) return [...aliased.map((name) => ({ name, at: first.at })), ...rest]
  const itself = first.name.toLowerCase() === scope.object.name.toLowerCase()
  return itself && !scope.object.parent(first.name) ? rest : path.parts
}

export const hopTo = (scope: Scope, from: ObjectSchema, relationship: string): Hop | undefined => {
  const reference = from.parent(relationship)
  const [only, ...others] = reference?.referenceTo ?? []
  const to = scope.org.schema.object(others.length > 0 ? nameObject : (only ?? ''))
  return reference && to ? { from, reference, to } : undefined
}

/** Follows references upward; a missing parent makes everything above it null. */
export const readThrough = (
  org: Org,
  hops: readonly Hop[],
  object: ObjectSchema,
  field: FieldSchema,
): ((row: Row) => unknown) => {
  const last = hops.at(-1)
  const value = last && last.to.name === nameObject ? faceOf(org, field) : org.read(object, field)
  return hops.reduceRight<(row: Row) => unknown>((above, hop) => {
    const parent = parentOf(org, hop)
    const { name } = hop.reference
    // Many records share a parent, and nothing changes while a query runs: each parent is asked once.
    const known = new Map<unknown, unknown>()
    return (row) => {
      const id = row[name]
      const before = known.get(id)
      if (before !== undefined) return before
      const up = parent(row)
      const found = up === undefined ? null : (above(up) ?? null)
      known.set(id, found)
      return found
    }
  }, value)
}

export const parentOf = (org: Org, hop: Hop): ((row: Row) => Row | undefined) => {
  const { name } = hop.reference
  const [target, ...others] = hop.reference.referenceTo
  const object = others.length === 0 && target ? org.schema.object(target) : undefined
  return (row) => {
    const id = row[name]
    if (typeof id !== 'string') return undefined
    return object ? org.get(object, id) : org.lookup(id)?.row
  }
}

/** A field of the face that parents of several kinds have in common. */
export const faceOf =
  (org: Org, field: FieldSchema) =>
  (row: Row): unknown => {
    const found = typeof row.Id === 'string' ? org.lookup(row.Id) : undefined
    if (!found) return null
    if (field.name === 'Type')
      return found.object.name === 'Group' && found.row.Type === 'Queue' ? 'Queue' : found.object.name
    const own = found.object.field(field.name)
    if (own) return org.read(found.object, own)(found.row)
    const named = field.name === 'Name' ? found.object.nameField : undefined
    return named ? org.read(found.object, named)(found.row) : null
  }
