import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, divide, multiply, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { erase, rowsWith, save, text } from '../access.ts'
import { decimalsOfCurrency } from '../codes.ts'
import { conditionTypes } from '../customizing/pricing.ts'
import { itemsOf, pricedItem, saveItem } from './order-changes.ts'
import { conditionsOf, pricingStamp } from './pricing.ts'

const headers = 'A_SalesOrderHeaderPrElement'
const prices = 'A_SalesOrderItemPrElement'

/** Marks a condition of an item that comes from the header. */
const fromHeader = '1'

/**
 * Spreads the conditions of an order over its items: a percentage applies to each, an amount is shared out in proportion
 * to the items' values, and the last item takes what rounding leaves.
 */
export const spreadConditions = (call: Call, number: string): void => {
  const conditions = rowsWith(call, headers, { SalesOrder: number })
  const items = itemsOf(call, number).filter(
    (item) => text('A_SalesOrderItem', item, 'SalesDocumentRjcnReason') === '',
  )
  const spread = items.some((item) =>
    conditionsOf(call, pricedItem(item)).some(
      (row) => text(prices, row, 'PrcgProcedureCounterForHeader') === fromHeader,
    ),
  )
  if (conditions.length === 0 && !spread) return
  for (const item of items) {
    for (const row of conditionsOf(call, pricedItem(item)))
      if (text(prices, row, 'PrcgProcedureCounterForHeader') === fromHeader) erase(call, prices, row)
    saveItem(call, item)
  }
  for (const condition of conditions) spreadOne(call, condition, itemsNow(call, number, items))
  for (const item of itemsNow(call, number, items)) saveItem(call, item)
}

const itemsNow = (call: Call, number: string, items: readonly EdmRow[]): EdmRow[] =>
  itemsOf(call, number).filter(({ id }) => items.some((item) => item.id === id))

const spreadOne = (call: Call, condition: EdmRow, items: readonly EdmRow[]): void => {
  const read = (name: string) => text(headers, condition, name)
  const type = conditionTypes[read('ConditionType')]
  if (!type) return
  const given = read('ConditionRateValue')
  const rate = type.negative && compareDecimals(given, '0') > 0 ? negate(given) : given
  const total = items.reduce((sum, item) => add(sum, text('A_SalesOrderItem', item, 'NetAmount')), '0')
  let left = rate
  for (const [n, item] of items.entries()) {
    const priced = pricedItem(item)
    const decimals = decimalsOfCurrency(priced.currency)
    const share =
      n === items.length - 1
        ? left
        : compareDecimals(total, '0') === 0
          ? '0'
          : divide(multiply(rate, text('A_SalesOrderItem', item, 'NetAmount')), total, decimals)
    left = add(left, negate(share))
    const percent = type.calculation === 'A'
    save(call, prices, {
      ...priced.keys,
      PricingProcedureStep: String(type.step),
      PricingProcedureCounter: String(90 + Number(read('PricingProcedureCounter'))),
      PrcgProcedureCounterForHeader: fromHeader,
      ConditionType: read('ConditionType'),
      ConditionRateValue: percent ? rate : share,
      ConditionCurrency: percent ? '' : priced.currency,
      TransactionCurrency: priced.currency,
      ConditionCalculationType: type.calculation,
      ConditionClass: type.class,
      ConditionOrigin: 'D',
      ...(type.calculation === 'C' ? { ConditionQuantity: '1', ConditionQuantityUnit: priced.unit } : {}),
      PricingDateTime: pricingStamp(call),
    })
  }
}
