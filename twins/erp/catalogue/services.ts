import type { EdmRow, EntitySet } from '@diorama/twin-kit/wires/odata/model'
import billingDocumentFile from './billing-document.json' with { type: 'json' }
import businessPartnerFile from './business-partner.json' with { type: 'json' }
import { type CatalogueFile, type Service, serviceFrom } from './catalogue.ts'
import customerReturnFile from './customer-return.json' with { type: 'json' }
import journalEntryFile from './journal-entry.json' with { type: 'json' }
import materialDocumentFile from './material-document.json' with { type: 'json' }
import materialStockFile from './material-stock.json' with { type: 'json' }
import outboundDeliveryFile from './outbound-delivery.json' with { type: 'json' }
import productFile from './product.json' with { type: 'json' }
import productAvailabilityFile from './product-availability.json' with { type: 'json' }
import purchaseOrderFile from './purchase-order.json' with { type: 'json' }
import purchaseRequisitionFile from './purchase-requisition.json' with { type: 'json' }
import salesOrderFile from './sales-order.json' with { type: 'json' }
import salesQuotationFile from './sales-quotation.json' with { type: 'json' }
import supplierInvoiceFile from './supplier-invoice.json' with { type: 'json' }

export const salesOrders = serviceFrom(salesOrderFile, {
  lookups: { A_SalesOrder: ['SoldToParty', 'PurchaseOrderByCustomer'], A_SalesOrderItem: ['Material'] },
})

const mobile = { on: [['AddressID', 'AddressID']], where: { PhoneNumberType: '3' } } as const
const landline = { on: [['AddressID', 'AddressID']], where: { PhoneNumberType: '1' } } as const
const byAddress = { on: [['AddressID', 'AddressID']] } as const

export const businessPartners = serviceFrom(businessPartnerFile, {
  joins: {
    'A_BusinessPartner.to_BusinessPartnerContact': { on: [['BusinessPartner', 'BusinessPartnerCompany']] },
    'A_BusinessPartnerAddress.to_PhoneNumber': landline,
    'A_BusinessPartnerAddress.to_MobilePhoneNumber': mobile,
    'A_BusinessPartnerAddress.to_EmailAddress': byAddress,
    'A_BusinessPartnerAddress.to_FaxNumber': byAddress,
    'A_BusinessPartnerAddress.to_URLAddress': byAddress,
    'A_BPContactToAddress.to_PhoneNumber': landline,
    'A_BPContactToAddress.to_MobilePhoneNumber': mobile,
    'A_BPContactToAddress.to_EmailAddress': byAddress,
    'A_BPContactToAddress.to_FaxNumber': byAddress,
    'A_BPContactToAddress.to_URLAddress': byAddress,
  },
  lookups: { A_BusinessPartner: ['SearchTerm1', 'Customer'], A_CustSalesPartnerFunc: ['Customer'] },
})

export const products = serviceFrom(productFile)

export const deliveries = serviceFrom(outboundDeliveryFile, {
  joins: {
    'A_OutbDeliveryHeader.to_DeliveryDocumentPartner': { on: [['DeliveryDocument', 'SDDocument']] },
    'A_OutbDeliveryItem.to_DocumentFlow': {
      on: [
        ['DeliveryDocument', 'PrecedingDocument'],
        ['DeliveryDocumentItem', 'PrecedingDocumentItem'],
      ],
    },
    'A_OutbDeliveryPartner.to_Address2': {
      on: [
        ['SDDocument', 'DeliveryDocument'],
        ['PartnerFunction', 'PartnerFunction'],
      ],
    },
    'A_OutbDeliveryPartner.to_Address': { on: [['AddressID', 'AddressID']] },
  },
  lookups: {
    A_OutbDeliveryItem: ['ReferenceSDDocument', 'Material'],
    A_OutbDeliveryHeader: ['SoldToParty'],
    A_OutbDeliveryDocFlow: ['PrecedingDocument', 'Subsequentdocument'],
  },
})

export const purchaseOrders = serviceFrom(purchaseOrderFile, {
  qualified: true,
  joins: {
    'A_PurchaseOrderItem.to_ScheduleLine': {
      on: [
        ['PurchaseOrder', 'PurchasingDocument'],
        ['PurchaseOrderItem', 'PurchasingDocumentItem'],
      ],
    },
    'A_PurchaseOrderScheduleLine.to_SubcontractingComponent': {
      on: [
        ['PurchasingDocument', 'PurchaseOrder'],
        ['PurchasingDocumentItem', 'PurchaseOrderItem'],
        ['ScheduleLine', 'ScheduleLine'],
      ],
    },
  },
  lookups: {
    A_PurchaseOrder: ['Supplier'],
    A_PurchaseOrderItem: ['Material', 'PurchaseRequisition+PurchaseRequisitionItem'],
  },
})

export const purchaseRequisitions = serviceFrom(purchaseRequisitionFile, {
  qualified: true,
  lookups: { A_PurchaseRequisitionItem: ['Material'] },
})

export const materialStock = serviceFrom(materialStockFile, { lookups: { A_MatlStkInAcctMod: ['Material'] } })

export const productAvailability = serviceFrom(productAvailabilityFile, { qualified: true })

export const billingDocuments = serviceFrom(billingDocumentFile, {
  qualified: true,
  lookups: {
    A_BillingDocument: ['SoldToParty'],
    A_BillingDocumentItem: ['ReferenceSDDocument', 'SalesDocument'],
  },
})

const byInvoice = {
  on: [
    ['SupplierInvoice', 'SupplierInvoice'],
    ['FiscalYear', 'FiscalYear'],
  ],
} as const

export const supplierInvoices = serviceFrom(supplierInvoiceFile, {
  qualified: true,
  joins: { 'A_SupplierInvoice.to_SuplrInvoiceAdditionalData': byInvoice },
  lookups: {
    A_SupplierInvoice: ['InvoicingParty'],
    A_SuplrInvcItemPurOrdRef: ['PurchaseOrder+PurchaseOrderItem'],
  },
})

export const materialDocuments = serviceFrom(materialDocumentFile, {
  qualified: true,
  lookups: { A_MaterialDocumentItem: ['PurchaseOrder+PurchaseOrderItem', 'Material', 'Delivery'] },
})

export const salesQuotations = serviceFrom(salesQuotationFile, {
  qualified: true,
  lookups: { A_SalesQuotation: ['SoldToParty'] },
})

export const customerReturns = serviceFrom(customerReturnFile, {
  qualified: true,
  joins: {
    'A_CustomerReturnItem.to_ProcessStep': {
      on: [
        ['RetsMgmtProcess', 'RetsMgmtProcess'],
        ['RetsMgmtProcessItem', 'RetsMgmtProcessItem'],
      ],
    },
    'A_CustomerReturnProcessStep.to_CustomerReturn': { on: [['ReturnsDocument', 'CustomerReturn']] },
    'A_CustomerReturnProcessStep.to_CustomerReturnItem': {
      on: [
        ['ReturnsDocument', 'CustomerReturn'],
        ['ReturnsDocumentItem', 'CustomerReturnItem'],
      ],
    },
  },
  lookups: { A_CustomerReturn: ['SoldToParty'], A_CustomerReturnItem: ['ReferenceSDDocument'] },
})

export const journalEntries = serviceFrom(journalEntryFile, {
  lookups: { A_JournalEntryItemBasic: ['GLAccount'] },
})

const catalogueFile: CatalogueFile = {
  service: 'CATALOGSERVICE',
  version: '0002',
  title: 'Catalog Service Version 2',
  component: 'OPU-FND-CS',
  sets: {
    ServiceCollection: {
      label: 'Service',
      keys: 'ID',
      properties: [
        'ID String(60) required',
        'Description String(60)',
        'Title String(60)',
        'Author String(12)',
        'TechnicalServiceVersion Int16',
        'TechnicalServiceName String(35)',
        'MetadataUrl String(255)',
        'ServiceUrl String(255)',
        'ImageUrl String(255)',
        'UpdatedDate DateTime(0)',
        'ReleaseStatus String(30)',
        'Category String(40)',
        'IsSapService Boolean',
      ],
    },
    CatalogCollection: {
      label: 'Catalog',
      keys: 'ID',
      properties: [
        'ID String(60) required',
        'Title String(60)',
        'Description String(60)',
        'ImageUrl String(255)',
        'UpdatedDate DateTime(0)',
        'Url String(255)',
      ],
    },
  },
  functions: [],
}

/** Links in the catalogue begin where the caller reaches the twin. */
const rooted = (row: EdmRow, origin: string): EdmRow => ({
  ...row,
  MetadataUrl: `${origin}${row.ServiceUrl}/$metadata`,
  ServiceUrl: `${origin}${row.ServiceUrl}`,
})

export const catalogue = serviceFrom(catalogueFile, { readOnly: true, views: { ServiceCollection: rooted } })

export const businessServices: readonly Service[] = [
  salesOrders,
  businessPartners,
  products,
  deliveries,
  purchaseOrders,
  purchaseRequisitions,
  materialStock,
  productAvailability,
  billingDocuments,
  supplierInvoices,
  materialDocuments,
  salesQuotations,
  customerReturns,
  journalEntries,
]
export const allServices: readonly Service[] = [...businessServices, catalogue]

const sets: ReadonlyMap<string, { set: EntitySet; service: Service }> = new Map(
  allServices.flatMap((service) =>
    [...service.sets.values()].map((set) => [set.name, { set, service }] as const),
  ),
)

/** A set by its name, whichever service it belongs to. */
export const entitySet = (name: string): EntitySet => {
  const found = sets.get(name)
  if (!found) throw new Error(`there is no set ${name}`)
  return found.set
}

export const serviceOf = (setName: string): Service => {
  const found = sets.get(setName)
  if (!found) throw new Error(`there is no set ${setName}`)
  return found.service
}
