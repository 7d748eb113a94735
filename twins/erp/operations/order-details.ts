import type { Call } from '../../kernel/twin.ts'
import { fault } from '../../kernel/wires/odata/faults.ts'
import { type EdmRow, type EdmValues, rowId } from '../../kernel/wires/odata/model.ts'
import type { Behaviour } from '../../kernel/wires/odata/write/operations.ts'
import { erase, rowAt, save, text } from '../access.ts'
import { priceConditions } from '../codes.ts'
import { refusal } from '../rules/messages.ts'
import { itemAt, orderAt, saveItem, touchOrder } from '../rules/order-changes.ts'
import { entitySet } from '../services.ts'
import { createCondition } from './order-items.ts'

/** Prices of items: a change of one works its item and its order out again. */

const reprice = (call: Call, condition: EdmValues): void => {
  const number = String(condition.SalesOrder)
  const item = itemAt(call, number, String(condition.SalesOrderItem))
  const requested = text('A_SalesOrder', orderAt(call, number), 'RequestedDeliveryDate')
  saveItem(call, item, requested || null)
  touchOrder(call, number)
}

const prices = 'A_SalesOrderItemPrElement'
const isPrice = (row: EdmRow): boolean => priceConditions.has(text(prices, row, 'ConditionType'))

export const itemPriceBehaviour: Behaviour = {
  create: ({ call }, draft, above) => {
    const values = { ...draft.values, ...above }
    const item = itemAt(call, String(values.SalesOrder ?? ''), String(values.SalesOrderItem ?? ''))
    const row = createCondition(call, item, values)
    reprice(call, row)
    return rowAt(call, prices, row.id) ?? row
  },
  update: ({ call }, row, change) => {
    const saved = save(call, prices, {
      ...row,
      ...change,
      ConditionIsManuallyChanged: true,
      ConditionOrigin: 'C',
    })
    reprice(call, saved)
    return rowAt(call, prices, saved.id) ?? saved
  },
  remove: ({ call }, row) => {
    if (isPrice(row))
      throw refusal('V1/330/price', [text(prices, row, 'ConditionType'), text(prices, row, 'SalesOrderItem')])
    erase(call, prices, row)
    reprice(call, row)
  },
}

/** Texts, payment plans and the like: kept as they come, and a change of the order they belong to. */
export const detailBehaviour = (name: string): Behaviour => ({
  create: ({ call }, draft, above) => {
    const { type } = entitySet(name)
    const values = { ...draft.values, ...above }
    orderAt(call, String(values.SalesOrder ?? ''))
    for (const key of type.keys)
      if (values[key] === undefined || values[key] === null)
        throw fault('missing_element', { property: key, type: type.name })
    if (rowAt(call, name, rowId(type, values)))
      throw fault('duplicate', { type: type.name, key: rowId(type, values) })
    const row = save(call, name, values)
    touchOrder(call, String(row.SalesOrder))
    return row
  },
  update: ({ call }, row, change) => {
    const saved = save(call, name, { ...row, ...change })
    touchOrder(call, String(row.SalesOrder))
    return saved
  },
  remove: ({ call }, row) => {
    erase(call, name, row)
    touchOrder(call, String(row.SalesOrder))
  },
})
