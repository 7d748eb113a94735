import type { EdmRow } from '@diorama/twin-kit/wires/odata/model'
import { customerRoles, defaults, supplierRoles } from '../codes.ts'
import { cut } from '../cut.ts'
import {
  addressUsage,
  addressValidity,
  categories,
  createdStamp,
  customerValues,
  guidOf,
  partnerFunctions,
  partnerNames,
  roleValues,
  salesAreaValues,
  searchTermOf,
  supplierValues,
} from '../rules/partner-values.ts'
import type { SeedContext } from './context.ts'

const firstPartner = 17_100_001
const firstAddress = 22_001
const day = 86_400_000

type PartnerBlueprint = SeedContext['section']['businessPartners'][number]

/** Partners by their blueprint keys. */
export type SeededPartners = ReadonlyMap<string, EdmRow>

/** Each partner is a customer of every sales area, with an address. */
export const seedPartners = (context: SeedContext): SeededPartners => {
  const { section, seeding } = context
  const partners = new Map<string, EdmRow>()
  for (const [n, blueprint] of section.businessPartners.entries()) {
    const number = String(firstPartner + n)
    const row = seedPartner(context, number, n)
    partners.set(blueprint.key, row)
    seeding.key('business_partner', blueprint.key, row.id)
    seedAddress(context, row, String(firstAddress + n), blueprint)
    const roles = blueprint.roles ?? ['customer']
    if (roles.includes('customer')) seedCustomer(context, row, blueprint)
    if (roles.includes('supplier')) seedSupplier(context, row, blueprint)
  }
  const count = section.businessPartners.length
  seeding.insert('number_range', { id: 'business_partner', last: firstPartner - 1 + count })
  seeding.insert('number_range', { id: 'address', last: firstAddress - 1 + count })
  return partners
}

const seedPartner = (context: SeedContext, number: string, n: number): EdmRow => {
  const { section, company, seeding, keep } = context
  const blueprint = section.businessPartners[n]
  if (!blueprint) throw new Error('a partner is missing')
  const { category, name, firstName, lastName } = blueprint
  // A partner without a date has been known for months, each a little less long than the one before it.
  const created = blueprint.createdAt
    ? Date.parse(blueprint.createdAt)
    : company.clock - (240 - (n % 60)) * day
  const [first = '', ...rest] = name.split(' ')
  if (category === 'organization' && [...name].length > 80)
    seeding.warn(`/businessPartners/${n}/name`, 'only the first 80 characters fit')
  const named =
    category === 'person'
      ? {
          FirstName: cut(firstName ?? first, 40),
          LastName: cut(lastName ?? (rest.join(' ') || first), 40),
          IsNaturalPerson: 'X',
        }
      : { OrganizationBPName1: cut(name, 40), OrganizationBPName2: cut([...name].slice(40).join(''), 40) }
  const values = {
    BusinessPartner: number,
    ...((blueprint.roles ?? ['customer']).includes('customer') ? { Customer: number } : {}),
    ...(blueprint.roles?.includes('supplier') ? { Supplier: number } : {}),
    BusinessPartnerCategory: categories[category],
    BusinessPartnerGrouping: 'BP02',
    BusinessPartnerUUID: guidOf(seeding.digest('partner', number)),
    CorrespondenceLanguage: category === 'person' ? defaults.language : '',
    Language: category === 'person' ? defaults.language : '',
    SearchTerm1: cut((blueprint.searchTerm ?? searchTermOf(name)).toUpperCase(), 20),
    ...named,
    ...createdStamp(created, context.author),
  }
  return keep('A_BusinessPartner', { ...values, ...partnerNames(values) })
}

const seedAddress = (
  { seeding, keep }: SeedContext,
  partner: EdmRow,
  address: string,
  { country, city }: PartnerBlueprint,
): void => {
  const number = String(partner.BusinessPartner)
  keep('A_BusinessPartnerAddress', {
    BusinessPartner: number,
    AddressID: address,
    AddressUUID: guidOf(seeding.digest('address', address)),
    ...addressValidity,
    Country: country ?? defaults.country,
    CityName: cut(city ?? '', 40),
    Language: defaults.language,
    FullName: cut(String(partner.BusinessPartnerFullName ?? ''), 80),
  })
  keep('A_BuPaAddressUsage', addressUsage(number, address))
}

const seedCustomer = (
  { section, areas, keep }: SeedContext,
  partner: EdmRow,
  { key, orderBlock }: PartnerBlueprint,
): void => {
  const number = String(partner.BusinessPartner)
  for (const role of customerRoles) keep('A_BusinessPartnerRole', roleValues(number, role))
  keep('A_Customer', { ...customerValues(partner), OrderIsBlockedForCustomer: orderBlock ?? '' })
  const currency = section.salesOrders.find(({ soldTo }) => soldTo === key)?.currency ?? defaults.currency
  const companies = new Set<string>()
  const seen = new Set<string>()
  for (const area of areas) {
    const place = [area.salesOrganization, area.distributionChannel, area.division].join('/')
    if (seen.has(place)) continue
    seen.add(place)
    keep('A_CustomerSalesArea', salesAreaValues(number, area, currency))
    for (const values of partnerFunctions(number, area)) keep('A_CustSalesPartnerFunc', values)
    companies.add(area.salesOrganization)
  }
  for (const code of companies)
    keep('A_CustomerCompany', {
      Customer: number,
      CompanyCode: code,
      PaymentTerms: defaults.paymentTerms,
      ReconciliationAccount: '12100000',
    })
}

/** A supplier of every company and purchasing organization, paid in the currency of its orders. */
const seedSupplier = (
  { section, areas, keep }: SeedContext,
  partner: EdmRow,
  { key, purchasingBlock }: PartnerBlueprint,
): void => {
  const number = String(partner.BusinessPartner)
  for (const role of supplierRoles) keep('A_BusinessPartnerRole', roleValues(number, role))
  keep('A_Supplier', { ...supplierValues(partner), PurchasingIsBlocked: purchasingBlock === true })
  const orders = [...(section.purchaseOrders ?? []), ...(section.purchaseRequisitions ?? [])]
  const currency = orders.find(({ supplier }) => supplier === key)?.currency ?? defaults.currency
  for (const code of new Set(areas.map(({ salesOrganization }) => salesOrganization))) {
    keep('A_SupplierCompany', {
      Supplier: number,
      CompanyCode: code,
      PaymentTerms: defaults.paymentTerms,
      ReconciliationAccount: '21100000',
    })
    keep('A_SupplierPurchasingOrg', {
      Supplier: number,
      PurchasingOrganization: code,
      PurchaseOrderCurrency: currency,
      PaymentTerms: defaults.paymentTerms,
      PurchasingGroup: '001',
      InvoiceIsGoodsReceiptBased: true,
    })
  }
}
