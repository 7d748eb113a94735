import { VendorError } from '@diorama/twin-kit/kernel/twin'
import type { Permissions } from '@diorama/twin-kit/variations/variations'
import type { ErpTables } from '../tables.ts'
import { type ErpScene, numberOf, others, rows } from './scene-records.ts'

/** Documents that can be hidden as a whole: their sets, the tables of their headers and the words that speak of them. */
const displayed = [
  ['display purchasing documents', /^A_Pur/, ['purchase_order', 'purchase_requisition_header'], /purchas/i],
  ['display supplier invoices', /^A_Sup(lr|plier)Inv/, ['supplier_invoice'], /invoice/i],
  ['display billing documents', /^A_?BillingDoc/, ['billing_document'], /billing|invoice/i],
  ['display sales quotations', /^A_SalesQuot/, ['sales_quotation'], /quot|offer/i],
  ['display customer returns', /^A_CustomerReturn/, ['customer_return'], /customer returns?/i],
] as const

export const permissions: Permissions<ErpTables> = {
  withholdable: (scene) =>
    [
      ...(isInvolved(scene, 'sales_order') ? [] : ['change sales orders']),
      ...[
        'change business partners',
        'delete documents',
        'change purchasing documents',
        'post billing documents',
      ],
      ...others(scene, 'sales_order').map((order) => `${writingTo}${numberOf(order)}`),
      ...displayed
        .filter(
          ([, , tables, words]) =>
            !tables.some((table) => isInvolved(scene, table)) && !scene.isSpokenOf(words),
        )
        .map(([permission]) => permission),
    ].map((permission) => ({ permission })),
  needs: (operation, input) => {
    const [method = '', path = ''] = operation.split(' ')
    const set = path.split('/').at(-1) ?? ''
    const display = displayed.filter(([, sets]) => sets.test(set)).map(([permission]) => permission)
    if (method === 'GET') return display
    const order = orderIn(input)
    return [
      ...display,
      ...(/^A_SalesOrder/.test(set) ? ['change sales orders'] : []),
      ...(/^A_(BusinessPartner|Customer(?!Return)|Supplier(?!Invoice))/.test(set)
        ? ['change business partners']
        : []),
      ...(/^A_Purchase/.test(set) ? ['change purchasing documents'] : []),
      ...(/Billing/.test(operation) ? ['post billing documents'] : []),
      ...(method === 'DELETE' ? ['delete documents'] : []),
      ...(/^A_SalesOrder/.test(set) && order !== undefined ? [`${writingTo}${order}`] : []),
    ]
  },
  refusal: (permission) =>
    new VendorError(
      '/IWBEP/CX_MGW_BUSI_EXCEPTION',
      `You are not authorized to ${
        permission.startsWith(writingTo)
          ? `change sales document ${permission.slice(writingTo.length)}`
          : permission
      }`,
      { status: 403 },
    ),
}

/** Permission to change one order, by its number. */
const writingTo = 'writing to '

const isInvolved = (scene: ErpScene, table: string): boolean =>
  rows(scene, table).some((row) => scene.isNamed(table, row))

/** The order that a call changes, or that it changes a part of. */
const orderIn = (input: unknown): string | undefined => {
  const { id, above } = (input ?? {}) as { id?: unknown; above?: { SalesOrder?: unknown } }
  const number = above?.SalesOrder ?? id
  return typeof number === 'string' ? /^\d+/.exec(number)?.[0] : undefined
}
