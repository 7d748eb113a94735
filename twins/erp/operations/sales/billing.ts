import { type Call, type Operation, operation, type Tables } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, divide, multiply, negate, round } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf, isoOf, timeOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { nextNumber, rowAt, rowsWith, save, text, userOf } from '../../access.ts'
import { decimalsOfCurrency } from '../../codes.ts'
import { salesDocumentTypes } from '../../customizing/sales.ts'
import { postJournal } from '../../rules/accounting.ts'
import {
  deliveryAt,
  deliveryItems,
  noteFlow,
  saveDelivery,
  saveDeliveryItem,
} from '../../rules/deliveries.ts'
import { refusal } from '../../rules/messages.ts'
import { itemAt, orderAt, pricedItem } from '../../rules/order-changes.ts'
import { conditionsOf, hasPrice } from '../../rules/pricing.ts'

const headers = 'A_BillingDocument'
const items = 'A_BillingDocumentItem'
const ofOrder = (row: EdmValues, name: string): string => text('A_SalesOrder', row, name)
const ofLine = (row: EdmValues, name: string): string => text('A_OutbDeliveryItem', row, name)

export interface BillingReference {
  readonly SDDocument: string
  readonly BillingDocumentType?: string
  readonly BillingDocumentDate?: string
}

export interface BillingRequest {
  readonly control: {
    readonly DefaultBillingDocumentType?: string
    readonly DefaultBillingDocumentDate?: string
    readonly AutomPostingToAcctgIsDisabled?: boolean
  }
  readonly references: readonly BillingReference[]
}

/** A line that is to be billed, with the order item that has its price. */
interface Billable {
  readonly line: EdmRow
  readonly order: EdmRow
  readonly item: EdmRow
}

/** Refuses what is blocked for billing, or has nothing to bill. */
const billableOf = (call: Call, number: string): Billable[] => {
  if (!rowAt(call, 'A_OutbDeliveryHeader', number)) throw refusal('VF/001', [number], 'SDDocument')
  const delivery = deliveryAt(call, number)
  if (text('A_OutbDeliveryHeader', delivery, 'OverallGoodsMovementStatus') !== 'C')
    throw refusal('VF/003', [number], 'SDDocument')
  const open = deliveryItems(call, number).filter(
    (line) => ofLine(line, 'DeliveryRelatedBillingStatus') !== 'C',
  )
  if (open.length === 0) throw refusal('VF/002', [number], 'SDDocument')
  return open.map((line) => {
    const order = orderAt(call, ofLine(line, 'ReferenceSDDocument'))
    const item = itemAt(call, ofLine(line, 'ReferenceSDDocument'), ofLine(line, 'ReferenceSDDocumentItem'))
    checkBlocks(call, order, item)
    if (!hasPrice(call, pricedItem(item)))
      throw refusal('VF/006', [
        text('A_SalesOrderItem', item, 'SalesOrderItem'),
        ofOrder(order, 'SalesOrder'),
      ])
    return { line, order, item }
  })
}

const checkBlocks = (call: Call, order: EdmRow, item: EdmRow): void => {
  const block =
    ofOrder(order, 'HeaderBillingBlockReason') || text('A_SalesOrderItem', item, 'ItemBillingBlockReason')
  if (block !== '') throw refusal('VF/004', [ofOrder(order, 'SalesOrder'), block], 'SDDocument')
  const payer = payerOf(call, order)
  const customer = rowAt(call, 'A_Customer', payer)
  if (customer && text('A_Customer', customer, 'BillingIsBlockedForCustomer') !== '')
    throw refusal('VF/005', [payer], 'SDDocument')
}

const partyOf = (call: Call, order: EdmRow, name: string): string => {
  const row = rowAt(call, 'A_SalesOrderHeaderPartner', `${ofOrder(order, 'SalesOrder')}/${name}`)
  return row ? text('A_SalesOrderHeaderPartner', row, 'Customer') : ofOrder(order, 'SoldToParty')
}
const payerOf = (call: Call, order: EdmRow): string => partyOf(call, order, 'PY')

/** Bills deliveries. Lines of one payer, one currency and one set of terms share a billing document. */
export const createBilling = (call: Call, { control, references }: BillingRequest): EdmRow[] => {
  if (references.length === 0) throw refusal('VF/010', [], '_Reference')
  const groups = new Map<string, { reference: BillingReference; lines: Billable[] }>()
  for (const reference of references)
    for (const billable of billableOf(call, reference.SDDocument)) {
      const { order } = billable
      const criteria = [
        payerOf(call, order),
        ...['SoldToParty', 'TransactionCurrency', 'CustomerPaymentTerms', 'SalesOrganization'].map((name) =>
          ofOrder(order, name),
        ),
        reference.BillingDocumentType ?? control.DefaultBillingDocumentType ?? '',
        reference.BillingDocumentDate ?? control.DefaultBillingDocumentDate ?? '',
      ].join('\n')
      const group = groups.get(criteria)
      if (group) group.lines.push(billable)
      else groups.set(criteria, { reference, lines: [billable] })
    }
  return [...groups.values()].map(({ reference, lines }) => bill(call, { control, reference, lines }))
}

const bill = (
  call: Call,
  {
    control,
    reference,
    lines,
  }: { control: BillingRequest['control']; reference: BillingReference; lines: readonly Billable[] },
): EdmRow => {
  const [first] = lines
  if (!first) throw refusal('VF/010', [], '_Reference')
  const { order } = first
  const expected = salesDocumentTypes[ofOrder(order, 'SalesOrderType')]?.billingType ?? 'F2'
  const type = reference.BillingDocumentType || control.DefaultBillingDocumentType || expected
  if (type !== expected) throw refusal('VF/009', [type, reference.SDDocument], 'BillingDocumentType')
  const number = nextNumber(call, 'billing_document')
  const day = reference.BillingDocumentDate || control.DefaultBillingDocumentDate || dayOf(call.now)
  const net = lines.reduce((sum, line, n) => add(sum, billLine(call, number, n, line)), '0')
  for (const name of ['SP', 'BP', 'PY', 'SH'])
    save(call, 'A_BillingDocumentPartner', {
      BillingDocument: number,
      PartnerFunction: name,
      Customer: partyOf(call, order, name),
    })
  const document = save(call, headers, {
    ...headerOf(call, order, number),
    BillingDocumentType: type,
    BillingDocumentDate: day,
    TotalNetAmount: net,
    TotalGrossAmount: net,
    AccountingPostingStatus: 'A',
    AccountingTransferStatus: 'A',
    OverallSDProcessStatus: 'A',
  })
  for (const delivery of new Set(lines.map(({ line }) => ofLine(line, 'DeliveryDocument'))))
    saveDelivery(call, { ...deliveryAt(call, delivery), BillingDocumentDate: day })
  return control.AutomPostingToAcctgIsDisabled === true ? document : postBilling(call, document)
}

const headerOf = (call: Call, order: EdmRow, number: string): EdmValues => ({
  BillingDocument: number,
  SDDocumentCategory: 'M',
  BillingDocumentCategory: 'L',
  CreationDate: dayOf(call.now),
  CreationTime: timeOf(call.now),
  LastChangeDate: dayOf(call.now),
  LastChangeDateTime: isoOf(call.now),
  SalesOrganization: ofOrder(order, 'SalesOrganization'),
  DistributionChannel: ofOrder(order, 'DistributionChannel'),
  Division: ofOrder(order, 'OrganizationDivision'),
  TransactionCurrency: ofOrder(order, 'TransactionCurrency'),
  SDPricingProcedure: 'RVAA01',
  ShippingCondition: ofOrder(order, 'ShippingCondition'),
  IncotermsClassification: ofOrder(order, 'IncotermsClassification'),
  PayerParty: payerOf(call, order),
  SoldToParty: ofOrder(order, 'SoldToParty'),
  CustomerPaymentTerms: ofOrder(order, 'CustomerPaymentTerms'),
  CompanyCode: ofOrder(order, 'SalesOrganization'),
  PurchaseOrderByCustomer: ofOrder(order, 'PurchaseOrderByCustomer'),
  CustomerGroup: ofOrder(order, 'CustomerGroup'),
})

/** Bills one line: its part of the order item's value, with the conditions in the same proportion. */
const billLine = (call: Call, number: string, n: number, { line, order, item }: Billable): string => {
  const of = (name: string) => text('A_SalesOrderItem', item, name)
  const currency = of('TransactionCurrency')
  const quantity = ofLine(line, 'ActualDeliveryQuantity')
  const part = (amount: string) =>
    divide(multiply(amount, quantity), of('RequestedQuantity'), decimalsOfCurrency(currency))
  const net = part(of('NetAmount'))
  const key = { BillingDocument: number, BillingDocumentItem: String((n + 1) * 10) }
  save(call, items, {
    ...key,
    SalesDocumentItemCategory: of('SalesOrderItemCategory'),
    BillingDocumentItemText: of('SalesOrderItemText'),
    Material: of('Material'),
    MaterialGroup: of('MaterialGroup'),
    Plant: of('ProductionPlant'),
    BillingQuantity: quantity,
    BillingQuantityUnit: of('RequestedQuantityUnit'),
    BillingQuantityInBaseUnit: ofLine(line, 'ActualDeliveredQtyInBaseUnit'),
    BaseUnit: ofLine(line, 'BaseUnit'),
    NetAmount: net,
    GrossAmount: net,
    TransactionCurrency: currency,
    PricingDate: of('PricingDate') || null,
    ReferenceSDDocument: ofLine(line, 'DeliveryDocument'),
    ReferenceSDDocumentItem: ofLine(line, 'DeliveryDocumentItem'),
    ReferenceSDDocumentCategory: 'J',
    SalesDocument: ofOrder(order, 'SalesOrder'),
    SalesDocumentItem: of('SalesOrderItem'),
    SalesSDDocumentCategory: 'C',
    CreationDate: dayOf(call.now),
    CreationTime: timeOf(call.now),
    CreatedByUser: userOf(call),
  })
  for (const row of conditionsOf(call, pricedItem(item))) {
    const { id: _, SalesOrder: __, SalesOrderItem: ___, ...condition } = row
    save(call, 'A_BillingDocumentItemPrcgElmnt', {
      ...condition,
      ...key,
      ConditionBaseValue: quantity,
      ConditionAmount: part(text('A_SalesOrderItemPrElement', row, 'ConditionAmount')),
    })
  }
  saveDeliveryItem(call, { ...line, DeliveryRelatedBillingStatus: 'C' })
  noteFlow(call, {
    document: ofLine(line, 'DeliveryDocument'),
    item: ofLine(line, 'DeliveryDocumentItem'),
    category: 'J',
    next: number,
    nextItem: key.BillingDocumentItem,
    nextCategory: 'M',
    quantity: ofLine(line, 'ActualDeliveredQtyInBaseUnit'),
  })
  return net
}

/** Transfers a billing document to accounting. */
export const postBilling = (call: Call, document: EdmRow): EdmRow => {
  const of = (name: string) => text(headers, document, name)
  if (of('AccountingPostingStatus') === 'C') throw refusal('VF/002', [of('BillingDocument')])
  const amount = round(of('TotalGrossAmount'), decimalsOfCurrency(of('TransactionCurrency')))
  const details = {
    Customer: of('PayerParty'),
    SalesOrganization: of('SalesOrganization'),
    DistributionChannel: of('DistributionChannel'),
    OrganizationDivision: of('Division'),
  }
  const accounting = postJournal(call, {
    company: of('CompanyCode'),
    postingDate: of('BillingDocumentDate'),
    currency: of('TransactionCurrency'),
    postings: [
      { account: 'receivables', amount, details },
      { account: 'revenue', amount: negate(amount), details },
    ],
  })
  return save(call, headers, {
    ...document,
    AccountingDocument: accounting,
    FiscalYear: of('BillingDocumentDate').slice(0, 4),
    AccountingPostingStatus: 'C',
    AccountingTransferStatus: 'C',
    OverallSDProcessStatus: 'C',
    LastChangeDateTime: isoOf(call.now),
  })
}

export const billingAt = (call: Call, number: string): EdmRow => {
  const row = rowAt(call, headers, number)
  if (!row) throw refusal('VF/007', [number], 'BillingDocument')
  return row
}

/** Cancels a billing document by one of the opposite sign, and opens what it billed. */
export const cancelBilling = (call: Call, number: string): EdmRow => {
  const document = billingAt(call, number)
  const of = (name: string) => text(headers, document, name)
  if (of('BillingDocumentIsCancelled') === 'true' || of('CancelledBillingDocument') !== '')
    throw refusal('VF/008', [number], 'BillingDocument')
  const lines = rowsWith(call, items, { BillingDocument: number })
  const cancellation = nextNumber(call, 'billing_document')
  const opposite = {
    TotalNetAmount: negate(of('TotalNetAmount')),
    TotalGrossAmount: negate(of('TotalGrossAmount')),
  }
  const created = save(call, headers, {
    ...document,
    ...opposite,
    BillingDocument: cancellation,
    BillingDocumentType: 'S1',
    SDDocumentCategory: 'N',
    CancelledBillingDocument: number,
    BillingDocumentDate: dayOf(call.now),
    CreationDate: dayOf(call.now),
    CreationTime: timeOf(call.now),
    LastChangeDateTime: isoOf(call.now),
    AccountingPostingStatus: 'A',
    AccountingDocument: '',
  })
  for (const line of lines) cancelLine(call, line, cancellation)
  const at = Math.max(call.now, Date.parse(of('LastChangeDateTime')) + 1)
  save(call, headers, { ...document, BillingDocumentIsCancelled: true, LastChangeDateTime: isoOf(at) })
  for (const delivery of new Set(lines.map((line) => text(items, line, 'ReferenceSDDocument'))))
    if (rowAt(call, 'A_OutbDeliveryHeader', delivery)) saveDelivery(call, deliveryAt(call, delivery))
  return of('AccountingPostingStatus') === 'C' ? postBilling(call, created) : created
}

const cancelLine = (call: Call, line: EdmRow, cancellation: string): void => {
  const of = (name: string) => text(items, line, name)
  save(call, items, {
    ...line,
    BillingDocument: cancellation,
    NetAmount: negate(of('NetAmount')),
    GrossAmount: negate(of('GrossAmount')),
  })
  const delivered = rowAt(
    call,
    'A_OutbDeliveryItem',
    `${of('ReferenceSDDocument')}/${of('ReferenceSDDocumentItem')}`,
  )
  if (!delivered) return
  saveDeliveryItem(call, { ...delivered, DeliveryRelatedBillingStatus: 'A' })
  noteFlow(call, {
    document: of('ReferenceSDDocument'),
    item: of('ReferenceSDDocumentItem'),
    category: 'J',
    next: cancellation,
    nextItem: of('BillingDocumentItem'),
    nextCategory: 'N',
    quantity: of('BillingQuantityInBaseUnit'),
  })
}

export const billingFunctions: Readonly<Record<string, Operation>> = {
  'POST API_BILLING_DOCUMENT_SRV/Cancel': operation<Tables, { BillingDocument: string }, EdmValues[]>({
    effect: 'write',
    run: (call, { BillingDocument }) => {
      const created = cancelBilling(call, BillingDocument)
      return [
        {
          BillingDocument,
          CancellationBillingDocument: text(headers, created, 'BillingDocument'),
          SystemMessageType: 'S',
          SystemMessageIdentification: 'VF',
          SystemMessageNumber: '311',
          SystemMessageText: `Document ${text(headers, created, 'BillingDocument')} has been saved`,
        },
      ]
    },
  }),
  'POST BillingDocument/CreateFromSDDocument': operation<Tables, BillingRequest, EdmRow[]>({
    effect: 'write',
    run: createBilling,
  }),
  'POST BillingDocument/Cancel': operation<Tables, { number: string }, EdmRow[]>({
    effect: 'write',
    run: (call, { number }) => [cancelBilling(call, number)],
  }),
  'POST BillingDocument/PostToAccounting': operation<Tables, { number: string }, EdmRow[]>({
    effect: 'write',
    run: (call, { number }) => [postBilling(call, billingAt(call, number))],
  }),
}
