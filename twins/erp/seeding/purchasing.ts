import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { divide, fromNumber, multiply } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { defaults, storageLocationOf } from '../codes.ts'
import { cut } from '../cut.ts'
import type { SeedContext } from './context.ts'
import type { SeededPartners } from './partners.ts'
import { amountOf, materialNumber, quantityOf, unitOf } from './products.ts'

const firstOrder = 4_500_000_001
const firstRequisition = 10_000_001
const firstReceipt = 5_000_000_001
const firstInvoice = 5_105_600_101
const day = 86_400_000

type OrderBlueprint = NonNullable<SeedContext['section']['purchaseOrders']>[number]
type ItemBlueprint = OrderBlueprint['items'][number]

/** Purchase requisitions, purchase orders, and what has been received and invoiced of them. */
export const seedPurchasing = (context: SeedContext, partners: SeededPartners): void => {
  const { section, seeding } = context
  seedRequisitions(context, partners)
  let [receipt, invoice] = [firstReceipt, firstInvoice]
  for (const [n, blueprint] of (section.purchaseOrders ?? []).entries()) {
    const number = String(firstOrder + n)
    const order = seedOrder(context, partners, blueprint, number)
    seeding.key('purchase_order', blueprint.key, number)
    if (blueprint.status === 'open') continue
    seedReceipt(context, blueprint, order, String(receipt++))
    if (blueprint.status === 'invoiced') seedInvoice(context, blueprint, order, String(invoice++))
  }
  if (section.purchaseOrders) {
    seeding.insert('number_range', {
      id: 'purchase_order',
      last: firstOrder - 1 + section.purchaseOrders.length,
    })
    seeding.insert('number_range', { id: 'goods_receipt', last: receipt - 1 })
    seeding.insert('number_range', { id: 'supplier_invoice', last: invoice - 1 })
  }
  if (section.purchaseRequisitions)
    seeding.insert('number_range', {
      id: 'purchase_requisition',
      last: firstRequisition - 1 + section.purchaseRequisitions.length,
    })
}

const supplierNumber = (partners: SeededPartners, key: string | undefined): string =>
  key === undefined ? '' : String(partners.get(key)?.BusinessPartner ?? '')

const seedRequisitions = (context: SeedContext, partners: SeededPartners): void => {
  const { section, seeding, keep, company } = context
  const plant = context.areas[0].salesOrganization
  for (const [n, blueprint] of (section.purchaseRequisitions ?? []).entries()) {
    const number = String(firstRequisition + n)
    seeding.key('purchase_requisition_header', blueprint.key, number)
    keep('A_PurchaseRequisitionHeader', {
      PurchaseRequisition: number,
      PurchaseRequisitionType: 'NB',
      PurReqnDescription: cut(blueprint.description ?? '', 40),
    })
    for (const [m, item] of blueprint.items.entries())
      keep('A_PurchaseRequisitionItem', {
        PurchaseRequisition: number,
        PurchaseRequisitionItem: String((m + 1) * 10),
        PurchaseRequisitionType: 'NB',
        PurReqnReleaseStatus: '05',
        ProcessingStatus: 'N',
        PurchasingDocumentCategory: 'B',
        PurchaseRequisitionItemText: cut(item.description, 40),
        Material: materialNumber(item.material),
        MaterialGroup: defaults.materialGroup,
        RequestedQuantity: quantityOf(item.quantity),
        BaseUnit: unitOf(item.unit),
        PurchaseRequisitionPrice: amountOf(item.netPrice),
        PurReqnPriceQuantity: '1',
        ItemNetAmount: fromNumber(item.netPrice * item.quantity, 2),
        PurReqnItemCurrency: blueprint.currency,
        Plant: plant,
        CompanyCode: plant,
        PurchasingOrganization: plant,
        PurchasingGroup: '001',
        DeliveryDate: blueprint.deliveryDate,
        Supplier: supplierNumber(partners, blueprint.supplier),
        RequisitionerName: cut((blueprint.requester ?? context.author).toUpperCase(), 12),
        GoodsReceiptIsExpected: true,
        InvoiceIsExpected: true,
        CreatedByUser: context.author,
        CreationDate: dayOf(company.clock - 3 * day),
        PurReqCreationDate: dayOf(company.clock - 3 * day),
      })
  }
}

const orderItem = (order: EdmRow, item: ItemBlueprint, m: number, done: boolean): EdmValues => ({
  PurchaseOrder: order.PurchaseOrder ?? '',
  PurchaseOrderItem: String((m + 1) * 10),
  PurchaseOrderItemText: cut(item.description, 40),
  Plant: order.CompanyCode ?? '',
  StorageLocation: storageLocationOf(String(order.CompanyCode)),
  Material: materialNumber(item.material),
  MaterialGroup: defaults.materialGroup,
  OrderQuantity: quantityOf(item.quantity),
  PurchaseOrderQuantityUnit: unitOf(item.unit),
  DocumentCurrency: order.DocumentCurrency ?? '',
  NetPriceAmount: amountOf(item.netPrice),
  NetPriceQuantity: '1',
  PurchaseOrderItemCategory: '0',
  GoodsReceiptIsExpected: true,
  InvoiceIsExpected: true,
  InvoiceIsGoodsReceiptBased: true,
  IsCompletelyDelivered: done,
})

const seedOrder = (
  context: SeedContext,
  partners: SeededPartners,
  blueprint: OrderBlueprint,
  number: string,
): EdmRow => {
  const { keep, company } = context
  const companyCode = blueprint.plant ?? context.areas[0].salesOrganization
  const created = blueprint.createdAt ? Date.parse(blueprint.createdAt) : company.clock - 10 * day
  const supplier = supplierNumber(partners, blueprint.supplier)
  const order = keep('A_PurchaseOrder', {
    PurchaseOrder: number,
    CompanyCode: companyCode,
    PurchaseOrderType: 'NB',
    PurchasingProcessingStatus: '02',
    PurchasingDocumentOrigin: '9',
    CreatedByUser: context.author,
    CreationDate: dayOf(created),
    LastChangeDateTime: isoOf(created),
    Supplier: supplier,
    InvoicingParty: supplier,
    Language: defaults.language,
    PaymentTerms: defaults.paymentTerms,
    PurchasingOrganization: companyCode,
    PurchasingGroup: '001',
    PurchaseOrderDate: dayOf(created),
    DocumentCurrency: blueprint.currency,
  })
  for (const [m, item] of blueprint.items.entries()) {
    const values = orderItem(order, item, m, blueprint.status !== 'open')
    const row = keep('A_PurchaseOrderItem', values)
    keep('A_PurchaseOrderScheduleLine', {
      PurchasingDocument: number,
      PurchasingDocumentItem: row.PurchaseOrderItem ?? '',
      ScheduleLine: '1',
      DelivDateCategory: '1',
      ScheduleLineDeliveryDate: blueprint.deliveryDate,
      SchedLineStscDeliveryDate: blueprint.deliveryDate,
      PurchaseOrderQuantityUnit: unitOf(item.unit),
      ScheduleLineOrderQuantity: quantityOf(item.quantity),
    })
  }
  return order
}

/** The day on which something of the past happened: as it was planned, and not after the story's now. */
const pastDay = ({ company }: SeedContext, planned: string): string => {
  const today = dayOf(company.clock)
  return planned < today ? planned : today
}

const seedReceipt = (
  context: SeedContext,
  blueprint: OrderBlueprint,
  order: EdmRow,
  number: string,
): void => {
  const { keep } = context
  const posted = pastDay(context, blueprint.deliveryDate)
  const key = { MaterialDocumentYear: posted.slice(0, 4), MaterialDocument: number }
  keep('A_MaterialDocumentHeader', {
    ...key,
    InventoryTransactionType: 'WE',
    GoodsMovementCode: '01',
    DocumentDate: posted,
    PostingDate: posted,
    CreationDate: posted,
    CreatedByUser: context.author,
  })
  for (const [m, item] of blueprint.items.entries())
    keep('A_MaterialDocumentItem', {
      ...key,
      MaterialDocumentItem: String(m + 1),
      Material: materialNumber(item.material),
      Plant: order.CompanyCode ?? '',
      StorageLocation: storageLocationOf(String(order.CompanyCode)),
      GoodsMovementType: '101',
      GoodsMovementRefDocType: 'B',
      InventoryStockType: '01',
      PurchaseOrder: order.PurchaseOrder ?? '',
      PurchaseOrderItem: String((m + 1) * 10),
      Supplier: order.Supplier ?? '',
      EntryUnit: unitOf(item.unit),
      QuantityInEntryUnit: quantityOf(item.quantity),
      MaterialBaseUnit: unitOf(item.unit),
      QuantityInBaseUnit: quantityOf(item.quantity),
      CompanyCodeCurrency: blueprint.currency,
      GdsMvtExtAmtInCoCodeCrcy: fromNumber(item.netPrice * item.quantity, 2),
      DebitCreditCode: 'S',
    })
}

const seedInvoice = (
  context: SeedContext,
  blueprint: OrderBlueprint,
  order: EdmRow,
  number: string,
): void => {
  const { keep } = context
  const posted = pastDay(context, blueprint.deliveryDate)
  const key = { SupplierInvoice: number, FiscalYear: posted.slice(0, 4) }
  const amount = ({ netPrice, quantity }: ItemBlueprint): string =>
    divide(multiply(amountOf(netPrice), quantityOf(quantity)), '1', 2)
  const total = blueprint.items.reduce((sum, item) => sum + Number(amount(item)), 0)
  keep('A_SupplierInvoice', {
    ...key,
    CompanyCode: order.CompanyCode ?? '',
    DocumentDate: posted,
    PostingDate: posted,
    CreationDate: posted,
    InvoicingParty: order.Supplier ?? '',
    SupplierInvoiceIDByInvcgParty: `INV-${String(order.PurchaseOrder).slice(-6)}`,
    DocumentCurrency: blueprint.currency,
    InvoiceGrossAmount: fromNumber(total, 2),
    PaymentTerms: defaults.paymentTerms,
    AccountingDocumentType: 'RE',
    DueCalculationBaseDate: posted,
    SupplierInvoiceStatus: '5',
  })
  for (const [m, item] of blueprint.items.entries())
    keep('A_SuplrInvcItemPurOrdRef', {
      ...key,
      SupplierInvoiceItem: String(m + 1),
      PurchaseOrder: order.PurchaseOrder ?? '',
      PurchaseOrderItem: String((m + 1) * 10),
      Plant: order.CompanyCode ?? '',
      DocumentCurrency: blueprint.currency,
      SupplierInvoiceItemAmount: amount(item),
      PurchaseOrderQuantityUnit: unitOf(item.unit),
      QuantityInPurchaseOrderUnit: quantityOf(item.quantity),
    })
}
