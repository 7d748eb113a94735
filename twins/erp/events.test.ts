import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { eventChannel } from './events/webhooks.ts'
import { logisticsSection } from './testing/company.ts'
import { caller, orderService, serviceRoot } from './testing/requests.ts'
import { erp } from './twin.ts'

const deliveries = serviceRoot('API_OUTBOUND_DELIVERY_SRV')
const billing = '/sap/opu/odata4/sap/api_billingdocument/srvd_a2x/sap/billingdocument/0001'

const open = async (events?: string[]) => {
  const webhook = { key: 'broker', url: 'https://broker.example/in', ...(events ? { events } : {}) }
  const host = await serveTwin(erp, { ...logisticsSection, eventWebhooks: [webhook] })
  return {
    host,
    ...caller(host),
    raised: () =>
      host.steps
        .flatMap(({ emissions }) => emissions)
        .map(({ kind, payload }) => ({
          kind: kind.slice('sap.s4.beh.'.length),
          data: payload.data as Record<string, unknown>,
        })),
    [Symbol.asyncDispose]: host[Symbol.asyncDispose],
  }
}

describe('business events', () => {
  it('follow an order from its creation through delivery to the invoice', async () => {
    await using world = await open()
    const { write, raised, host } = world
    const order = await write({
      method: 'POST',
      url: `${orderService}/A_SalesOrder`,
      body: {
        SalesOrderType: 'OR',
        SalesOrganization: '1710',
        DistributionChannel: '10',
        OrganizationDivision: '00',
        SoldToParty: '17100001',
        to_Item: [{ Material: 'VALVE', RequestedQuantity: '2' }],
      },
    })
    assert.equal(order.status, 201, order.text)
    const number = order.json.d.SalesOrder
    const url = `${orderService}/A_SalesOrder('${number}')`
    const patched = await write({
      method: 'PATCH',
      url,
      body: { PurchaseOrderByCustomer: 'PO-9' },
      headers: { 'if-match': '*' },
    })
    assert.equal(patched.status, 204, patched.text)
    const item = { ReferenceSDDocument: number }
    const delivery = await write({
      method: 'POST',
      url: `${deliveries}/A_OutbDeliveryHeader`,
      body: { to_DeliveryDocumentItem: [item] },
    })
    const document = `DeliveryDocument='${delivery.json.d.DeliveryDocument}'`
    for (const step of ['PickAllItems', 'PostGoodsIssue'])
      await write({ method: 'POST', url: `${deliveries}/${step}?${document}` })
    const body = { _Reference: [{ SDDocument: delivery.json.d.DeliveryDocument }] }
    const bill = await write({
      method: 'POST',
      url: `${billing}/BillingDocument/SAP__self.CreateFromSDDocument`,
      body,
    })
    assert.ok(bill.status < 300, bill.text)
    const kinds = raised().map(({ kind }) => kind)
    assert.equal(kinds[0], 'salesorder.v1.SalesOrder.Created.v1')
    assert.equal(kinds[1], 'salesorder.v1.SalesOrder.Changed.v1')
    assert.ok(kinds.includes('outbounddelivery.v1.OutboundDelivery.Created.v1'))
    assert.ok(kinds.includes('billingdocument.v1.BillingDocument.Created.v1'))
    const { data } = raised()[0] ?? assert.fail()
    assert.deepEqual(
      [data.SalesOrder, data.SoldToParty, data.SalesOrganization],
      [number, '17100001', '1710'],
    )
    assert.deepEqual(host.failures, [])
  })

  it('are CloudEvents with the same id at every attempt, sent only to those who listen', async () => {
    await using world = await open(['sap.s4.beh.salesorder.v1.SalesOrder.Changed.v1'])
    const url = `${orderService}/A_SalesOrder('7001')`
    const change = (reference: string) =>
      world.write({
        method: 'PATCH',
        url,
        body: { PurchaseOrderByCustomer: reference },
        headers: { 'if-match': '*' },
      })
    await change('PO-2')
    await change('PO-3')
    const emissions = world.host.steps.flatMap((step) => step.emissions)
    assert.equal(emissions.length, 2)
    const sent = emissions.map((emission) =>
      [1, 2].map((number) => eventChannel.request(emission, { number, at: 0 })),
    )
    for (const [first, second] of sent) {
      assert.equal(first?.headers['content-type'], 'application/cloudevents+json; charset=utf-8')
      assert.equal(first?.body, second?.body)
      const event = JSON.parse(first?.body ?? '')
      for (const attribute of ['type', 'source', 'id', 'time', 'data']) assert.ok(event[attribute], attribute)
      assert.equal(event.specversion, '1.0')
    }
    assert.equal(new Set(sent.map(([first]) => JSON.parse(first?.body ?? '').id)).size, 2)
  })

  it('are configured by the operator, and cost nothing without a listener', async () => {
    await using world = await open()
    const { instance } = world.host
    const control = (input: unknown) => instance.control('writeSettings', input, { at: 0, baseUrl: '' })
    const wrong = { webhooks: [{ id: 'a', url: 'https://a.example/', events: ['sap.s4.beh.nothing.v1'] }] }
    assert.throws(() => control(wrong), /no such event/)
    control({ webhooks: [] })
    const partner = serviceRoot('API_BUSINESS_PARTNER')
    await world.write({
      method: 'PATCH',
      url: `${partner}/A_BusinessPartner('17100001')`,
      body: { SearchTerm1: 'BLUE' },
    })
    assert.deepEqual(world.raised(), [])
  })
})
