import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { dayOf, isoOf, timeOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { text } from '../access.ts'
import { defaults, orderPartners } from '../codes.ts'
import { cut } from '../cut.ts'

/** What the values of a business partner follow from; the seed and the business rules share it. */

export const categories = { person: '1', organization: '2', group: '3' } as const

const read = (partner: EdmValues, field: string): string => text('A_BusinessPartner', partner, field)

/** A partner's names as they are shown, from the parts they are kept in. */
export const partnerNames = (partner: EdmValues): EdmValues => {
  const category = read(partner, 'BusinessPartnerCategory')
  const parts =
    category === categories.person
      ? [read(partner, 'FirstName'), read(partner, 'LastName')]
      : category === categories.group
        ? [read(partner, 'GroupBusinessPartnerName1'), read(partner, 'GroupBusinessPartnerName2')]
        : [read(partner, 'OrganizationBPName1'), read(partner, 'OrganizationBPName2')]
  const name = parts.filter((part) => part !== '').join(' ')
  return {
    BusinessPartnerName: cut(name, 81),
    BusinessPartnerFullName: cut(name, 81),
    ...(category === categories.person ? { PersonFullName: cut(name, 80) } : {}),
  }
}

/** Capitals and digits of a name, as people look for it. */
export const searchTermOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9 ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 20)
    .trim()

/** Who made or changed a partner, and when. */
export const createdStamp = (now: number, user: string): EdmValues => ({
  CreatedByUser: user,
  CreationDate: dayOf(now),
  CreationTime: timeOf(now),
  ETag: versionStamp(now, user),
})
export const changedStamp = (now: number, user: string): EdmValues => ({
  LastChangedByUser: user,
  LastChangeDate: dayOf(now),
  LastChangeTime: timeOf(now),
  ETag: versionStamp(now, user),
})
const versionStamp = (now: number, user: string): string =>
  `${user}${isoOf(now).replace(/\D/g, '').slice(0, 14)}`.slice(0, 26)

export const guidOf = (hex: string): string =>
  [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')

const validFrom = '2000-01-01T00:00:00.000Z'
const validTo = '9999-12-31T23:59:59.000Z'

export const roleValues = (partner: string, role: string): EdmValues => ({
  BusinessPartner: partner,
  BusinessPartnerRole: role,
  ValidFrom: validFrom,
  ValidTo: validTo,
})

export const addressValidity: EdmValues = { ValidityStartDate: validFrom, ValidityEndDate: validTo }

export const addressUsage = (partner: string, address: string): EdmValues => ({
  BusinessPartner: partner,
  AddressID: address,
  AddressUsage: defaults.addressUsage,
  ValidityStartDate: validFrom,
  ValidityEndDate: validTo,
  StandardUsage: true,
})

export const customerValues = (partner: EdmValues): EdmValues => ({
  Customer: read(partner, 'BusinessPartner'),
  CustomerName: cut(read(partner, 'BusinessPartnerName'), 80),
  CustomerFullName: read(partner, 'BusinessPartnerFullName'),
  CustomerAccountGroup: 'CUST',
  CreatedByUser: read(partner, 'CreatedByUser'),
  CreationDate: partner.CreationDate ?? null,
})

export const supplierValues = (partner: EdmValues): EdmValues => ({
  Supplier: read(partner, 'BusinessPartner'),
  SupplierName: cut(read(partner, 'BusinessPartnerName'), 80),
  SupplierFullName: read(partner, 'BusinessPartnerFullName'),
  SupplierAccountGroup: 'SUPL',
  CreatedByUser: read(partner, 'CreatedByUser'),
  CreationDate: partner.CreationDate ?? null,
})

export interface SalesArea {
  readonly salesOrganization: string
  readonly distributionChannel: string
  readonly division: string
}

export const salesAreaValues = (customer: string, area: SalesArea, currency: string): EdmValues => ({
  Customer: customer,
  SalesOrganization: area.salesOrganization,
  DistributionChannel: area.distributionChannel,
  Division: area.division,
  Currency: currency,
  CustomerPaymentTerms: defaults.paymentTerms,
  CustomerPricingProcedure: '1',
  ShippingCondition: defaults.shippingCondition,
  OrderCombinationIsAllowed: true,
  CustomerAccountGroup: 'CUST',
})

/** The customer has all four partner functions of its orders. */
export const partnerFunctions = (customer: string, area: SalesArea): EdmValues[] =>
  orderPartners.map((PartnerFunction) => ({
    Customer: customer,
    SalesOrganization: area.salesOrganization,
    DistributionChannel: area.distributionChannel,
    Division: area.division,
    PartnerCounter: '0',
    PartnerFunction,
    BPCustomerNumber: customer,
    DefaultPartner: true,
  }))
