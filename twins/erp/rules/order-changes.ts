import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { erase, rowAt, rowsWith, save, text } from '../access.ts'
import { orderItemKey } from './availability.ts'
import { refusal } from './messages.ts'
import { headerStatus, itemStatus } from './order-values.ts'
import { type PricedItem, reprice } from './pricing.ts'

/** An order, or the application's word that there is none. */
export const orderAt = (call: Call, number: string): EdmRow => {
  const order = rowAt(call, 'A_SalesOrder', number)
  if (!order) throw refusal('V1/302', [number])
  return order
}

export const itemsOf = (call: Call, order: string): EdmRow[] =>
  rowsWith(call, 'A_SalesOrderItem', { SalesOrder: order })

export const itemAt = (call: Call, order: string, item: string): EdmRow => {
  const found = rowAt(call, 'A_SalesOrderItem', `${order}/${item}`)
  if (!found) throw refusal('V1/045', [item, order])
  return found
}

export const linesOf = (call: Call, item: EdmValues): EdmRow[] =>
  rowsWith(call, 'A_SalesOrderScheduleLine', orderItemKey(item))

const pricesOf = (call: Call, item: EdmRow): EdmRow[] =>
  rowsWith(call, 'A_SalesOrderItemPrElement', orderItemKey(item))

/** How much of an item is in deliveries. */
export const deliveredOf = (call: Call, item: EdmValues): string =>
  linesOf(call, item).reduce(
    (sum, line) => add(sum, text('A_SalesOrderScheduleLine', line, 'DeliveredQtyInOrderQtyUnit')),
    '0',
  )

/** The moment of a change: later than the change before it, so that every version of an order has its own ETag. */
const changedAt = (call: Call, order: EdmValues): string => {
  const before = Date.parse(text('A_SalesOrder', order, 'LastChangeDateTime'))
  return isoOf(Number.isNaN(before) ? call.now : Math.max(call.now, before + 1))
}

/** Keeps a changed header, with the time of its change. */
export const stampHeader = (call: Call, order: EdmValues): EdmRow =>
  save(call, 'A_SalesOrder', {
    ...order,
    LastChangeDate: dayOf(call.now),
    LastChangeDateTime: changedAt(call, order),
  })

/** Keeps a changed header with its totals and statuses worked out again. */
export const saveHeader = (call: Call, order: EdmValues): EdmRow => {
  const items = itemsOf(call, String(order.SalesOrder))
  return stampHeader(call, {
    ...order,
    ...headerStatus(items, text('A_SalesOrder', order, 'TransactionCurrency')),
  })
}

/** Works out the header again after something below it changed. */
export const touchOrder = (call: Call, number: string): EdmRow => saveHeader(call, orderAt(call, number))

/** An item as far as its price goes. */
export const pricedItem = (item: EdmValues): PricedItem => {
  const read = (name: string) => text('A_SalesOrderItem', item, name)
  return {
    set: 'A_SalesOrderItemPrElement',
    keys: orderItemKey(item),
    item: read('SalesOrderItem'),
    material: read('Material'),
    quantity: read('RequestedQuantity'),
    unit: read('RequestedQuantityUnit'),
    currency: read('TransactionCurrency'),
  }
}

/** Keeps a changed item, with its prices, its net amount and its statuses worked out again. */
export const saveItem = (call: Call, item: EdmValues): EdmRow => {
  const row = save(call, 'A_SalesOrderItem', item)
  const net = reprice(call, pricedItem(row))
  return save(call, 'A_SalesOrderItem', {
    ...row,
    NetAmount: net,
    ...itemStatus(row, deliveredOf(call, row)),
  })
}

/** Refuses a quantity that is negative or below what has left already. */
export const checkQuantity = (quantity: string, delivered: string): void => {
  if (compareDecimals(quantity, '0') < 0) throw refusal('V1/122', [], 'RequestedQuantity')
  if (compareDecimals(quantity, delivered) < 0)
    throw refusal('V1/501', [quantity, delivered], 'RequestedQuantity')
}

/** Takes an item away with everything below it. */
export const eraseItem = (call: Call, item: EdmRow): void => {
  const key = { SalesOrder: item.SalesOrder ?? '', SalesOrderItem: item.SalesOrderItem ?? '' }
  for (const line of linesOf(call, item)) erase(call, 'A_SalesOrderScheduleLine', line)
  for (const price of pricesOf(call, item)) erase(call, 'A_SalesOrderItemPrElement', price)
  for (const below of ['A_SalesOrderItemPartner', 'A_SalesOrderItemText', 'A_SalesOrderValAddedSrvc'])
    for (const row of rowsWith(call, below, key)) erase(call, below, row)
  erase(call, 'A_SalesOrderItem', item)
}
