import type { Row, TableView } from '@diorama/twin-kit/kernel/table'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { zoneNamed } from '../dates.ts'
import { formulaValue, rollUpValue } from '../formula/record.ts'
import { prefixOf } from '../ids.ts'
import { computedObjects, nameObject, type ObjectSchema, type Schema } from '../schema/schema.ts'
import { type BinRow, binTable, indexValue, tableOf } from '../tables.ts'
import { accessOf, openAccess } from './access/access.ts'
import { visibleSchema } from './access/visible.ts'
import { computedRow, computedRows } from './computed.ts'
import { type Meter, maxSteps, type Org } from './organization.ts'
import { virtualOf } from './virtual.ts'

export type { Org } from './organization.ts'

const maxNesting = 15

export interface OrgOptions {
  readonly schema: Schema
  readonly tables: Readonly<Record<string, TableView>>
  readonly now: number
  readonly userId: string
  readonly baseUrl: string
  readonly withDeleted?: boolean
  readonly version?: string
  /** Reads for the service itself, past the user's rights. */
  readonly asSystem?: boolean
  /** The budget of the whole request; a fresh one by default. */
  readonly meter?: Meter | undefined
}

function* inTurn(...lists: readonly Iterable<Row>[]): Generator<Row> {
  for (const list of lists) yield* list
}

export const orgOf = (options: OrgOptions): Org => {
  const { schema, tables, now, userId, baseUrl, withDeleted = false, version = '62.0' } = options
  const access = options.asSystem ? openAccess : accessOf(schema, tables, userId)
  const seen = (object: ObjectSchema, row: Row | undefined): Row | undefined =>
    row && (!access.enforced || access.canRead(object, row)) ? row : undefined
  const meter = options.meter ?? { left: maxSteps }
  let nesting = 0
  const bin = tableOf(tables, binTable)
  const user = tables.User?.get(userId)
  const computed = (object: ObjectSchema) => computedObjects.includes(object.name)
  const inBin = function* (object: ObjectSchema): Generator<Row> {
    for (const row of bin.find('object', object.name)) yield (row as BinRow).row
  }
  const org: Org = {
    schema: visibleSchema(schema, access),
    access,
    tables,
    now,
    userId,
    baseUrl,
    version,
    withDeleted,
    spend: (steps) => {
      meter.left -= steps
      if (meter.left < 0)
        throw new VendorError('QUERY_TIMEOUT', 'Your query request was running for too long.')
    },
    zone: zoneNamed(typeof user?.TimeZoneSidKey === 'string' ? user.TimeZoneSidKey : 'UTC'),
    object: (name) => {
      const found = schema.object(name)
      if (!found) throw new Error(`the crm has no object ${name}`)
      return found
    },
    get: (object, id) => {
      if (computed(object)) return computedRow(schema, object, id)
      const row = tableOf(tables, object.name).get(id)
      if (row || !withDeleted) return seen(object, row)
      const binned = bin.get(id) as BinRow | undefined
      return binned?.object === object.name ? seen(object, binned.row) : undefined
    },
    lookup: (id) => {
      for (const object of schema.withPrefix(prefixOf(id))) {
        const row = object.name === nameObject ? undefined : org.get(object, id)
        if (row) return { object, row }
      }
      const entity = schema.object('EntityDefinition')
      const row = entity && org.get(entity, id)
      return entity && row ? { object: entity, row } : undefined
    },
    rows: (object) => {
      if (computed(object)) return computedRows(schema, object)
      const live = tableOf(tables, object.name).all()
      const rows = withDeleted ? inTurn(live, inBin(object)) : live
      return access.enforced ? Iterator.from(rows).filter((row) => access.canRead(object, row)) : rows
    },
    find: function* (object, field, value) {
      for (const row of tableOf(tables, object.name).find(field.name, indexValue(field, value)))
        if (seen(object, row)) yield row
      if (!withDeleted) return
      const wanted = indexValue(field, value)
      for (const row of inBin(object)) {
        const held = row[field.name]
        if (
          (typeof held === 'string' || typeof held === 'number') &&
          indexValue(field, held) === wanted &&
          seen(object, row)
        )
          yield row
      }
    },
    count: (object, field, value) =>
      tableOf(tables, object.name).count(field.name, indexValue(field, value)) +
      (withDeleted ? bin.count('object', object.name) : 0),
    read: (object, field) => {
      if (field.formula || field.rollUp) {
        const value = field.rollUp ? rollUpValue(org, field) : formulaValue(org, object, field)
        // A formula that leads back to itself has no value.
        return (row) => {
          if (nesting > maxNesting) return null
          nesting++
          const found = value(row)
          nesting--
          return found
        }
      }
      const virtual = virtualOf(object, field)
      if (virtual) return (row) => virtual(row, org)
      const { name } = field
      if (field.type === 'boolean') return (row) => row[name] ?? false
      return (row) => row[name] ?? null
    },
  }
  return org
}
