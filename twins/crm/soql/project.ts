import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Org } from '../records/org.ts'
import { type FieldSchema, nameObject, type ObjectSchema } from '../schema/schema.ts'
import { bindPath, faceOf, type Hop, hopTo, parentOf, readThrough, type Scope } from './bind.ts'
import { formatOf } from './format.ts'
import { callOperand, isDateFunction } from './operands.ts'
import { malformed, noSuchColumn, noSuchRelation, refuseAt } from './syntax/refuse.ts'
import type { FunctionCall, Path, Query, SelectItem } from './syntax/tree.ts'

export type Json = Record<string, unknown>
export type Shape = (row: Row) => Json

/** Runs a query on a record's children; undefined where there are none. */
export type Children = (scope: Scope, query: Query) => (row: Row) => Json | null

/** What an answer holds for a record, in the order in which it was asked for. */
interface Node {
  readonly fields: Map<string, (row: Row) => unknown>
  readonly parents: Map<string, { hop: Hop; node: Node }>
}

export interface Projecting {
  readonly scope: Scope
  readonly version: string
  readonly children: Children
  readonly limit: number | undefined
}

/** Makes the shape of a query's records. */
export const shapeOf = (select: readonly SelectItem[], projecting: Projecting): Shape => {
  const { scope } = projecting
  const root = emptyNode()
  const selected = new Set<string>()
  for (const item of select) {
    if (item.kind === 'path') {
      if (item.alias) throw malformed('only aggregate expressions use field aliasing')
      addPath(scope, root, item.path, selected)
    } else if (item.kind === 'call') addCall(projecting, root, item.call, item.alias?.name, selected)
    else if (item.kind === 'typeof') addTypeOf(projecting, root, item)
    else addChildren(projecting, root, item.query)
  }
  return writer(scope.org, scope.object, root, projecting.version)
}

const emptyNode = (): Node => ({ fields: new Map(), parents: new Map() })

const addPath = (scope: Scope, root: Node, path: Path, selected: Set<string>): void => {
  const bound = bindPath(scope, path)
  const name = [
    ...bound.hops.map(({ reference }) => reference.relationshipName ?? ''),
    bound.field.name,
  ].join('.')
  if (selected.has(name))
    throw refuseAt(scope.text, path.at, 'INVALID_FIELD', `duplicate field selected: ${bound.field.name}`)
  selected.add(name)
  const node = nodeAt(root, bound.hops)
  node.fields.set(bound.field.name, readThrough(scope.org, bound.hops.slice(-1), bound.object, bound.field))
}

/** The node of a parent; the values there are read from the child's side by one hop, so that faces work too. */
const nodeAt = (root: Node, hops: readonly Hop[]): Node => {
  let node = root
  for (const hop of hops) {
    const name = hop.reference.relationshipName ?? ''
    const below = node.parents.get(name) ?? { hop, node: emptyNode() }
    if (!node.parents.has(name)) {
      node.parents.set(name, below)
      node.fields.set(name, () => undefined)
    }
    node = below.node
  }
  return node
}

const addCall = (
  projecting: Projecting,
  root: Node,
  call: FunctionCall,
  alias: string | undefined,
  selected: Set<string>,
): void => {
  const { scope } = projecting
  if (call.name === 'FIELDS') {
    addFields(projecting, root, call, selected)
    return
  }
  const operand = callOperand(scope, call)
  if (isDateFunction(call.name)) throw malformed(`Field must be grouped or aggregated: ${operand.name}`)
  const name = alias ?? (call.name === 'DISTANCE' ? `expr${exprCount(root)}` : operand.name)
  if (root.fields.has(name)) throw malformed(`duplicate field selected: ${name}`)
  const { read } = operand
  const format = call.name === 'FORMAT' ? formatOf(operand.type, scope.org.zone) : undefined
  root.fields.set(name, format ? (row) => format(read(row)) : read)
}

const exprCount = (root: Node): number =>
  [...root.fields.keys()].filter((name) => name.startsWith('expr')).length

const addFields = (projecting: Projecting, root: Node, call: FunctionCall, selected: Set<string>): void => {
  const { scope, limit } = projecting
  const [argument] = call.args
  const which = argument?.kind === 'path' ? argument.path.parts[0]?.name.toUpperCase() : undefined
  if (which !== 'ALL' && which !== 'STANDARD' && which !== 'CUSTOM')
    throw refuseAt(scope.text, call.at, 'MALFORMED_QUERY', 'Invalid argument to FIELDS function')
  if (which !== 'STANDARD' && (limit === undefined || limit > 200))
    throw malformed('The SOQL FIELDS function must have a LIMIT of at most 200')
  for (const field of scope.object.fields) {
    if (which !== 'ALL' && field.custom !== (which === 'CUSTOM')) continue
    if (selected.has(field.name))
      throw refuseAt(scope.text, call.at, 'INVALID_FIELD', `duplicate field selected: ${field.name}`)
    selected.add(field.name)
    root.fields.set(field.name, scope.org.read(scope.object, field))
  }
}

const addTypeOf = (
  projecting: Projecting,
  root: Node,
  item: Extract<SelectItem, { kind: 'typeof' }>,
): void => {
  const { scope, version } = projecting
  const [relationship] = item.path.parts
  const hop = relationship && hopTo(scope, scope.object, relationship.name)
  if (!relationship || !hop || item.path.parts.length > 1)
    throw refuseAt(scope.text, item.path.at, 'INVALID_FIELD', noSuchRelation(relationship?.name ?? ''))
  if (!hop.reference.polymorphic)
    throw refuseAt(
      scope.text,
      item.path.at,
      'INVALID_FIELD',
      `TYPEOF can only be used with polymorphic relationships, and '${relationship.name}' is none`,
    )
  const shapes = new Map<string, Shape>()
  const shape = (object: ObjectSchema, paths: readonly Path[]): Shape => {
    const inner = { ...scope, object, aliases: new Map() }
    return shapeOf(
      paths.map((path) => ({ kind: 'path', path, alias: undefined })),
      { ...projecting, scope: inner },
    )
  }
  for (const { type, paths } of item.branches) {
    const object = scope.org.schema.object(type.name)
    if (!object || !hop.reference.referenceTo.includes(object.name))
      throw refuseAt(scope.text, type.at, 'INVALID_TYPE', `sObject type '${type.name}' is not supported.`)
    shapes.set(object.name, shape(object, paths))
  }
  const rest = item.otherwise.map(({ parts: [first], at }) => {
    const field = scope.org.schema.object(nameObject)?.field(first?.name ?? '')
    if (!field) throw refuseAt(scope.text, at, 'INVALID_FIELD', noSuchColumn(first?.name ?? '', nameObject))
    return { name: field.name, read: faceOf(scope.org, field) }
  })
  const parent = parentOf(scope.org, hop)
  root.fields.set(hop.reference.relationshipName ?? relationship.name, (row) => {
    const up = parent(row)
    const found = typeof up?.Id === 'string' ? scope.org.lookup(up.Id) : undefined
    if (!found) return null
    const chosen = shapes.get(found.object.name)
    if (chosen) return chosen(found.row)
    return {
      attributes: attributesOf(found.object.name, found.row, version),
      ...Object.fromEntries(rest.map(({ name, read }) => [name, read(found.row)])),
    }
  })
}

const addChildren = (projecting: Projecting, root: Node, query: Query): void => {
  const { scope } = projecting
  const name = query.from.name.split('.').at(-1) ?? ''
  const run = projecting.children(scope, query)
  root.fields.set(scope.object.child(name)?.name ?? name, run)
}

export const attributesOf = (type: string, row: Row, version: string, of = type): Json => ({
  type,
  url: `/services/data/v${version}/sobjects/${of}/${String(row.Id)}`,
})

const writer = (org: Org, object: ObjectSchema, node: Node, version: string): Shape => {
  const entries = [...node.fields].map(([name, read]) => {
    const parent = node.parents.get(name)
    return parent
      ? ([name, parentWriter(org, parent.hop, parent.node, version)] as const)
      : ([name, read] as const)
  })
  const cost = entries.length / 4
  return (row) => {
    org.spend(cost)
    const out: Json = { attributes: attributesOf(object.name, row, version) }
    for (const [name, write] of entries) out[name] = write(row)
    return out
  }
}

const parentWriter = (org: Org, hop: Hop, node: Node, version: string): ((row: Row) => Json | null) => {
  const parent = parentOf(org, hop)
  const entries = [...node.fields].map(([name, read]) => {
    const above = node.parents.get(name)
    return above
      ? { name, above: parentWriter(org, above.hop, above.node, version), read: undefined }
      : { name, above: undefined, read }
  })
  return (row) => {
    const up = parent(row)
    if (!up) return null
    const type = hop.to.name === nameObject ? (org.lookup(String(up.Id))?.object.name ?? '') : hop.to.name
    const out: Json = { attributes: attributesOf(hop.to.name, up, version, type) }
    for (const { name, above, read } of entries) out[name] = above ? above(up) : read?.(row)
    return out
  }
}

/** Every field of a record, or the ones asked for. */
export const wholeRecord = (
  org: Org,
  object: ObjectSchema,
  row: Row,
  version: string,
  fields: readonly FieldSchema[] = object.fields,
): Json => ({
  attributes: attributesOf(object.name, row, version),
  ...Object.fromEntries(fields.map((field) => [field.name, org.read(object, field)(row)])),
})
