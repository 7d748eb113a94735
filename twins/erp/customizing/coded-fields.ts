import type { CheckTable } from './lists.ts'

/** Which fields of which sets hold a code of a check table. */

const terms = {
  CustomerPaymentTerms: 'T052',
  IncotermsClassification: 'TINC',
  CustomerGroup: 'T151',
} as const
const header = {
  ...terms,
  TransactionCurrency: 'TCURC',
  SDDocumentReason: 'TVAU',
  ShippingCondition: 'TVSB',
  ShippingType: 'T173',
  HeaderBillingBlockReason: 'TVFS',
  DeliveryBlockReason: 'TVLS',
} as const
const item = {
  ...terms,
  SalesDocumentRjcnReason: 'TVAG',
  ItemBillingBlockReason: 'TVFS',
  ShippingType: 'T173',
  MaterialGroup: 'T023',
} as const
const purchaseItem = {
  MaterialGroup: 'T023',
  TaxCode: 'T007A',
  AccountAssignmentCategory: 'T163K',
  IncotermsClassification: 'TINC',
} as const

export const codedFields: Readonly<Record<string, Readonly<Record<string, CheckTable>>>> = {
  A_SalesOrder: header,
  A_SalesOrderItem: { ...item, SalesOrderItemCategory: 'TVPT' },
  A_SalesQuotation: header,
  A_SalesQuotationItem: { ...item, SalesQuotationItemCategory: 'TVPT' },
  A_CustomerReturn: header,
  A_CustomerReturnItem: { ...item, CustomerReturnItemCategory: 'TVPT' },
  A_BusinessPartner: {
    BusinessPartnerGrouping: 'TB001',
    Language: 'T002',
    CorrespondenceLanguage: 'T002',
    NameCountry: 'T005',
  },
  A_BusinessPartnerRole: { BusinessPartnerRole: 'TB003' },
  A_BusinessPartnerAddress: { Country: 'T005', POBoxDeviatingCountry: 'T005', Language: 'T002' },
  A_BusinessPartnerTaxNumber: { BPTaxType: 'TFKTAXNUMTYPE' },
  A_BusinessPartnerBank: { BankCountryKey: 'T005' },
  A_AddressPhoneNumber: { DestinationLocationCountry: 'T005' },
  A_AddressFaxNumber: { FaxCountry: 'T005' },
  A_Customer: {
    OrderIsBlockedForCustomer: 'TVAST',
    DeliveryIsBlocked: 'TVLS',
    BillingIsBlockedForCustomer: 'TVFS',
  },
  A_CustomerSalesArea: {
    Currency: 'TCURC',
    CustomerPaymentTerms: 'T052',
    IncotermsClassification: 'TINC',
    CustomerGroup: 'T151',
    ShippingCondition: 'TVSB',
    OrderIsBlockedForCustomer: 'TVAST',
    DeliveryIsBlockedForCustomer: 'TVLS',
    BillingIsBlockedForCustomer: 'TVFS',
  },
  A_CustSalesPartnerFunc: { PartnerFunction: 'TPAR' },
  A_CustomerCompany: { PaymentTerms: 'T052' },
  A_SupplierPartnerFunc: { PartnerFunction: 'TPAR' },
  A_SupplierCompany: { PaymentTerms: 'T052', Currency: 'TCURC', PaymentBlockingReason: 'T008' },
  A_SupplierPurchasingOrg: {
    PaymentTerms: 'T052',
    PurchaseOrderCurrency: 'TCURC',
    IncotermsClassification: 'TINC',
    PurchasingGroup: 'T024',
  },
  A_Product: {
    ProductType: 'T134',
    ProductGroup: 'T023',
    IndustrySector: 'T137',
    ItemCategoryGroup: 'TPTM',
    CountryOfOrigin: 'T005',
  },
  A_ProductDescription: { Language: 'T002' },
  A_ProductPlant: { AvailabilityCheckType: 'TMVF', CountryOfOrigin: 'T005', PurchasingGroup: 'T024' },
  A_ProductValuation: { Currency: 'TCURC' },
  A_OutbDeliveryHeader: { DeliveryBlockReason: 'TVLS', IncotermsClassification: 'TINC' },
  A_PurchaseOrder: {
    PaymentTerms: 'T052',
    DocumentCurrency: 'TCURC',
    IncotermsClassification: 'TINC',
    PurchasingGroup: 'T024',
    Language: 'T002',
  },
  A_PurchaseOrderItem: purchaseItem,
  A_PurchaseRequisitionItem: { ...purchaseItem, PurReqnItemCurrency: 'TCURC', PurchasingGroup: 'T024' },
  A_SupplierInvoice: { DocumentCurrency: 'TCURC', PaymentTerms: 'T052', PaymentBlockingReason: 'T008' },
}
