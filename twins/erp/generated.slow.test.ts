import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { generate } from '@sap-cloud-sdk/generator'
import { serveTwin } from '../testing/host.ts'
import { caller, type Host, serviceRoot } from './testing/requests.ts'
import { testSection } from './testing/section.ts'
import { erp } from './twin.ts'

const root = join(import.meta.dirname, '../..')
const services = [
  'API_SALES_ORDER_SRV',
  'API_BUSINESS_PARTNER',
  'API_PRODUCT_SRV',
  'API_OUTBOUND_DELIVERY_SRV',
]

/**
 * A client that the vendor's generator makes from the twin's own description of itself. It is made inside the
 * repository's module folder, since the generated code looks for its libraries from where it stands.
 */
describe('a client generated from our own $metadata', () => {
  let folder = ''
  // biome-ignore lint/suspicious/noExplicitAny: the generated code has no types here.
  let orders: any
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  let partners: any

  before(async () => {
    await mkdir(join(root, 'node_modules/.cache'), { recursive: true })
    folder = await mkdtemp(join(root, 'node_modules/.cache/diorama-erp-'))
    await using host = await serveTwin(erp, testSection)
    await mkdir(join(folder, 'edmx'))
    for (const service of services) {
      const { text } = await caller(host).get(`${serviceRoot(service)}/$metadata`, {
        accept: 'application/xml',
      })
      await writeFile(join(folder, 'edmx', `${service}.edmx`), text)
    }
    await generate({
      input: join(folder, 'edmx'),
      outputDir: join(folder, 'ts'),
      overwrite: true,
      transpile: false,
    })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('compiles', async () => {
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      lib: ['es2022', 'dom'],
      rootDir: 'ts',
      outDir: 'js',
    }
    await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['ts/**/*.ts'] }),
    )
    const compiled = await promisify(execFile)(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).catch((error: { stdout: string }) => error)
    // The installed client library and its number library disagree about one type; nothing of ours is in it.
    const errors = compiled.stdout
      .split('\n')
      .filter((line) => line.includes('error TS') && !line.includes("'BigNumber' refers to a value"))
    assert.deepEqual(errors, [])
    const load = createRequire(join(folder, 'package.json'))
    orders = load(join(folder, 'js/API_SALES_ORDER_SRV'))
    partners = load(join(folder, 'js/API_BUSINESS_PARTNER'))
  })

  const destinationOf = (host: Host) => ({
    url: host.baseUrl,
    username: 'CC0000000001',
    password: host.token,
  })

  it('reads, creates with items, changes, batches and deletes', async () => {
    await using host = await serveTwin(erp, testSection)
    const destination = destinationOf(host)
    const { salesOrderApi, salesOrderItemApi } = orders.apiSalesOrderSrv()
    const decimal = (text: string) => salesOrderApi.deSerializers['Edm.Decimal'].deserialize(text)
    const { schema } = salesOrderApi
    const listed = await salesOrderApi
      .requestBuilder()
      .getAll()
      .top(2)
      .select(schema.SALES_ORDER, schema.TO_ITEM)
      .execute(destination)
    assert.equal(listed.length, 2)
    assert.ok(listed[0].toItem.length > 0)
    assert.equal(
      await salesOrderApi
        .requestBuilder()
        .getAll()
        .filter(schema.SOLD_TO_PARTY.equals('17100002'))
        .count()
        .execute(destination),
      2,
    )
    const created = await salesOrderApi
      .requestBuilder()
      .create(
        salesOrderApi
          .entityBuilder()
          .salesOrderType('OR')
          .salesOrganization('1710')
          .distributionChannel('10')
          .organizationDivision('00')
          .soldToParty('17100001')
          .toItem([
            salesOrderItemApi.entityBuilder().material('PUMP-100').requestedQuantity(decimal('4')).build(),
          ])
          .build(),
      )
      .execute(destination)
    assert.equal(created.salesOrder, '7005')
    assert.equal(created.totalNetAmount.toFixed(2), '500.20')
    created.purchaseOrderByCustomer = 'GEN-1'
    await salesOrderApi.requestBuilder().update(created).execute(destination)
    const [changed, [read]] = await orders
      .batch(
        orders.changeset(salesOrderItemApi.requestBuilder().delete('7005', '10')),
        salesOrderApi.requestBuilder().getByKey('7005'),
      )
      .execute(destination)
      .then(([first, second]: [{ isWriteResponses(): boolean }, { as(api: unknown): unknown[] }]) => [
        first,
        second.as(salesOrderApi),
      ])
    assert.ok(changed.isWriteResponses())
    assert.equal(read.purchaseOrderByCustomer, 'GEN-1')
    assert.equal(read.totalNetAmount.toFixed(2), '0.00')
    await salesOrderApi.requestBuilder().delete(read).execute(destination)
    await assert.rejects(
      salesOrderApi.requestBuilder().getByKey('7005').execute(destination),
      (error: { rootCause?: { response?: { status?: number } } }) =>
        error.rootCause?.response?.status === 404,
    )
    await assert.rejects(orders.releaseApprovalRequest({ salesOrder: '7001' }).execute(destination))
    assert.deepEqual(host.failures, [])
  })

  it('reads partners and what belongs to them', async () => {
    await using host = await serveTwin(erp, testSection)
    const { businessPartnerApi } = partners.apiBusinessPartner()
    const { schema } = businessPartnerApi
    const read = await businessPartnerApi
      .requestBuilder()
      .getByKey('17100003')
      .select(schema.ALL_FIELDS, schema.TO_BUSINESS_PARTNER_ROLE, schema.TO_CUSTOMER)
      .execute(destinationOf(host))
    assert.equal(read.businessPartnerFullName, 'Inès Martel')
    assert.equal(read.toBusinessPartnerRole.length, 2)
    assert.equal(read.toCustomer.customer, '17100003')
    assert.equal(read.creationTime.hours, 9)
    assert.deepEqual(host.failures, [])
  })
})
