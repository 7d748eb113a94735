import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { compareDecimals } from '@diorama/twin-kit/wires/odata/values/decimals'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, rowAt, save, text } from '../../access.ts'
import { defaults, idPart } from '../../codes.ts'
import { checkCodes } from '../../customizing/check.ts'
import { codedFields } from '../../customizing/coded-fields.ts'
import { salesDocumentTypes } from '../../customizing/sales.ts'
import { spreadConditions } from '../../rules/header-conditions.ts'
import { refusal, warning } from '../../rules/messages.ts'
import {
  checkQuantity,
  deliveredOf,
  eraseItem,
  itemsOf,
  linesOf,
  orderAt,
  pricedItem,
  saveItem,
  touchOrder,
} from '../../rules/order-changes.ts'
import { itemBase, itemUnits, priceElement, withoutEmpty } from '../../rules/order-values.ts'
import { addCondition, conditionsOf, hasPrice, pricingStamp, recordedPrice } from '../../rules/pricing.ts'
import { reschedule } from '../../rules/schedule.ts'
import { createParty } from './order-partners.ts'

const set = 'A_SalesOrderItem'
const read = (row: EdmValues, name: string): string => text(set, row, name)

/** The product of a material in the order's sales area; refused where it is not sold there. */
const productFor = (call: Call, order: EdmRow, material: string): EdmRow => {
  const of = (name: string) => text('A_SalesOrder', order, name)
  const area = [of('SalesOrganization'), of('DistributionChannel')]
  const id = idPart(material)
  const product = rowAt(call, 'A_Product', id)
  if (!product || !rowAt(call, 'A_ProductSalesDelivery', [id, ...area].join('/')))
    throw refusal('V1/382', [material, ...area, defaults.language], 'Material')
  return product
}

const checkUnit = (call: Call, material: string, unit: string): void => {
  if (!rowAt(call, 'A_ProductUnitsOfMeasure', `${idPart(material)}/${unit}`))
    throw refusal('V1/152', [unit, material], 'RequestedQuantityUnit')
}

const description = (call: Call, material: string): string => {
  const row = rowAt(call, 'A_ProductDescription', `${idPart(material)}/${defaults.language}`)
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
    SalesOrderItemCategory:
      salesDocumentTypes[text('A_SalesOrder', order, 'SalesOrderType')]?.itemCategory ??
      defaults.itemCategory,
    SalesOrderItemText: description(call, material),
    ...withoutEmpty(draft.values),
    ...itemUnits(unit),
    SalesOrder: text('A_SalesOrder', order, 'SalesOrder'),
    SalesOrderItem: number,
    TransactionCurrency: text('A_SalesOrder', order, 'TransactionCurrency'),
  }
  checkQuantity(read(values, 'RequestedQuantity'), '0')
  checkCodes(draft.values, codedFields.A_SalesOrderItem ?? {})
  checkPlant(call, values, text('A_SalesOrder', order, 'SalesOrganization'))
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
    createParty(writing, {
      set: 'A_SalesOrderItemPartner',
      values: party.values,
      above: keysOf(item),
      replace: true,
    })
  reschedule(call, item, requestedOf(order))
  noticeShortage(writing, item)
  return saveItem(call, item)
}

/** Says what could not be confirmed for the requested day. */
const noticeShortage = ({ call, notify }: Writing, item: EdmRow): void => {
  const [line] = linesOf(call, item)
  if (!line || read(item, 'SalesDocumentRjcnReason') !== '') return
  const of = (name: string) => text('A_SalesOrderScheduleLine', line, name)
  const confirmed = of('ConfdOrderQtyByMatlAvailCheck')
  if (compareDecimals(confirmed, of('ScheduleLineOrderQuantity')) < 0)
    notify(warning('V1/126', [confirmed, read(item, 'RequestedQuantityUnit'), read(item, 'SalesOrderItem')]))
}

/** Refuses a plant that does not have the material. */
const checkPlant = (call: Call, item: EdmValues, organization: string): void => {
  const [plant, material] = [read(item, 'ProductionPlant'), read(item, 'Material')]
  if (!rowAt(call, 'A_ProductPlant', `${idPart(material)}/${plant}`))
    throw refusal('V1/124', [plant, organization, material], 'ProductionPlant')
}

const keysOf = (item: EdmRow): EdmValues => ({
  SalesOrder: item.SalesOrder ?? '',
  SalesOrderItem: item.SalesOrderItem ?? '',
})

const requestedOf = (order: EdmRow): string | null =>
  text('A_SalesOrder', order, 'RequestedDeliveryDate') || null

/** The price of the material's condition record; a price that the caller gave follows it and is the active one. */
const priceItem = (writing: Writing, draft: Draft, item: EdmRow): void => {
  const { call, notify } = writing
  const priced = pricedItem(item)
  const record = recordedPrice(call, priced.material, priced.currency)
  if (record) save(call, priced.set, priceElement(item, record, pricingStamp(call)))
  for (const { values } of draft.children.get('to_PricingElement') ?? []) addCondition(call, priced, values)
  if (!hasPrice(call, priced)) notify(warning('V1/392', [priced.item]))
}

const create = (writing: Writing, draft: Draft, above: EdmValues): EdmRow => {
  const number = String(above.SalesOrder ?? draft.values.SalesOrder ?? '')
  if (number === '') throw fault('missing_element', { property: 'SalesOrder', type: 'A_SalesOrderItemType' })
  const item = createItem(writing, draft, orderAt(writing.call, number))
  spreadConditions(writing.call, number)
  touchOrder(writing.call, number)
  return rowAt(writing.call, set, item.id) ?? item
}

const update = (writing: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const { call } = writing
  const order = orderAt(call, String(before.SalesOrder))
  const item: EdmValues = { ...before, ...change }
  const changed = (name: string) => read(item, name) !== read(before, name)
  const delivered = deliveredOf(call, before)
  const isDelivered = compareDecimals(delivered, '0') > 0
  checkQuantity(read(item, 'RequestedQuantity'), delivered)
  const moved = changed('Material')
  if (moved && isDelivered) throw refusal('V1/123', [read(before, 'SalesOrderItem')], 'Material')
  const product = productFor(call, order, read(item, 'Material'))
  const unit =
    moved && !('RequestedQuantityUnit' in change)
      ? text('A_Product', product, 'BaseUnit')
      : read(item, 'RequestedQuantityUnit')
  checkUnit(call, read(item, 'Material'), unit)
  if (unit !== read(before, 'RequestedQuantityUnit') && isDelivered)
    throw refusal('V1/127', [read(before, 'SalesOrderItem')], 'RequestedQuantityUnit')
  if (moved || changed('ProductionPlant'))
    checkPlant(call, item, text('A_SalesOrder', order, 'SalesOrganization'))
  const named =
    moved && !('SalesOrderItemText' in change)
      ? { SalesOrderItemText: description(call, read(item, 'Material')) }
      : {}
  const row = save(call, set, { ...item, ...itemUnits(unit), ...named })
  if (moved) redeterminePrice(writing, row)
  if (
    moved ||
    ['RequestedQuantity', 'RequestedQuantityUnit', 'ProductionPlant', 'SalesDocumentRjcnReason'].some(changed)
  ) {
    const dates = linesOf(call, row).map((line) =>
      text('A_SalesOrderScheduleLine', line, 'RequestedDeliveryDate'),
    )
    reschedule(call, row, dates.at(-1) || requestedOf(order))
    noticeShortage(writing, row)
  }
  const saved = saveItem(call, row)
  spreadConditions(call, String(before.SalesOrder))
  touchOrder(call, String(before.SalesOrder))
  return rowAt(call, set, saved.id) ?? saved
}

/** Another material has another price; what was entered by hand goes with the old one. */
const redeterminePrice = ({ call, notify }: Writing, item: EdmRow): void => {
  const priced = pricedItem(item)
  for (const row of conditionsOf(call, priced)) erase(call, priced.set, row)
  const record = recordedPrice(call, priced.material, priced.currency)
  if (record) save(call, priced.set, priceElement(item, record, pricingStamp(call)))
  else notify(warning('V1/392', [priced.item]))
}

const remove = ({ call }: Writing, item: EdmRow): void => {
  if (compareDecimals(deliveredOf(call, item), '0') > 0)
    throw refusal('V1/119', [read(item, 'SalesOrderItem')])
  eraseItem(call, item)
  spreadConditions(call, String(item.SalesOrder))
  touchOrder(call, String(item.SalesOrder))
}

export const itemBehaviour: Behaviour = { create, update, remove }
