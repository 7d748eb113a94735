import type { DeclaredField } from './declared.ts'

const choice: DeclaredField = { type: 'boolean' }
/** Standard fields that the recorded organization did not show. */
export const addedFields: Readonly<Record<string, Readonly<Record<string, DeclaredField>>>> = {
  Contact: {
    HasOptedOutOfEmail: { ...choice, label: 'Email Opt Out' },
    HasOptedOutOfFax: { ...choice, label: 'Fax Opt Out' },
    DoNotCall: choice,
  },
  Lead: {
    HasOptedOutOfEmail: { ...choice, label: 'Email Opt Out' },
    HasOptedOutOfFax: { ...choice, label: 'Fax Opt Out' },
    DoNotCall: choice,
  },
  Case: {
    EntitlementId: { to: ['Entitlement'], required: false },
    ProductId: { to: ['Product2'], required: false },
    IsClosedOnCreate: { type: 'boolean', write: '' },
  },
  Opportunity: {
    ContractId: { to: ['Contract'], required: false },
  },
  Contract: {
    BillingLatitude: { type: 'double' },
    BillingLongitude: { type: 'double' },
    ShippingLatitude: { type: 'double' },
    ShippingLongitude: { type: 'double' },
    Name: { length: 80, label: 'Contract Name', required: false },
    Pricebook2Id: { to: ['Pricebook2'], required: false },
  },
  Attachment: { Body: { type: 'base64', required: true } },
  EmailMessage: {
    RelatedToId: {
      to: ['Account', 'Campaign', 'Case', 'Contract', 'Opportunity', 'Order', 'Quote', 'Asset', 'Product2'],
      as: 'RelatedTo',
    },
    IsBounced: { type: 'boolean', write: '' },
    IsOpened: { type: 'boolean', write: '' },
    EmailTemplateId: { type: 'string', length: 18, required: false },
  },
}
