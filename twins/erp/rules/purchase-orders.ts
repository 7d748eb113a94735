import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add } from '@diorama/twin-kit/wires/odata/values/decimals'
import { isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { rowAt, rowsWith, save, text } from '../access.ts'
import { refusal } from './messages.ts'
import { checkPartnerBlock } from './partner-checks.ts'

const headers = 'A_PurchaseOrder'
const items = 'A_PurchaseOrderItem'

export const purchaseOrderAt = (call: Call, number: string): EdmRow => {
  const row = rowAt(call, headers, number)
  if (!row) throw refusal('06/023', [number], 'PurchaseOrder')
  return row
}

export const purchaseItemsOf = (call: Call, number: string): EdmRow[] =>
  rowsWith(call, items, { PurchaseOrder: number })

export const purchaseItemAt = (call: Call, number: string, item: string): EdmRow => {
  const row = rowAt(call, items, `${number}/${item}`)
  if (!row) throw refusal('06/026', [item, number], 'PurchaseOrderItem')
  return row
}

/** How much of an item has been invoiced, in its order unit. */
export const invoicedOf = (call: Call, item: EdmRow): string =>
  invoiceLines(call, item).reduce(
    (sum, row) => add(sum, text('A_SuplrInvcItemPurOrdRef', row, 'QuantityInPurchaseOrderUnit')),
    '0',
  )

/** The items of posted invoices that refer to an item of a purchase order. */
const invoiceLines = (call: Call, item: EdmRow): EdmRow[] =>
  rowsWith(call, 'A_SuplrInvcItemPurOrdRef', {
    PurchaseOrder: item.PurchaseOrder ?? '',
    PurchaseOrderItem: item.PurchaseOrderItem ?? '',
  }).filter((row) => {
    const invoice = rowAt(call, 'A_SupplierInvoice', `${row.SupplierInvoice}/${row.FiscalYear}`)
    if (!invoice) return false
    const of = (name: string) => text('A_SupplierInvoice', invoice, name)
    return of('IsReversal') !== 'true' && of('IsReversed') !== 'true' && of('SupplierInvoiceStatus') === '5'
  })

/** Keeps a purchase order with a new version. */
export const savePurchaseOrder = (call: Call, order: EdmValues): EdmRow => {
  const before = Date.parse(text(headers, order, 'LastChangeDateTime'))
  const at = Number.isNaN(before) ? call.now : Math.max(call.now, before + 1)
  return save(call, headers, { ...order, LastChangeDateTime: isoOf(at) })
}

/** The supplier's data for a purchasing organization; refused where the supplier is unknown there or blocked. */
export const supplierFor = (call: Call, number: string, organization: string): EdmRow => {
  if (number === '') throw refusal('ME/083', ['Supplier'], 'Supplier')
  const supplier = rowAt(call, 'A_Supplier', number)
  if (!supplier) throw refusal('06/024', [number], 'Supplier')
  checkPartnerBlock(call, number, 'Supplier')
  const of = (name: string) => text('A_Supplier', supplier, name)
  if (
    of('PurchasingIsBlocked') === 'true' ||
    of('SupplierProcurementBlock') !== '' ||
    of('DeletionIndicator') === 'true'
  )
    throw refusal('06/040', [number], 'Supplier')
  const data = rowAt(call, 'A_SupplierPurchasingOrg', `${number}/${organization}`)
  if (!data) throw refusal('06/321', [number, organization], 'PurchasingOrganization')
  if (text('A_SupplierPurchasingOrg', data, 'PurchasingIsBlockedForSupplier') === 'true')
    throw refusal('06/041', [number, organization], 'Supplier')
  return data
}
