import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caller, orderService, type Reply } from './testing/requests.ts'
import { withTwin } from './testing/with-twin.ts'

const area = { SalesOrganization: '1710', DistributionChannel: '10', OrganizationDivision: '00' }
const newOrder = { SalesOrderType: 'OR', ...area, SoldToParty: '17100001' }
const match = { 'if-match': '*' }
const order = (number: string) => `${orderService}/A_SalesOrder('${number}')`
const item = (number: string, line: string) =>
  `${orderService}/A_SalesOrderItem(SalesOrder='${number}',SalesOrderItem='${line}')`
const message = ({ json }: Reply): string => json.error.message.value

describe('an order', () => {
  it('is numbered from its range, and its items by ten', () =>
    withTwin(async ({ write }) => {
      const items = [
        { Material: 'PUMP-100', RequestedQuantity: '1' },
        { Material: 'HOSE-2', SalesOrderItem: '000035', RequestedQuantity: '2' },
        { Material: 'SEAL-9', RequestedQuantity: '1' },
      ]
      const made = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: { ...newOrder, to_Item: { results: items } },
      })
      assert.equal(made.status, 201)
      assert.equal(made.json.d.SalesOrder, '7005')
      assert.equal(made.headers.get('location')?.endsWith("/A_SalesOrder('7005')"), true)
      assert.deepEqual(
        made.json.d.to_Item.results.map((each: { SalesOrderItem: string }) => each.SalesOrderItem),
        ['10', '35', '40'],
      )
      const header = await write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body: newOrder })
      assert.equal(header.json.d.SalesOrder, '7006')
      assert.equal(header.json.d.TotalNetAmount, '0.00')
    }))

  it('takes its currency, terms and dates from the customer and the clock', () =>
    withTwin(async ({ write }) => {
      const { json } = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: {
          ...newOrder,
          SoldToParty: '17100004',
          to_Item: [{ Material: 'PUMP-100', RequestedQuantity: '2' }],
        },
      })
      assert.equal(json.d.TransactionCurrency, 'JPY')
      assert.equal(json.d.TotalNetAmount, '36000')
      assert.equal(json.d.CustomerPaymentTerms, '0001')
      assert.equal(json.d.CreationDate, '/Date(1772409600000)/')
      assert.equal(json.d.CreatedByUser, 'CC0000000001')
    }))

  it('acts as the person whose token is used', () =>
    withTwin(async ({ host }) => {
      const { json } = await caller(host, host.tokens.dev).write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: newOrder,
      })
      assert.equal(json.d.CreatedByUser, 'DEV')
      assert.equal(host.steps.at(-1)?.actor?.subject, 'dev')
      assert.equal(host.steps.at(-1)?.operation, 'POST A_SalesOrder')
    }))

  it('refuses what the business does not allow, and leaves nothing behind', () =>
    withTwin(async ({ write, host }) => {
      const refused = async (body: object): Promise<string> => {
        const reply = await write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body })
        assert.equal(reply.status, 400)
        return message(reply)
      }
      assert.equal(await refused({ ...newOrder, SoldToParty: '' }), 'Enter the sold-to party')
      assert.equal(
        await refused({ ...newOrder, SalesOrganization: '9999' }),
        'Sold-to party 17100001 not maintained for sales area 9999 10 00',
      )
      assert.equal(
        await refused({ ...newOrder, SalesOrderType: 'ZZZ' }),
        'Sales document type ZZZ is not defined',
      )
      assert.equal(
        await refused({ ...newOrder, to_Item: [{ Material: '1234', RequestedQuantity: '1' }] }),
        'Material 1234 is not defined for sales org.1710, distr.chan.10, language EN',
      )
      assert.equal(
        await refused({ ...newOrder, to_Item: [{ Material: 'PUMP-100', RequestedQuantity: '-1' }] }),
        'The order quantity must not be negative',
      )
      assert.equal(
        await refused({
          ...newOrder,
          to_Item: [{ Material: 'PUMP-100', RequestedQuantity: '1', RequestedQuantityUnit: 'KG' }],
        }),
        'Unit of measure KG is not defined for material PUMP-100',
      )
      assert.equal(
        await refused({ ...newOrder, to_Partner: [{ PartnerFunction: 'SH', Customer: '4711' }] }),
        'Customer 4711 does not exist',
      )
      assert.equal(
        await refused({ ...newOrder, PurchaseOrderByCustomer: 'x'.repeat(36) }),
        `Property 'PurchaseOrderByCustomer' at offset '156' has invalid value '${'x'.repeat(36)}'`,
      )
      assert.equal(await refused({ ...newOrder, Nope: 1 }), "Property 'Nope' is invalid")
      assert.deepEqual(host.instance.diff(), [])
      assert.equal(
        (await write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body: newOrder })).json.d
          .SalesOrder,
        '7005',
      )
    }))

  it('keeps the requested date of the header and of the schedule lines together', () =>
    withTwin(async ({ write, host }) => {
      const reply = await write({
        method: 'PATCH',
        url: order('7001'),
        body: { RequestedDeliveryDate: '2026-04-10T00:00:00' },
        headers: match,
      })
      assert.equal(reply.status, 204)
      const changed = host.instance
        .diff()
        .map(({ collection, id, after }) => [collection, id, after?.RequestedDeliveryDate])
      assert.deepEqual(changed, [
        ['sales_order', '7001', '2026-04-10'],
        ['sales_order_schedule_line', '7001/10/1', '2026-04-10'],
        ['sales_order_schedule_line', '7001/20/1', '2026-04-10'],
      ])
    }))

  it('warns of a date in the past', () =>
    withTwin(async ({ write }) => {
      const reply = await write({
        method: 'PATCH',
        url: order('7001'),
        body: { RequestedDeliveryDate: '2025-01-01T00:00:00' },
        headers: match,
      })
      assert.equal(
        JSON.parse(reply.headers.get('sap-message') ?? '{}').message,
        'The requested delivery date 2025-01-01 is in the past',
      )
    }))

  it('is replaced by PUT: what the body leaves out goes back to its initial value', () =>
    withTwin(async ({ write, get }) => {
      const body = { ...newOrder, TransactionCurrency: 'USD', PurchaseOrderByShipToParty: 'S' }
      assert.equal((await write({ method: 'PUT', url: order('7001'), body, headers: match })).status, 204)
      const { json } = await get(order('7001'))
      assert.deepEqual(
        [json.d.PurchaseOrderByCustomer, json.d.PurchaseOrderByShipToParty, json.d.RequestedDeliveryDate],
        ['', 'S', null],
      )
    }))

  it('can be deleted while nothing has been delivered', () =>
    withTwin(async ({ write, get }) => {
      assert.equal(
        message(await write({ method: 'DELETE', url: order('7002'), headers: match })),
        'Sales document 7002 cannot be deleted: subsequent documents exist',
      )
      assert.equal((await write({ method: 'DELETE', url: order('7001'), headers: match })).status, 204)
      assert.equal((await get(order('7001'))).status, 404)
      assert.equal(
        (await get(`${orderService}/A_SalesOrderItem?$filter=SalesOrder eq '7001'`)).json.d.results.length,
        0,
      )
    }))
})

describe('an item', () => {
  it('works out its amount, its schedule line and its order again when its quantity changes', () =>
    withTwin(async ({ write, get }) => {
      assert.equal(
        (await write({ method: 'PATCH', url: item('7001', '20'), body: { RequestedQuantity: '6' } })).status,
        204,
      )
      const { json } = await get(`${order('7001')}?$expand=to_Item/to_ScheduleLine`)
      const [, second] = json.d.to_Item.results
      assert.deepEqual(
        [
          second.NetAmount,
          json.d.TotalNetAmount,
          second.to_ScheduleLine.results[0].ScheduleLineOrderQuantity,
        ],
        ['200.00', '1450.50', '6'],
      )
    }))

  it('cannot go below what was delivered, and cannot then be deleted', () =>
    withTwin(async ({ write }) => {
      assert.equal(
        message(await write({ method: 'PATCH', url: item('7004', '10'), body: { RequestedQuantity: '1' } })),
        'The order quantity 1 is smaller than the delivered quantity 2',
      )
      assert.equal(
        message(await write({ method: 'DELETE', url: item('7004', '10') })),
        'Item 10 cannot be deleted: it has been delivered',
      )
      assert.equal(
        (await write({ method: 'PATCH', url: item('7004', '10'), body: { RequestedQuantity: '2' } })).status,
        204,
      )
    }))

  it('is done when it is rejected, and no longer counts', () =>
    withTwin(async ({ write, get }) => {
      await write({ method: 'PATCH', url: item('7002', '20'), body: { SalesDocumentRjcnReason: '10' } })
      const { json } = await get(`${order('7002')}?$expand=to_Item`)
      assert.deepEqual(
        [
          json.d.TotalNetAmount,
          json.d.OverallSDProcessStatus,
          json.d.OverallSDDocumentRejectionSts,
          json.d.to_Item.results[1].SDProcessStatus,
        ],
        ['480.00', 'C', 'B', 'C'],
      )
    }))

  it('takes a price of the caller, and surcharges in percent and in money', () =>
    withTwin(async ({ write, get }) => {
      const body = {
        Material: 'SEAL-9',
        RequestedQuantity: '10',
        to_PricingElement: [
          { ConditionType: 'PR00', ConditionRateValue: '2.50', ConditionQuantity: '1' },
          { ConditionType: 'K007', ConditionRateValue: '-10' },
        ],
      }
      const made = await write({ method: 'POST', url: `${order('7001')}/to_Item`, body })
      assert.equal(made.status, 201)
      assert.equal(made.json.d.NetAmount, '22.50')
      const priced = await write({
        method: 'POST',
        url: `${item('7001', '30')}/to_PricingElement`,
        body: { ConditionType: 'HB00', ConditionRateValue: '5.00', ConditionCurrency: 'USD' },
      })
      assert.equal(priced.status, 201)
      const { json } = await get(`${item('7001', '30')}?$expand=to_PricingElement`)
      assert.equal(json.d.NetAmount, '27.50')
      assert.deepEqual(
        json.d.to_PricingElement.results.map(
          (each: { ConditionType: string; ConditionRateValue: string }) => [
            each.ConditionType,
            each.ConditionRateValue,
          ],
        ),
        [
          ['PR00', '2.500000000'],
          ['K007', '-10.000000000'],
          ['HB00', '5.000000000'],
        ],
      )
      const rate = `${orderService}/A_SalesOrderItemPrElement(SalesOrder='7001',SalesOrderItem='30',PricingProcedureStep='11',PricingProcedureCounter='1')`
      assert.equal(
        (await write({ method: 'PATCH', url: rate, body: { ConditionRateValue: '3.00' } })).status,
        204,
      )
      assert.equal((await get(item('7001', '30'))).json.d.NetAmount, '32.00')
    }))

  it('cannot be added to an order that is not there', () =>
    withTwin(async ({ write }) => {
      assert.equal(
        (await write({ method: 'POST', url: `${order('1')}/to_Item`, body: { Material: 'SEAL-9' } })).status,
        404,
      )
      assert.equal(
        message(
          await write({
            method: 'POST',
            url: `${orderService}/A_SalesOrderItem`,
            body: { SalesOrder: '1', Material: 'SEAL-9' },
          }),
        ),
        'Sales document 1 is not in the database or has been archived',
      )
    }))
})

describe('what belongs to an order', () => {
  it('gives it a new version when it changes', () =>
    withTwin(async ({ write, get, host }) => {
      const before = (await get(order('7001'))).headers.get('etag')
      const made = await write({
        method: 'POST',
        url: `${order('7001')}/to_Text`,
        body: { Language: 'EN', LongTextID: 'TX01', LongText: 'Ring the bell.\nTwice.' },
      })
      assert.equal(made.status, 201)
      const after = (await get(order('7001'))).headers.get('etag')
      assert.notEqual(after, before)
      const ship = `${orderService}/A_SalesOrderHeaderPartner(SalesOrder='7001',PartnerFunction='SH')`
      assert.equal((await write({ method: 'PATCH', url: ship, body: { Customer: '17100002' } })).status, 204)
      assert.notEqual((await get(order('7001'))).headers.get('etag'), after)
      assert.equal(
        message(await write({ method: 'DELETE', url: ship })),
        'Partner function SH cannot be deleted',
      )
      assert.equal(host.instance.diff().find(({ id }) => id === '7001/SH')?.after?.Customer, '17100002')
    }))
})
