import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { type Host, orderService, partnerService } from './testing/requests.ts'
import { withTwin } from './testing/with-twin.ts'

const order = `${orderService}/A_SalesOrder('7001')`
const newOrder = {
  SalesOrderType: 'OR',
  SalesOrganization: '1710',
  DistributionChannel: '10',
  OrganizationDivision: '00',
  SoldToParty: '17100001',
}

describe('where imitations of writing are caught:', () => {
  it('30: the order header wants its version, and a stale one is refused', () =>
    withTwin(async ({ get, write }) => {
      const body = { PurchaseOrderByCustomer: 'V' }
      const missing = await write({ method: 'PATCH', url: order, body })
      assert.equal(missing.status, 428)
      assert.match(missing.json.error.code, /^SADL_ENTITY_RUNTIME\//)
      const { etag } = (await get(order)).json.d.__metadata
      assert.equal(etag, `W/"datetimeoffset'2026-02-16T10%3A00%3A00.0000000Z'"`)
      assert.equal((await get(order)).headers.get('etag'), etag)
      assert.equal(
        (await write({ method: 'PATCH', url: order, body, headers: { 'if-match': etag } })).status,
        204,
      )
      assert.equal(
        (await write({ method: 'PATCH', url: order, body, headers: { 'if-match': etag } })).status,
        412,
      )
      assert.equal((await write({ method: 'DELETE', url: order })).status, 428)
      const item = `${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')`
      assert.equal(
        (await write({ method: 'PATCH', url: item, body: { RequestedQuantity: '5' } })).status,
        204,
      )
      assert.equal(
        (await get(order, { 'if-none-match': (await get(order)).headers.get('etag') ?? '' })).status,
        304,
      )
      const create = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: newOrder,
        headers: { 'if-match': '*' },
      })
      assert.equal(create.json.error.code, '/IWFND/CM_MGW/537')
    }))

  it('31: a missing entity is named by its type, an unknown set by its segment', () =>
    withTwin(async ({ get }) => {
      const missing = await get(`${orderService}/A_SalesOrder('1')`)
      assert.deepEqual(
        [missing.status, missing.json.error.code, missing.json.error.message.value],
        [404, '/IWBEP/CM_MGW_RT/020', "Resource not found for segment 'A_SalesOrderType'"],
      )
      for (const url of [
        `${orderService}/A_Nope`,
        `${order}/Nope`,
        `${orderService}/A_SalesOrder?$select=Nope`,
        `${orderService}/A_SalesOrder?$expand=Nope`,
        `${orderService}/A_SalesOrder?$filter=Nope eq '1'`,
        `${orderService}/A_SalesOrder?$orderby=Nope`,
      ]) {
        const unknown = await get(url)
        assert.deepEqual(
          [unknown.status, unknown.json.error.code, unknown.json.error.message.value],
          [
            404,
            '005056A509B11EE1B9A8FEC11C21D78E',
            `Resource not found for the segment '${url.includes('A_Nope') ? 'A_Nope' : 'Nope'}'.`,
          ],
        )
      }
    }))

  it('32: errors carry their transaction and its resolution, business errors their details', () =>
    withTwin(async ({ write }) => {
      const reply = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: { ...newOrder, SoldToParty: '999' },
      })
      assert.equal(reply.status, 400)
      const { innererror, message } = reply.json.error
      assert.equal(message.value, 'Sold-to party 999 not maintained for sales area 1710 10 00')
      assert.match(innererror.transactionid, /^[0-9A-F]{32}$/)
      assert.match(innererror.timestamp, /^20260302090000\.\d{7}$/)
      assert.equal(innererror.application.component_id, 'SD-SLS-API')
      assert.match(innererror.Error_Resolution.SAP_Note, /1797736/)
      assert.equal(innererror.errordetails[0].message, message.value)
      assert.equal(innererror.errordetails[0].severity, 'error')
    }))

  it('33: MERGE works, as a method and behind POST', () =>
    withTwin(async ({ write, get, proven, host }) => {
      const tunnelled = await write({
        method: 'POST',
        url: order,
        body: { PurchaseOrderByCustomer: 'T' },
        headers: { 'x-http-method': 'MERGE', 'if-match': '*' },
      })
      assert.equal(tunnelled.status, 204)
      assert.equal((await get(order)).json.d.PurchaseOrderByCustomer, 'T')
      assert.equal(await rawMerge(host, { ...(await proven()), 'if-match': '*' }), 204)
      assert.equal((await get(order)).json.d.PurchaseOrderByCustomer, 'M')
    }))

  it('34: a function import takes an empty body under a JSON content type', () =>
    withTwin(async ({ send, proven }) => {
      const reply = await send({
        method: 'POST',
        url: `${orderService}/releaseApprovalRequest?SalesOrder='7001'`,
        headers: { ...(await proven()), 'content-type': 'application/json' },
      })
      assert.equal(reply.status, 400)
      assert.equal(reply.json.error.message.value, 'Sales document 7001 is not waiting for approval')
      const bare = await send({
        method: 'POST',
        url: `${orderService}/releaseApprovalRequest`,
        headers: await proven(),
      })
      assert.equal(bare.json.error.message.value, 'Invalid Function Import Parameter')
    }))

  it('35: amounts and statuses are not taken over, partners cannot be deleted', () =>
    withTwin(async ({ write, get }) => {
      const reply = await write({
        method: 'PATCH',
        url: order,
        body: { TotalNetAmount: '1.00', OverallSDProcessStatus: 'C', PurchaseOrderByCustomer: 'W' },
        headers: { 'if-match': '*' },
      })
      assert.equal(reply.status, 204)
      const message = JSON.parse(reply.headers.get('sap-message') ?? '{}')
      assert.equal(message.severity, 'warning')
      assert.equal(message.details.length, 1)
      const { json } = await get(order)
      assert.deepEqual(
        [json.d.TotalNetAmount, json.d.OverallSDProcessStatus, json.d.PurchaseOrderByCustomer],
        ['1350.50', 'A', 'W'],
      )
      for (const url of [
        `${partnerService}/A_BusinessPartner('17100001')`,
        `${partnerService}/A_BusinessPartnerRole(BusinessPartner='17100001',BusinessPartnerRole='FLCU01')`,
      ])
        assert.equal((await write({ method: 'DELETE', url })).status, 405)
      const line = `${orderService}/A_SalesOrderScheduleLine(SalesOrder='7001',SalesOrderItem='10',ScheduleLine='1')`
      assert.equal(
        (await write({ method: 'PATCH', url: line, body: { ScheduleLineOrderQuantity: '1' } })).status,
        405,
      )
      assert.equal(
        (await write({ method: 'POST', url: `${partnerService}/A_Customer`, body: { Customer: '5' } })).json
          .error.code,
        'SADL_ENTITY_RUNTIME/011',
      )
    }))

  it('36: an unknown service is 403, and is counted', () =>
    withTwin(async ({ get, host }) => {
      const { status, json } = await get('/sap/opu/odata/sap/API_SERVICE_ORDER_SRV/A_ServiceOrder')
      assert.equal(status, 403)
      assert.equal(json.error.code, '/IWFND/MED/170')
      assert.equal(
        json.error.message.value,
        "No service found for namespace '', name 'API_SERVICE_ORDER_SRV', version '0001'",
      )
      assert.deepEqual(host.steps.at(-1)?.notEmulated, ['service API_SERVICE_ORDER_SRV'])
    }))

  it('37: links lead to the twin’s own host and answer, in every spelling of the root', () =>
    withTwin(async ({ get, host }) => {
      for (const root of [
        orderService,
        '/sap/opu/odata/SAP/API_SALES_ORDER_SRV;v=1',
        '/sap/opu/odata/sap/API_SALES_ORDER_SRV;o=LOCAL',
        '/erp/opu/odata/sap/API_SALES_ORDER_SRV',
        '/erp/opu/odata/erp/API_SALES_ORDER_SRV',
        '/SAP/OPU/ODATA/SAP/api_sales_order_srv',
      ]) {
        const { json } = await get(`${root}/A_SalesOrder('7001')`)
        assert.ok(json.d.__metadata.uri.startsWith(`${host.baseUrl}/`), root)
        assert.equal((await get(json.d.__metadata.uri)).json.d.SalesOrder, '7001')
        assert.equal((await get(json.d.to_Item.__deferred.uri)).json.d.results.length, 2)
      }
    }))
})

/** A raw request, since fetch does not know the method. */
const rawMerge = (host: Host, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(host.baseUrl)
    const body = JSON.stringify({ PurchaseOrderByCustomer: 'M' })
    const all = {
      host: 'twin',
      authorization: `Bearer ${host.token}`,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    const socket = connect(Number(port), hostname, () =>
      socket.write([`MERGE ${order} HTTP/1.1`, ...lines, '', body].join('\r\n')),
    )
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(Number(text.split(' ')[1])))
    socket.on('error', reject)
  })
