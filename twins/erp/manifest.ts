import { defineManifest } from '@diorama/twin-kit/kernel/manifest'
import { check } from './check.ts'
import { section } from './section.ts'

export const erp = defineManifest({
  kind: 'erp',
  label: 'ERP',
  aliases: ['sap'],
  icon: 'M2.5 5L8 2.5 13.5 5v6L8 13.5 2.5 11z M2.5 5L8 7.5 13.5 5 M8 7.500v6',
  standsFor:
    'SAP S/4HANA OData v2 and v4 (sales, purchasing, inventory, billing, master data), public metadata of 2019 to 2024',
  hosts: ['sandbox.api.sap.com', '*.s4hana.ondemand.com', '*.s4hana.cloud.sap'],
  // The port on which an application server of the vendor serves HTTPS.
  ports: [44300],
  section,
  check,
  keyNames: 'sales order, purchase order, purchase requisition or delivery key',
  keys: ({ salesOrders, purchaseOrders = [], purchaseRequisitions = [], deliveries = [] }) =>
    [...salesOrders, ...purchaseOrders, ...purchaseRequisitions, ...deliveries].map(({ key }) => key),
  // The token of a session has no distinctive shape; it is redacted where it is used, after Bearer or Basic.
  secrets: [],
  sampleRead: {
    method: 'GET',
    path: '/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder?$format=json&$top=5',
    scheme: 'Bearer ',
  },
  primaryFields: {
    sales_order: [
      'SalesOrder',
      'SoldToParty',
      'PurchaseOrderByCustomer',
      'RequestedDeliveryDate',
      'TotalNetAmount',
    ],
    sales_order_item: ['SalesOrderItem', 'Material', 'SalesOrderItemText', 'RequestedQuantity', 'NetAmount'],
    business_partner: ['BusinessPartner', 'BusinessPartnerFullName', 'SearchTerm1'],
    product: ['Product', 'ProductType', 'BaseUnit'],
    outb_delivery_header: ['DeliveryDocument', 'ShipToParty', 'DeliveryDate'],
    purchase_order: ['PurchaseOrder', 'Supplier', 'DocumentCurrency', 'PurchaseOrderDate'],
    purchase_order_item: ['PurchaseOrderItem', 'Material', 'OrderQuantity', 'NetPriceAmount'],
    purchase_requisition_item: ['PurchaseRequisition', 'Material', 'RequestedQuantity', 'DeliveryDate'],
    material_document_item: ['MaterialDocument', 'GoodsMovementType', 'Material', 'QuantityInEntryUnit'],
    matl_stk_in_acct_mod: ['Material', 'Plant', 'StorageLocation', 'MatlWrhsStkQtyInMatlBaseUnit'],
    billing_document: ['BillingDocument', 'SoldToParty', 'BillingDocumentDate', 'TotalNetAmount'],
    supplier_invoice: ['SupplierInvoice', 'InvoicingParty', 'InvoiceGrossAmount', 'PaymentBlockingReason'],
    sales_quotation: ['SalesQuotation', 'SoldToParty', 'TotalNetAmount'],
    customer_return: ['CustomerReturn', 'SoldToParty', 'TotalNetAmount'],
  },
  noise: { '*': ['LastChangeDate', 'LastChangeDateTime', 'LastChangeTime', 'LastChangedByUser'] },
  legacyResources: ['sales_order'],
  url: import.meta.url,
})
