import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { destinationOf, type GeneratedClient, generatedClients } from './testing/generated-client.ts'
import { testSection } from './testing/section.ts'
import { erp } from './twin.ts'

const clients = await generatedClients(['API_SALES_ORDER_SRV', 'API_BUSINESS_PARTNER'])
const orders = clients.load('API_SALES_ORDER_SRV')
const partners = clients.load('API_BUSINESS_PARTNER')
const { salesOrderApi, salesOrderItemApi } = orders.apiSalesOrderSrv()

describe('a client generated for sales orders', () => {
  it('compiles', () => assert.deepEqual(clients.errors, []))

  it('reads with filters, selections and expanded items', async () => {
    await using host = await serveTwin(erp, testSection)
    const { schema } = salesOrderApi
    const found = await salesOrderApi
      .requestBuilder()
      .getAll()
      .select(schema.SALES_ORDER, schema.TOTAL_NET_AMOUNT, schema.LAST_CHANGE_DATE_TIME, schema.TO_ITEM)
      .filter(
        schema.SOLD_TO_PARTY.equals('17100002'),
        schema.TOTAL_NET_AMOUNT.greaterThan(bigNumber('100.5')),
      )
      .execute(destinationOf(host))
    assert.deepEqual(
      found.map((order: GeneratedClient) => [
        order.salesOrder,
        order.totalNetAmount?.toFixed(2),
        order.toItem.length,
      ]),
      [['7002', '540.00', 2]],
    )
    assert.deepEqual(host.failures, [])
  })

  it('creates an order with its items, changes it, and deletes an item', async () => {
    await using host = await serveTwin(erp, testSection)
    const destination = destinationOf(host)
    const draft = salesOrderApi
      .entityBuilder()
      .salesOrderType('OR')
      .salesOrganization('1710')
      .distributionChannel('10')
      .organizationDivision('00')
      .soldToParty('17100001')
      .purchaseOrderByCustomer('VDM-1')
      .toItem([
        salesOrderItemApi.entityBuilder().material('PUMP-100').requestedQuantity(bigNumber('3')).build(),
        salesOrderItemApi.entityBuilder().material('HOSE-2').requestedQuantity(bigNumber('1')).build(),
      ])
      .build()
    const created = await salesOrderApi.requestBuilder().create(draft).execute(destination)
    assert.equal(created.salesOrder, '7005')
    assert.deepEqual(
      created.toItem.map((item: GeneratedClient) => [item.salesOrderItem, item.netAmount?.toFixed(2)]),
      [
        ['10', '375.15'],
        ['20', '33.33'],
      ],
    )
    const read = await salesOrderApi.requestBuilder().getByKey('7005').execute(destination)
    read.purchaseOrderByCustomer = 'VDM-2'
    await salesOrderApi.requestBuilder().update(read).execute(destination)
    const again = await salesOrderApi.requestBuilder().getByKey('7005').execute(destination)
    assert.equal(again.purchaseOrderByCustomer, 'VDM-2')
    read.purchaseOrderByCustomer = 'VDM-3'
    await assert.rejects(
      salesOrderApi
        .requestBuilder()
        .update(read)
        .setVersionIdentifier('W/"datetimeoffset\'2020-01-01T00%3A00%3A00.0000000Z\'"')
        .execute(destination),
    )
    await salesOrderItemApi.requestBuilder().delete('7005', '20').execute(destination)
    const left = await salesOrderApi
      .requestBuilder()
      .getByKey('7005')
      .select(salesOrderApi.schema.TO_ITEM, salesOrderApi.schema.TOTAL_NET_AMOUNT)
      .execute(destination)
    assert.equal(left.toItem.length, 1)
    assert.equal(left.totalNetAmount?.toFixed(2), '375.15')
    assert.deepEqual(host.failures, [])
  })

  it('sends a batch of reads and a changeset', async () => {
    await using host = await serveTwin(erp, testSection)
    const destination = destinationOf(host)
    const item = await salesOrderItemApi.requestBuilder().getByKey('7001', '10').execute(destination)
    item.requestedQuantity = bigNumber('20')
    const child = salesOrderItemApi
      .entityBuilder()
      .material('SEAL-9')
      .requestedQuantity(bigNumber('4'))
      .build()
    const parent = await salesOrderApi.requestBuilder().getByKey('7001').execute(destination)
    const [first, second] = await orders
      .batch(
        salesOrderApi.requestBuilder().getByKey('7001'),
        orders.changeset(
          salesOrderItemApi.requestBuilder().update(item),
          salesOrderItemApi.requestBuilder().create(child).asChildOf(parent, salesOrderApi.schema.TO_ITEM),
        ),
      )
      .execute(destination)
    assert.ok(first?.isReadResponse() && first.as(salesOrderApi)[0]?.salesOrder === '7001')
    assert.ok(second?.isWriteResponses())
    assert.deepEqual(
      second.responses.map(({ httpCode }: GeneratedClient) => httpCode),
      [204, 201],
    )
    const total = await salesOrderApi.requestBuilder().getByKey('7001').execute(destination)
    assert.equal(total.totalNetAmount?.toFixed(2), '2601.00')
    assert.deepEqual(host.failures, [])
  })
})

describe('a client generated for business partners', () => {
  const { businessPartnerApi, businessPartnerAddressApi, businessPartnerRoleApi } =
    partners.apiBusinessPartner()

  it('reads partners with their customers, and creates and changes one', async () => {
    await using host = await serveTwin(erp, testSection)
    const destination = destinationOf(host)
    const { schema } = businessPartnerApi
    const [harbor] = await businessPartnerApi
      .requestBuilder()
      .getAll()
      .filter(schema.SEARCH_TERM_1.equals('HARBOR'))
      .select(
        schema.BUSINESS_PARTNER,
        schema.BUSINESS_PARTNER_FULL_NAME,
        schema.CREATION_TIME,
        schema.TO_CUSTOMER,
        schema.TO_BUSINESS_PARTNER_ADDRESS,
      )
      .execute(destination)
    assert.equal(harbor?.businessPartnerFullName, 'Harbor Foods')
    assert.equal(harbor?.toCustomer?.customer, '17100002')
    assert.equal(harbor?.toBusinessPartnerAddress.length, 1)
    const created = await businessPartnerApi
      .requestBuilder()
      .create(
        businessPartnerApi
          .entityBuilder()
          .businessPartnerCategory('1')
          .firstName('Ada')
          .lastName('Byron')
          .toBusinessPartnerRole([
            businessPartnerRoleApi.entityBuilder().businessPartnerRole('FLCU01').build(),
          ])
          .toBusinessPartnerAddress([
            businessPartnerAddressApi.entityBuilder().country('GB').cityName('London').build(),
          ])
          .build(),
      )
      .execute(destination)
    assert.equal(created.businessPartner, '17100005')
    assert.equal(created.businessPartnerFullName, 'Ada Byron')
    assert.equal(created.customer, '17100005')
    const read = await businessPartnerApi.requestBuilder().getByKey('17100005').execute(destination)
    read.lastName = 'Lovelace'
    await businessPartnerApi.requestBuilder().update(read).execute(destination)
    const again = await businessPartnerApi.requestBuilder().getByKey('17100005').execute(destination)
    assert.equal(again.businessPartnerFullName, 'Ada Lovelace')
    assert.deepEqual(host.failures, [])
  })
})

describe('an OData bridge for language models', () => {
  it('lists, reads, creates and changes through its tools', async () => {
    await using host = await serveTwin(erp, testSection)
    const folder = await mkdtemp(join(tmpdir(), 'diorama-erp-'))
    const all = { list: true, get: true, create: true, update: true, delete: true }
    const set = (entitySet: string, keys: string[]) => ({
      entitySet,
      description: entitySet,
      category: 'sales',
      keys: keys.map((name) => ({ name, type: 'string' })),
      operations: all,
    })
    const config = {
      server: { name: 'bridge', version: '1.0.0', description: 'orders' },
      apis: [
        {
          name: 'orders',
          destination: 'S4',
          pathPrefix: '/sap/opu/odata/sap/API_SALES_ORDER_SRV',
          csrfProtected: true,
          entitySets: [
            set('A_SalesOrder', ['SalesOrder']),
            set('A_SalesOrderItem', ['SalesOrder', 'SalesOrderItem']),
          ],
        },
      ],
    }
    await writeFile(join(folder, 'api-config.json'), JSON.stringify(config))
    const client = new Client({ name: 'test', version: '1.0.0' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../node_modules/odata-mcp-proxy/dist/cli.js')],
      cwd: folder,
      stderr: 'ignore',
      env: {
        PATH: process.env.PATH ?? '',
        MCP_TRANSPORT: 'stdio',
        API_CONFIG_FILE: join(folder, 'api-config.json'),
        S4_BASE_URL: host.baseUrl,
        S4_TOKEN_URL: `${host.baseUrl}/sap/bc/sec/oauth2/token`,
        S4_CLIENT_ID: 'bridge',
        S4_CLIENT_SECRET: host.token,
      },
    })
    try {
      await client.connect(transport)
      const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
        const result = await client.callTool({ name, arguments: args })
        const [content] = result.content as { text: string }[]
        assert.notEqual(result.isError, true, content?.text)
        return content?.text ?? ''
      }
      assert.match(
        await call('A_SalesOrder_list', { path: "?$filter=SoldToParty eq '17100001'&$select=SalesOrder" }),
        /"7001"/,
      )
      assert.match(await call('A_SalesOrder_get', { path: "('7001')?$expand=to_Item" }), /"PUMP-100"/)
      const made = await call('A_SalesOrder_create', {
        body: {
          SalesOrderType: 'OR',
          SalesOrganization: '1710',
          DistributionChannel: '10',
          OrganizationDivision: '00',
          SoldToParty: '17100002',
        },
      })
      assert.match(made, /"7005"/)
      await call('A_SalesOrderItem_update', {
        path: "(SalesOrder='7001',SalesOrderItem='10')",
        body: { RequestedQuantity: '7' },
      })
      assert.equal(host.instance.diff().find(({ id }) => id === '7001/10')?.after?.RequestedQuantity, '7')
      assert.deepEqual(host.failures, [])
    } finally {
      await client.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

/** The client brings its own kind of number. */
const bigNumber = (text: string) => {
  const { deserialize } = salesOrderApi.deSerializers['Edm.Decimal']
  return deserialize(text)
}
