import type { Call } from '../../kernel/twin.ts'
import { fault } from '../../kernel/wires/odata/faults.ts'
import type { EdmRow, EdmValues } from '../../kernel/wires/odata/model.ts'
import { compareDecimals } from '../../kernel/wires/odata/values/decimals.ts'
import { isoOf } from '../../kernel/wires/odata/values/moments.ts'
import type { Draft } from '../../kernel/wires/odata/write/body.ts'
import type { Behaviour, Writing } from '../../kernel/wires/odata/write/operations.ts'
import { field, plainTable, rowAt, save, text } from '../access.ts'
import { defaults, priceConditions } from '../codes.ts'
import { refusal, warning } from '../rules/messages.ts'
import {
  checkQuantity,
  deliveredOf,
  eraseItem,
  itemsOf,
  orderAt,
  pricesOf,
  saveItem,
  touchOrder,
} from '../rules/order-changes.ts'
import { itemBase, itemUnits, type Price, priceElement, withoutEmpty } from '../rules/order-values.ts'
import { createPartner } from './order-partners.ts'

const set = 'A_SalesOrderItem'
const read = (row: EdmValues, name: string): string => text(set, row, name)

/** The product of a material in the order's sales area; refused where it is not sold there. */
const productFor = (call: Call, order: EdmRow, material: string): EdmRow => {
  const of = (name: string) => text('A_SalesOrder', order, name)
  const area = [of('SalesOrganization'), of('DistributionChannel')]
  const id = material.replaceAll('/', '%2F')
  const product = rowAt(call, 'A_Product', id)
  if (!product || !rowAt(call, 'A_ProductSalesDelivery', [id, ...area].join('/')))
    throw refusal('V1/382', [material, ...area, defaults.language], 'Material')
  return product
}

const checkUnit = (call: Call, material: string, unit: string): void => {
  if (!rowAt(call, 'A_ProductUnitsOfMeasure', `${material.replaceAll('/', '%2F')}/${unit}`))
    throw refusal('V1/152', [unit, material], 'RequestedQuantityUnit')
}

const description = (call: Call, material: string): string => {
  const row = rowAt(call, 'A_ProductDescription', `${material.replaceAll('/', '%2F')}/${defaults.language}`)
  return row ? text('A_ProductDescription', row, 'ProductDescription') : ''
}

/** Items are numbered by ten. */
const itemNumber = (call: Call, order: string, given: string): string => {
  const taken = itemsOf(call, order).map((item) => Number(read(item, 'SalesOrderItem')))
  if (given === '' || given === '0') return String(Math.floor(Math.max(0, ...taken) / 10) * 10 + 10)
  if (!/^\d{1,6}$/.test(given)) throw refusal('V1/205', [given], 'SalesOrderItem')
  if (taken.includes(Number(given))) throw refusal('V1/204', [given], 'SalesOrderItem')
  return given
}

/** Adds an item to an order: its text, unit, price, schedule line and parties follow from the material. */
export const createItem = (writing: Writing, draft: Draft, order: EdmRow): EdmRow => {
  const { call } = writing
  if ((draft.children.get('to_ScheduleLine') ?? []).length > 0)
    throw fault('not_creatable', { set: 'A_SalesOrderScheduleLine', type: 'A_SalesOrderScheduleLineType' })
  const material = read(draft.values, 'Material')
  if (material === '') throw refusal('V1/311', [], 'Material')
  const product = productFor(call, order, material)
  const unit = read(draft.values, 'RequestedQuantityUnit') || text('A_Product', product, 'BaseUnit')
  checkUnit(call, material, unit)
  const number = itemNumber(
    call,
    text('A_SalesOrder', order, 'SalesOrder'),
    read(draft.values, 'SalesOrderItem'),
  )
  const values: EdmValues = {
    ...itemBase(order, number, product, unit),
    SalesOrderItemText: description(call, material),
    ...withoutEmpty(draft.values),
    ...itemUnits(unit),
    SalesOrder: text('A_SalesOrder', order, 'SalesOrder'),
    SalesOrderItem: number,
    TransactionCurrency: text('A_SalesOrder', order, 'TransactionCurrency'),
  }
  checkQuantity(read(values, 'RequestedQuantity'), '0')
  const item = save(call, set, values)
  priceItem(writing, draft, item)
  for (const [navigation, target] of [
    ['to_Text', 'A_SalesOrderItemText'],
    ['to_ValueAddedService', 'A_SalesOrderValAddedSrvc'],
  ] as const)
    for (const child of draft.children.get(navigation) ?? [])
      save(call, target, {
        ...keysOf(item),
        Language: defaults.language,
        LongTextID: '0001',
        ...child.values,
        ...keysOf(item),
      })
  for (const party of draft.children.get('to_Partner') ?? [])
    createPartner(writing, party.values, 'A_SalesOrderItemPartner', keysOf(item), true)
  return saveItem(call, item, requestedOf(order))
}

const keysOf = (item: EdmRow): EdmValues => ({
  SalesOrder: item.SalesOrder ?? '',
  SalesOrderItem: item.SalesOrderItem ?? '',
})

const requestedOf = (order: EdmRow): string | null =>
  text('A_SalesOrder', order, 'RequestedDeliveryDate') || null

/** The price that the caller gave, or the one that the material was last known at. */
const priceItem = (writing: Writing, draft: Draft, item: EdmRow): void => {
  const { call, notify } = writing
  const given = (draft.children.get('to_PricingElement') ?? []).map(({ values }) => values)
  const own = given.find((values) =>
    priceConditions.has(text('A_SalesOrderItemPrElement', values, 'ConditionType')),
  )
  const price = own ? givenPrice(own) : knownPrice(call, item)
  if (price) save(call, 'A_SalesOrderItemPrElement', priceElement(item, price, stampOf(call)))
  else notify(warning('V1/392', [read(item, 'SalesOrderItem')]))
  for (const values of given.filter((each) => each !== own)) createCondition(call, item, values)
}

const stampOf = (call: Call): string => isoOf(call.now).replace(/\D/g, '').slice(0, 14)

const givenPrice = (values: EdmValues): Price => {
  const of = (name: string) => text('A_SalesOrderItemPrElement', values, name)
  const per = of('ConditionQuantity')
  return {
    type: of('ConditionType'),
    rate: of('ConditionRateValue'),
    per: compareDecimals(per, '0') > 0 ? per : '1',
    manual: true,
  }
}

const knownPrice = (call: Call, item: EdmRow): Price | undefined => {
  const row = plainTable(call, 'price').get(`${read(item, 'Material')}/${read(item, 'TransactionCurrency')}`)
  return (
    row && { type: defaults.priceCondition, rate: field(row, 'rate'), per: field(row, 'per'), manual: false }
  )
}

/** A condition besides the price. */
export const createCondition = (call: Call, item: EdmRow, values: EdmValues): EdmRow => {
  const of = (name: string) => text('A_SalesOrderItemPrElement', values, name)
  const steps = pricesOf(call, item).map((row) =>
    Number(text('A_SalesOrderItemPrElement', row, 'PricingProcedureStep')),
  )
  const next = Math.max(100, ...steps.map((step) => step + 1))
  const step = of('PricingProcedureStep') === '0' ? String(next) : of('PricingProcedureStep')
  const counter = of('PricingProcedureCounter') === '0' ? '1' : of('PricingProcedureCounter')
  if (rowAt(call, 'A_SalesOrderItemPrElement', `${item.id}/${step}/${counter}`))
    throw fault('duplicate', { type: 'A_SalesOrderItemPrElementType', key: `${item.id}/${step}/${counter}` })
  return save(call, 'A_SalesOrderItemPrElement', {
    ...values,
    ...keysOf(item),
    PricingProcedureStep: step,
    PricingProcedureCounter: counter,
    PricingDateTime: stampOf(call),
    ConditionIsManuallyChanged: true,
    ConditionOrigin: 'C',
  })
}

const create = (writing: Writing, draft: Draft, above: EdmValues): EdmRow => {
  const number = String(above.SalesOrder ?? draft.values.SalesOrder ?? '')
  if (number === '') throw fault('missing_element', { property: 'SalesOrder', type: 'A_SalesOrderItemType' })
  const item = createItem(writing, draft, orderAt(writing.call, number))
  touchOrder(writing.call, number)
  return item
}

const update = ({ call, notify }: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const order = orderAt(call, String(before.SalesOrder))
  const item: EdmValues = { ...before, ...change }
  const delivered = deliveredOf(call, before)
  checkQuantity(read(item, 'RequestedQuantity'), delivered)
  const moved = read(item, 'Material') !== read(before, 'Material')
  if (moved && compareDecimals(delivered, '0') > 0)
    throw refusal('V1/123', [read(before, 'SalesOrderItem')], 'Material')
  const product = productFor(call, order, read(item, 'Material'))
  const unit =
    moved && !('RequestedQuantityUnit' in change)
      ? text('A_Product', product, 'BaseUnit')
      : read(item, 'RequestedQuantityUnit')
  checkUnit(call, read(item, 'Material'), unit)
  const named =
    moved && !('SalesOrderItemText' in change)
      ? { SalesOrderItemText: description(call, read(item, 'Material')) }
      : {}
  const row = save(call, set, { ...item, ...itemUnits(unit), ...named })
  if (moved) {
    const price = knownPrice(call, row)
    if (price) save(call, 'A_SalesOrderItemPrElement', priceElement(row, price, stampOf(call)))
    else notify(warning('V1/392', [read(row, 'SalesOrderItem')]))
  }
  const saved = saveItem(call, row, requestedOf(order))
  touchOrder(call, String(before.SalesOrder))
  return saved
}

const remove = ({ call }: Writing, item: EdmRow): void => {
  if (compareDecimals(deliveredOf(call, item), '0') > 0)
    throw refusal('V1/119', [read(item, 'SalesOrderItem')])
  eraseItem(call, item)
  touchOrder(call, String(item.SalesOrder))
}

export const itemBehaviour: Behaviour = { create, update, remove }
