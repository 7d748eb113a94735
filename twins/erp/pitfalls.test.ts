import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caller, orderService, partnerService } from './testing/requests.ts'
import { withTwin } from './testing/with-twin.ts'

const order = `${orderService}/A_SalesOrder('7001')`
const newOrder = {
  SalesOrderType: 'OR',
  SalesOrganization: '1710',
  DistributionChannel: '10',
  OrganizationDivision: '00',
  SoldToParty: '17100001',
}

describe('where imitations are caught:', () => {
  it('21: HEAD answers, with a trailing slash, and the token comes with errors too', () =>
    withTwin(async ({ send }) => {
      for (const url of [
        `${orderService}/A_SalesOrder/`,
        `${orderService}/A_SalesOrder('999')/`,
        `${orderService}/$batch/`,
        `${orderService}/Nope`,
        '/sap/opu/odata/sap/NOPE_SRV/',
      ]) {
        const { headers, text } = await send({
          method: 'HEAD',
          url,
          headers: { 'x-csrf-token': 'fetch', 'if-match': '*' },
        })
        assert.match(headers.get('x-csrf-token') ?? '', /^[\w-]{20,}$/, url)
        assert.equal(headers.getSetCookie().length, 2)
        assert.equal(text, '')
      }
    }))

  it('22: a token without its cookies is refused as plain text, with the word Required', () =>
    withTwin(async ({ send, proven, write, host }) => {
      const body = { PurchaseOrderByCustomer: 'X' }
      const proof = await proven()
      const stranger = caller(host, host.tokens.dev)
      const other = await stranger.proven()
      for (const headers of [
        {},
        { 'x-csrf-token': proof['x-csrf-token'] ?? '' },
        { cookie: proof.cookie ?? '' },
        { 'x-csrf-token': proof['x-csrf-token'] ?? '', cookie: other.cookie ?? '' },
        { 'x-requested-with': 'X' },
      ]) {
        const reply = await send({
          method: 'PATCH',
          url: order,
          body,
          headers: { ...headers, 'if-match': '*' },
        })
        assert.equal(reply.status, 403)
        assert.equal(reply.text, 'CSRF token validation failed')
        assert.equal(reply.headers.get('x-csrf-token'), 'Required')
        assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/)
      }
      assert.equal(
        (await write({ method: 'PATCH', url: order, body, headers: { 'if-match': '*' } })).status,
        204,
      )
      host.clock.now += 31 * 60_000
      assert.equal(
        (await write({ method: 'PATCH', url: order, body, headers: { 'if-match': '*' } })).status,
        403,
      )
    }))

  it('23: feeds are the default, $metadata is XML and nothing else', () =>
    withTwin(async ({ get }) => {
      const feed = await get(`${orderService}/A_SalesOrder`, { accept: '*/*' })
      assert.match(feed.headers.get('content-type') ?? '', /^application\/atom\+xml;type=feed/)
      assert.match(feed.text, /<d:TotalNetAmount>1350\.50<\/d:TotalNetAmount>/)
      const error = await get(`${orderService}/A_SalesOrder('1')`, { accept: '*/*' })
      assert.match(error.text, /^<\?xml.*<error xmlns=.*<code>\/IWBEP\/CM_MGW_RT\/020<\/code>/)
      assert.match((await get(`${orderService}/`, { accept: '*/*' })).text, /<app:service /)
      assert.equal(
        (await get(`${orderService}/?$format=json`, { accept: '*/*' })).json.d.EntitySets[0],
        'A_SalesOrder',
      )
      const refused = await get(`${orderService}/$metadata?$format=json`)
      assert.equal(refused.status, 406)
      assert.equal(refused.json.error.code, '005056A509B11ED19BEB6513AA349DA5')
      assert.match((await get(`${orderService}/$metadata`, { accept: '*/*' })).text, /^<\?xml version="1\.0"/)
    }))

  it('24: decimals and counts are text both ways', () =>
    withTwin(async ({ get, write }) => {
      const { json } = await get(`${orderService}/A_SalesOrder?$inlinecount=allpages&$top=1`)
      assert.equal(json.d.__count, '4')
      assert.equal(json.d.results[0].TotalNetAmount, '1350.50')
      const url = `${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')`
      const refused = await write({ method: 'PATCH', url, body: '{"RequestedQuantity":5}' })
      assert.equal(refused.status, 400)
      assert.equal(
        refused.json.error.message.value,
        "Failed to read property 'RequestedQuantity' at offset '21'",
      )
    }))

  it('25: keys have no leading zeros, amounts have the decimals of their currency', () =>
    withTwin(async ({ get }) => {
      const { json } = await get(`${orderService}/A_SalesOrder('0000007004')?$expand=to_Item/to_ScheduleLine`)
      const [item] = json.d.to_Item.results
      assert.equal(json.d.SalesOrder, '7004')
      assert.equal(json.d.TotalNetAmount, '90000')
      assert.equal(item.SalesOrderItem, '10')
      assert.equal(item.RequestedQuantity, '5')
      assert.equal(item.DeliveryGroup, '0')
      assert.equal(item.ItemGrossWeight, '0.000')
      assert.equal(item.AccountingExchangeRate, '0.00000')
      assert.equal(item.to_ScheduleLine.results[0].ScheduleLine, '1')
      const found = await get(
        `${orderService}/A_SalesOrder?$filter=SalesOrder eq '0000007004'&$select=SalesOrder`,
      )
      assert.equal(found.json.d.results.length, 1)
    }))

  it('26: keys are read by position and by name, with their quotes encoded or not', () =>
    withTwin(async ({ get }) => {
      for (const key of ["('7001')", "(SalesOrder='7001')", '(%277001%27)', '(SalesOrder%3D%277001%27)'])
        assert.equal((await get(`${orderService}/A_SalesOrder${key}`)).json.d.SalesOrder, '7001', key)
      for (const [key, status] of [
        ['(7001)', 400],
        ["('70010000000')", 400],
        ["('7001'", 400],
        ["(Order='7001')", 400],
        ["(SalesOrder='7001',X='1')", 400],
        ["('70''01')", 404],
      ] as const)
        assert.equal((await get(`${orderService}/A_SalesOrder${key}`)).status, status, key)
      const item = await get(`${orderService}/A_SalesOrderItem(SalesOrderItem='000010',SalesOrder='7001')`)
      assert.equal(
        item.json.d.__metadata.uri.endsWith("A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')"),
        true,
      )
    }))

  it('27: a batch answers 202 in CRLF, each body on one line', () =>
    withTwin(async ({ write }) => {
      const body = [
        '--b',
        'Content-Type: application/http',
        '',
        "GET A_SalesOrder('7001') HTTP/1.1",
        'Accept: application/json',
        '',
        '',
        '--b--',
        '',
      ].join('\r\n')
      const reply = await write({
        method: 'POST',
        url: `${orderService}/$batch`,
        body,
        headers: { 'content-type': 'multipart/mixed; boundary=b' },
      })
      assert.equal(reply.status, 202)
      assert.match(reply.headers.get('content-type') ?? '', /^multipart\/mixed; boundary=/)
      const lines = reply.text.split('\r\n')
      assert.ok(lines.includes('HTTP/1.1 200 OK'))
      assert.ok(lines.every((line) => !line.includes('\n')))
      assert.equal(JSON.parse(lines.find((line) => line.startsWith('{')) ?? '{}').d.SalesOrder, '7001')
    }))

  it('28: a write with system query options is refused', () =>
    withTwin(async ({ write, host }) => {
      for (const option of ['$format=json', '$expand=to_Item']) {
        const reply = await write({
          method: 'POST',
          url: `${orderService}/A_SalesOrder?${option}`,
          body: newOrder,
        })
        assert.equal(reply.status, 400)
        assert.match(
          reply.json.error.message.value,
          /SystemQueryOptions that are not allowed for this Request Type/,
        )
      }
      const allowed = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder?sap-client=100`,
        body: newOrder,
      })
      assert.equal(allowed.status, 201)
      assert.equal(host.instance.diff().filter(({ collection }) => collection === 'sales_order').length, 1)
    }))

  it('29: moments have an offset, days have none', () =>
    withTwin(async ({ get, write }) => {
      const { json } = await get(order)
      assert.equal(json.d.RequestedDeliveryDate, '/Date(1773964800000)/')
      assert.equal(json.d.LastChangeDateTime, '/Date(1771236000000+0000)/')
      const partner = await get(`${partnerService}/A_BusinessPartner('17100001')`)
      assert.equal(partner.json.d.CreationTime, 'PT08H30M00S')
      assert.match(partner.json.d.BusinessPartnerUUID, /^[0-9a-f]{8}-/)
      for (const [given, status] of [
        ['2026-04-02T00:00:00', 204],
        ['/Date(1775088000000)/', 204],
        ['2026-04-02', 400],
        ['02.04.2026', 400],
        ['2026-02-31T00:00:00', 400],
      ] as const) {
        const reply = await write({
          method: 'PATCH',
          url: order,
          body: { RequestedDeliveryDate: given },
          headers: { 'if-match': '*' },
        })
        assert.equal(reply.status, status, given)
      }
    }))
})
