import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logisticsSection } from './testing/company.ts'
import { orderService, serviceRoot } from './testing/requests.ts'
import { done, refused, type Tools, withTwin as withSection } from './testing/with-twin.ts'

const withTwin = (work: (tools: Tools) => Promise<void>) => withSection(work, logisticsSection)

const deliveries = serviceRoot('API_OUTBOUND_DELIVERY_SRV')
const billing = serviceRoot('API_BILLING_DOCUMENT_SRV')
const billingV4 = '/sap/opu/odata4/sap/api_billingdocument/srvd_a2x/sap/billingdocument/0001'
const stock = serviceRoot('API_MATERIAL_STOCK_SRV')
const journal = serviceRoot('API_JOURNALENTRYITEMBASIC_SRV')

const deliver = ({ write }: Tools, order: string, more: object = {}) =>
  write({
    method: 'POST',
    url: `${deliveries}/A_OutbDeliveryHeader`,
    body: { to_DeliveryDocumentItem: [{ ReferenceSDDocument: order, ...more }] },
  })
const call = ({ write }: Tools, name: string, query: string) =>
  write({ method: 'POST', url: `${deliveries}/${name}?${query}` })
const bill = ({ write }: Tools, delivery: string) =>
  write({
    method: 'POST',
    url: `${billingV4}/BillingDocument/SAP__self.CreateFromSDDocument`,
    body: { _Reference: [{ SDDocument: delivery }] },
  })
const stockOf = async ({ get }: Tools, material: string): Promise<string> => {
  const { json } = await get(`${stock}/A_MatlStkInAcctMod?$filter=Material eq '${material}'`)
  return json.d.results[0].MatlWrhsStkQtyInMatlBaseUnit
}

describe('order to cash', () => {
  it('runs from an order through delivery and goods issue to a posted invoice', () =>
    withTwin(async (tools) => {
      const { get, write } = tools
      const made = done(await deliver(tools, '7001')).json.d
      assert.equal(made.DeliveryDocument, '80000001')
      assert.equal(made.OverallPickingStatus, 'A')
      const number = made.DeliveryDocument
      const order = (await get(`${orderService}/A_SalesOrder('7001')`)).json.d
      assert.equal(order.OverallTotalDeliveryStatus, 'C')
      refused(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${number}'`), 'VL/609')
      const picked = done(await call(tools, 'PickAllItems', `DeliveryDocument='${number}'`)).json.d.results
      assert.equal(picked[0].ActualDeliveryQuantity, '10')
      assert.equal(await stockOf(tools, 'PUMP'), '30')
      done(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${number}'`))
      assert.equal(await stockOf(tools, 'PUMP'), '20')
      refused(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${number}'`), 'VL/602')
      const created = done(await bill(tools, number))
      assert.equal(created.status, 200)
      assert.equal(created.json.value[0].BillingDocument, '90000001')
      assert.equal(created.json.value[0].TotalNetAmount, 1000)
      const invoice = (await get(`${billing}/A_BillingDocument('90000001')?$expand=to_Item,to_Partner`)).json
        .d
      assert.equal(invoice.AccountingPostingStatus, 'C')
      assert.equal(invoice.to_Item.results[0].ReferenceSDDocument, number)
      assert.equal(invoice.to_Item.results[0].SalesDocument, '7001')
      assert.equal(invoice.to_Partner.results.length, 4)
      const delivery = (await get(`${deliveries}/A_OutbDeliveryHeader('${number}')`)).json.d
      assert.equal(delivery.OverallDelivReltdBillgStatus, 'C')
      assert.equal(delivery.OverallSDProcessStatus, 'C')
      const items = `${deliveries}/A_OutbDeliveryItem(DeliveryDocument='${number}',DeliveryDocumentItem='10')`
      const flow = (await get(`${items}/to_DocumentFlow`)).json.d.results
      assert.deepEqual(
        flow.map((each: { SubsequentDocumentCategory: string }) => each.SubsequentDocumentCategory).sort(),
        ['M', 'R'],
      )
      const lines = (await get(`${journal}/A_JournalEntryItemBasic`)).json.d.results
      const total = lines.reduce(
        (sum: number, line: { AmountInTransactionCurrency: string }) =>
          sum + Number(line.AmountInTransactionCurrency),
        0,
      )
      assert.equal(total, 0)
      const amounts = Object.fromEntries(
        lines.map((line: { GLAccount: string; AmountInTransactionCurrency: string }) => [
          line.GLAccount,
          line.AmountInTransactionCurrency,
        ]),
      )
      assert.deepEqual(amounts, {
        '13600000': '-600.00',
        '50301000': '600.00',
        '12100000': '1000.00',
        '41000000': '-1000.00',
      })
      refused(await bill(tools, number), 'VF/002')
      refused(
        await call(
          tools,
          'ReverseGoodsIssue',
          `DeliveryDocument='${number}'&ActualGoodsMovementDate=datetime'2026-03-02T00:00:00'`,
        ),
        'VL/610',
      )
      const cancelled = done(
        await write({ method: 'POST', url: `${billing}/Cancel?BillingDocument='90000001'` }),
      ).json.d.results[0]
      assert.equal(cancelled.CancellationBillingDocument, '90000002')
      done(
        await call(
          tools,
          'ReverseGoodsIssue',
          `DeliveryDocument='${number}'&ActualGoodsMovementDate=datetime'2026-03-02T00:00:00'`,
        ),
      )
      assert.equal(await stockOf(tools, 'PUMP'), '30')
      const match = { 'if-match': '*' }
      done(
        await write({
          method: 'DELETE',
          url: `${deliveries}/A_OutbDeliveryHeader('${number}')`,
          headers: match,
        }),
      )
      assert.equal((await get(`${orderService}/A_SalesOrder('7001')`)).json.d.OverallTotalDeliveryStatus, 'A')
    }))

  it('delivers and bills in parts', () =>
    withTwin(async (tools) => {
      const { get } = tools
      const part = { ReferenceSDDocumentItem: '10', ActualDeliveryQuantity: '4', DeliveryQuantityUnit: 'PC' }
      const first = done(await deliver(tools, '7001', part)).json.d.DeliveryDocument
      const item = (await get(`${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')`)).json
        .d
      assert.equal(item.DeliveryStatus, 'B')
      refused(await deliver(tools, '7001', { ...part, ActualDeliveryQuantity: '7' }), 'VL/249')
      done(await deliver(tools, '7001'))
      refused(await deliver(tools, '7001'), 'VL/248')
      refused(await bill(tools, first), 'VF/003')
      done(await call(tools, 'PickAllItems', `DeliveryDocument='${first}'`))
      done(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${first}'`))
      assert.equal(done(await bill(tools, first)).json.value[0].TotalNetAmount, 400)
    }))

  it('refuses what is blocked: the order, the customer, the delivery, the invoice', () =>
    withTwin(async (tools) => {
      const { write } = tools
      const match = { 'if-match': '*' }
      const change = (fields: object) =>
        write({ method: 'PATCH', url: `${orderService}/A_SalesOrder('7001')`, body: fields, headers: match })
      done(await change({ DeliveryBlockReason: '01' }))
      refused(await deliver(tools, '7001'), 'VL/002')
      refused(await change({ DeliveryBlockReason: 'QQ' }), '00/058')
      done(await change({ DeliveryBlockReason: '', HeaderBillingBlockReason: '03' }))
      const number = done(await deliver(tools, '7001')).json.d.DeliveryDocument
      done(await call(tools, 'PickAllItems', `DeliveryDocument='${number}'`))
      done(
        await write({
          method: 'PATCH',
          url: `${deliveries}/A_OutbDeliveryHeader('${number}')`,
          body: { DeliveryBlockReason: '02' },
          headers: match,
        }),
      )
      refused(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${number}'`), 'VL/604')
      done(
        await write({
          method: 'PATCH',
          url: `${deliveries}/A_OutbDeliveryHeader('${number}')`,
          body: { DeliveryBlockReason: '' },
          headers: match,
        }),
      )
      done(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${number}'`))
      refused(await bill(tools, number), 'VF/004')
      done(await change({ HeaderBillingBlockReason: '' }))
      done(await bill(tools, number))
    }))

  it('reads billing documents in version 4, with filters, selections and expanded items', () =>
    withTwin(async (tools) => {
      const { get } = tools
      const number = done(await deliver(tools, '7001')).json.d.DeliveryDocument
      done(await call(tools, 'PickAllItems', `DeliveryDocument='${number}'`))
      done(await call(tools, 'PostGoodsIssue', `DeliveryDocument='${number}'`))
      done(await bill(tools, number))
      const query = [
        '$filter=TotalNetAmount ge 999.5 and BillingDocumentDate eq 2026-03-02',
        '$select=BillingDocument,BillingDocumentDate',
        '$expand=_Item($select=Material,NetAmount)',
        '$count=true',
      ].join('&')
      const { json } = done(await get(`${billingV4}/BillingDocument?${query}`))
      assert.equal(json['@odata.count'], 1)
      const [{ '@odata.etag': etag, ...document }] = json.value
      assert.match(etag, /^W\//)
      assert.deepEqual(document, {
        BillingDocument: '90000001',
        BillingDocumentDate: '2026-03-02',
        _Item: [{ Material: 'PUMP', NetAmount: 1000 }],
      })
      const metadata = await get(`${billingV4}/$metadata`)
      assert.match(metadata.text, /<Action Name="CreateFromSDDocument" IsBound="true">/)
      const missing = await get(`${billingV4}/BillingDocument('1')`)
      assert.equal(missing.status, 404)
      assert.equal(typeof missing.json.error.message, 'string')
    }))

  it('makes an order of a quotation at the quoted price, once, until that order is deleted', () =>
    withTwin(async ({ get, write }) => {
      const quotations = serviceRoot('API_SALES_QUOTATION_SRV')
      const area = { SalesOrganization: '1710', DistributionChannel: '10', OrganizationDivision: '00' }
      const made = done(
        await write({
          method: 'POST',
          url: `${quotations}/A_SalesQuotation`,
          body: {
            ...area,
            SoldToParty: '17100001',
            to_Item: [
              {
                Material: 'VALVE',
                RequestedQuantity: '4',
                to_PricingElement: [{ ConditionType: 'PR00', ConditionRateValue: '20' }],
              },
            ],
          },
        }),
      ).json.d
      assert.equal(made.TotalNetAmount, '80.00')
      const body = { ...area, SoldToParty: '17100001', ReferenceSDDocument: made.SalesQuotation }
      const order = done(await write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body })).json.d
      assert.equal(order.TotalNetAmount, '80.00')
      const after = (
        await get(`${quotations}/A_SalesQuotation('${made.SalesQuotation}')?$expand=to_SubsequentProcFlowDoc`)
      ).json.d
      assert.equal(after.OverallSDProcessStatus, 'C')
      assert.equal(after.to_SubsequentProcFlowDoc.results[0].SubsequentDocument, order.SalesOrder)
      refused(await write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body }), 'V1/602')
      const url = `${orderService}/A_SalesOrder('${order.SalesOrder}')`
      done(await write({ method: 'DELETE', url, headers: { 'if-match': '*' } }))
      done(await write({ method: 'POST', url: `${orderService}/A_SalesOrder`, body }))
    }))

  it('takes back no more than was delivered', () =>
    withTwin(async (tools) => {
      const returns = serviceRoot('API_CUSTOMER_RETURN_SRV')
      const area = { SalesOrganization: '1710', DistributionChannel: '10', OrganizationDivision: '00' }
      const send = (quantity: string) =>
        tools.write({
          method: 'POST',
          url: `${returns}/A_CustomerReturn`,
          body: {
            ...area,
            SoldToParty: '17100001',
            SDDocumentReason: '101',
            to_Item: [
              {
                ReferenceSDDocument: '7001',
                ReferenceSDDocumentItem: '10',
                RequestedQuantity: quantity,
              },
            ],
          },
        })
      refused(await send('1'), 'V1/604')
      const part = { ReferenceSDDocumentItem: '10', ActualDeliveryQuantity: '3', DeliveryQuantityUnit: 'PC' }
      done(await deliver(tools, '7001', part))
      const made = done(await send('2')).json.d
      assert.equal(made.CustomerReturnType, 'CBAR')
      assert.equal(made.TotalNetAmount, '200.00')
      refused(await send('2'), 'V1/604')
    }))
})
