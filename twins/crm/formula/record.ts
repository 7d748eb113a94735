import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Org } from '../records/organization.ts'
import type { FieldSchema, ObjectSchema } from '../schema/schema.ts'
import { type Environment, evaluate, heldAs } from './evaluate.ts'

/** Where a formula of an object's record finds its values: the record, and the parents that its fields name. */
export const environmentOf = (
  org: Org,
  object: ObjectSchema,
  { row, before }: { row: Row; before?: Row | undefined },
): Environment => ({
  // A formula reads fields that its reader may not see.
  read: (path) => readPath(org, org.object(object.name), row, path),
  prior: (path) => (before ? readPath(org, org.object(object.name), before, path) : null),
  isNew: before === undefined,
  today: org.zone.dayOf(org.now),
  now: org.now,
})

const readPath = (
  org: Org,
  object: ObjectSchema,
  row: Row,
  [first = '', ...rest]: readonly string[],
): unknown => {
  if (rest.length === 0) {
    const field = object.field(first)
    return field ? org.read(object, field)(row) : null
  }
  const reference = object.parent(first)
  const id = reference && row[reference.name]
  const found = typeof id === 'string' ? org.lookup(id) : undefined
  return found ? readPath(org, found.object, found.row, rest) : null
}

/** The value of a formula field, as records of its type hold it. */
export const formulaValue =
  (org: Org, object: ObjectSchema, field: FieldSchema) =>
  (row: Row): unknown => {
    const value = heldAs(evaluate(field.formula?.parsed, environmentOf(org, object, { row })))
    if (value === null) return field.type === 'boolean' ? false : null
    if (field.type === 'boolean') return value === true
    if (!['int', 'double', 'currency', 'percent'].includes(field.type)) return String(value)
    const scale = 10 ** field.scale
    const number = typeof value === 'number' ? value : Number(value)
    return Number.isFinite(number) ? Math.round(number * scale) / scale : null
  }

/** The value of a summary of a record's children. */
export const rollUpValue =
  (org: Org, { rollUp }: FieldSchema) =>
  (row: Row): unknown => {
    if (!rollUp) return null
    const children = [...(org.tables[rollUp.object]?.find(rollUp.field, String(row.Id)) ?? [])]
    if (rollUp.operation === 'count') return children.length
    const values = children
      .map((child) => child[rollUp.of ?? ''])
      .filter((value) => typeof value === 'number')
    if (rollUp.operation === 'sum') return values.reduce((sum, value) => sum + value, 0)
    if (values.length === 0) return null
    return rollUp.operation === 'min' ? Math.min(...values) : Math.max(...values)
  }
