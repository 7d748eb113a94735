import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { compareDecimals, divide, multiply } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { nextNumber, rowAt, rowsWith, save, text, userOf } from '../../access.ts'
import { defaults, idPart } from '../../codes.ts'
import { checkEntry } from '../../customizing/check.ts'
import { purchaseRequisitionTypes } from '../../customizing/logistics.ts'
import { baseUnitOf } from '../../rules/inventory.ts'
import { refusal, warning } from '../../rules/messages.ts'
import { checkMaterialInPlant, checkPlantCode, materialText } from '../../rules/organization.ts'

const headers = 'A_PurchaseRequisitionHeader'
const items = 'A_PurchaseRequisitionItem'

const create = (writing: Writing, draft: Draft): EdmRow => {
  const { call } = writing
  const lines = draft.children.get('to_PurchaseReqnItem') ?? []
  if (lines.length === 0) throw refusal('ME/083', ['at least one item'], 'to_PurchaseReqnItem')
  const type = text(headers, draft.values, 'PurchaseRequisitionType') || 'NB'
  checkEntry(purchaseRequisitionTypes.has(type), type, 'T161', 'PurchaseRequisitionType')
  const row = save(call, headers, {
    ...draft.values,
    PurchaseRequisition: nextNumber(call, 'purchase_requisition'),
    PurchaseRequisitionType: type,
  })
  for (const line of lines) createItem(writing, line, row)
  return row
}

/** Items are numbered by ten. */
export const nextItemNumber = (taken: readonly number[], given: string): string => {
  if (given === '' || given === '0') return String(Math.floor(Math.max(0, ...taken) / 10) * 10 + 10)
  if (taken.includes(Number(given))) throw refusal('V1/204', [given])
  return given
}

const createItem = (writing: Writing, { values, children }: Draft, header: EdmRow): EdmRow => {
  const { call } = writing
  const number = text(headers, header, 'PurchaseRequisition')
  const taken = rowsWith(call, items, { PurchaseRequisition: number }).map((row) =>
    Number(text(items, row, 'PurchaseRequisitionItem')),
  )
  const key = {
    PurchaseRequisition: number,
    PurchaseRequisitionItem: nextItemNumber(taken, text(items, values, 'PurchaseRequisitionItem')),
  }
  const material = text(items, values, 'Material')
  const row = settle(writing, {
    PurReqnPriceQuantity: '1',
    PurReqnItemCurrency: defaults.currency,
    PurchaseRequisitionItemText: materialText(call, material),
    BaseUnit: baseUnitOf(call, material),
    MaterialGroup: groupOf(call, material),
    PurchasingOrganization: text(items, values, 'Plant'),
    CompanyCode: text(items, values, 'Plant'),
    PurchasingGroup: '001',
    RequisitionerName: userOf(call),
    GoodsReceiptIsExpected: true,
    InvoiceIsExpected: true,
    ...values,
    ...key,
    PurchaseRequisitionType: text(headers, header, 'PurchaseRequisitionType'),
    PurReqnReleaseStatus: '05',
    ProcessingStatus: 'N',
    PurchasingDocumentCategory: 'B',
    CreationDate: dayOf(call.now),
    PurReqCreationDate: dayOf(call.now),
    CreatedByUser: userOf(call),
  })
  for (const { values: assignment } of children.get('to_PurchaseReqnAcctAssgmt') ?? [])
    save(call, 'A_PurReqnAcctAssgmt', { PurchaseReqnAcctAssgmtNumber: '1', ...assignment, ...key })
  for (const { values: note } of children.get('to_PurchaseReqnItemText') ?? [])
    save(call, 'A_PurchaseReqnItemText', {
      DocumentText: 'B01',
      TechnicalObjectType: 'EBAN',
      Language: defaults.language,
      ...note,
      ...key,
    })
  return row
}

const groupOf = (call: Call, material: string): string => {
  const product = rowAt(call, 'A_Product', idPart(material))
  return product ? text('A_Product', product, 'ProductGroup') : ''
}

/** Checks an item and keeps it with its value. */
const settle = ({ call, notify }: Writing, item: EdmValues): EdmRow => {
  const of = (name: string) => text(items, item, name)
  checkPlantCode(call, of('Plant'))
  if (of('Material') !== '') checkMaterialInPlant(call, of('Material'), of('Plant'))
  else if (of('PurchaseRequisitionItemText') === '')
    throw refusal('ME/083', ['Short Text'], 'PurchaseRequisitionItemText')
  else if (of('AccountAssignmentCategory') === '')
    throw refusal('ME/083', ['Account Assignment Category'], 'AccountAssignmentCategory')
  if (compareDecimals(of('RequestedQuantity'), '0') <= 0)
    throw refusal('ME/083', ['Quantity'], 'RequestedQuantity')
  if (of('BaseUnit') === '') throw refusal('ME/083', ['Unit of Measure'], 'BaseUnit')
  if (of('DeliveryDate') === '') throw refusal('ME/083', ['Delivery Date'], 'DeliveryDate')
  if (of('DeliveryDate') < dayOf(call.now)) notify(warning('06/436', [of('DeliveryDate')], 'DeliveryDate'))
  for (const name of ['Supplier', 'FixedSupplier'])
    if (of(name) !== '' && !rowAt(call, 'A_Supplier', of(name))) throw refusal('06/024', [of(name)], name)
  const per = compareDecimals(of('PurReqnPriceQuantity'), '0') > 0 ? of('PurReqnPriceQuantity') : '1'
  return save(call, items, {
    ...item,
    ItemNetAmount: divide(multiply(of('PurchaseRequisitionPrice'), of('RequestedQuantity')), per, 2),
    LastChangeDateTime: isoOf(call.now),
  })
}

export const requisitionBehaviour: Behaviour = { children: ['to_PurchaseReqnItem'], create }

export const requisitionItemBehaviour: Behaviour = {
  children: ['to_PurchaseReqnAcctAssgmt', 'to_PurchaseReqnItemText'],
  create: (writing, draft, above) => {
    const number = String(above.PurchaseRequisition ?? draft.values.PurchaseRequisition ?? '')
    if (number === '')
      throw fault('missing_element', {
        property: 'PurchaseRequisition',
        type: 'A_PurchaseRequisitionItemType',
      })
    const header = rowAt(writing.call, headers, number)
    if (!header) throw refusal('06/401', [number], 'PurchaseRequisition')
    return createItem(writing, draft, header)
  },
  update: (writing, row, change) => {
    const of = (name: string) => text(items, row, name)
    const ordered = compareDecimals(of('OrderedQuantity'), '0') > 0
    const open = ['IsClosed', 'PurchaseRequisitionItemText', 'RequirementTracking']
    if (ordered && Object.keys(change).some((name) => !open.includes(name) && change[name] !== row[name]))
      throw refusal('06/404', [of('PurchaseRequisitionItem'), of('PurchaseRequisition')])
    const kept = [
      'OrderedQuantity',
      'ProcessingStatus',
      'PurchasingDocument',
      'PurchasingDocumentItem',
    ] as const
    const own = Object.fromEntries(kept.map((name) => [name, row[name] ?? '']))
    return settle(writing, { ...row, ...change, ...own })
  },
}
