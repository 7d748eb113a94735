import { RowFault } from '@diorama/twin-kit/datasets/dataset'
import { type TableSpec, table } from '@diorama/twin-kit/kernel/table'
import { isRecord } from '@diorama/twin-kit/records'
import {
  type EdmRow,
  type EdmValue,
  type EntitySet,
  indexName,
  indexValue,
  keyOrder,
  type Property,
  wholeIndex,
} from '@diorama/twin-kit/wires/odata/model'
import { fromText } from '@diorama/twin-kit/wires/odata/values/values'
import { allServices, catalogue } from './catalogue/services.ts'
import { eventTables } from './events/webhooks.ts'

export type ErpTables = Readonly<Record<string, TableSpec<EdmRow>>>

/** One table for each entity set, named by the plain English of it. */
const setTable = (set: EntitySet, internal: boolean): TableSpec<EdmRow> =>
  table<EdmRow>({
    key: 'id',
    row: { parse: (value) => parseRow(set, value) },
    internal,
    indexes: Object.fromEntries([
      [wholeIndex, { by: () => wholeIndex, order: (row: EdmRow) => keyOrder(set.type, row) }],
      ...set.indexes.map((fields) => [
        indexName(fields),
        { by: (row: EdmRow) => indexValue(fields, row), order: (row: EdmRow) => keyOrder(set.type, row) },
      ]),
    ]),
  })

/** A row of a set holds its id, its key, and fields that are not at their initial value, each in its stored form. */
const parseRow = (set: EntitySet, value: unknown): EdmRow => {
  const row = plainRow(value)
  for (const key of set.type.keys)
    if (row[key] === undefined) throw new RowFault(key, `is missing from ${set.collection} ${row.id}`)
  for (const [field, held] of Object.entries(row)) {
    if (field === 'id') continue
    const property = set.type.byName.get(field)
    if (!property) throw new RowFault(field, `is no field of ${set.collection}`)
    if (!fitsProperty(property, held))
      throw new RowFault(field, `${JSON.stringify(held)} does not fit ${property.type}`)
  }
  return row
}

const fitsProperty = (property: Property, held: EdmValue): boolean => {
  if (held === null) return false
  if (property.type === 'Boolean') return typeof held === 'boolean'
  if (typeof held === 'number') return property.type.startsWith('Int') || property.type === 'Byte'
  if (typeof held !== 'string') return false
  if (property.day) return /^\d{4}-\d{2}-\d{2}$/.test(held)
  if (property.type === 'DateTime' || property.type === 'DateTimeOffset')
    return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(held)
  return 'value' in fromText(property, held)
}

const plainRow = (value: unknown): EdmRow => {
  if (!isRecord(value) || typeof value.id !== 'string') throw new RowFault('id', 'must be a text')
  return value as EdmRow
}

const plainTable = (internal: boolean): TableSpec<EdmRow> =>
  table<EdmRow>({ key: 'id', row: { parse: plainRow }, internal })

/** Sets that hold configuration, which is read and never changed. */
const configuration = new Set([
  'A_CompanyCode',
  'A_GLAccountInChartOfAccounts',
  'A_CostCenter',
  'A_ProfitCenter',
])

export const tables: ErpTables = {
  ...Object.fromEntries(
    allServices.flatMap((service) =>
      [...service.sets.values()].map(
        (set) =>
          [set.collection, setTable(set, service === catalogue || configuration.has(set.name))] as const,
      ),
    ),
  ),
  user: plainTable(false),
  /** The newest number of each range. */
  number_range: plainTable(true),
  /** Sales areas that the company sells in. */
  sales_area: plainTable(true),
  /** What a material costs, by material and currency. */
  price: plainTable(true),
  ...eventTables,
}
