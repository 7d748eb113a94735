import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maxChanges } from '@diorama/twin-kit/wires/odata/budget'
import { orderService } from './testing/requests.ts'
import { testSection } from './testing/section.ts'
import { withTwin } from './testing/with-twin.ts'

const orderCount = 1_500
const many = {
  ...testSection,
  salesOrders: Array.from({ length: orderCount }, (_, n) => ({
    key: `order-${n}`,
    soldTo: 'bluewater',
    currency: 'USD',
    requestedDeliveryDate: '2026-03-20',
    status: 'open' as const,
    createdAt: null,
    purchaseOrderByCustomer: `PO-${n}`,
    salesOrganization: null,
    items: [{ material: `M-${n % 50}`, description: 'Part', quantity: 1, unit: 'PC', netAmount: 10 }],
  })),
}
const withSection = (section: object, work: Parameters<typeof withTwin>[0]) => withTwin(work, section)
const filter = (text: string): string => `${orderService}/A_SalesOrder?$filter=${encodeURIComponent(text)}`

describe('requests that would cost too much', () => {
  it('end a page early, and every entity is on one of the pages that follow each other', () =>
    withSection(many, async ({ get }) => {
      const seen = new Set<string>()
      let next: string | undefined = `${orderService}/A_SalesOrder?$expand=to_Item,to_Partner`
      let pages = 0
      while (next !== undefined) {
        const { json } = await get(next)
        for (const { SalesOrder } of json.d.results) seen.add(SalesOrder)
        next = json.d.__next
        pages += 1
      }
      assert.equal(seen.size, orderCount)
      assert.ok(pages > 3)
    }))

  it('are refused: filters of many comparisons, deep nesting, long sorts and wide expansions', () =>
    withSection(many, async ({ get }) => {
      const refusedLarge = async (url: string) =>
        assert.equal((await get(url)).status, 413, url.slice(0, 120))
      const clauses = Array.from({ length: 150 }, (_, n) => `substringof('q${n}',PurchaseOrderByCustomer)`)
      await refusedLarge(filter(clauses.join(' or ')))
      await refusedLarge(filter(`${'('.repeat(200)}SalesOrder eq '1'${')'.repeat(200)}`))
      await refusedLarge(filter(`${'not '.repeat(300)}(SalesOrder eq '1')`))
      await refusedLarge(`${orderService}/A_SalesOrder?$orderby=${Array(21).fill('SalesOrder').join(',')}`)
      const path = Array(6).fill('to_Item/to_SalesOrder').join('/')
      await refusedLarge(`${orderService}/A_SalesOrder?$expand=${path}`)
      await refusedLarge(`${orderService}/A_SalesOrder?$expand=${Array(51).fill('to_Item').join(',')}`)
    }))

  it('are refused: bodies and batches with too many entities or parts', () =>
    withSection({ ...many, salesOrders: many.salesOrders.slice(0, 5) }, async ({ write, proven, host }) => {
      const item = { Material: 'M-1', RequestedQuantity: '1' }
      const large = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: {
          SalesOrganization: '1710',
          DistributionChannel: '10',
          OrganizationDivision: '00',
          SoldToParty: '17100001',
          to_Item: Array(maxChanges).fill(item),
        },
      })
      assert.equal(large.status, 413)
      const part = '--b\r\nContent-Type: application/http\r\n\r\nGET A_SalesOrder?$top=1 HTTP/1.1\r\n\r\n\r\n'
      const { cookie = '', ...token } = await proven()
      const batch = await fetch(`${host.baseUrl}${orderService}/$batch`, {
        method: 'POST',
        headers: {
          ...token,
          cookie,
          authorization: `Bearer ${host.token}`,
          'content-type': 'multipart/mixed; boundary=b',
        },
        body: `${part.repeat(300)}--b--\r\n`,
      })
      assert.equal(batch.status, 413)
    }))
})
