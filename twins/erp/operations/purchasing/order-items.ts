import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, divide, multiply, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, rowAt, rowsWith, save, text } from '../../access.ts'
import { decimalsOfCurrency, defaults, idPart } from '../../codes.ts'
import { linesOfPurchase, receivedOf } from '../../rules/availability.ts'
import { baseUnitOf } from '../../rules/inventory.ts'
import { refusal, warning } from '../../rules/messages.ts'
import { checkMaterialInPlant, checkPlantCode, materialText } from '../../rules/organization.ts'
import {
  invoicedOf,
  purchaseItemsOf,
  purchaseOrderAt,
  savePurchaseOrder,
} from '../../rules/purchase-orders.ts'
import { nextItemNumber } from './requisitions.ts'

const set = 'A_PurchaseOrderItem'
const lines = 'A_PurchaseOrderScheduleLine'
const prices = 'A_PurOrdPricingElement'
const requisitions = 'A_PurchaseRequisitionItem'

const keyOf = (item: EdmValues): EdmValues => ({
  PurchaseOrder: item.PurchaseOrder ?? '',
  PurchaseOrderItem: item.PurchaseOrderItem ?? '',
})

/** The item of a requisition that a purchase order item refers to. */
const requisitionOf = (call: Call, values: EdmValues): EdmRow | undefined => {
  const number = text(set, values, 'PurchaseRequisition')
  if (number === '') return undefined
  const line = text(set, values, 'PurchaseRequisitionItem')
  const row = rowAt(call, requisitions, `${number}/${line}`)
  if (!row || text(requisitions, row, 'IsDeleted') === 'true')
    throw refusal('06/402', [line, number], 'PurchaseRequisition')
  return row
}

const openOf = (requisition: EdmRow): string =>
  add(
    text(requisitions, requisition, 'RequestedQuantity'),
    negate(text(requisitions, requisition, 'OrderedQuantity')),
  )

/** What an item takes from the requisition that it answers. */
const proposalOf = (requisition: EdmRow | undefined): EdmValues => {
  if (!requisition) return {}
  const of = (name: string) => text(requisitions, requisition, name)
  if (compareDecimals(openOf(requisition), '0') <= 0)
    throw refusal('06/403', [of('PurchaseRequisitionItem'), of('PurchaseRequisition')], 'PurchaseRequisition')
  return {
    Material: of('Material'),
    PurchaseOrderItemText: of('PurchaseRequisitionItemText'),
    Plant: of('Plant'),
    StorageLocation: of('StorageLocation'),
    MaterialGroup: of('MaterialGroup'),
    OrderQuantity: openOf(requisition),
    PurchaseOrderQuantityUnit: of('BaseUnit'),
    NetPriceAmount: of('PurchaseRequisitionPrice'),
    NetPriceQuantity: of('PurReqnPriceQuantity'),
    AccountAssignmentCategory: of('AccountAssignmentCategory'),
    RequisitionerName: of('RequisitionerName'),
  }
}

const given = (values: EdmValues): EdmValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== null))

export const createPurchaseItem = (writing: Writing, draft: Draft, order: EdmRow): EdmRow => {
  const { call } = writing
  const number = String(order.PurchaseOrder)
  const requisition = requisitionOf(call, draft.values)
  const proposed = { ...proposalOf(requisition), ...given(draft.values) }
  const material = text(set, proposed, 'Material')
  const taken = purchaseItemsOf(call, number).map((row) => Number(text(set, row, 'PurchaseOrderItem')))
  const product = rowAt(call, 'A_Product', idPart(material))
  const item: EdmValues = {
    PurchaseOrderItemText: materialText(call, material),
    PurchaseOrderQuantityUnit: baseUnitOf(call, material),
    MaterialGroup: product ? text('A_Product', product, 'ProductGroup') : '',
    NetPriceQuantity: '1',
    GoodsReceiptIsExpected: true,
    InvoiceIsExpected: true,
    InvoiceIsGoodsReceiptBased: true,
    PurchaseOrderItemCategory: '0',
    ...proposed,
    PurchaseOrder: number,
    PurchaseOrderItem: nextItemNumber(taken, text(set, draft.values, 'PurchaseOrderItem')),
    DocumentCurrency: text('A_PurchaseOrder', order, 'DocumentCurrency'),
  }
  checkItem(call, item)
  const row = save(call, set, item)
  schedule(writing, draft, row, requisition)
  saveChildren(call, draft, row)
  savePrice(call, row)
  countOrdered(call, row, text(set, row, 'OrderQuantity'))
  return row
}

const checkItem = (call: Call, item: EdmValues): void => {
  const of = (name: string) => text(set, item, name)
  checkPlantCode(call, of('Plant'))
  if (of('Material') !== '') checkMaterialInPlant(call, of('Material'), of('Plant'))
  else if (of('PurchaseOrderItemText') === '')
    throw refusal('ME/083', ['Short Text'], 'PurchaseOrderItemText')
  else if (of('AccountAssignmentCategory') === '')
    throw refusal('ME/083', ['Account Assignment Category'], 'AccountAssignmentCategory')
  if (compareDecimals(of('OrderQuantity'), '0') <= 0)
    throw refusal('ME/083', ['PO Quantity'], 'OrderQuantity')
  const unit = of('PurchaseOrderQuantityUnit')
  if (unit === '') throw refusal('ME/083', ['Order Unit'], 'PurchaseOrderQuantityUnit')
  if (of('Material') !== '' && !rowAt(call, 'A_ProductUnitsOfMeasure', `${idPart(of('Material'))}/${unit}`))
    throw refusal('V1/152', [unit, of('Material')], 'PurchaseOrderQuantityUnit')
  const isFree = of('PurchasingItemIsFreeOfCharge') === 'true'
  if (
    compareDecimals(of('NetPriceAmount'), '0') < 0 ||
    (!isFree && compareDecimals(of('NetPriceAmount'), '0') === 0)
  )
    throw refusal('ME/083', ['Net Price'], 'NetPriceAmount')
}

/** One schedule line for the whole quantity, or those that the caller gave. */
const schedule = (writing: Writing, draft: Draft, item: EdmRow, requisition: EdmRow | undefined): void => {
  const { call, notify } = writing
  const drafts = draft.children.get('to_ScheduleLine') ?? []
  const wished = requisition ? text(requisitions, requisition, 'DeliveryDate') : ''
  const wanted = drafts.length > 0 ? drafts.map(({ values }) => values) : [{}]
  let total = '0'
  for (const [n, values] of wanted.entries()) {
    const date = text(lines, values, 'ScheduleLineDeliveryDate') || wished
    if (date === '') throw refusal('ME/083', ['Delivery Date'], 'ScheduleLineDeliveryDate')
    if (date < dayOf(call.now)) notify(warning('06/436', [date], 'ScheduleLineDeliveryDate'))
    const own = text(lines, values, 'ScheduleLineOrderQuantity')
    const quantity =
      wanted.length === 1 && compareDecimals(own, '0') === 0 ? text(set, item, 'OrderQuantity') : own
    if (compareDecimals(quantity, '0') <= 0)
      throw refusal('ME/083', ['Scheduled Quantity'], 'ScheduleLineOrderQuantity')
    total = add(total, quantity)
    save(call, lines, {
      DelivDateCategory: '1',
      ...values,
      PurchasingDocument: item.PurchaseOrder ?? '',
      PurchasingDocumentItem: item.PurchaseOrderItem ?? '',
      ScheduleLine: String(n + 1),
      ScheduleLineDeliveryDate: date,
      SchedLineStscDeliveryDate: date,
      ScheduleLineOrderQuantity: quantity,
      PurchaseOrderQuantityUnit: text(set, item, 'PurchaseOrderQuantityUnit'),
      PurchaseRequisition: text(set, item, 'PurchaseRequisition'),
      PurchaseRequisitionItem: text(set, item, 'PurchaseRequisitionItem'),
    })
  }
  if (compareDecimals(total, text(set, item, 'OrderQuantity')) !== 0)
    throw refusal('ME/083', ['schedule lines for the whole order quantity'], 'ScheduleLineOrderQuantity')
}

const saveChildren = (call: Call, draft: Draft, item: EdmRow): void => {
  for (const [n, { values }] of (draft.children.get('to_AccountAssignment') ?? []).entries())
    save(call, 'A_PurOrdAccountAssignment', {
      AccountAssignmentNumber: String(n + 1),
      Quantity: text(set, item, 'OrderQuantity'),
      ...values,
      ...keyOf(item),
      PurchaseOrderQuantityUnit: text(set, item, 'PurchaseOrderQuantityUnit'),
      DocumentCurrency: text(set, item, 'DocumentCurrency'),
    })
  const assigned = rowsWith(call, 'A_PurOrdAccountAssignment', keyOf(item)).length > 0
  if (text(set, item, 'AccountAssignmentCategory') !== '' && !assigned)
    throw refusal('ME/083', ['Account Assignment'], 'to_AccountAssignment')
  for (const { values } of draft.children.get('to_PurchaseOrderItemNote') ?? [])
    save(call, 'A_PurchaseOrderItemNote', {
      TextObjectType: 'F01',
      Language: defaults.language,
      ...values,
      ...keyOf(item),
    })
}

/** The one condition of an item: its net price. */
const savePrice = (call: Call, item: EdmRow): void => {
  const of = (name: string) => text(set, item, name)
  const currency = of('DocumentCurrency')
  const per = compareDecimals(of('NetPriceQuantity'), '0') > 0 ? of('NetPriceQuantity') : '1'
  save(call, prices, {
    ...keyOf(item),
    PricingDocument: of('PurchaseOrder'),
    PricingDocumentItem: of('PurchaseOrderItem'),
    PricingProcedureStep: '1',
    PricingProcedureCounter: '1',
    ConditionType: 'PMP0',
    ConditionRateValue: of('NetPriceAmount'),
    ConditionCurrency: currency,
    ConditionQuantity: per,
    ConditionQuantityUnit: of('PurchaseOrderQuantityUnit'),
    ConditionCalculationType: 'C',
    ConditionClass: 'B',
    ConditionBaseValue: of('OrderQuantity'),
    ConditionAmount: divide(
      multiply(of('NetPriceAmount'), of('OrderQuantity')),
      per,
      decimalsOfCurrency(currency),
    ),
    TransactionCurrency: currency,
  })
}

/** Counts a quantity as ordered in the requisition behind an item; a negative one opens it again. */
const countOrdered = (call: Call, item: EdmRow, quantity: string): void => {
  const requisition = rowAt(
    call,
    requisitions,
    `${text(set, item, 'PurchaseRequisition')}/${text(set, item, 'PurchaseRequisitionItem')}`,
  )
  if (!requisition) return
  const ordered = add(text(requisitions, requisition, 'OrderedQuantity'), quantity)
  const isOrdered = compareDecimals(ordered, '0') > 0
  save(call, requisitions, {
    ...requisition,
    OrderedQuantity: ordered,
    ProcessingStatus: isOrdered ? 'B' : 'N',
    PurchasingDocument: isOrdered ? text(set, item, 'PurchaseOrder') : '',
    PurchasingDocumentItem: isOrdered ? text(set, item, 'PurchaseOrderItem') : '',
  })
}

/** Opens what an item ordered for a requisition. */
export const releaseRequisition = (call: Call, item: EdmRow): void =>
  countOrdered(call, item, negate(text(set, item, 'OrderQuantity')))

export const createItemInOrder = (writing: Writing, draft: Draft, above: EdmValues): EdmRow => {
  const number = String(above.PurchaseOrder ?? draft.values.PurchaseOrder ?? '')
  if (number === '') throw fault('missing_element', { property: 'PurchaseOrder', type: `${set}Type` })
  const order = purchaseOrderAt(writing.call, number)
  const row = createPurchaseItem(writing, draft, order)
  savePurchaseOrder(writing.call, order)
  return row
}

export const updatePurchaseItem = ({ call }: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const item: EdmValues = { ...before, ...change }
  const of = (name: string) => text(set, item, name)
  const changed = (name: string) => of(name) !== text(set, before, name)
  const place = [of('PurchaseOrderItem'), of('PurchaseOrder')]
  if (text(set, before, 'PurchasingDocumentDeletionCode') !== '') throw refusal('06/027', place)
  const received = receivedOf(call, before)
  if (compareDecimals(of('OrderQuantity'), received) < 0)
    throw refusal('06/115', [of('OrderQuantity'), received], 'OrderQuantity')
  const priced = changed('NetPriceAmount') || changed('NetPriceQuantity')
  if (priced && compareDecimals(invoicedOf(call, before), '0') > 0)
    throw refusal('06/117', [of('PurchaseOrderItem')], 'NetPriceAmount')
  if ((changed('Material') || changed('Plant')) && compareDecimals(received, '0') > 0)
    throw refusal('06/116', [of('PurchaseOrder')], changed('Material') ? 'Material' : 'Plant')
  checkItem(call, item)
  const row = save(call, set, item)
  if (changed('OrderQuantity')) {
    const difference = add(of('OrderQuantity'), negate(text(set, before, 'OrderQuantity')))
    stretch(call, row, difference)
    countOrdered(call, row, difference)
  }
  savePrice(call, row)
  savePurchaseOrder(call, purchaseOrderAt(call, of('PurchaseOrder')))
  return row
}

/** More is expected with the last line; less is taken from the last lines. */
const stretch = (call: Call, item: EdmRow, difference: string): void => {
  let left = difference
  for (const line of linesOfPurchase(call, item).reverse()) {
    const quantity = add(text(lines, line, 'ScheduleLineOrderQuantity'), left)
    if (compareDecimals(quantity, '0') > 0) {
      save(call, lines, { ...line, ScheduleLineOrderQuantity: quantity })
      return
    }
    left = quantity
    erase(call, lines, line)
  }
}

export const updateScheduleLine = ({ call, notify }: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const line = { ...before, ...change }
  const date = text(lines, line, 'ScheduleLineDeliveryDate')
  if (date === '') throw refusal('ME/083', ['Delivery Date'], 'ScheduleLineDeliveryDate')
  if (date < dayOf(call.now)) notify(warning('06/436', [date], 'ScheduleLineDeliveryDate'))
  if (compareDecimals(text(lines, line, 'ScheduleLineOrderQuantity'), '0') <= 0)
    throw refusal('ME/083', ['Scheduled Quantity'], 'ScheduleLineOrderQuantity')
  const row = save(call, lines, { ...line, SchedLineStscDeliveryDate: date })
  const item = rowAt(call, set, `${line.PurchasingDocument}/${line.PurchasingDocumentItem}`)
  if (!item) return row
  const total = linesOfPurchase(call, item).reduce(
    (sum, each) => add(sum, text(lines, each, 'ScheduleLineOrderQuantity')),
    '0',
  )
  const received = receivedOf(call, item)
  if (compareDecimals(total, received) < 0)
    throw refusal('06/115', [total, received], 'ScheduleLineOrderQuantity')
  const difference = add(total, negate(text(set, item, 'OrderQuantity')))
  const saved = save(call, set, { ...item, OrderQuantity: total })
  countOrdered(call, saved, difference)
  savePrice(call, saved)
  savePurchaseOrder(call, purchaseOrderAt(call, String(item.PurchaseOrder)))
  return row
}
