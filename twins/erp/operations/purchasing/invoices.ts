import { type Call, type Operation, operation, type Tables } from '@diorama/twin-kit/kernel/twin'
import type { EdmRow, EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { add, compareDecimals, divide, multiply, negate } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import type { Draft } from '@diorama/twin-kit/wires/odata/write/body'
import type { Behaviour, Writing } from '@diorama/twin-kit/wires/odata/write/operations'
import { erase, nextNumber, rowAt, rowsWith, save, text } from '../../access.ts'
import { defaults } from '../../codes.ts'
import { checkCode } from '../../customizing/check.ts'
import { priceTolerancePercent } from '../../customizing/logistics.ts'
import { checkPeriod, type Posting, postJournal } from '../../rules/accounting.ts'
import { receivedOf } from '../../rules/availability.ts'
import { refusal, warning } from '../../rules/messages.ts'
import { checkCompanyCode } from '../../rules/organization.ts'
import { checkPartnerBlock } from '../../rules/partner-checks.ts'
import { invoicedOf, purchaseItemAt, purchaseOrderAt } from '../../rules/purchase-orders.ts'

const headers = 'A_SupplierInvoice'
const references = 'A_SuplrInvcItemPurOrdRef'
const generalItems = 'A_SupplierInvoiceItemGLAcct'
const taxes = 'A_SupplierInvoiceTax'

/** Posted, and entered without being posted. */
const posted = '5'
const parked = 'A'

const required = ['CompanyCode', 'DocumentDate', 'PostingDate', 'InvoicingParty', 'DocumentCurrency'] as const

const create = (writing: Writing, draft: Draft): EdmRow => {
  const { call } = writing
  const of = (name: string) => text(headers, draft.values, name)
  for (const name of required) if (of(name) === '') throw refusal('ME/083', [name], name)
  checkCompanyCode(call, of('CompanyCode'))
  if (!rowAt(call, 'A_Supplier', of('InvoicingParty')))
    throw refusal('06/024', [of('InvoicingParty')], 'InvoicingParty')
  checkPartnerBlock(call, of('InvoicingParty'), 'InvoicingParty')
  checkPeriod(call, of('PostingDate'), of('CompanyCode'))
  checkDuplicate(call, draft.values)
  const key = {
    SupplierInvoice: nextNumber(call, 'supplier_invoice'),
    FiscalYear: of('PostingDate').slice(0, 4),
  }
  const status = of('SupplierInvoiceStatus') === parked ? parked : posted
  const invoice = save(call, headers, {
    PaymentTerms: defaults.paymentTerms,
    AccountingDocumentType: 'RE',
    DueCalculationBaseDate: of('DocumentDate'),
    ...draft.values,
    ...key,
    SupplierInvoiceStatus: status,
    SupplierInvoiceOrigin: '',
    CreationDate: dayOf(call.now),
  })
  createItems(call, draft, key)
  return status === posted ? post(writing, invoice) : invoice
}

const createItems = (call: Call, draft: Draft, key: EdmValues): void => {
  const lines = draft.children.get('to_SuplrInvcItemPurOrdRef') ?? []
  const general = draft.children.get('to_SupplierInvoiceItemGLAcct') ?? []
  if (lines.length + general.length === 0) throw refusal('M8/355', [], 'to_SuplrInvcItemPurOrdRef')
  for (const [n, { values }] of lines.entries()) {
    checkCode('T007A', text(references, values, 'TaxCode'), 'TaxCode')
    save(call, references, {
      SupplierInvoiceItem: String(n + 1),
      DocumentCurrency: text(headers, draft.values, 'DocumentCurrency'),
      ...values,
      ...key,
    })
  }
  for (const [n, { values }] of general.entries())
    save(call, generalItems, {
      SupplierInvoiceItem: String(lines.length + n + 1),
      DocumentCurrency: text(headers, draft.values, 'DocumentCurrency'),
      DebitCreditCode: 'S',
      ...values,
      ...key,
    })
  for (const [n, { values }] of (draft.children.get('to_SupplierInvoiceTax') ?? []).entries()) {
    checkCode('T007A', text(taxes, values, 'TaxCode'), 'TaxCode')
    save(call, taxes, {
      SupplierInvoiceTaxCounter: String(n + 1),
      DocumentCurrency: text(headers, draft.values, 'DocumentCurrency'),
      ...values,
      ...key,
    })
  }
}

/** The same reference of the same party for the same amount is the same invoice. */
const checkDuplicate = (call: Call, invoice: EdmValues): void => {
  const of = (row: EdmValues, name: string) => text(headers, row, name)
  const reference = of(invoice, 'SupplierInvoiceIDByInvcgParty')
  if (reference === '') return
  const same = ['SupplierInvoiceIDByInvcgParty', 'CompanyCode', 'DocumentCurrency', 'DocumentDate']
  for (const row of rowsWith(call, headers, { InvoicingParty: of(invoice, 'InvoicingParty') })) {
    if (of(row, 'IsReversed') === 'true' || of(row, 'IsReversal') === 'true') continue
    if (
      same.every((name) => of(row, name) === of(invoice, name)) &&
      compareDecimals(of(row, 'InvoiceGrossAmount'), of(invoice, 'InvoiceGrossAmount')) === 0
    )
      throw refusal(
        'M8/108',
        [of(row, 'SupplierInvoice'), of(row, 'FiscalYear')],
        'SupplierInvoiceIDByInvcgParty',
      )
  }
}

const keyOf = (invoice: EdmRow): EdmValues => ({
  SupplierInvoice: invoice.SupplierInvoice ?? '',
  FiscalYear: invoice.FiscalYear ?? '',
})

const linesOf = (call: Call, invoice: EdmRow, set: string): EdmRow[] => rowsWith(call, set, keyOf(invoice))

/** Checks an invoice against its purchase orders and posts it; what does not fit is blocked for payment. */
const post = ({ call, notify }: Pick<Writing, 'call' | 'notify'>, invoice: EdmRow): EdmRow => {
  const of = (name: string) => text(headers, invoice, name)
  const isCredit = of('SupplierInvoiceIsCreditMemo') !== ''
  const postings: Posting[] = []
  let blocked = false
  for (const line of linesOf(call, invoice, references)) {
    const read = (name: string) => text(references, line, name)
    const amount = read('SupplierInvoiceItemAmount')
    const fits = matchesOrder(call, invoice, line)
    if (!fits.quantity && !isCredit)
      notify(
        warning('M8/504', [read('SupplierInvoiceItem'), read('QuantityInPurchaseOrderUnit'), fits.received]),
      )
    blocked ||= !isCredit && !(fits.quantity && fits.price)
    postings.push({ account: 'goodsReceived', amount })
  }
  for (const line of linesOf(call, invoice, generalItems)) {
    const amount = text(generalItems, line, 'SupplierInvoiceItemAmount')
    const isDebit = text(generalItems, line, 'DebitCreditCode') !== 'H'
    postings.push({ account: 'consumption', amount: isDebit ? amount : negate(amount) })
  }
  for (const line of linesOf(call, invoice, taxes))
    postings.push({ account: 'inputTax', amount: text(taxes, line, 'TaxAmount') })
  const debits = postings.reduce((sum, { amount }) => add(sum, amount), '0')
  const gross = of('InvoiceGrossAmount')
  if (compareDecimals(debits, gross) !== 0)
    throw refusal('M8/534', [add(debits, negate(gross)), debits, gross], 'InvoiceGrossAmount')
  const sign = (amount: string) => (isCredit ? negate(amount) : amount)
  postJournal(call, {
    company: of('CompanyCode'),
    postingDate: of('PostingDate'),
    currency: of('DocumentCurrency'),
    postings: [
      { account: 'payables', amount: sign(negate(gross)) },
      ...postings.map(({ account, amount }) => ({ account, amount: sign(amount) })),
    ],
  })
  return save(call, headers, {
    ...invoice,
    SupplierInvoiceStatus: posted,
    PaymentBlockingReason: of('PaymentBlockingReason') || (blocked ? 'R' : ''),
  })
}

/** Whether an invoice's item is within what was received and near the price that was agreed. */
const matchesOrder = (
  call: Call,
  invoice: EdmRow,
  line: EdmRow,
): { readonly quantity: boolean; readonly price: boolean; readonly received: string } => {
  const of = (name: string) => text(references, line, name)
  const order = purchaseOrderAt(call, of('PurchaseOrder'))
  const item = purchaseItemAt(call, of('PurchaseOrder'), of('PurchaseOrderItem'))
  const read = (name: string) => text('A_PurchaseOrderItem', item, name)
  const parties = [
    text('A_PurchaseOrder', order, 'Supplier'),
    text('A_PurchaseOrder', order, 'InvoicingParty'),
  ]
  const party = text(headers, invoice, 'InvoicingParty')
  if (!parties.includes(party))
    throw refusal('M8/286', [of('PurchaseOrder'), parties[0] ?? '', party], 'PurchaseOrder')
  if (text('A_PurchaseOrder', order, 'DocumentCurrency') !== text(headers, invoice, 'DocumentCurrency'))
    throw refusal('SG/105', [
      text(headers, invoice, 'DocumentCurrency'),
      text('A_PurchaseOrder', order, 'DocumentCurrency'),
      text(headers, invoice, 'PostingDate'),
    ])
  if (read('PurchasingDocumentDeletionCode') !== '')
    throw refusal('06/027', [of('PurchaseOrderItem'), of('PurchaseOrder')], 'PurchaseOrderItem')
  const quantity = of('QuantityInPurchaseOrderUnit')
  if (compareDecimals(quantity, '0') <= 0)
    throw refusal('ME/083', ['Quantity'], 'QuantityInPurchaseOrderUnit')
  const isBased = read('InvoiceIsGoodsReceiptBased') === 'true'
  const received = isBased ? receivedOf(call, item) : read('OrderQuantity')
  // The invoice itself counts as posted only afterwards.
  const invoiced = add(invoicedOf(call, item), isPosted(invoice) ? '0' : quantity)
  const per = compareDecimals(read('NetPriceQuantity'), '0') > 0 ? read('NetPriceQuantity') : '1'
  const agreed = divide(multiply(read('NetPriceAmount'), quantity), per, 2)
  const limit = divide(multiply(agreed, String(100 + priceTolerancePercent)), '100', 2)
  return {
    quantity: compareDecimals(invoiced, received) <= 0,
    price: compareDecimals(of('SupplierInvoiceItemAmount'), limit) <= 0,
    received,
  }
}

const isPosted = (invoice: EdmRow): boolean => text(headers, invoice, 'SupplierInvoiceStatus') === posted

const invoiceAt = (call: Call, { SupplierInvoice, FiscalYear }: Arguments): EdmRow => {
  const row = rowAt(call, headers, `${SupplierInvoice}/${FiscalYear}`)
  if (!row) throw refusal('M8/351', [SupplierInvoice, FiscalYear], 'SupplierInvoice')
  return row
}

export const supplierInvoiceBehaviour: Behaviour = {
  children: ['to_SuplrInvcItemPurOrdRef', 'to_SupplierInvoiceItemGLAcct', 'to_SupplierInvoiceTax'],
  create,
  /** Only what is not posted can be deleted. */
  remove: ({ call }, invoice) => {
    if (isPosted(invoice)) throw refusal('M8/354', [text(headers, invoice, 'SupplierInvoice')])
    for (const set of [references, generalItems, taxes])
      for (const row of linesOf(call, invoice, set)) erase(call, set, row)
    erase(call, headers, invoice)
  },
}

interface Arguments {
  readonly SupplierInvoice: string
  readonly FiscalYear: string
  readonly PostingDate: string
  readonly ReversalReason: string
}

const cancel = (call: Call, input: Arguments): EdmValues => {
  const invoice = invoiceAt(call, input)
  const of = (name: string) => text(headers, invoice, name)
  if (!isPosted(invoice) || of('IsReversed') === 'true' || of('IsReversal') === 'true')
    throw refusal('M8/352', [input.SupplierInvoice], 'SupplierInvoice')
  checkCode('T041C', input.ReversalReason, 'ReversalReason')
  const postingDate = input.PostingDate.slice(0, 10)
  checkPeriod(call, postingDate, of('CompanyCode'))
  const FiscalYear = postingDate.slice(0, 4)
  const reversal = nextNumber(call, 'supplier_invoice')
  save(call, headers, {
    ...invoice,
    SupplierInvoice: reversal,
    FiscalYear,
    PostingDate: postingDate,
    CreationDate: dayOf(call.now),
    IsReversal: true,
    ReverseDocument: input.SupplierInvoice,
    ReverseDocumentFiscalYear: input.FiscalYear,
    PaymentBlockingReason: '',
  })
  save(call, headers, {
    ...invoice,
    IsReversed: true,
    ReverseDocument: reversal,
    ReverseDocumentFiscalYear: FiscalYear,
  })
  postJournal(call, {
    company: of('CompanyCode'),
    postingDate,
    currency: of('DocumentCurrency'),
    postings: reversedPostings(call, invoice),
  })
  return { ReverseDocument: reversal, FiscalYear, Success: true }
}

const reversedPostings = (call: Call, invoice: EdmRow): Posting[] => [
  { account: 'payables', amount: text(headers, invoice, 'InvoiceGrossAmount') },
  ...linesOf(call, invoice, references).map(
    (line): Posting => ({
      account: 'goodsReceived',
      amount: negate(text(references, line, 'SupplierInvoiceItemAmount')),
    }),
  ),
  ...linesOf(call, invoice, generalItems).map(
    (line): Posting => ({
      account: 'consumption',
      amount: negate(text(generalItems, line, 'SupplierInvoiceItemAmount')),
    }),
  ),
  ...linesOf(call, invoice, taxes).map(
    (line): Posting => ({ account: 'inputTax', amount: negate(text(taxes, line, 'TaxAmount')) }),
  ),
]

const service = 'API_SUPPLIERINVOICE_PROCESS_SRV'
const written = (run: (call: Call, input: Arguments) => EdmValues): Operation =>
  operation<Tables, Arguments, EdmValues>({ effect: 'write', run })

export const supplierInvoiceFunctions: Readonly<Record<string, Operation>> = {
  [`POST ${service}/Post`]: written((call, input) => {
    const invoice = invoiceAt(call, input)
    if (isPosted(invoice)) throw refusal('M8/354', [input.SupplierInvoice], 'SupplierInvoice')
    // A function has no way to send a warning beside its result.
    post({ call, notify: () => undefined }, invoice)
    return { Success: true }
  }),
  [`POST ${service}/Release`]: written((call, input) => {
    const invoice = invoiceAt(call, input)
    if (text(headers, invoice, 'PaymentBlockingReason') === '')
      throw refusal('M8/353', [input.SupplierInvoice], 'SupplierInvoice')
    save(call, headers, { ...invoice, PaymentBlockingReason: '' })
    return { Success: true }
  }),
  [`POST ${service}/Cancel`]: written(cancel),
}
