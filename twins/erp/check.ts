import { known, notAfter, unique } from '../kernel/findings.ts'
import type { CheckContext } from '../kernel/manifest.ts'
import type { ErpSection } from './section.ts'

const standardArea = { salesOrganization: '1710', distributionChannel: '10', division: '00' }

export const check = (section: ErpSection, { findings, clock }: CheckContext): void => {
  const { businessPartners, salesAreas, salesOrders } = section
  unique(
    findings,
    businessPartners.map(({ key }, n) => ({ name: key, pointer: `/businessPartners/${n}/key` })),
    'key',
  )
  businessPartners.forEach(({ category, firstName, lastName, createdAt }, n) => {
    const pointer = `/businessPartners/${n}`
    notAfter(findings, createdAt, clock, `${pointer}/createdAt`)
    if (category === 'organization' && firstName !== null)
      findings.warn(`${pointer}/firstName`, 'is for persons only and is left out')
    if (category === 'organization' && lastName !== null)
      findings.warn(`${pointer}/lastName`, 'is for persons only and is left out')
  })
  const area = (one: typeof standardArea) =>
    `${one.salesOrganization}/${one.distributionChannel}/${one.division}`
  unique(
    findings,
    salesAreas.map((one, n) => ({ name: area(one), pointer: `/salesAreas/${n}` })),
    'sales area',
  )
  unique(
    findings,
    salesOrders.map(({ key }, n) => ({ name: key, pointer: `/salesOrders/${n}/key` })),
    'key',
  )
  const partners = new Set(businessPartners.map(({ key }) => key))
  const areas = salesAreas.length > 0 ? salesAreas : [standardArea]
  const organizations = new Set(areas.map(({ salesOrganization }) => salesOrganization))
  salesOrders.forEach((order, n) => {
    const pointer = `/salesOrders/${n}`
    known(findings, { name: order.soldTo, pointer: `${pointer}/soldTo` }, partners, 'business partner')
    known(
      findings,
      { name: order.salesOrganization, pointer: `${pointer}/salesOrganization` },
      organizations,
      'sales area',
    )
    notAfter(findings, order.createdAt, clock, `${pointer}/createdAt`)
    if (order.items.length === 0)
      findings.warn(`${pointer}/items`, 'is empty; the order has nothing to deliver')
  })
}
