import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logisticsSection } from './testing/company.ts'
import { orderService, partnerService, type Reply, serviceRoot } from './testing/requests.ts'
import { done, refused as refusedBy, type Tools, withTwin } from './testing/with-twin.ts'

const refused = (reply: Reply, code: string): void => {
  refusedBy(reply, code)
  assert.equal(reply.json.error.innererror.errordetails[0].code, code)
}
const day = (text: string): string => `/Date(${Date.parse(`${text}T00:00:00Z`)})/`
const match = { 'if-match': '*' }
const area = { SalesOrganization: '1710', DistributionChannel: '10', OrganizationDivision: '00' }
const newOrder = { SalesOrderType: 'OR', ...area, SoldToParty: '17100001' }
const linesOf = async ({ get }: Tools, order: string, item: string) =>
  (
    await get(
      `${orderService}/A_SalesOrderItem(SalesOrder='${order}',SalesOrderItem='${item}')/to_ScheduleLine`,
    )
  ).json.d.results
const patchOrder = ({ write }: Tools, order: string, body: object) =>
  write({ method: 'PATCH', url: `${orderService}/A_SalesOrder('${order}')`, body, headers: match })
const create = ({ write }: Tools, body: object) =>
  write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body })

describe('a new delivery date', () => {
  it('leaves schedule lines that have been delivered alone, and moves the rest', () =>
    withTwin(async (tools) => {
      const reply = done(await patchOrder(tools, '7002', { RequestedDeliveryDate: day('2026-05-04') }))
      assert.match(reply.headers.get('sap-message') ?? '', /V1\/125/)
      const [whole] = await linesOf(tools, '7002', '10')
      assert.equal(whole.RequestedDeliveryDate, day('2026-03-05'))
      const [open] = await linesOf(tools, '7002', '20')
      assert.equal(open.RequestedDeliveryDate, day('2026-05-04'))
      done(await patchOrder(tools, '7004', { RequestedDeliveryDate: day('2026-05-04') }))
      const lines = await linesOf(tools, '7004', '10')
      assert.deepEqual(
        lines.map((line: Record<string, string>) => [
          line.RequestedDeliveryDate,
          line.ScheduleLineOrderQuantity,
          line.DeliveredQtyInOrderQtyUnit,
          line.OpenConfdDelivQtyInOrdQtyUnit,
        ]),
        [
          [day('2026-04-01'), '2', '2', '0'],
          [day('2026-05-04'), '3', '0', '3'],
        ],
      )
    }))
})

describe('prices', () => {
  const item = `${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')`
  it('have one that is active: a second makes the first inactive, and its end brings the first back', () =>
    withTwin(async ({ get, write }) => {
      const added = done(
        await write({
          method: 'POST',
          url: `${item}/to_PricingElement`,
          body: { ConditionType: 'PR00', ConditionRateValue: '100' },
        }),
      ).json.d
      const rows = (await get(`${item}/to_PricingElement`)).json.d.results
      assert.deepEqual(
        rows.map((row: Record<string, string>) => [row.ConditionRateValue, row.ConditionInactiveReason]),
        [
          ['125.050000000', 'Y'],
          ['100.000000000', ''],
        ],
      )
      assert.equal((await get(item)).json.d.NetAmount, '1000.00')
      done(await write({ method: 'DELETE', url: added.__metadata.uri, headers: match }))
      assert.equal((await get(item)).json.d.NetAmount, '1250.50')
    }))

  it('lower by discounts however their rate is signed, and refuse types that are not configured', () =>
    withTwin(async ({ get, write }) => {
      const add = (body: object) => write({ method: 'POST', url: `${item}/to_PricingElement`, body })
      done(await add({ ConditionType: 'K007', ConditionRateValue: '10' }))
      assert.equal((await get(item)).json.d.NetAmount, '1125.45')
      refused(await add({ ConditionType: 'QQQQ', ConditionRateValue: '10' }), 'V1/801')
      refused(
        await add({ ConditionType: 'RB00', ConditionRateValue: '10', ConditionCurrency: 'EUR' }),
        'SG/105',
      )
    }))

  it('of the whole order are spread over its items', () =>
    withTwin(async ({ get, write }) => {
      const url = `${orderService}/A_SalesOrder('7001')/to_PricingElement`
      const made = done(
        await write({ method: 'POST', url, body: { ConditionType: 'HB00', ConditionRateValue: '-135.05' } }),
      ).json.d
      const items = (await get(`${orderService}/A_SalesOrder('7001')/to_Item`)).json.d.results
      assert.deepEqual(
        items.map((each: { NetAmount: string }) => each.NetAmount),
        ['1125.45', '90.00'],
      )
      assert.equal((await get(`${orderService}/A_SalesOrder('7001')`)).json.d.TotalNetAmount, '1215.45')
      done(await write({ method: 'DELETE', url: made.__metadata.uri, headers: match }))
      assert.equal((await get(`${orderService}/A_SalesOrder('7001')`)).json.d.TotalNetAmount, '1350.50')
      refused(
        await write({ method: 'POST', url, body: { ConditionType: 'PR00', ConditionRateValue: '1' } }),
        'V1/802',
      )
    }))

  it('are determined again in a new currency, or the change is refused', () =>
    withTwin(async (tools) => {
      refused(await patchOrder(tools, '7001', { TransactionCurrency: 'EUR' }), 'SG/105')
      const made = done(
        await create(tools, { ...newOrder, to_Item: [{ Material: 'PUMP-100', RequestedQuantity: '2' }] }),
      ).json.d
      assert.equal(made.TotalNetAmount, '250.10')
      done(await patchOrder(tools, made.SalesOrder, { TransactionCurrency: 'EUR' }))
      const after = (await tools.get(`${orderService}/A_SalesOrder('${made.SalesOrder}')`)).json.d
      assert.deepEqual([after.TotalNetAmount, after.TransactionCurrency], ['240.00', 'EUR'])
    }))
})

describe('orders of partners', () => {
  it('are refused for customers that are blocked, in any of three ways', () =>
    withTwin(async (tools) => {
      const { write } = tools
      refused(await create(tools, { ...newOrder, SoldToParty: '17100002' }), 'V1/145')
      const patch = (url: string, body: object) =>
        write({ method: 'PATCH', url: `${partnerService}/${url}`, body, headers: match })
      done(await patch("A_BusinessPartner('17100001')", { BusinessPartnerIsBlocked: true }))
      refused(await create(tools, newOrder), 'R1/197')
      done(await patch("A_BusinessPartner('17100001')", { BusinessPartnerIsBlocked: false }))
      const sales =
        "A_CustomerSalesArea(Customer='17100001',SalesOrganization='1710',DistributionChannel='10',Division='00')"
      done(await patch(sales, { OrderIsBlockedForCustomer: '02' }))
      refused(await create(tools, newOrder), 'V1/146')
      done(await patch(sales, { OrderIsBlockedForCustomer: '' }))
      done(await create(tools, newOrder))
    }, logisticsSection))

  it('take their parties from the customer’s master data', () =>
    withTwin(async (tools) => {
      const { get, write } = tools
      const functions = `${partnerService}/A_CustSalesPartnerFunc(Customer='17100001',SalesOrganization='1710',DistributionChannel='10',Division='00',PartnerCounter='0',PartnerFunction='SH')`
      done(
        await write({
          method: 'PATCH',
          url: functions,
          body: { BPCustomerNumber: '17100002' },
          headers: match,
        }),
      )
      const made = done(await create(tools, newOrder)).json.d
      const parties = (await get(`${orderService}/A_SalesOrder('${made.SalesOrder}')/to_Partner`)).json.d
        .results
      assert.deepEqual(
        Object.fromEntries(
          parties.map((party: Record<string, string>) => [party.PartnerFunction, party.Customer]),
        ),
        { BP: '17100001', PY: '17100001', SH: '17100002', SP: '17100001' },
      )
    }))

  it('refuse partner functions and partners that do not exist', () =>
    withTwin(async (tools) => {
      const url = `${orderService}/A_SalesOrder('7001')/to_Partner`
      const add = (body: object) => tools.write({ method: 'POST', url, body })
      refused(await add({ PartnerFunction: 'QQ', Customer: '17100001' }), 'VP/201')
      refused(await add({ PartnerFunction: 'CP', Customer: '17100001' }), 'VP/202')
      refused(await add({ PartnerFunction: 'CP', ContactPerson: '99' }), 'VP/203')
      refused(
        await create(tools, { ...newOrder, to_Partner: [{ PartnerFunction: 'ZZ', Customer: '17100001' }] }),
        'VP/201',
      )
    }))
})

describe('codes that are not configured', () => {
  it('are refused in orders and their items', () =>
    withTwin(async (tools) => {
      for (const fields of [
        { TransactionCurrency: 'QQQ' },
        { CustomerPaymentTerms: 'Z999' },
        { IncotermsClassification: 'XYZ' },
        { ShippingCondition: 'Q1' },
        { SDDocumentReason: 'QQQ' },
        { HeaderBillingBlockReason: 'QQ' },
      ]) {
        refused(await create(tools, { ...newOrder, ...fields }), '00/058')
        refused(await patchOrder(tools, '7001', fields), '00/058')
      }
      const item = { Material: 'PUMP-100', RequestedQuantity: '1' }
      refused(
        await create(tools, { ...newOrder, to_Item: [{ ...item, SalesDocumentRjcnReason: 'QQ' }] }),
        '00/058',
      )
      refused(await create(tools, { ...newOrder, to_Item: [{ ...item, ProductionPlant: '9999' }] }), 'V1/124')
      refused(await create(tools, { ...newOrder, SalesOrderType: 'QT' }), 'V1/555')
    }))

  it('are refused in partners, addresses, roles and sales areas', () =>
    withTwin(async ({ write }) => {
      const post = (url: string, body: object) =>
        write({ method: 'POST', url: `${partnerService}/${url}`, body })
      const partner = { BusinessPartnerCategory: '2', OrganizationBPName1: 'New' }
      refused(await post('A_BusinessPartner', { ...partner, BusinessPartnerGrouping: 'QQQQ' }), '00/058')
      refused(
        await post('A_BusinessPartner', { ...partner, to_BusinessPartnerAddress: [{ Country: 'QQ' }] }),
        '00/058',
      )
      refused(
        await post('A_BusinessPartner', {
          ...partner,
          to_BusinessPartnerRole: [{ BusinessPartnerRole: 'QQQQQQ' }],
        }),
        '00/058',
      )
      refused(
        await post('A_CustSalesPartnerFunc', {
          Customer: '17100001',
          ...{ SalesOrganization: '1710', DistributionChannel: '10', Division: '00' },
          PartnerFunction: 'QQ',
          BPCustomerNumber: '17100001',
        }),
        '00/058',
      )
    }))

  it('are refused in products, which need a type, a unit and a description', () =>
    withTwin(async ({ get, write }) => {
      const products = serviceRoot('API_PRODUCT_SRV')
      const post = (body: object) => write({ method: 'POST', url: `${products}/A_Product`, body })
      const product = {
        Product: 'NEW-1',
        ProductType: 'HAWA',
        BaseUnit: 'PC',
        to_Description: [{ Language: 'EN', ProductDescription: 'New' }],
      }
      refused(await post({ ...product, ProductType: 'QQQQ' }), '00/058')
      refused(await post({ ...product, BaseUnit: 'QQ' }), '00/058')
      refused(await post({ ...product, to_Description: [] }), 'MM/001')
      const made = done(
        await post({
          ...product,
          to_Plant: [{ Plant: '1710' }],
          to_SalesDelivery: [{ ProductSalesOrg: '1710', ProductDistributionChnl: '10' }],
        }),
      ).json.d
      assert.equal(made.Product, 'NEW-1')
      refused(await post(product), 'MM/002')
      const units = await get(`${products}/A_Product('NEW-1')/to_ProductUnitsOfMeasure`)
      assert.equal(units.json.d.results[0].AlternativeUnit, 'PC')
    }))
})

describe('what the twin does not have', () => {
  it('is answered in the words of the vendor and recorded, whether service, set, function or part of a body', () =>
    withTwin(async ({ get, write, host }) => {
      const recorded = () => host.steps.at(-1)?.notEmulated
      const v4 = await get('/sap/opu/odata4/sap/api_costcenter/srvd_a2x/sap/costcenter/0001/CostCenter')
      assert.equal(v4.status, 404)
      assert.equal(typeof v4.json.error.message, 'string')
      assert.deepEqual(recorded(), ['service costcenter'])
      const set = await get(`${orderService}/A_SalesOrderBillingPlan`)
      assert.equal(set.status, 404)
      assert.deepEqual(recorded(), ['API_SALES_ORDER_SRV A_SalesOrderBillingPlan'])
      const deliveries = serviceRoot('API_OUTBOUND_DELIVERY_SRV')
      const called = await write({
        method: 'POST',
        url: `${deliveries}/DeleteAllHandlingUnitsFromDelivery?DeliveryDocument='80000001'`,
      })
      assert.equal(called.status, 501)
      assert.equal(called.json.error.code, '/IWBEP/CM_MGW_RT/021')
      assert.deepEqual(recorded(), ['POST DeleteAllHandlingUnitsFromDelivery'])
      await get('/sap/bc/rest/something')
      assert.deepEqual(recorded(), ['path /sap/bc/rest/something'])
      await get(`${orderService}/A_SalesOrder('7001')`)
      assert.deepEqual(recorded(), [])
    }))
})

describe('the category of an item', () => {
  it('is determined by the order type, or one that is configured', () =>
    withTwin(async (tools) => {
      const items = (SalesOrderItemCategory?: string) => [
        {
          Material: 'PUMP-100',
          RequestedQuantity: '1',
          ...(SalesOrderItemCategory ? { SalesOrderItemCategory } : {}),
        },
      ]
      const made = done(await create(tools, { ...newOrder, to_Item: items() }))
      assert.equal(made.json.d.to_Item.results[0].SalesOrderItemCategory, 'TAN')
      done(await create(tools, { ...newOrder, to_Item: items('TANN') }))
      refused(await create(tools, { ...newOrder, to_Item: items('QQQQ') }), '00/058')
    }))
})
