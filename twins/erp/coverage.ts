import type { Coverage } from '@diorama/twin-kit/kernel/twin'
import { allServices, entitySet } from './catalogue/services.ts'
import { behaviours, operations, unwrittenOperations } from './operations/index.ts'

/** What the real services do and the twin does not: sets that cannot be written, and functions. */
const notEmulated: readonly string[] = [
  ...unwrittenOperations.filter((operation) => {
    const [method = '', name = ''] = operation.split(' ')
    const set = entitySet(name)
    if (method === 'POST') return set.creatable
    return method === 'DELETE' ? set.deletable : set.updatable
  }),
  ...allServices.flatMap((service) =>
    [...service.functions.values()].map((called) => called.operation).filter((name) => !(name in operations)),
  ),
]

/** What is left out of operations that are there. */
const missing: Readonly<Record<string, string>> = {
  'GET A_OutbDeliveryAddress': 'always empty',
  'GET A_OutbDeliveryAddress2': 'always empty',
  'POST A_SalesOrder': 'taxes and credit limits are not determined',
  'POST A_SalesQuotation': 'taxes are not determined',
  'POST A_MaterialDocumentHeader':
    'movement types besides 101, 122, 201, 202, 311, 501, 551 and 561 are answered as not implemented',
  'POST A_CustomerReturn': 'no return delivery and no credit memo follow it',
  'POST A_PurchaseOrder': 'no approval workflow starts',
  'POST A_PurchaseRequisitionHeader': 'no approval workflow starts',
  'POST A_SupplierInvoice': 'taxes are taken as they are given',
  'POST BillingDocument/CreateFromSDDocument': 'only deliveries are billed, and without taxes',
  'GET A_JournalEntryItemBasic': 'amounts are not converted to the currency of the company code',
  'POST releaseApprovalRequest': 'no order of a blueprint waits for approval',
  'POST rejectApprovalRequest': 'no order of a blueprint waits for approval',
}

const handlers: Readonly<Record<string, 'create' | 'update' | 'remove'>> = {
  POST: 'create',
  PATCH: 'update',
  PUT: 'update',
  DELETE: 'remove',
}

/** Whether what an operation writes follows from business rules; sets without them keep what they are given. */
const isRuled = (operation: string): boolean => {
  const [method = '', name = ''] = operation.split(' ')
  const handler = handlers[method]
  const isFunction = !/^A_\w+$/.test(name)
  return isFunction || (handler !== undefined && behaviours[name]?.[handler] !== undefined)
}

export const coverage: readonly Coverage[] = [
  ...Object.entries(operations).map(([operation, { effect }]): Coverage => {
    const left = missing[operation]
    if (left !== undefined) return { operation, status: 'partial', missing: left, evidence: 'documented' }
    if (effect === 'write' && !isRuled(operation))
      return {
        operation,
        status: 'partial',
        missing: 'values are kept without business checks besides those of codes',
        evidence: 'documented',
      }
    return { operation, status: 'done', evidence: 'documented' }
  }),
  ...notEmulated.map((operation): Coverage => ({ operation, status: 'not emulated' })),
  {
    operation: 'business events (CloudEvents)',
    status: 'partial',
    missing:
      'orders, deliveries, billing documents, partners and purchase orders; created, changed and deleted alone; the retry intervals are chosen',
    evidence: 'documented',
  },
]
