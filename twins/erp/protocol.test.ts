import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { orderService, partnerService } from './testing/requests.ts'
import { withTwin } from './testing/with-twin.ts'

const orders = `${orderService}/A_SalesOrder`
const match = { 'if-match': '*' }

describe('$filter', () => {
  const found: Readonly<Record<string, readonly string[]>> = {
    "SoldToParty eq '17100002'": ['7002', '7003'],
    "SoldToParty ne '17100002'": ['7001', '7004'],
    "((SoldToParty eq '17100001' and TotalNetAmount gt 10.5M and CreationDate gt datetime'2020-01-01T00:00:00.000'))":
      ['7001'],
    'TotalNetAmount gt 540 and TotalNetAmount le 1350.50m': ['7001'],
    'TotalNetAmount add 10 ge 550 and not (TotalNetAmount gt 1000)': ['7002'],
    'TotalNetAmount mul 2 eq 1080M': ['7002'],
    "substringof('4471',PurchaseOrderByCustomer)": ['7001'],
    "substringof('4471',PurchaseOrderByCustomer) eq true": ['7001'],
    "startswith(PurchaseOrderByCustomer,'HF') or endswith(PurchaseOrderByCustomer,'-1')": ['7003', '7004'],
    'length(PurchaseOrderByCustomer) eq 0': ['7002'],
    "toupper(concat(tolower(PurchaseOrderByCustomer),'x')) eq 'HF-77X'": ['7003'],
    "indexof(PurchaseOrderByCustomer,'-') eq 2 and substring(PurchaseOrderByCustomer,3) eq '77'": ['7003'],
    "replace(trim(PurchaseOrderByCustomer),'-','') eq 'KI1'": ['7004'],
    'year(SalesOrderDate) eq 2026 and month(SalesOrderDate) eq 1': ['7003'],
    'day(RequestedDeliveryDate) eq 1': ['7004'],
    'LastChangeDate eq null': ['7001', '7002', '7003', '7004'],
    'LastChangeDate ne null': [],
    "LastChangeDateTime ge datetimeoffset'2026-02-16T10:00:00Z'": ['7001', '7004'],
    "LastChangeDateTime lt datetimeoffset'2026-02-16T12:00:00+02:00'": ['7002', '7003'],
    'CompleteDeliveryIsDefined eq false and round(TotalNetAmount) eq 37': ['7003'],
    "PurchaseOrderByCustomer eq 'it''s'": [],
    "'7001' eq SalesOrder": ['7001'],
    true: ['7001', '7002', '7003', '7004'],
  }
  for (const [filter, expected] of Object.entries(found))
    it(`finds ${expected.length} by ${filter}`, () =>
      withTwin(async ({ get }) => {
        const { json, text } = await get(`${orders}?$select=SalesOrder&$filter=${encodeURIComponent(filter)}`)
        assert.deepEqual(
          json.d?.results.map((each: { SalesOrder: string }) => each.SalesOrder),
          expected,
          text,
        )
        assert.equal(
          (await get(`${orders}/$count?$filter=${encodeURIComponent(filter)}`)).text,
          String(expected.length),
        )
      }))

  it('looks through a navigation to one, and at times and guids', () =>
    withTwin(async ({ get }) => {
      const items = await get(
        `${orderService}/A_SalesOrderItem?$select=SalesOrder&$filter=to_SalesOrder/SoldToParty eq '17100004' or to_SalesOrder/TotalNetAmount gt 80000`,
      )
      assert.equal(items.json.d.results.length, 1)
      const partners = `${partnerService}/A_BusinessPartner`
      const { BusinessPartnerUUID } = (await get(`${partners}('17100003')`)).json.d
      assert.equal(
        (await get(`${partners}/$count?$filter=BusinessPartnerUUID eq guid'${BusinessPartnerUUID}'`)).text,
        '1',
      )
      assert.equal(
        (
          await get(
            `${partners}/$count?$filter=CreationTime eq time'PT8H30M' and hour(CreationTime) eq 8 and minute(CreationTime) eq 30`,
          )
        ).text,
        '1',
      )
    }))

  it('refuses what does not fit together', () =>
    withTwin(async ({ get }) => {
      for (const [filter, status, words] of [
        ['SalesOrder eq 7001', 400, /Invalid parametertype used at function 'eq' \(Position: 11\)/],
        ['TotalNetAmount gt 1.0', 400, /Malformed URI literal syntax/],
        ["TotalNetAmount gt '1'", 400, /Invalid parametertype/],
        ["CreationDate gt '2020-01-01'", 400, /Invalid parametertype/],
        ["CreationDate gt datetime'2020-01-01'", 400, /Malformed URI literal syntax/],
        ["CreationDate gt datetimeoffset'2020-01-01T00:00:00Z'", 400, /Invalid parametertype/],
        ["SalesOrder eq '7001", 400, /Malformed URI literal syntax/],
        ["contains(SalesOrder,'7')", 400, /unknown function/],
        ["substringof('7')", 400, /Invalid parametertype used at function 'substringof'/],
        ['SalesOrder', 400, /no condition/],
        ["SalesOrder eq '1' and", 400, /ends too early/],
        ["to_Item/Material eq 'X'", 404, /to_Item/],
        ['('.repeat(300), 413, /nested/],
      ] as const) {
        const reply = await get(`${orders}?$filter=${encodeURIComponent(filter)}`)
        assert.equal(reply.status, status, filter)
        assert.match(reply.json.error.message.value, words, filter)
      }
    }))
})

describe('pages, orders and shapes', () => {
  it('orders, skips and takes, and counts what the filter lets through', () =>
    withTwin(async ({ get }) => {
      const { json } = await get(
        `${orders}?$orderby=TotalNetAmount desc,SalesOrder&$skip=1&$top=2&$inlinecount=allpages&$select=SalesOrder`,
      )
      assert.equal(json.d.__count, '4')
      assert.deepEqual(
        json.d.results.map((each: { SalesOrder: string }) => each.SalesOrder),
        ['7001', '7002'],
      )
      const byCustomer = await get(
        `${orderService}/A_SalesOrderItem?$orderby=to_SalesOrder/SoldToParty desc,SalesOrderItem desc&$top=1&$select=SalesOrder`,
      )
      assert.equal(byCustomer.json.d.results[0].SalesOrder, '7004')
      assert.equal((await get(`${orders}?$skiptoken=2&$select=SalesOrder`)).json.d.results.length, 2)
      for (const query of [
        '$top=-1',
        '$top=x',
        '$skip=1.5',
        '$inlinecount=some',
        '$orderby=SalesOrder up',
        '$foo=1',
        '$skiptoken=x',
      ])
        assert.equal((await get(`${orders}?${query}`)).status, 400, query)
    }))

  it('expands to any depth and selects below', () =>
    withTwin(async ({ get }) => {
      const { json } = await get(
        `${orders}('7001')?$expand=to_Item/to_SalesOrder/to_Partner,to_Partner&$select=SalesOrder,to_Item/*,to_Item/to_SalesOrder/SoldToParty,to_Item/to_SalesOrder/to_Partner/Customer,to_Partner`,
      )
      const [first] = json.d.to_Item.results
      assert.deepEqual(Object.keys(json.d), ['__metadata', 'SalesOrder', 'to_Item', 'to_Partner'])
      assert.equal(first.to_SalesOrder.SoldToParty, '17100001')
      assert.deepEqual(Object.keys(first.to_SalesOrder.to_Partner.results[0]), ['__metadata', 'Customer'])
      assert.ok(first.to_ScheduleLine.__deferred.uri)
      const onlyNavigation = await get(`${orders}('7001')?$select=to_Item`)
      assert.deepEqual(Object.keys(onlyNavigation.json.d), ['__metadata', 'to_Item'])
    }))

  it('answers properties, values, links and counts', () =>
    withTwin(async ({ get, write }) => {
      assert.deepEqual((await get(`${orders}('7001')/PurchaseOrderByCustomer`)).json, {
        d: { PurchaseOrderByCustomer: 'PO-4471' },
      })
      const value = await get(`${orders}('7001')/PurchaseOrderByCustomer/$value`)
      assert.deepEqual(
        [value.text, value.headers.get('content-type')],
        ['PO-4471', 'text/plain;charset=utf-8'],
      )
      const links = await get(`${orders}('7001')/$links/to_Item`)
      assert.match(links.json.d.results[1].uri, /A_SalesOrderItem\(SalesOrder='7001',SalesOrderItem='20'\)$/)
      assert.match(
        (
          await get(
            `${orderService}/A_SalesOrderItem(SalesOrder='7001',SalesOrderItem='10')/$links/to_SalesOrder`,
          )
        ).json.d.uri,
        /A_SalesOrder\('7001'\)$/,
      )
      assert.equal((await get(`${orders}('7001')/to_Item/$count`)).text, '2')
      assert.equal(
        (await get(`${orders}('7001')/to_Item(SalesOrder='7001',SalesOrderItem='20')/Material/$value`)).text,
        'HOSE-2',
      )
      assert.equal(
        (await get(`${orders}('7001')/to_Item(SalesOrder='7002',SalesOrderItem='20')`)).status,
        404,
      )
      assert.equal(
        (await write({ method: 'POST', url: `${orders}('7001')/$links/to_Item`, body: { uri: 'x' } })).status,
        501,
      )
    }))

  it('writes and reads Atom entries', () =>
    withTwin(async ({ write, get, host }) => {
      const entry = [
        '<?xml version="1.0"?><entry xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">',
        '<link rel="http://schemas.microsoft.com/ado/2007/08/dataservices/related/to_Item" type="application/atom+xml;type=feed" title="to_Item"><m:inline><feed><entry><content type="application/xml"><m:properties><d:Material>PUMP-100</d:Material><d:RequestedQuantity>2</d:RequestedQuantity></m:properties></content></entry></feed></m:inline></link>',
        '<content type="application/xml"><m:properties><d:SalesOrganization>1710</d:SalesOrganization><d:DistributionChannel>10</d:DistributionChannel><d:OrganizationDivision>00</d:OrganizationDivision><d:SoldToParty>17100001</d:SoldToParty><d:PurchaseOrderByCustomer>A&amp;B &lt;1&gt;</d:PurchaseOrderByCustomer><d:CustomerPurchaseOrderDate m:null="true"/></m:properties></content></entry>',
      ].join('')
      const headers = { 'content-type': 'application/atom+xml', accept: 'application/atom+xml' }
      const made = await write({ method: 'POST', url: orders, body: entry, headers })
      assert.equal(made.status, 201)
      assert.match(made.text, /<d:PurchaseOrderByCustomer>A&amp;B &lt;1&gt;<\/d:PurchaseOrderByCustomer>/)
      assert.match(made.text, /<d:CustomerPurchaseOrderDate m:null="true"\/>/)
      assert.match(made.text, /<m:inline><feed>.*<d:NetAmount>250\.10<\/d:NetAmount>/)
      assert.equal(
        host.instance.diff().find(({ id }) => id === '7005')?.after?.PurchaseOrderByCustomer,
        'A&B <1>',
      )
      assert.equal((await get(`${orders}('7005')/to_Item?$format=atom`)).text.match(/<entry/g)?.length, 1)
      for (const body of ['<entry>', '<!DOCTYPE x [<!ENTITY a "b">]><entry>&a;</entry>', '<feed/>', ''])
        assert.equal((await write({ method: 'POST', url: orders, body, headers })).status, 400, body)
    }))

  it('answers what it cannot read in the words of the service, never as a failure', () =>
    withTwin(async ({ get, write }) => {
      for (const [url, status] of [
        [`${orders}%ZZ`, 400],
        [`${orders}?$filter=%ZZ`, 400],
        [`${orders}('7001')/$value`, 400],
        [`${orders}/to_Item`, 404],
        ['/somewhere/else', 404],
        [`${orders}?$expand=${Array(12).fill('to_Item/to_SalesOrder').join('/')}`, 413],
      ] as const)
        assert.equal((await get(url)).status, status, url)
      for (const body of ['', 'null', '[]', '{', '"x"', '{"d":[]}', '{"to_Item":5}', '{"to_Item":[5]}'])
        assert.equal((await write({ method: 'POST', url: orders, body })).status, 400, body)
      assert.equal(
        (
          await write({
            method: 'POST',
            url: orders,
            body: 'a=b',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          })
        ).status,
        415,
      )
      assert.equal((await write({ method: 'DELETE', url: orders, headers: match })).status, 405)
      assert.equal((await write({ method: 'OPTIONS', url: orders })).status, 405)
    }))
})

describe('a single entity', () => {
  it('takes no options that are for lists', () =>
    withTwin(async ({ get }) => {
      for (const option of [
        "$filter=SalesOrder eq '7001'",
        '$top=1',
        '$skip=1',
        '$orderby=SalesOrder',
        '$inlinecount=allpages',
      ]) {
        const { status, json } = await get(`${orders}('7001')?${option}`)
        assert.equal(status, 400, option)
        assert.match(json.error.message.value, /SystemQueryOptions that are not allowed/)
      }
      assert.equal((await get(`${orders}('7001')?$select=SalesOrder&$expand=to_Item`)).status, 200)
    }))
})
