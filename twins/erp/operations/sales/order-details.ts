import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import { type EdmRow, type EdmValues, rowId } from '@diorama/twin-kit/wires/odata/model'
import type { Behaviour } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, rowAt, rowsWith, save, text } from '../../access.ts'
import { entitySet } from '../../catalogue/services.ts'
import { isPriceType } from '../../customizing/pricing.ts'
import { spreadConditions } from '../../rules/header-conditions.ts'
import { refusal } from '../../rules/messages.ts'
import { itemAt, orderAt, pricedItem, saveItem, touchOrder } from '../../rules/order-changes.ts'
import {
  addCondition,
  changeCondition,
  checkConditionType,
  conditionsOf,
  pricingStamp,
} from '../../rules/pricing.ts'

/** Prices of items: a change of one works its item and its order out again. */

const prices = 'A_SalesOrderItemPrElement'
const itemOf = (call: Call, condition: EdmValues): EdmRow =>
  itemAt(call, String(condition.SalesOrder ?? ''), String(condition.SalesOrderItem ?? ''))

const settle = (call: Call, condition: EdmValues): void => {
  saveItem(call, itemOf(call, condition))
  touchOrder(call, String(condition.SalesOrder))
}

export const itemPriceBehaviour: Behaviour = {
  create: ({ call }, draft, above) => {
    const values = { ...draft.values, ...above }
    const row = addCondition(call, pricedItem(itemOf(call, values)), values)
    settle(call, row)
    return rowAt(call, prices, row.id) ?? row
  },
  update: ({ call }, row, change) => {
    const saved = changeCondition(call, pricedItem(itemOf(call, row)), row, change)
    settle(call, saved)
    return rowAt(call, prices, saved.id) ?? saved
  },
  remove: ({ call }, row) => {
    const type = text(prices, row, 'ConditionType')
    const others = conditionsOf(call, pricedItem(itemOf(call, row))).filter(({ id }) => id !== row.id)
    if (isPriceType(type) && !others.some((each) => isPriceType(text(prices, each, 'ConditionType'))))
      throw refusal('V1/330/price', [type, text(prices, row, 'SalesOrderItem')])
    erase(call, prices, row)
    settle(call, row)
  },
}

const headerPrices = 'A_SalesOrderHeaderPrElement'

/** A condition of the whole order. */
export const addHeaderCondition = (call: Call, order: EdmRow, values: EdmValues): EdmRow => {
  const type = text(headerPrices, values, 'ConditionType')
  const { step } = checkConditionType(type, 'header')
  const SalesOrder = text('A_SalesOrder', order, 'SalesOrder')
  const there = rowsWith(call, headerPrices, { SalesOrder })
  return save(call, headerPrices, {
    ...values,
    SalesOrder,
    PricingProcedureStep: String(step),
    PricingProcedureCounter: String(
      Math.max(0, ...there.map((row) => Number(text(headerPrices, row, 'PricingProcedureCounter')))) + 1,
    ),
    PricingDateTime: pricingStamp(call),
  })
}

/** Spreads an order's conditions over its items and works the order out again. */
const spread = (call: Call, number: string): void => {
  spreadConditions(call, number)
  touchOrder(call, number)
}

export const headerPriceBehaviour: Behaviour = {
  create: ({ call }, draft, above) => {
    const values = { ...draft.values, ...above }
    const row = addHeaderCondition(call, orderAt(call, String(values.SalesOrder ?? '')), values)
    spread(call, String(row.SalesOrder))
    return row
  },
  update: ({ call }, row, change) => {
    const condition = { ...row, ...change }
    checkConditionType(text(headerPrices, condition, 'ConditionType'), 'header')
    const saved = save(call, headerPrices, condition)
    spread(call, String(row.SalesOrder))
    return saved
  },
  remove: ({ call }, row) => {
    erase(call, headerPrices, row)
    spread(call, String(row.SalesOrder))
  },
}

/** Texts, payment plans and the like: kept as they come, and a change of the order they belong to. */
export const detailBehaviour = (name: string): Behaviour => {
  return {
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
  }
}
