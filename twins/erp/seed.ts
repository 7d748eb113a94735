import type { Company, Person, Seeding } from '@diorama/twin-kit/kernel/twin'
import { type EdmRow, type EdmValues, rowId } from '@diorama/twin-kit/wires/odata/model'
import { storable } from '@diorama/twin-kit/wires/odata/values/values'
import { businessServices, entitySet } from './catalogue/services.ts'
import { webhookTable } from './events/webhooks.ts'
import type { ErpSection } from './section.ts'
import type { SeedContext } from './seeding/context.ts'
import { seedFinance } from './seeding/finance.ts'
import { seedOrders } from './seeding/orders.ts'
import { seedPartners } from './seeding/partners.ts'
import { seedProducts } from './seeding/products.ts'
import { seedPurchasing } from './seeding/purchasing.ts'
import { promises, seedStock } from './seeding/stock.ts'

/** The user that the twin's own token acts as. */
export const integrationUser = 'CC0000000001'

export const seed = (section: ErpSection, company: Company, seeding: Seeding): void => {
  const [first = { salesOrganization: '1710', distributionChannel: '10', division: '00' }, ...more] =
    section.salesAreas
  const users = userNames(company.people)
  const context: SeedContext = {
    section,
    company,
    seeding,
    areas: [first, ...more],
    keep: (name, values) => {
      const set = entitySet(name)
      const { type } = set
      return seeding.insert<EdmRow>(set.collection, {
        id: rowId(type, values),
        ...storable(type, values),
      })
    },
    promise: promises(section),
    author: users.get(company.apiOwner.handle) ?? integrationUser,
  }
  for (const row of userRows(company, company.apiOwner.email)) seeding.insert('user', row)
  for (const [set, entries] of Object.entries(catalogueEntries()))
    for (const values of entries) context.keep(set, values)
  for (const { salesOrganization, distributionChannel, division } of context.areas) {
    const id = [salesOrganization, distributionChannel, division].join('/')
    if (!seeding.get('sales_area', id))
      seeding.insert('sales_area', { id, salesOrganization, distributionChannel, division })
  }
  const partners = seedPartners(context)
  seedProducts(context)
  seedOrders(context, partners)
  seedStock(context)
  seedPurchasing(context, partners)
  seedFinance(context)
  for (const { key, url, events = ['sap.s4.beh.*'] } of section.eventWebhooks ?? [])
    seeding.insert(webhookTable, { id: key, url, events: [...events], authorization: null })
}

/** The accounts of people, and that of the integration. */
export const userRows = (
  { people, organization }: Pick<Company, 'people' | 'organization'>,
  integrationEmail = '',
): { id: string; handle: string; name: string; email: string }[] => {
  const users = userNames(people)
  const integration = {
    id: integrationUser,
    handle: '',
    name: `${organization.name} integration`.slice(0, 80),
  }
  return [
    ...people.map(({ handle, name, email }) => ({ id: users.get(handle) ?? '', handle, name, email })),
    { ...integration, email: integrationEmail },
  ]
}

/** User names by handle. */
const userNames = (people: readonly Person[]): ReadonlyMap<string, string> => {
  const taken = new Set<string>([integrationUser])
  return new Map(
    people.map((person) => {
      const id = userName(person, taken)
      taken.add(id)
      return [person.handle, id]
    }),
  )
}

/** A user name has at most twelve capitals and digits. */
const userName = ({ handle }: Person, taken: ReadonlySet<string>): string => {
  const base =
    handle
      .toUpperCase()
      .replace(/[^A-Z0-9_]/g, '')
      .slice(0, 12) || 'USER'
  if (!taken.has(base)) return base
  for (let n = 2; ; n++) {
    const next = `${base.slice(0, 12 - String(n).length)}${n}`
    if (!taken.has(next)) return next
  }
}

/** What the catalogue of services holds, by its entity sets. */
export const catalogueEntries = (): Readonly<Record<string, readonly EdmValues[]>> => ({
  ServiceCollection: businessServices.map(({ name, version, title }) => ({
    ID: `${name}_${version}`,
    Description: title,
    Title: name,
    Author: 'SAP',
    TechnicalServiceVersion: Number(version),
    TechnicalServiceName: name,
    ServiceUrl: `/sap/opu/odata/sap/${name}${version === '0001' ? '' : `;v=${version}`}`,
    ReleaseStatus: 'C1',
    IsSapService: true,
  })),
  CatalogCollection: [{ ID: 'CATALOG', Title: 'Service Catalog', Description: 'Services of this system' }],
})
