import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { RestReply } from '@diorama/twin-kit/wires/rest'
import type { ObjectSchema } from '../schema/schema.ts'
import { rowError } from '../shapes/errors.ts'
import { type ApiCall, type Body, bodyOf } from './context.ts'

const maxRecords = 200
const deepest = 5

interface Node {
  readonly object: ObjectSchema
  readonly referenceId: string
  readonly fields: Body
  readonly children: readonly { field: string; node: Node }[]
}

class Failed extends Error {}

/** Records with their children in one go: all of them, or none. */
export const treeRoute = (api: ApiCall, object: ObjectSchema): RestReply => {
  const records = bodyOf(api).records
  if (!Array.isArray(records)) throw new VendorError('JSON_PARSER_ERROR', 'A list is required under: records')
  const nodes = records.map((record) => nodeOf(api, object, record, 1))
  if (count(nodes) > maxRecords)
    throw new VendorError('INVALID_INPUT', `The request has more than ${maxRecords} records`)
  const references = nodes.flatMap(referencesOf)
  const repeated = references.find((reference, at) => references.indexOf(reference) !== at)
  if (repeated !== undefined)
    return {
      status: 400,
      body: {
        hasErrors: true,
        results: [
          {
            referenceId: repeated,
            errors: [
              {
                statusCode: 'INVALID_INPUT',
                message: 'Duplicate ReferenceId provided in the request.',
                fields: [],
              },
            ],
          },
        ],
      },
    }
  const made: { referenceId: string; id: string }[] = []
  const failures: Body[] = []
  const plant = (node: Node, parent?: { field: string; id: string }): void => {
    try {
      const fields = parent ? { ...node.fields, [parent.field]: parent.id } : node.fields
      const id = api.session.call<string>('create', { object: node.object.name, fields })
      made.push({ referenceId: node.referenceId, id })
      for (const child of node.children) plant(child.node, { field: child.field, id })
    } catch (error) {
      if (!(error instanceof VendorError)) throw error
      failures.push({ referenceId: node.referenceId, errors: [rowError(error)] })
    }
  }
  try {
    api.session.atomic(() => {
      for (const node of nodes) plant(node)
      if (failures.length > 0) throw new Failed()
    })
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    return { status: 400, body: { hasErrors: true, results: failures } }
  }
  return { status: 201, body: { hasErrors: false, results: made } }
}

const referencesOf = (node: Node): string[] => [
  node.referenceId,
  ...node.children.flatMap((child) => referencesOf(child.node)),
]

const count = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + 1 + count(node.children.map((child) => child.node)), 0)

const nodeOf = (api: ApiCall, object: ObjectSchema, record: unknown, depth: number): Node => {
  const body = (typeof record === 'object' && record !== null ? record : {}) as Body
  const attributes = (
    typeof body.attributes === 'object' && body.attributes !== null ? body.attributes : {}
  ) as Body
  const referenceId = attributes.referenceId
  if (typeof referenceId !== 'string' || referenceId === '')
    throw new VendorError('INVALID_INPUT', 'Include a reference ID for each record in the request.')
  const fields: Record<string, unknown> = {}
  const children: { field: string; node: Node }[] = []
  for (const [name, value] of Object.entries(body)) {
    if (name === 'attributes') continue
    const nested = typeof value === 'object' && value !== null ? (value as Body).records : undefined
    const relationship = Array.isArray(nested) ? object.child(name) : undefined
    const child = relationship && api.schema.object(relationship.object)
    if (!relationship || !child || !Array.isArray(nested) || depth >= deepest) fields[name] = value
    else
      for (const one of nested)
        children.push({ field: relationship.field, node: nodeOf(api, child, one, depth + 1) })
  }
  return { object, referenceId, fields, children }
}
