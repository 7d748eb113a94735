import { type Findings, known, notAfter, unique } from '@diorama/twin-kit/kernel/findings'
import type { CheckContext } from '@diorama/twin-kit/kernel/manifest'
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
  const webhooks = section.eventWebhooks ?? []
  unique(
    findings,
    webhooks.map(({ key }, n) => ({ name: key, pointer: `/eventWebhooks/${n}/key` })),
    'key',
  )
  webhooks.forEach(({ url }, n) => {
    if (!URL.canParse(url)) findings.error(`/eventWebhooks/${n}/url`, 'is no address')
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
  checkLogistics(section, findings)
}

const checkLogistics = (section: ErpSection, findings: Findings): void => {
  const { purchaseOrders = [], purchaseRequisitions = [], deliveries = [], products = [] } = section
  const keyed = [
    ...section.salesOrders.map(({ key }, n) => ({ name: key, pointer: `/salesOrders/${n}/key` })),
    ...purchaseOrders.map(({ key }, n) => ({ name: key, pointer: `/purchaseOrders/${n}/key` })),
    ...purchaseRequisitions.map(({ key }, n) => ({
      name: key,
      pointer: `/purchaseRequisitions/${n}/key`,
    })),
    ...deliveries.map(({ key }, n) => ({ name: key, pointer: `/deliveries/${n}/key` })),
  ]
  if (keyed.length > section.salesOrders.length) unique(findings, keyed, 'key')
  unique(
    findings,
    products.map(({ material }, n) => ({ name: material, pointer: `/products/${n}/material` })),
    'material',
  )
  const suppliers = new Set(
    section.businessPartners.filter(({ roles }) => roles?.includes('supplier')).map(({ key }) => key),
  )
  for (const [n, { supplier }] of purchaseOrders.entries())
    known(findings, { name: supplier, pointer: `/purchaseOrders/${n}/supplier` }, suppliers, 'supplier')
  for (const [n, { supplier = null }] of purchaseRequisitions.entries())
    known(findings, { name: supplier, pointer: `/purchaseRequisitions/${n}/supplier` }, suppliers, 'supplier')
  const open = new Set(section.salesOrders.filter(({ status }) => status === 'open').map(({ key }) => key))
  for (const [n, { salesOrder }] of deliveries.entries())
    known(findings, { name: salesOrder, pointer: `/deliveries/${n}/salesOrder` }, open, 'open sales order')
  unique(
    findings,
    deliveries.map(({ salesOrder }, n) => ({
      name: salesOrder,
      pointer: `/deliveries/${n}/salesOrder`,
    })),
    'sales order',
  )
  const materials = new Set([
    ...section.salesOrders.flatMap(({ items }) => items.map(({ material }) => material)),
    ...purchaseOrders.flatMap(({ items }) => items.map(({ material }) => material)),
    ...purchaseRequisitions.flatMap(({ items }) => items.map(({ material }) => material)),
    ...products.map(({ material }) => material),
  ])
  const plants = new Set(
    (section.salesAreas.length > 0 ? section.salesAreas : [standardArea]).map(
      (area) => area.salesOrganization,
    ),
  )
  for (const [n, { material, plant = null }] of (section.stock ?? []).entries()) {
    known(findings, { name: material, pointer: `/stock/${n}/material` }, materials, 'product')
    known(findings, { name: plant, pointer: `/stock/${n}/plant` }, plants, 'plant')
  }
  for (const [n, { plant = null }] of purchaseOrders.entries())
    known(findings, { name: plant, pointer: `/purchaseOrders/${n}/plant` }, plants, 'plant')
}
