import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, multiply, negate, round } from '@diorama/twin-kit/wires/odata/values/decimals'
import { isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { field, plainTable, rowsWith, save, text } from '../access.ts'
import { decimalsOfCurrency, defaults, internalUnit, isoUnit } from '../codes.ts'
import {
  type ConditionType,
  conditionTypes,
  inactiveBySubsequentPrice,
  isPriceType,
} from '../customizing/pricing.ts'
import { refusal } from './messages.ts'
import { type Price, priceAmount } from './order-values.ts'

/** An item of any sales document, as far as its price goes. */
export interface PricedItem {
  /** The set of its conditions. */
  readonly set: string
  /** The key of the item, which its conditions share. */
  readonly keys: EdmValues
  readonly item: string
  readonly material: string
  readonly quantity: string
  readonly unit: string
  readonly currency: string
}

export const conditionsOf = (call: Call, { set, keys }: PricedItem): EdmRow[] => rowsWith(call, set, keys)

/** When a price was determined, as the system writes it. */
export const pricingStamp = (call: Call): string => isoOf(call.now).replace(/\D/g, '').slice(0, 14)

/** The condition record of a material in a currency. */
export const recordedPrice = (call: Call, material: string, currency: string): Price | undefined => {
  const row = plainTable(call, 'price').get(`${material}/${currency}`)
  return (
    row && { type: defaults.priceCondition, rate: field(row, 'rate'), per: field(row, 'per'), manual: false }
  )
}

const typeOf = (name: string): ConditionType => {
  const type = conditionTypes[name]
  if (!type) throw refusal('V1/801', [name], 'ConditionType')
  return type
}

/** Refuses a condition type that the procedure does not have, or that is only for items. */
export const checkConditionType = (name: string, level: 'item' | 'header'): ConditionType => {
  const type = typeOf(name)
  if (level === 'header' && type.level === 'item') throw refusal('V1/802', [name], 'ConditionType')
  return type
}

const refuseForeign = (call: Call, from: string, to: string): void => {
  if (from !== '' && from !== to) throw refusal('SG/105', [from, to, isoOf(call.now).slice(0, 10)])
}

/** Fields of a condition that follow from its type. */
const typedFields = (call: Call, item: PricedItem, values: EdmValues): EdmValues => {
  const of = (name: string) => text(item.set, values, name)
  const type = typeOf(of('ConditionType'))
  const rate = of('ConditionRateValue')
  const percent = type.calculation === 'A'
  if (!percent) refuseForeign(call, of('ConditionCurrency'), item.currency)
  const per = compareDecimals(of('ConditionQuantity'), '0') > 0 ? of('ConditionQuantity') : '1'
  const unit = of('ConditionQuantityUnit') || item.unit
  return {
    ConditionRateValue: type.negative && compareDecimals(rate, '0') > 0 ? negate(rate) : rate,
    ConditionCalculationType: type.calculation,
    ConditionClass: type.class,
    ConditionIsForStatistics: type.statistical === true,
    ConditionCurrency: percent ? '' : item.currency,
    TransactionCurrency: item.currency,
    ...(type.calculation === 'C'
      ? {
          ConditionQuantity: per,
          ConditionQuantityUnit: unit,
          ConditionQuantitySAPUnit: internalUnit(unit),
          ConditionQuantityISOUnit: isoUnit(unit),
        }
      : {}),
  }
}

/** Adds a condition that a caller entered. A second price is added beside the first, and follows it. */
export const addCondition = (call: Call, item: PricedItem, values: EdmValues): EdmRow => {
  const of = (name: string) => text(item.set, values, name)
  const type = typeOf(of('ConditionType'))
  const given = { step: of('PricingProcedureStep'), counter: of('PricingProcedureCounter') }
  if (given.step !== '0' && given.step !== String(type.step))
    throw refusal('V1/803', [given.step, given.counter, of('ConditionType')], 'PricingProcedureStep')
  const taken = conditionsOf(call, item)
    .filter((row) => text(item.set, row, 'PricingProcedureStep') === String(type.step))
    .map((row) => Number(text(item.set, row, 'PricingProcedureCounter')))
  const counter = given.counter === '0' ? String(Math.max(0, ...taken) + 1) : given.counter
  const key = [...Object.values(item.keys), type.step, counter].join('/')
  if (taken.includes(Number(counter))) throw fault('duplicate', { type: `${item.set}Type`, key })
  return save(call, item.set, {
    ...values,
    ...typedFields(call, item, values),
    ...item.keys,
    PricingProcedureStep: String(type.step),
    PricingProcedureCounter: counter,
    PricingDateTime: pricingStamp(call),
    ConditionSequentialNumber: counter,
    ConditionIsManuallyChanged: true,
    ConditionOrigin: 'C',
  })
}

/** Lays a caller's change over a condition. */
export const changeCondition = (call: Call, item: PricedItem, row: EdmRow, change: EdmValues): EdmRow => {
  const values = { ...row, ...change }
  if (
    typeOf(text(item.set, values, 'ConditionType')).step !== typeOf(text(item.set, row, 'ConditionType')).step
  )
    throw refusal('V1/803', [
      text(item.set, row, 'PricingProcedureStep'),
      text(item.set, row, 'PricingProcedureCounter'),
      text(item.set, values, 'ConditionType'),
    ])
  return save(call, item.set, {
    ...values,
    ...typedFields(call, item, values),
    ConditionIsManuallyChanged: true,
    ConditionOrigin: 'C',
  })
}

/**
 * Works out every condition of an item again and returns its net value. The last of several prices is the active one;
 * discounts and surcharges stand on it.
 */
export const reprice = (call: Call, item: PricedItem): string => {
  const read = (row: EdmRow, name: string) => text(item.set, row, name)
  const rows = conditionsOf(call, item)
  const isPrice = (row: EdmRow) => isPriceType(read(row, 'ConditionType'))
  const active = rows.filter(isPrice).at(-1)
  const gross = active ? amountOf(item, active, '0') : '0'
  let net = gross
  for (const row of rows) {
    const amount = row === active ? gross : amountOf(item, row, gross)
    const inactive = isPrice(row) && row !== active
    const type = conditionTypes[read(row, 'ConditionType')]
    if (!isPrice(row) && type?.class !== 'D' && !type?.statistical) net = add(net, amount)
    save(call, item.set, {
      ...row,
      ConditionBaseValue: type?.calculation === 'C' ? item.quantity : gross,
      ConditionAmount: amount,
      ConditionInactiveReason: inactive ? inactiveBySubsequentPrice : '',
      TransactionCurrency: item.currency,
    })
  }
  return round(net, decimalsOfCurrency(item.currency))
}

const amountOf = (item: PricedItem, row: EdmRow, gross: string): string => {
  const read = (name: string) => text(item.set, row, name)
  const rate = read('ConditionRateValue')
  const calculation = conditionTypes[read('ConditionType')]?.calculation ?? 'B'
  const decimals = decimalsOfCurrency(item.currency)
  if (calculation === 'A') return round(multiply(multiply(gross, rate), '0.01'), decimals)
  if (calculation === 'B') return round(rate, decimals)
  return priceAmount(rate, read('ConditionQuantity'), item.quantity, item.currency)
}

/** Whether an item has a price; without one it is incomplete for billing. */
export const hasPrice = (call: Call, item: PricedItem): boolean =>
  conditionsOf(call, item).some((row) => isPriceType(text(item.set, row, 'ConditionType')))

/**
 * Moves an item's conditions into another currency: the price is determined again; amounts that were entered by hand
 * would need an exchange rate, and no rates are maintained.
 */
export const changeCurrency = (call: Call, item: PricedItem, before: string): void => {
  for (const row of conditionsOf(call, item)) {
    const read = (name: string) => text(item.set, row, name)
    const type = conditionTypes[read('ConditionType')]
    if (type?.calculation === 'A') continue
    const record =
      read('ConditionOrigin') === 'A' ? recordedPrice(call, item.material, item.currency) : undefined
    if (!record)
      throw refusal('SG/105', [before, item.currency, isoOf(call.now).slice(0, 10)], 'TransactionCurrency')
    save(call, item.set, {
      ...row,
      ConditionRateValue: record.rate,
      ConditionQuantity: record.per,
      ConditionCurrency: item.currency,
      TransactionCurrency: item.currency,
      PricingDateTime: pricingStamp(call),
    })
  }
}
