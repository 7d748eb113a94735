/** A business object whose changes the service raises events for. */
export interface EventedObject {
  /** `sap.s4.beh.<namespace>.v1.<name>.<task>.v1`. */
  readonly namespace: string
  readonly name: string
  readonly header: string
  /** Tables of the same document, whose changes count as changes of it. */
  readonly parts: RegExp
  /** The column that holds the document's number, in all of its tables. */
  readonly key: string
  /** Columns of the header that the event carries, under the names that it has for them. */
  readonly data: Readonly<Record<string, string>>
}

export const eventedObjects: readonly EventedObject[] = [
  {
    namespace: 'salesorder',
    name: 'SalesOrder',
    header: 'sales_order',
    parts: /^sales_order(_|$)/,
    key: 'SalesOrder',
    data: {
      SalesOrder: 'SalesOrder',
      SalesOrderType: 'SalesOrderType',
      SalesOrganization: 'SalesOrganization',
      DistributionChannel: 'DistributionChannel',
      OrganizationDivision: 'OrganizationDivision',
      SoldToParty: 'SoldToParty',
    },
  },
  {
    namespace: 'outbounddelivery',
    name: 'OutboundDelivery',
    header: 'outb_delivery_header',
    parts: /^outb_delivery_(header|item|header_text|item_text)$/,
    key: 'DeliveryDocument',
    data: {
      OutboundDelivery: 'DeliveryDocument',
      ShippingPoint: 'ShippingPoint',
      DeliveryDocumentType: 'DeliveryDocumentType',
      ShipToParty: 'ShipToParty',
    },
  },
  {
    namespace: 'billingdocument',
    name: 'BillingDocument',
    header: 'billing_document',
    parts: /^billing_document(_|$)/,
    key: 'BillingDocument',
    data: {
      BillingDocument: 'BillingDocument',
      BillingDocumentType: 'BillingDocumentType',
      SalesOrganization: 'SalesOrganization',
      SoldToParty: 'SoldToParty',
    },
  },
  {
    namespace: 'businesspartner',
    name: 'BusinessPartner',
    header: 'business_partner',
    parts: /^business_partner(_address|_bank|_role|_tax_number)?$/,
    key: 'BusinessPartner',
    data: { BusinessPartner: 'BusinessPartner' },
  },
  {
    namespace: 'purchaseorder',
    name: 'PurchaseOrder',
    header: 'purchase_order',
    parts: /^purchase_order(_item|_note|_item_note)?$/,
    key: 'PurchaseOrder',
    data: { PurchaseOrder: 'PurchaseOrder', PurchaseOrderType: 'PurchaseOrderType', Supplier: 'Supplier' },
  },
]

export const eventTypeOf = ({ namespace, name }: EventedObject, task: string): string =>
  `sap.s4.beh.${namespace}.v1.${name}.${task}.v1`

/** Every type of event, for the settings' check of what is subscribed to. */
export const eventTypes: readonly string[] = eventedObjects.flatMap((object) =>
  ['Created', 'Changed', 'Deleted'].map((task) => eventTypeOf(object, task)),
)
