import type { Company, Person, Seeding } from '../kernel/twin.ts'
import { type EdmRow, type EdmValues, rowId } from '../kernel/wires/odata/model.ts'
import { storable } from '../kernel/wires/odata/values/values.ts'
import type { SalesArea } from './rules/partner-values.ts'
import type { ErpSection } from './section.ts'
import { seedOrders } from './seeding/orders.ts'
import { seedPartners } from './seeding/partners.ts'
import { seedProducts } from './seeding/products.ts'
import { businessServices, entitySet } from './services.ts'

/** What the parts of a seed share. */
export interface Planting {
  readonly section: ErpSection
  readonly company: Company
  readonly seeding: Seeding
  readonly areas: readonly [SalesArea, ...SalesArea[]]
  /** Keeps an entity, in the same form as a change would. */
  readonly keep: (set: string, values: EdmValues) => EdmRow
  /** The user who is said to have made everything that was there before. */
  readonly author: string
}

/** The user that the twin's own token acts as. */
export const integrationUser = 'CC0000000001'

export const seed = (section: ErpSection, company: Company, seeding: Seeding): void => {
  const [first = { salesOrganization: '1710', distributionChannel: '10', division: '00' }, ...more] =
    section.salesAreas
  const users = userNames(company.people)
  const planting: Planting = {
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
    author: users.get(company.apiOwner.handle) ?? integrationUser,
  }
  seedUsers(planting, users)
  seedCatalogue(planting)
  for (const { salesOrganization, distributionChannel, division } of planting.areas) {
    const id = [salesOrganization, distributionChannel, division].join('/')
    if (!seeding.get('sales_area', id))
      seeding.insert('sales_area', { id, salesOrganization, distributionChannel, division })
  }
  const partners = seedPartners(planting)
  seedProducts(planting)
  seedOrders(planting, partners)
}

const seedUsers = ({ company, seeding }: Planting, users: ReadonlyMap<string, string>): void => {
  for (const { handle, name, email } of company.people)
    seeding.insert('user', { id: users.get(handle) ?? '', handle, name, email })
  seeding.insert('user', {
    id: integrationUser,
    handle: '',
    name: `${company.organization.name} integration`.slice(0, 80),
    email: company.apiOwner.email,
  })
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

const seedCatalogue = ({ keep }: Planting): void => {
  for (const { name, version, title } of businessServices)
    keep('ServiceCollection', {
      ID: `${name}_${version}`,
      Description: title,
      Title: name,
      Author: 'SAP',
      TechnicalServiceVersion: Number(version),
      TechnicalServiceName: name,
      ServiceUrl: `/sap/opu/odata/sap/${name}${version === '0001' ? '' : `;v=${version}`}`,
      ReleaseStatus: 'C1',
      IsSapService: true,
    })
  keep('CatalogCollection', {
    ID: 'CATALOG',
    Title: 'Service Catalog',
    Description: 'Services of this system',
  })
}
