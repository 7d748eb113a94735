import { defineManifest } from '../kernel/manifest.ts'
import { check } from './check.ts'
import { ErpSection } from './section.ts'

export const erp = defineManifest({
  kind: 'erp',
  label: 'ERP',
  aliases: ['sap'],
  icon: 'M2.5 5L8 2.5 13.5 5v6L8 13.5 2.5 11z M2.5 5L8 7.5 13.5 5 M8 7.500v6',
  standsFor:
    'SAP S/4HANA OData v2 (API_SALES_ORDER_SRV, API_BUSINESS_PARTNER), public metadata of 2019 to 2020',
  hosts: ['sandbox.api.sap.com', '*.s4hana.ondemand.com', '*.s4hana.cloud.sap'],
  // The port on which an application server of the vendor serves HTTPS.
  ports: [44300],
  section: ErpSection,
  check,
  keyNames: 'sales order key',
  keys: ({ salesOrders }) => salesOrders.map(({ key }) => key),
  // The token of a session has no shape of its own; it is redacted where it is used, after Bearer or Basic.
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
  },
  noise: { '*': ['LastChangeDate', 'LastChangeDateTime', 'LastChangeTime', 'LastChangedByUser'] },
  legacyResources: ['sales_order'],
  url: import.meta.url,
})
