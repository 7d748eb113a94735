import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, divide, multiply, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { rowAt, rowsWith, text } from '../access.ts'
import { idPart } from '../codes.ts'

/** What can be promised of a material in a plant: its stock, less what is promised already, and what is on order. */

const minimum = (a: string, b: string): string => (compareDecimals(a, b) <= 0 ? a : b)
const atLeastZero = (value: string): string => (compareDecimals(value, '0') < 0 ? '0' : value)

/** A quantity in the material's base unit. */
export const toBaseUnit = (call: Call, material: string, unit: string, quantity: string): string => {
  const row = rowAt(call, 'A_ProductUnitsOfMeasure', `${idPart(material)}/${unit}`)
  if (!row) return quantity
  const of = (name: string) => text('A_ProductUnitsOfMeasure', row, name)
  const [numerator, denominator] = [of('QuantityNumerator'), of('QuantityDenominator')]
  if (numerator === denominator) return quantity
  return divide(multiply(quantity, numerator), compareDecimals(denominator, '0') > 0 ? denominator : '1', 3)
}

/** A quantity of the base unit in another unit, never more than it is. */
const fromBaseUnit = (call: Call, material: string, unit: string, quantity: string): string => {
  const one = toBaseUnit(call, material, unit, '1')
  return one === '1' ? quantity : divide(quantity, one, 3)
}

/** Unrestricted stock of a material in a plant, in its base unit. */
export const stockOf = (call: Call, material: string, plant: string): string =>
  rowsWith(call, 'A_MatlStkInAcctMod', { Material: material })
    .filter((row) => isFree(row) && text('A_MatlStkInAcctMod', row, 'Plant') === plant)
    .reduce((sum, row) => add(sum, text('A_MatlStkInAcctMod', row, 'MatlWrhsStkQtyInMatlBaseUnit')), '0')

const isFree = (row: EdmRow): boolean =>
  text('A_MatlStkInAcctMod', row, 'InventoryStockType') === '01' &&
  text('A_MatlStkInAcctMod', row, 'InventorySpecialStockType') === ''

interface Asked {
  readonly material: string
  readonly plant: string
  /** What the item that asks was promised before, in the base unit: it is free again. */
  readonly own?: string
}

/** Sums of promises by material and plant, memoised for the duration of one operation. */
const memo = new WeakMap<Call, Map<string, string>>()

const totalsOf = (call: Call): Map<string, string> => {
  const totals = memo.get(call) ?? new Map<string, string>()
  memo.set(call, totals)
  return totals
}

/** What all order items were promised and have not received, in the base unit. */
export const promisedTotal = (call: Call, material: string, plant: string): string => {
  const totals = totalsOf(call)
  const known = totals.get(`${material}\n${plant}`)
  if (known !== undefined) return known
  let sum = '0'
  for (const item of rowsWith(call, 'A_SalesOrderItem', { Material: material }))
    if (text('A_SalesOrderItem', item, 'ProductionPlant') === plant) sum = add(sum, promisedTo(call, item))
  // What is in a delivery is still in stock until its goods issue.
  for (const item of rowsWith(call, 'A_OutbDeliveryItem', { Material: material })) {
    const of = (name: string) => text('A_OutbDeliveryItem', item, name)
    if (of('Plant') === plant && of('GoodsMovementStatus') !== 'C')
      sum = add(sum, of('ActualDeliveredQtyInBaseUnit'))
  }
  totals.set(`${material}\n${plant}`, sum)
  return sum
}

/** What one order item was promised and has not received, in the base unit. */
export const promisedTo = (call: Call, item: EdmRow): string => {
  const of = (name: string) => text('A_SalesOrderItem', item, name)
  if (of('SalesDocumentRjcnReason') !== '') return '0'
  let sum = '0'
  for (const line of rowsWith(call, 'A_SalesOrderScheduleLine', orderItemKey(item))) {
    const open = text('A_SalesOrderScheduleLine', line, 'OpenConfdDelivQtyInOrdQtyUnit')
    sum = add(sum, toBaseUnit(call, of('Material'), of('RequestedQuantityUnit'), open))
  }
  return sum
}

/** Notes that an item was promised more, or less, than before. */
export const adjustPromised = (call: Call, item: EdmRow, difference: string): void => {
  const of = (name: string) => text('A_SalesOrderItem', item, name)
  const key = `${of('Material')}\n${of('ProductionPlant')}`
  const known = totalsOf(call).get(key)
  if (known !== undefined) totalsOf(call).set(key, add(known, difference))
}

export const orderItemKey = (item: EdmValues): EdmValues => ({
  SalesOrder: item.SalesOrder ?? '',
  SalesOrderItem: item.SalesOrderItem ?? '',
})

export interface Receipt {
  readonly date: string
  /** In the base unit. */
  readonly quantity: string
}

/** What suppliers still have to deliver, by date. */
export const receiptsOf = (call: Call, { material, plant }: Asked): Receipt[] => {
  const receipts: Receipt[] = []
  for (const item of rowsWith(call, 'A_PurchaseOrderItem', { Material: material })) {
    const of = (name: string) => text('A_PurchaseOrderItem', item, name)
    const closed = of('IsCompletelyDelivered') === 'true' || of('PurchasingDocumentDeletionCode') !== ''
    if (of('Plant') !== plant || closed || of('IsReturnsItem') === 'true') continue
    let received = receivedOf(call, item)
    for (const line of linesOfPurchase(call, item)) {
      const ordered = text('A_PurchaseOrderScheduleLine', line, 'ScheduleLineOrderQuantity')
      const used = minimum(ordered, received)
      received = add(received, negate(used))
      const open = add(ordered, negate(used))
      if (compareDecimals(open, '0') <= 0) continue
      receipts.push({
        date: text('A_PurchaseOrderScheduleLine', line, 'ScheduleLineDeliveryDate'),
        quantity: toBaseUnit(call, material, of('PurchaseOrderQuantityUnit'), open),
      })
    }
  }
  return receipts.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
}

export const linesOfPurchase = (call: Call, item: EdmRow): EdmRow[] =>
  rowsWith(call, 'A_PurchaseOrderScheduleLine', {
    PurchasingDocument: item.PurchaseOrder ?? '',
    PurchasingDocumentItem: item.PurchaseOrderItem ?? '',
  })

/** How much of a purchase order item has been received, in its order unit. */
export const receivedOf = (call: Call, item: EdmRow): string =>
  rowsWith(call, 'A_MaterialDocumentItem', {
    PurchaseOrder: item.PurchaseOrder ?? '',
    PurchaseOrderItem: item.PurchaseOrderItem ?? '',
  }).reduce((sum, row) => {
    const quantity = text('A_MaterialDocumentItem', row, 'QuantityInEntryUnit')
    const sign = text('A_MaterialDocumentItem', row, 'DebitCreditCode') === 'H' ? negate(quantity) : quantity
    return add(sum, sign)
  }, '0')

/** Stock less promises, with what arrives until a day; below zero where more was promised than there is. */
const freeAt = (call: Call, asked: Asked, day: string): string => {
  const due = receiptsOf(call, asked).filter(({ date }) => date <= day)
  const promised = add(promisedTotal(call, asked.material, asked.plant), negate(asked.own ?? '0'))
  const free = add(stockOf(call, asked.material, asked.plant), negate(promised))
  return due.reduce((sum, { quantity }) => add(sum, quantity), free)
}

/** How much can be promised on a day, in the base unit. */
export const availableAt = (call: Call, asked: Asked, day: string): string =>
  atLeastZero(freeAt(call, asked, day))

export interface Confirmation {
  readonly date: string
  readonly quantity: string
}

export interface Demand extends Asked {
  readonly unit: string
  /** In that unit. */
  readonly quantity: string
  readonly requested: string
}

/** Confirms a quantity: first what there is on the requested day, then what each later receipt brings. */
export const confirm = (call: Call, demand: Demand): Confirmation[] => {
  const { material, unit, quantity } = demand
  const today = dayOf(call.now)
  const first = demand.requested > today ? demand.requested : today
  const possible = (free: string) => minimum(quantity, fromBaseUnit(call, material, unit, atLeastZero(free)))
  let free = freeAt(call, demand, first)
  let confirmed = possible(free)
  const confirmations: Confirmation[] = [{ date: first, quantity: confirmed }]
  for (const receipt of receiptsOf(call, demand)) {
    if (compareDecimals(confirmed, quantity) >= 0) break
    if (receipt.date <= first) continue
    free = add(free, receipt.quantity)
    const more = add(possible(free), negate(confirmed))
    if (compareDecimals(more, '0') <= 0) continue
    confirmations.push({ date: receipt.date, quantity: more })
    confirmed = add(confirmed, more)
  }
  return confirmations
}

/** Materials in a plant without a check group, such as services, are promised whole. */
export const isChecked = (call: Call, material: string, plant: string): boolean => {
  const row = rowAt(call, 'A_ProductPlant', `${idPart(material)}/${plant}`)
  return row !== undefined && text('A_ProductPlant', row, 'AvailabilityCheckType') !== 'KP'
}
