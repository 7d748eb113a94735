import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conforms } from '@diorama/twin-kit/conformance'
import { compileSeed } from '@diorama/twin-kit/kernel/seed'
import { seedFor, serveTwin, testCompany } from '@diorama/twin-kit/testing/host'
import { collectionName } from './catalogue/catalogue.ts'
import { businessServices } from './catalogue/services.ts'
import { coverage } from './coverage.ts'
import {
  caller,
  orderService,
  partnerService,
  rootOfSet,
  serviceRoot,
  twinRequest,
} from './testing/requests.ts'
import { testSection } from './testing/section.ts'
import { erp } from './twin.ts'

const newOrder = {
  SalesOrderType: 'OR',
  SalesOrganization: '1710',
  DistributionChannel: '10',
  OrganizationDivision: '00',
  SoldToParty: '17100001',
  PurchaseOrderByCustomer: 'NEW-1',
  RequestedDeliveryDate: '/Date(1775001600000)/',
  to_Item: [{ Material: 'PUMP-100', RequestedQuantity: '2' }],
}

const seedOnce = seedFor(erp, testSection)

const billingRoot = '/sap/opu/odata4/sap/api_billingdocument/srvd_a2x/sap/billingdocument/0001'
const billingUrl = (name: string): string => {
  const [set, action] = name.split('/')
  const key = action === 'CreateFromSDDocument' ? '' : "('1')"
  return `${billingRoot}/${set}${key}/SAP__self.${action}`
}

/** The address of a function, with made-up arguments. */
const functionUrl = (operation: string): string | undefined => {
  for (const service of businessServices)
    for (const called of service.functions.values()) {
      if (called.operation !== operation) continue
      const query = called.parameters.map(({ name, type }) => {
        if (type === 'DateTime') return `${name}=datetime'2026-03-01T00:00:00'`
        if (type === 'DateTimeOffset') return `${name}=datetimeoffset'2026-03-01T00:00:00Z'`
        if (type === 'Decimal') return `${name}=1M`
        return type === 'Boolean' ? `${name}=true` : `${name}='1'`
      })
      return `${serviceRoot(service.name)}/${called.name}?${query.join('&')}`
    }
  return undefined
}

/** An address that reaches an operation; its key may lead nowhere. */
const urlOf = (operation: string): { method: string; url: string } => {
  const [method = '', name = ''] = operation.split(' ')
  if (name.startsWith('BillingDocument/')) return { method, url: billingUrl(name) }
  const called = functionUrl(operation)
  if (called) return { method, url: called }
  const root = rootOfSet(name)
  if (method === 'GET' || method === 'POST') return { method, url: `${root}/${name}` }
  const seeded = seedOnce.seed.tables[collectionName(name)]?.[0]
  const set = businessServices
    .flatMap((service) => [...service.sets.values()])
    .find((each) => each.name === name)
  const keys = (set?.type.keys ?? []).map((key) => {
    const type = set?.type.byName.get(key)?.type
    const value = String(seeded?.[key] ?? 'X').replace('Z', '')
    const literal =
      type === 'DateTime'
        ? `datetime'${value.length === 10 ? `${value}T00:00:00` : '2020-01-01T00:00:00'}'`
        : type === 'DateTimeOffset'
          ? `datetimeoffset'${value === 'X' ? '2020-01-01T00:00:00' : value}Z'`
          : type === 'Boolean'
            ? 'true'
            : type === 'Int16'
              ? '1'
              : `'${value}'`
    return `${key}=${literal}`
  })
  return { method, url: `${root}/${name}(${keys.join(',')})` }
}

conforms(erp, {
  section: testSection,
  company: testCompany,
  request: (operation, credential) => {
    const { method, url } = urlOf(operation)
    const body = operation === 'POST A_SalesOrder' ? newOrder : {}
    const headers: Record<string, string> =
      method === 'PATCH' || method === 'PUT' || method === 'DELETE' ? { 'if-match': '*' } : {}
    return twinRequest(
      { method, url, headers, ...(method === 'GET' || method === 'DELETE' ? {} : { body }) },
      credential,
      testCompany.clock,
    )
  },
  refuses: (status, body) => status === 401 && body.includes('Logon failed'),
  script: (credential) => {
    const ask = (method: string, url: string, body?: unknown) =>
      twinRequest(
        {
          method,
          url,
          headers: method === 'POST' ? {} : { 'if-match': '*' },
          ...(body === undefined ? {} : { body }),
        },
        credential,
        testCompany.clock,
      )
    return [
      ask('POST', `${orderService}/A_SalesOrder`, newOrder),
      ask('PATCH', `${orderService}/A_SalesOrder('7001')`, { PurchaseOrderByCustomer: 'PO-9' }),
      ask('PATCH', `${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')`, {
        RequestedQuantity: '11',
      }),
      ask('POST', `${orderService}/A_SalesOrder('7001')/to_Item`, {
        Material: 'SEAL-9',
        RequestedQuantity: '4',
      }),
      ask('POST', `${partnerService}/A_BusinessPartner`, {
        BusinessPartnerCategory: '2',
        OrganizationBPName1: 'New Co',
        to_BusinessPartnerAddress: { results: [{ Country: 'DE', CityName: 'Ulm' }] },
      }),
      ask('DELETE', `${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='20')`),
    ]
  },
})

describe('the seed', () => {
  const { seed } = compileSeed(erp, testSection, testCompany)
  const row = (collection: string, id: string) => seed.tables[collection]?.find((each) => each.id === id)

  it('mints partners from 17100001, each a customer of every sales area with an address', () => {
    assert.deepEqual(
      seed.tables.business_partner?.map(({ BusinessPartner, SearchTerm1, BusinessPartnerCategory }) => [
        BusinessPartner,
        SearchTerm1,
        BusinessPartnerCategory,
      ]),
      [
        ['17100001', 'BLUEWATER HOTELS RES', '2'],
        ['17100002', 'HARBOR', '2'],
        ['17100003', 'INES MARTEL', '1'],
        ['17100004', 'KYOTO INSTRUMENTS', '2'],
      ],
    )
    assert.deepEqual(
      seed.tables.business_partner_role?.slice(0, 2).map(({ id }) => id),
      ['17100001/FLCU00', '17100001/FLCU01'],
    )
    assert.equal(row('customer_sales_area', '17100003/1710/10/00')?.Currency, 'USD')
    assert.equal(row('customer_sales_area', '17100004/1710/10/00')?.Currency, 'JPY')
    assert.equal(seed.tables.business_partner_address?.length, 4)
    assert.equal(row('business_partner', '17100001')?.CreationTime, 'PT08H30M00S')
  })

  it('mints orders from 7001 with items by ten, schedule lines, parties and prices', () => {
    const order = row('sales_order', '7001')
    assert.equal(order?.RequestedDeliveryDate, '2026-03-20')
    assert.equal(order?.PurchaseOrderByCustomer, 'PO-4471')
    assert.equal(order?.TotalNetAmount, '1350.50')
    assert.deepEqual(
      seed.tables.sales_order_item?.slice(0, 2).map(({ id }) => id),
      ['7001/10', '7001/20'],
    )
    assert.equal(row('sales_order_schedule_line', '7001/10/1')?.RequestedDeliveryDate, '2026-03-20')
    assert.deepEqual(
      seed.tables.sales_order_header_partner?.slice(0, 4).map(({ PartnerFunction }) => PartnerFunction),
      ['SP', 'BP', 'PY', 'SH'],
    )
    assert.equal(row('sales_order_item_pr_element', '7001/20/11/1')?.ConditionRateValue, '33.333333333')
    assert.equal(row('sales_order_item_pr_element', '7001/20/11/1')?.ConditionAmount, '100.00')
  })

  it('derives the status of headers from their items, and shows what was delivered', () => {
    assert.deepEqual(
      seed.tables.sales_order?.map(({ OverallSDProcessStatus }) => OverallSDProcessStatus),
      ['A', 'B', 'C', 'B'],
    )
    assert.deepEqual(
      seed.tables.sales_order_item?.map(({ id, DeliveryStatus }) => [id, DeliveryStatus]),
      [
        ['7001/10', 'A'],
        ['7001/20', 'A'],
        ['7002/10', 'C'],
        ['7002/20', 'A'],
        ['7003/10', 'C'],
        ['7004/10', 'B'],
      ],
    )
    assert.equal(row('sales_order_schedule_line', '7004/10/1')?.DeliveredQtyInOrderQtyUnit, '2')
    assert.equal(seed.tables.outb_delivery_header?.length, 3)
  })

  it('makes a product of every material', () => {
    assert.deepEqual(
      seed.tables.product?.map(({ Product }) => Product),
      ['PUMP-100', 'HOSE-2', 'SEAL-9', 'OIL-5'],
    )
  })

  it('remembers which order and partner each key became', () => {
    assert.deepEqual(
      seed.keys.filter(({ key }) => key === 'spring-order' || key === 'harbor'),
      [
        { key: 'harbor', collection: 'business_partner', id: '17100002' },
        { key: 'spring-order', collection: 'sales_order', id: '7001' },
      ],
    )
  })

  it('warns of what does not fit, and keeps what does', () => {
    const [order] = testSection.salesOrders
    const section = {
      ...testSection,
      salesOrders: [
        {
          ...order,
          purchaseOrderByCustomer: 'P'.repeat(40),
          items: [{ ...order?.items[0], material: 'pump-7' }],
        },
      ],
    }
    const compiled = compileSeed(erp, section, testCompany)
    assert.deepEqual(
      compiled.warnings.map(({ pointer }) => pointer),
      ['/salesOrders/0/items/0/material', '/salesOrders/0/purchaseOrderByCustomer'],
    )
    assert.equal(compiled.seed.tables.sales_order_item?.[0]?.Material, 'PUMP-7')
  })
})

describe('coverage', () => {
  it('lists every entity set of every service', () => {
    const named = new Set(coverage.map(({ operation }) => operation))
    for (const service of businessServices)
      for (const set of service.sets.keys()) assert.ok(named.has(`GET ${set}`), set)
  })
})

describe('the catalogue and the services that are only read', () => {
  it('lists the services with links on the caller’s own host', async () => {
    await using host = await serveTwin(erp, testSection)
    const { get } = caller(host)
    for (const root of ['/sap/opu/odata/IWFND/CATALOGSERVICE;v=2', '/sap/opu/odata/iwfnd/catalogservice']) {
      const { json } = await get(`${root}/ServiceCollection?$format=json`)
      assert.equal(json.d.results.length, businessServices.length)
      for (const { MetadataUrl } of json.d.results) {
        assert.ok(MetadataUrl.startsWith(host.baseUrl))
        const { status, headers } = await get(MetadataUrl, { accept: 'application/xml' })
        assert.equal(status, 200)
        assert.equal(headers.get('content-type'), 'application/xml')
      }
    }
    assert.deepEqual(host.failures, [])
  })

  it('knows the materials as products and the delivered items as deliveries', async () => {
    await using host = await serveTwin(erp, testSection)
    const { get } = caller(host)
    const product = await get(
      `${serviceRoot('API_PRODUCT_SRV')}/A_Product('PUMP-100')?$expand=to_Description,to_SalesDelivery`,
    )
    assert.equal(product.json.d.to_Description.results[0].ProductDescription, 'Small pump')
    const delivered = await get(
      `${serviceRoot('API_OUTBOUND_DELIVERY_SRV')}/A_OutbDeliveryItem?$filter=ReferenceSDDocument eq '7002'`,
    )
    assert.deepEqual(
      delivered.json.d.results.map((item: { Material: string; ReferenceSDDocumentItem: string }) => [
        item.Material,
        item.ReferenceSDDocumentItem,
      ]),
      [['PUMP-100', '10']],
    )
    assert.deepEqual(host.failures, [])
  })
})
