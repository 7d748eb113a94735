import type { WritableTable } from '@diorama/twin-kit/kernel/table'
import type { Call } from '@diorama/twin-kit/kernel/twin'
import { type EdmRow, type EdmValues, indexName, indexValue } from '@diorama/twin-kit/wires/odata/model'
import { heldValue } from '@diorama/twin-kit/wires/odata/values/values'
import { keep, tableOf } from '@diorama/twin-kit/wires/odata/write/operations'
import { entitySet } from './catalogue/services.ts'

/** Rows by the names of their entity sets, for the business rules. */

export const table = (call: Call, set: string): WritableTable<EdmRow> => tableOf(call.tables, entitySet(set))

export const rowAt = (call: Call, set: string, id: string): EdmRow | undefined => table(call, set).get(id)

/** Rows whose fields have these values, in the order of their keys; collected, so that they may be changed. */
export const rowsWith = (call: Call, set: string, values: EdmValues): EdmRow[] => {
  const fields = Object.keys(values)
  return [...table(call, set).find(indexName(fields), indexValue(fields, values))]
}

export const save = (call: Call, set: string, values: EdmValues): EdmRow => keep(call, entitySet(set), values)

export const erase = (call: Call, set: string, row: EdmRow): void => table(call, set).delete(row.id)

/** A field as text, also where the row is at its initial value. */
export const text = (set: string, row: EdmValues, field: string): string => {
  const property = entitySet(set).type.byName.get(field)
  if (!property) throw new Error(`${set} has no ${field}`)
  return String(heldValue(row, property) ?? '')
}

/** A field of a table that is no entity set. */
export const field = (row: EdmValues | undefined, name: string): string => String(row?.[name] ?? '')

/** A table that is no entity set. */
export const plainTable = (
  call: Call,
  name: 'user' | 'number_range' | 'sales_area' | 'price',
): WritableTable<EdmRow> => {
  const found: unknown = call.tables[name]
  if (!isTable(found)) throw new Error(`there is no table ${name}`)
  return found
}
const isTable = (found: unknown): found is WritableTable<EdmRow> => found !== undefined

/** The first number of each range. */
const firstNumbers = {
  sales_order: 1,
  business_partner: 1,
  address: 1,
  delivery: 80_000_001,
  sales_quotation: 20_000_001,
  customer_return: 60_000_001,
  purchase_order: 4_500_000_001,
  purchase_requisition: 10_000_001,
  goods_receipt: 5_000_000_001,
  goods_issue: 4_900_000_001,
  billing_document: 90_000_001,
  supplier_invoice: 5_105_600_101,
  accounting_document: 100_000_001,
} as const

export type NumberRange = keyof typeof firstNumbers

/** The range that a document of this number was drawn from: goods that come in and go out are numbered apart. */
export const rangeOf = (range: NumberRange, number: number): NumberRange =>
  range === 'goods_receipt' && number < firstNumbers.goods_receipt - 1 ? 'goods_issue' : range

/** The next number of a range. A range that nothing has drawn from yet begins at its first number. */
export const nextNumber = (call: Call, range: NumberRange): string => {
  const ranges = plainTable(call, 'number_range')
  const row = ranges.get(range)
  const next = row ? Number(field(row, 'last')) + 1 : firstNumbers[range]
  if (row) ranges.update(range, { last: next })
  else ranges.insert({ id: range, last: next })
  return String(next)
}

/** The name under which the caller's changes are kept. */
export const userOf = (call: Call): string => call.actor?.id ?? ''
