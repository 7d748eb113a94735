import type { DatasetCompany, DatasetIntake } from '@diorama/twin-kit/datasets/dataset'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { rowId } from '@diorama/twin-kit/wires/odata/model'
import { storable } from '@diorama/twin-kit/wires/odata/values/values'
import { type NumberRange, rangeOf } from '../access.ts'
import { entitySet } from '../catalogue/services.ts'
import { unitPrice } from '../rules/order-values.ts'
import { catalogueEntries, userRows } from '../seed.ts'

const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The collection and the field whose highest number each range goes on from. */
const numbered: Readonly<Record<string, { readonly field: string; readonly range: NumberRange }>> = {
  sales_order: { field: 'SalesOrder', range: 'sales_order' },
  business_partner: { field: 'BusinessPartner', range: 'business_partner' },
  business_partner_address: { field: 'AddressID', range: 'address' },
  outb_delivery_header: { field: 'DeliveryDocument', range: 'delivery' },
  sales_quotation: { field: 'SalesQuotation', range: 'sales_quotation' },
  customer_return: { field: 'CustomerReturn', range: 'customer_return' },
  purchase_order: { field: 'PurchaseOrder', range: 'purchase_order' },
  purchase_requisition_header: { field: 'PurchaseRequisition', range: 'purchase_requisition' },
  material_document_header: { field: 'MaterialDocument', range: 'goods_receipt' },
  billing_document: { field: 'BillingDocument', range: 'billing_document' },
  supplier_invoice: { field: 'SupplierInvoice', range: 'supplier_invoice' },
  journal_entry_item_basic: { field: 'AccountingDocument', range: 'accounting_document' },
}

/** Where an entity names a sales area. */
const areaFields: Readonly<Record<string, readonly [string, string, string]>> = {
  sales_order: ['SalesOrganization', 'DistributionChannel', 'OrganizationDivision'],
  customer_sales_area: ['SalesOrganization', 'DistributionChannel', 'Division'],
}

/** Follows the entities of a system, and adds what is no entity: users, sales areas, prices, number ranges, services. */
export const erpIntake = (company: DatasetCompany): DatasetIntake => {
  const given = new Set<string>()
  const areas = new Map<string, Row>()
  const prices = new Map<string, Row>()
  const numbers = new Map<NumberRange, number>()
  return {
    row: (collection, row) => {
      given.add(collection)
      const area = areaFields[collection]?.map((field) => word(row[field]))
      if (area?.[0]) {
        const [salesOrganization, distributionChannel, division] = area
        const id = area.join('/')
        areas.set(id, { id, salesOrganization, distributionChannel, division })
      }
      if (collection === 'sales_order_item') notePrice(row, prices)
      const counted = numbered[collection]
      const number = counted ? Number(row[counted.field]) : Number.NaN
      if (!counted || !Number.isSafeInteger(number)) return
      const range = rangeOf(counted.range, number)
      numbers.set(range, Math.max(numbers.get(range) ?? 0, number))
    },
    end: (adding) => {
      const add = (collection: string, rows: Iterable<Row>) => {
        if (!given.has(collection)) for (const row of rows) adding.insert(collection, row)
      }
      add('user', userRows(company, company.people.find(({ handle }) => handle === company.actsAs)?.email))
      add('sales_area', areas.values())
      if (areas.size === 0 && !given.has('sales_area'))
        adding.warn('no order and no customer names a sales area: orders cannot be created')
      add('price', prices.values())
      add(
        'number_range',
        [...numbers].map(([id, last]) => ({ id, last })),
      )
      for (const [name, entries] of Object.entries(catalogueEntries())) {
        const { collection, type } = entitySet(name)
        add(
          collection,
          entries.map((values) => ({ id: rowId(type, values), ...storable(type, values) })),
        )
      }
    },
  }
}

/** What a material costs is what it was first sold for. */
const notePrice = (row: Row, prices: Map<string, Row>): void => {
  const [material, currency] = [word(row.Material), word(row.TransactionCurrency)]
  const [net, quantity] = [word(row.NetAmount), word(row.RequestedQuantity)]
  const id = `${material}/${currency}`
  if (material === '' || currency === '' || net === '' || quantity === '' || prices.has(id)) return
  prices.set(id, { id, rate: unitPrice(net, quantity), per: '1' })
}
