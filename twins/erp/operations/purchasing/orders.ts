import type { Call } from '@diorama/twin-kit/kernel/twin'
import { fault } from '@diorama/twin-kit/wires/odata/faults'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { compareDecimals } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { nextNumber, rowAt, save, text, userOf } from '../../access.ts'
import { defaults } from '../../codes.ts'
import { checkEntry } from '../../customizing/check.ts'
import { purchaseOrderTypes } from '../../customizing/logistics.ts'
import { receivedOf } from '../../rules/availability.ts'
import { refusal } from '../../rules/messages.ts'
import { checkCompanyCode, isPlant } from '../../rules/organization.ts'
import {
  invoicedOf,
  purchaseItemsOf,
  purchaseOrderAt,
  savePurchaseOrder,
  supplierFor,
} from '../../rules/purchase-orders.ts'
import { createPurchaseItem, releaseRequisition } from './order-items.ts'

const set = 'A_PurchaseOrder'
const items = 'A_PurchaseOrderItem'

const firstPlant = (draft: Draft): string =>
  (draft.children.get('to_PurchaseOrderItem') ?? [])
    .map(({ values }) => text(items, values, 'Plant'))
    .find((plant) => plant !== '') ?? ''

const create = (writing: Writing, draft: Draft): EdmRow => {
  const { call } = writing
  const of = (name: string) => text(set, draft.values, name)
  const type = of('PurchaseOrderType') || 'NB'
  checkEntry(purchaseOrderTypes.has(type), type, 'T161', 'PurchaseOrderType')
  const company = of('CompanyCode') || firstPlant(draft)
  if (company === '') throw refusal('ME/083', ['Company Code'], 'CompanyCode')
  checkCompanyCode(call, company)
  const organization = of('PurchasingOrganization') || company
  checkEntry(isPlant(call, organization), organization, 'T024E', 'PurchasingOrganization')
  const supplier = supplierFor(call, of('Supplier'), organization)
  const lines = draft.children.get('to_PurchaseOrderItem') ?? []
  if (lines.length === 0) throw refusal('ME/083', ['at least one item'], 'to_PurchaseOrderItem')
  const today = dayOf(call.now)
  const row = save(call, set, {
    PaymentTerms: text('A_SupplierPurchasingOrg', supplier, 'PaymentTerms') || defaults.paymentTerms,
    IncotermsClassification: text('A_SupplierPurchasingOrg', supplier, 'IncotermsClassification'),
    PurchasingGroup: text('A_SupplierPurchasingOrg', supplier, 'PurchasingGroup') || '001',
    PurchaseOrderDate: today,
    Language: defaults.language,
    InvoicingParty: of('Supplier'),
    ...draft.values,
    DocumentCurrency:
      of('DocumentCurrency') ||
      text('A_SupplierPurchasingOrg', supplier, 'PurchaseOrderCurrency') ||
      defaults.currency,
    PurchaseOrder: nextNumber(call, 'purchase_order'),
    PurchaseOrderType: type,
    CompanyCode: company,
    PurchasingOrganization: organization,
    PurchasingProcessingStatus: '02',
    PurchasingDocumentOrigin: '9',
    CreatedByUser: userOf(call),
    CreationDate: today,
    LastChangeDateTime: isoOf(call.now),
  })
  for (const line of lines) createPurchaseItem(writing, line, row)
  for (const { values } of draft.children.get('to_PurchaseOrderNote') ?? [])
    save(call, 'A_PurchaseOrderNote', {
      TextObjectType: 'F01',
      Language: defaults.language,
      ...values,
      PurchaseOrder: row.PurchaseOrder ?? '',
    })
  return purchaseOrderAt(call, String(row.PurchaseOrder))
}

const isUsed = (call: Call, item: EdmRow): boolean =>
  compareDecimals(receivedOf(call, item), '0') !== 0 || compareDecimals(invoicedOf(call, item), '0') !== 0

const update = ({ call }: Writing, before: EdmRow, change: EdmValues): EdmRow => {
  const order = { ...before, ...change }
  const number = text(set, before, 'PurchaseOrder')
  const changed = (name: string) => text(set, order, name) !== text(set, before, name)
  if (changed('CompanyCode') || changed('PurchaseOrderType'))
    throw refusal('06/118', [number], changed('CompanyCode') ? 'CompanyCode' : 'PurchaseOrderType')
  if (changed('Supplier') || changed('PurchasingOrganization') || changed('DocumentCurrency')) {
    if (purchaseItemsOf(call, number).some((item) => isUsed(call, item)))
      throw refusal('06/118', [number], 'Supplier')
    supplierFor(call, text(set, order, 'Supplier'), text(set, order, 'PurchasingOrganization'))
  }
  if (changed('DocumentCurrency'))
    for (const item of purchaseItemsOf(call, number))
      if (compareDecimals(text(items, item, 'NetPriceAmount'), '0') !== 0)
        throw refusal(
          'SG/105',
          [text(set, before, 'DocumentCurrency'), text(set, order, 'DocumentCurrency'), dayOf(call.now)],
          'DocumentCurrency',
        )
  return savePurchaseOrder(call, order)
}

/** Marks an item as deleted; what was asked for by a requisition is open again. */
const deleteItem = (call: Call, item: EdmRow): void => {
  if (text(items, item, 'PurchasingDocumentDeletionCode') !== '') return
  save(call, items, { ...item, PurchasingDocumentDeletionCode: 'L' })
  releaseRequisition(call, item)
}

const remove = ({ call }: Writing, order: EdmRow): void => {
  const number = text(set, order, 'PurchaseOrder')
  const lines = purchaseItemsOf(call, number)
  if (lines.some((item) => isUsed(call, item))) throw refusal('06/116', [number])
  for (const item of lines) deleteItem(call, item)
  savePurchaseOrder(call, { ...order, PurchasingDocumentDeletionCode: 'L' })
}

export const purchaseOrderBehaviour: Behaviour = {
  children: ['to_PurchaseOrderItem', 'to_PurchaseOrderNote'],
  create,
  update,
  remove,
}

export const removePurchaseItem = ({ call }: Writing, item: EdmRow): void => {
  if (isUsed(call, item)) throw refusal('06/116', [text(items, item, 'PurchaseOrder')])
  deleteItem(call, item)
  savePurchaseOrder(call, purchaseOrderAt(call, String(item.PurchaseOrder)))
}

/** Notes of orders and items: kept as they come, once each. */
export const purchaseNoteBehaviour = (name: string): Behaviour => ({
  create: ({ call }, draft, above) => {
    const values: EdmValues = {
      TextObjectType: 'F01',
      Language: defaults.language,
      ...draft.values,
      ...above,
    }
    const order = purchaseOrderAt(call, String(values.PurchaseOrder ?? ''))
    const id = [
      'PurchaseOrder',
      ...(name.includes('Item') ? ['PurchaseOrderItem'] : []),
      'TextObjectType',
      'Language',
    ]
      .map((key) => String(values[key] ?? ''))
      .join('/')
    if (rowAt(call, name, id)) throw fault('duplicate', { type: `${name}Type`, key: id })
    savePurchaseOrder(call, order)
    return save(call, name, values)
  },
})
