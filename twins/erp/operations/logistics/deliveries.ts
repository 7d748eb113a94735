import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, timeOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, nextNumber, rowAt, rowsWith, save, text, userOf } from '../../access.ts'
import { storageLocationOf } from '../../codes.ts'
import { salesDocumentTypes } from '../../customizing/sales.ts'
import { toBaseUnit } from '../../rules/availability.ts'
import {
  checkNotIssued,
  deliveryAt,
  deliveryItems,
  saveDelivery,
  saveDeliveryItem,
} from '../../rules/deliveries.ts'
import { baseUnitOf } from '../../rules/inventory.ts'
import { refusal } from '../../rules/messages.ts'
import { itemAt, itemsOf, linesOf, orderAt, saveItem, touchOrder } from '../../rules/order-changes.ts'
import { areaOf, checkPartnerBlock } from '../../rules/partner-checks.ts'
import { countDelivered } from '../../rules/schedule.ts'

const headers = 'A_OutbDeliveryHeader'
const items = 'A_OutbDeliveryItem'
const ofOrder = (row: EdmValues, name: string): string => text('A_SalesOrder', row, name)
const ofItem = (row: EdmValues, name: string): string => text('A_SalesOrderItem', row, name)

/** What is confirmed for an order item and not yet in a delivery. */
const openOf = (call: Call, item: EdmRow): string =>
  linesOf(call, item).reduce(
    (sum, line) => add(sum, text('A_SalesOrderScheduleLine', line, 'OpenConfdDelivQtyInOrdQtyUnit')),
    '0',
  )

const shipTo = (call: Call, order: EdmRow): string => {
  const row = rowAt(call, 'A_SalesOrderHeaderPartner', `${ofOrder(order, 'SalesOrder')}/SH`)
  return row ? text('A_SalesOrderHeaderPartner', row, 'Customer') : ofOrder(order, 'SoldToParty')
}

/** Refuses an order, or a customer of it, that may not be delivered. */
const checkDeliverable = (call: Call, order: EdmRow): void => {
  const number = ofOrder(order, 'SalesOrder')
  const block = ofOrder(order, 'DeliveryBlockReason')
  if (block !== '') throw refusal('VL/002', [number, block], 'ReferenceSDDocument')
  const area = areaOf('A_SalesOrder', order)
  for (const customer of new Set([ofOrder(order, 'SoldToParty'), shipTo(call, order)])) {
    checkPartnerBlock(call, customer, 'ReferenceSDDocument')
    const master = rowAt(call, 'A_Customer', customer)
    const sales = rowAt(
      call,
      'A_CustomerSalesArea',
      [customer, area.salesOrganization, area.distributionChannel, area.division].join('/'),
    )
    const blocked =
      (master && text('A_Customer', master, 'DeliveryIsBlocked') !== '') ||
      (sales && text('A_CustomerSalesArea', sales, 'DeliveryIsBlockedForCustomer') !== '')
    if (blocked) throw refusal('VL/003', [customer], 'ReferenceSDDocument')
  }
}

interface Wanted {
  readonly order: EdmRow
  readonly item: EdmRow
  readonly quantity: string
}

/** The order items that a delivery is to be made of; a reference without an item means all that is open. */
const wantedOf = (call: Call, draft: Draft): Wanted[] => {
  const drafts = draft.children.get('to_DeliveryDocumentItem') ?? []
  if (drafts.length === 0) throw refusal('VL/001', [], 'ReferenceSDDocument')
  return drafts.flatMap(({ values }): Wanted[] => {
    const number = text(items, values, 'ReferenceSDDocument')
    if (number === '') throw refusal('VL/001', [], 'ReferenceSDDocument')
    const order = orderAt(call, number)
    const line = text(items, values, 'ReferenceSDDocumentItem')
    const given = text(items, values, 'ActualDeliveryQuantity')
    if (line !== '0' && line !== '') return [wantedItem(call, order, itemAt(call, number, line), given)]
    const open = itemsOf(call, number).filter(
      (item) =>
        ofItem(item, 'SalesDocumentRjcnReason') === '' && compareDecimals(openOf(call, item), '0') > 0,
    )
    if (open.length === 0) throw refusal('VL/248', [number, ''], 'ReferenceSDDocument')
    return open.map((item) => wantedItem(call, order, item, '0'))
  })
}

const wantedItem = (call: Call, order: EdmRow, item: EdmRow, given: string): Wanted => {
  const [number, line] = [ofItem(item, 'SalesOrder'), ofItem(item, 'SalesOrderItem')]
  if (ofItem(item, 'SalesDocumentRjcnReason') !== '') throw refusal('VL/004', [line, number])
  const open = openOf(call, item)
  if (compareDecimals(open, '0') <= 0) throw refusal('VL/248', [number, line], 'ReferenceSDDocumentItem')
  const quantity = compareDecimals(given, '0') === 0 ? open : given
  if (compareDecimals(quantity, '0') < 0 || compareDecimals(quantity, open) > 0)
    throw refusal('VL/249', [quantity, open], 'ActualDeliveryQuantity')
  return { order, item, quantity }
}

const create = ({ call }: Writing, draft: Draft): EdmRow => {
  const wanted = wantedOf(call, draft)
  const [first] = wanted
  if (!first) throw refusal('VL/001', [], 'ReferenceSDDocument')
  for (const { order } of wanted) {
    checkDeliverable(call, order)
    if (
      shipTo(call, order) !== shipTo(call, first.order) ||
      ofOrder(order, 'SalesOrganization') !== ofOrder(first.order, 'SalesOrganization')
    )
      throw refusal('VL/304', [], 'ReferenceSDDocument')
  }
  const number = nextNumber(call, 'delivery')
  createHeader(call, draft, first.order, number)
  for (const [n, one] of wanted.entries()) createItem(call, number, n, one)
  return saveDelivery(call, deliveryAt(call, number))
}

const createHeader = (call: Call, draft: Draft, order: EdmRow, number: string): void => {
  const today = dayOf(call.now)
  const requested = ofOrder(order, 'RequestedDeliveryDate')
  const due = requested > today ? requested : today
  save(call, headers, {
    PlannedGoodsIssueDate: due,
    DeliveryDate: due,
    ...draft.values,
    DeliveryDocument: number,
    DeliveryDocumentType: salesDocumentTypes[ofOrder(order, 'SalesOrderType')]?.deliveryType ?? 'LF',
    SDDocumentCategory: 'J',
    SalesOrganization: ofOrder(order, 'SalesOrganization'),
    SoldToParty: ofOrder(order, 'SoldToParty'),
    ShipToParty: shipTo(call, order),
    ShippingPoint: text(headers, draft.values, 'ShippingPoint') || ofOrder(order, 'SalesOrganization'),
    ShippingCondition: ofOrder(order, 'ShippingCondition'),
    IncotermsClassification: ofOrder(order, 'IncotermsClassification'),
    TransactionCurrency: ofOrder(order, 'TransactionCurrency'),
    CreationDate: today,
    CreationTime: timeOf(call.now),
    CreatedByUser: userOf(call),
    DocumentDate: today,
  })
  for (const [PartnerFunction, Customer] of [
    ['SP', ofOrder(order, 'SoldToParty')],
    ['SH', shipTo(call, order)],
  ] as const)
    save(call, 'A_OutbDeliveryPartner', { SDDocument: number, PartnerFunction, Customer })
}

const createItem = (call: Call, number: string, n: number, { item, quantity }: Wanted): void => {
  const unit = ofItem(item, 'RequestedQuantityUnit')
  const material = ofItem(item, 'Material')
  const base = toBaseUnit(call, material, unit, quantity)
  const plant = ofItem(item, 'ProductionPlant')
  saveDeliveryItem(call, {
    DeliveryDocument: number,
    DeliveryDocumentItem: String((n + 1) * 10),
    DeliveryDocumentItemCategory: ofItem(item, 'SalesOrderItemCategory'),
    DeliveryDocumentItemText: ofItem(item, 'SalesOrderItemText'),
    Material: material,
    MaterialGroup: ofItem(item, 'MaterialGroup'),
    Plant: plant,
    StorageLocation: ofItem(item, 'StorageLocation') || storageLocationOf(plant),
    ActualDeliveryQuantity: quantity,
    OriginalDeliveryQuantity: quantity,
    DeliveryQuantityUnit: unit,
    ActualDeliveredQtyInBaseUnit: base,
    BaseUnit: baseUnitOf(call, material),
    ReferenceSDDocument: ofItem(item, 'SalesOrder'),
    ReferenceSDDocumentItem: ofItem(item, 'SalesOrderItem'),
    ReferenceSDDocumentCategory: 'C',
    GoodsMovementType: '601',
    PickingStatus: 'A',
    GoodsMovementStatus: 'A',
    DeliveryRelatedBillingStatus: 'A',
    CreationDate: dayOf(call.now),
    CreatedByUser: userOf(call),
  })
  settleOrder(call, item, quantity)
}

/** Counts a quantity as delivered, or gives it back, and works the order out again. */
const settleOrder = (call: Call, item: EdmRow, quantity: string): void => {
  countDelivered(call, item, quantity)
  saveItem(call, item)
  touchOrder(call, ofItem(item, 'SalesOrder'))
}

const orderItemOf = (call: Call, line: EdmRow): EdmRow =>
  itemAt(call, text(items, line, 'ReferenceSDDocument'), text(items, line, 'ReferenceSDDocumentItem'))

/** Lets go of what a line holds of its order. */
const release = (call: Call, line: EdmRow): void =>
  settleOrder(call, orderItemOf(call, line), negate(text(items, line, 'ActualDeliveryQuantity')))

const eraseLine = (call: Call, line: EdmRow): void => {
  const key = {
    DeliveryDocument: line.DeliveryDocument ?? '',
    DeliveryDocumentItem: line.DeliveryDocumentItem ?? '',
  }
  for (const row of rowsWith(call, 'A_OutbDeliveryItemText', key)) erase(call, 'A_OutbDeliveryItemText', row)
  erase(call, items, line)
}

const remove = ({ call }: Writing, delivery: EdmRow): void => {
  checkNotIssued(delivery)
  const number = text(headers, delivery, 'DeliveryDocument')
  for (const line of deliveryItems(call, number)) {
    release(call, line)
    eraseLine(call, line)
  }
  for (const row of rowsWith(call, 'A_OutbDeliveryPartner', { SDDocument: number }))
    erase(call, 'A_OutbDeliveryPartner', row)
  for (const row of rowsWith(call, 'A_OutbDeliveryHeaderText', { DeliveryDocument: number }))
    erase(call, 'A_OutbDeliveryHeaderText', row)
  erase(call, headers, delivery)
}

export const deliveryBehaviour: Behaviour = {
  children: ['to_DeliveryDocumentItem'],
  create,
  update: ({ call }, delivery, change) => {
    checkNotIssued(delivery)
    return saveDelivery(call, { ...delivery, ...change })
  },
  remove,
}

/** Sets the quantity of a delivery item, within what is open in the order. */
export const setQuantity = (call: Call, line: EdmRow, quantity: string): EdmRow => {
  const before = text(items, line, 'ActualDeliveryQuantity')
  const difference = add(quantity, negate(before))
  if (compareDecimals(difference, '0') === 0) return line
  const order = orderItemOf(call, line)
  const open = add(openOf(call, order), before)
  if (compareDecimals(quantity, '0') <= 0 || compareDecimals(quantity, open) > 0)
    throw refusal('VL/249', [quantity, open], 'ActualDeliveryQuantity')
  settleOrder(call, order, difference)
  const unit = text(items, line, 'DeliveryQuantityUnit')
  return saveDeliveryItem(call, {
    ...line,
    ActualDeliveryQuantity: quantity,
    ActualDeliveredQtyInBaseUnit: toBaseUnit(call, text(items, line, 'Material'), unit, quantity),
    PickingStatus: 'A',
    PickingConfirmationStatus: '',
  })
}

export const deliveryItemBehaviour: Behaviour = {
  update: ({ call }, line, change) => {
    const number = text(items, line, 'DeliveryDocument')
    checkNotIssued(deliveryAt(call, number))
    const changed = setQuantity(call, line, text(items, { ...line, ...change }, 'ActualDeliveryQuantity'))
    const row = saveDeliveryItem(call, {
      ...changed,
      ...change,
      ActualDeliveredQtyInBaseUnit: changed.ActualDeliveredQtyInBaseUnit ?? '0',
    })
    saveDelivery(call, deliveryAt(call, number))
    return rowAt(call, items, row.id) ?? row
  },
  remove: ({ call }, line) => {
    const number = text(items, line, 'DeliveryDocument')
    checkNotIssued(deliveryAt(call, number))
    release(call, line)
    eraseLine(call, line)
    saveDelivery(call, deliveryAt(call, number))
  },
}
