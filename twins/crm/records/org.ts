import type { Row, TableView } from '../../kernel/table.ts'
import { zoneNamed } from '../dates.ts'
import { prefixOf } from '../ids.ts'
import { computedObjects, nameObject, type ObjectSchema, type Schema } from '../schema/schema.ts'
import { type BinRow, binTable, indexValue, tableOf } from '../tables.ts'
import { computedRow, computedRows } from './computed.ts'
import type { Org } from './organization.ts'
import { virtualOf } from './virtual.ts'

export type { Org } from './organization.ts'

export interface OrgOptions {
  readonly schema: Schema
  readonly tables: Readonly<Record<string, TableView>>
  readonly now: number
  readonly userId: string
  readonly baseUrl: string
  readonly withDeleted?: boolean
  readonly version?: string
}

function* inTurn(...lists: readonly Iterable<Row>[]): Generator<Row> {
  for (const list of lists) yield* list
}

export const orgOf = (options: OrgOptions): Org => {
  const { schema, tables, now, userId, baseUrl, withDeleted = false, version = '62.0' } = options
  const bin = tableOf(tables, binTable)
  const user = tables.User?.get(userId)
  const computed = (object: ObjectSchema) => computedObjects.includes(object.name)
  const inBin = function* (object: ObjectSchema): Generator<Row> {
    for (const row of bin.find('object', object.name)) yield (row as BinRow).row
  }
  const org: Org = {
    schema,
    tables,
    now,
    userId,
    baseUrl,
    version,
    withDeleted,
    zone: zoneNamed(typeof user?.TimeZoneSidKey === 'string' ? user.TimeZoneSidKey : 'UTC'),
    object: (name) => {
      const found = schema.object(name)
      if (!found) throw new Error(`the crm has no object ${name}`)
      return found
    },
    get: (object, id) => {
      if (computed(object)) return computedRow(schema, object, id)
      const row = tableOf(tables, object.name).get(id)
      if (row || !withDeleted) return row
      const binned = bin.get(id) as BinRow | undefined
      return binned?.object === object.name ? binned.row : undefined
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
      return withDeleted ? inTurn(live, inBin(object)) : live
    },
    find: function* (object, field, value) {
      yield* tableOf(tables, object.name).find(field.name, indexValue(field, value))
      if (!withDeleted) return
      const wanted = indexValue(field, value)
      for (const row of inBin(object)) {
        const held = row[field.name]
        if ((typeof held === 'string' || typeof held === 'number') && indexValue(field, held) === wanted)
          yield row
      }
    },
    count: (object, field, value) =>
      tableOf(tables, object.name).count(field.name, indexValue(field, value)) +
      (withDeleted ? bin.count('object', object.name) : 0),
    read: (object, field) => {
      const virtual = virtualOf(object, field)
      if (virtual) return (row) => virtual(row, org)
      const { name } = field
      if (field.type === 'boolean') return (row) => row[name] ?? false
      return (row) => row[name] ?? null
    },
  }
  return org
}
