import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { zipOf } from '../../server/src/bridges/zip.ts'
import { type Any, uploadDataset } from '../../server/src/datasets/testing-upload.ts'
import { type TestService, testService } from '../../server/src/testing.ts'

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

const upload = async (
  body: Uint8Array | string,
  type: string,
  query: Record<string, string>,
): Promise<Any> => {
  const { status, body: version } = await uploadDataset(service, body, { type, query })
  return { status, ...version }
}

const twinOf = async (version: Any, kind: string): Promise<Any> => {
  assert.equal(version.status, 201, JSON.stringify(version))
  const made = await service.call('POST', '/v1/twins', { service: kind, dataset_version_id: version.id })
  assert.equal(made.body.status, 'running', made.text)
  return made.body
}

describe('saved pages of OData services', () => {
  const read = async (twin: Any, path: string): Promise<string> => {
    const reply = await fetch(`${twin.baseUrl}/sap/opu/odata/sap/${path}`, {
      headers: { authorization: `Bearer ${twin.token}` },
    })
    assert.equal(reply.status, 200, path)
    return reply.text()
  }
  const orders = 'API_SALES_ORDER_SRV/A_SalesOrder?$format=json&$expand=to_Item,to_Partner'
  const partners =
    'API_BUSINESS_PARTNER/A_BusinessPartner?$format=json&$expand=to_Customer/to_CustomerSalesArea'
  const products =
    'API_PRODUCT_SRV/A_Product?$format=json&$expand=to_Description,to_Plant,to_SalesDelivery,to_ProductUnitsOfMeasure'
  const said = { organization: 'Ember Works', clock: '2026-03-02T09:00:00Z', format: 'erp-odata' }
  /** Addresses in an answer begin with the twin's own. */
  const without = (text: string, twin: Any) => JSON.parse(text.replaceAll(twin.baseUrl, ''))

  it('become a system that gives the same pages, and numbers go on after the highest', async () => {
    const source = (await service.call('POST', '/v1/twins', { service: 'erp' })).body
    const pages = await Promise.all([orders, partners, products].map((path) => read(source, path)))
    const zip = zipOf([
      ['$metadata.xml', await read(source, 'API_SALES_ORDER_SRV/$metadata')],
      ...pages.map((page, n) => [`page-${n}.json`, page] as const),
    ])
    const version = await upload(zip, 'application/zip', { ...said, name: 'ember erp' })
    const twin = await twinOf(version, 'erp')
    for (const [n, path] of [orders, partners, products].entries())
      assert.deepEqual(without(await read(twin, path), twin), without(pages[n] ?? '', source), path)
    const known: Any[] = JSON.parse(pages[0] ?? '').d.results
    const [{ SoldToParty, SalesOrganization, DistributionChannel, OrganizationDivision, to_Item }] = known
    const [{ Material, RequestedQuantityUnit }] = to_Item.results
    const headers = { authorization: `Bearer ${twin.token}`, 'x-csrf-token': 'fetch' }
    const service_ = `${twin.baseUrl}/sap/opu/odata/sap/API_SALES_ORDER_SRV`
    const met = await fetch(`${service_}/`, { headers })
    const made = await fetch(`${service_}/A_SalesOrder`, {
      method: 'POST',
      headers: {
        ...{ ...headers, 'content-type': 'application/json', accept: 'application/json' },
        'x-csrf-token': met.headers.get('x-csrf-token') ?? '',
        cookie: met.headers
          .getSetCookie()
          .map((one) => one.split(';')[0])
          .join('; '),
      },
      body: JSON.stringify({
        ...{
          SalesOrderType: 'OR',
          SoldToParty,
          SalesOrganization,
          DistributionChannel,
          OrganizationDivision,
        },
        to_Item: { results: [{ Material, RequestedQuantity: '1', RequestedQuantityUnit }] },
      }),
    })
    const { d, error } = (await made.json()) as Any
    assert.equal(made.status, 201, JSON.stringify(error))
    assert.equal(Number(d.SalesOrder), Math.max(...known.map(({ SalesOrder }) => Number(SalesOrder))) + 1)
  })

  it('of version 4 are read too; what the system has not is listed, and what does not fit is refused', async () => {
    const page = (amount: unknown) =>
      JSON.stringify({
        '@odata.context': '$metadata#A_SalesOrder',
        value: [
          { SalesOrder: '7', SalesOrderDate: '2026-02-01', TotalNetAmount: 12.5, TransactionCurrency: 'EUR' },
          { SalesOrder: '8', TotalNetAmount: amount, TransactionCurrency: 'EUR', YY1_Kiln_SDH: 'K7' },
        ],
      })
    const version = await upload(page(3), 'application/json', { ...said, name: 'ember v4' })
    assert.match(
      version.warnings.join(),
      /A_SalesOrder\.YY1_Kiln_SDH, which this twin does not have: 1 left out/,
    )
    const order = JSON.parse(
      await read(await twinOf(version, 'erp'), "API_SALES_ORDER_SRV/A_SalesOrder('7')?$format=json"),
    ).d
    assert.deepEqual([order.SalesOrderDate, order.TotalNetAmount], ['/Date(1769904000000)/', '12.50'])
    const broken = await upload(page('much'), 'application/json', { ...said, name: 'ember v4' })
    assert.deepEqual(
      [broken.code, broken.details[0].pointer],
      ['invalid_dataset', '/upload.json/2/TotalNetAmount'],
    )
  })
})

describe('an export that does not fit', () => {
  const sqlite = async (statements: string): Promise<Uint8Array> => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-sqlite-'))
    const path = join(folder, 'org.db')
    const database = new DatabaseSync(path)
    database.exec(statements)
    database.close()
    const bytes = await readFile(path)
    await rm(folder, { recursive: true })
    return bytes
  }
  const accounts = `create table Account (Id text, Name text, NumberOfEmployees text);
    insert into Account values ('001ON00000Kb2cBYAR', 'Voss', '12');`
  const replica = (more: object) => JSON.stringify({ users: [{ user_id: 'U1', username: 'ada' }], ...more })
  const cases: [string, string, string, () => Promise<Uint8Array | string> | string | Uint8Array][] = [
    [
      'crm-sqlite',
      'application/x-sqlite3',
      '/Account/2/NumberOfEmployees',
      () => sqlite(`${accounts} insert into Account values ('001ON00000Kb2cBYAS', 'Holt', 'a dozen')`),
    ],
    [
      'crm-sqlite',
      'application/x-sqlite3',
      '/Account/2/Id',
      () => sqlite(`${accounts} insert into Account values ('001ON00000Kb2cBYAR', 'Again', '1')`),
    ],
    [
      'crm-csv',
      'application/zip',
      '/Opportunity.csv/1/CloseDate',
      () => zipOf([['Opportunity.csv', 'Id,Name,CloseDate\n006ON00000Kb2cBYAR,Deal,soon\n']]),
    ],
    [
      'tracker-csv',
      'text/csv',
      '/upload.csv/2/Created',
      () => 'ID,Title,Created\nKIL-1,One,2024-01-02T03:04:05.000Z\nKIL-2,Two,yesterday\n',
    ],
    ['chat-tables', 'application/json', '/channels/1/channel_id', () => replica({ channels: [{}] })],
    [
      'chat-export',
      'application/zip',
      '/users.json/2',
      () => zipOf([['users.json', '[{"id": "U1", "name": "ada"}, 7]']]),
    ],
  ]
  it('names the row of its own file or table, and leaves nothing behind', async () => {
    const listed = async () => (await service.call('GET', '/v1/datasets?limit=200')).body.items.length
    const earlier = await listed()
    for (const [format, type, pointer, make] of cases) {
      const said = { name: 'misfit', format, organization: 'Ember Works', clock: '2026-03-02T09:00:00Z' }
      const reply = await upload(await make(), type, said)
      assert.equal(reply.code, 'invalid_dataset', JSON.stringify(reply))
      assert.equal(reply.details[0].pointer, pointer, JSON.stringify(reply))
    }
    assert.equal(await listed(), earlier)
  })

  it('in the native rows of a system names the field as well', async () => {
    const rows = [
      { company: { organization: { name: 'Ember', slug: 'ember' }, clock: '2026-03-02T09:00:00Z' } },
      { service: 'erp', collection: 'sales_order', row: { id: '7', SalesOrder: '7', TotalNetAmount: 12 } },
    ]
    const body = rows.map((row) => JSON.stringify(row)).join('\n')
    const reply = await upload(body, 'application/x-ndjson', { name: 'misfit' })
    assert.equal(reply.details?.[0].pointer, '/dataset.ndjson/2/TotalNetAmount', JSON.stringify(reply))
  })
})
