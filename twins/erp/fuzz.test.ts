import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Instance } from '@diorama/twin-kit/kernel/instance'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import fc from 'fast-check'
import { anyFilter, damagedBatch } from './testing/odd-requests.ts'
import { orderService, twinRequest } from './testing/requests.ts'
import { testSection } from './testing/section.ts'
import { erp } from './twin.ts'

const seed = seedFor(erp, testSection)
const runs = { numRuns: 300, seed: 20_260_302 }

const ask = (instance: Instance, token: string, asked: Parameters<typeof twinRequest>[0]) => {
  const { step, failure } = instance.handle(twinRequest(asked, token, testCompany.clock), testCompany.clock)
  assert.equal(failure, undefined, `${asked.url}\n${String((failure as Error)?.stack)}`)
  assert.notEqual(step.reply.status, 500)
  return step
}

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 90 })
const anySection = fc.record({
  businessPartners: fc.array(
    fc.record({
      category: fc.constantFrom('organization', 'person'),
      name: words,
      createdAt: fc.constantFrom(null, '2025-01-01T00:00:00Z'),
      firstName: fc.option(words),
      lastName: fc.option(words),
      searchTerm: fc.option(fc.string({ maxLength: 20 })),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  salesOrders: fc.array(
    fc.record({
      currency: fc.constantFrom('USD', 'JPY', 'KWD', 'ZZZ'),
      status: fc.constantFrom('open', 'in_process', 'completed'),
      purchaseOrderByCustomer: fc.option(words),
      items: fc.array(
        fc.record({
          material: words,
          description: words,
          quantity: fc.double({ noNaN: true, noDefaultInfinity: true }),
          unit: fc.oneof(fc.constantFrom('PC', 'kg', 'L'), words),
          netAmount: fc.double({ noNaN: true, noDefaultInfinity: true }),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  ),
})

describe('whatever a blueprint says,', () => {
  it('its rows fit their tables, and every order can be read', () => {
    fc.assert(
      fc.property(anySection, ({ businessPartners, salesOrders }) => {
        const frozen = seedFor(erp, {
          businessPartners: businessPartners.map((partner, n) => ({ key: `p${n}`, ...partner })),
          salesAreas: [],
          salesOrders: salesOrders.map((order, n) => ({
            key: `o${n}`,
            soldTo: 'p0',
            requestedDeliveryDate: '2026-03-20',
            createdAt: null,
            salesOrganization: null,
            ...order,
          })),
        })
        for (const [name, spec] of Object.entries(erp.tables))
          for (const row of frozen.seed.tables[name] ?? []) spec.row.parse(row)
        const { instance, token } = startInstance(frozen)
        const url = `${orderService}/A_SalesOrder?$expand=to_Item/to_ScheduleLine,to_Item/to_PricingElement`
        assert.equal(ask(instance, token, { url }).reply.status, 200)
      }),
      { ...runs, numRuns: 100 },
    )
  })
})

describe('whatever is sent,', () => {
  it('a filter is answered or refused, never failed, and changes nothing', () => {
    const { instance, token } = startInstance(seed)
    fc.assert(
      fc.property(
        anyFilter,
        fc.constantFrom('A_SalesOrder', 'A_SalesOrderItem', 'A_SalesOrder/$count'),
        (text, set) => {
          const { reply, changes } = ask(instance, token, {
            url: `${orderService}/${set}?$filter=${encodeURIComponent(text)}`,
          })
          assert.ok([200, 400, 404, 413].includes(reply.status), `${reply.status} ${text}`)
          assert.equal(changes.length, 0)
        },
      ),
      runs,
    )
  })

  it('a path and its options are answered or refused, never failed', () => {
    const { instance, token } = startInstance(seed)
    const piece = fc.oneof(
      fc.constantFrom(
        'A_SalesOrder',
        "('7001')",
        "(SalesOrder='7001')",
        '/',
        'to_Item',
        '$count',
        '$links',
        '$value',
        '$metadata',
        '$batch',
        'TotalNetAmount',
        "'",
        '%27',
        '(',
        ')',
        ',',
      ),
      fc.webPath({ size: 'small' }),
    )
    const option = fc
      .tuple(
        fc.constantFrom(
          '$select',
          '$expand',
          '$orderby',
          '$top',
          '$skip',
          '$skiptoken',
          '$inlinecount',
          '$format',
          'x',
        ),
        fc.oneof(
          fc.constantFrom(
            'SalesOrder',
            'to_Item',
            'to_Item/*',
            '*',
            '1',
            'json',
            'atom',
            'SalesOrder desc',
            'allpages',
          ),
          fc.string(),
        ),
      )
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 5 }),
        fc.array(option, { maxLength: 3 }),
        fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'MERGE', 'BREW'),
        (path, options, method) => {
          ask(instance, token, {
            method,
            url: `${orderService}/${path.join('')}?${options.join('&')}`,
            body: '{}',
          })
        },
      ),
      runs,
    )
  })

  it('a body is taken whole or not at all', () => {
    const value: fc.Arbitrary<unknown> = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('17100001', '1710', '10', '00', '5', '/Date(0)/', 'PUMP-100', [
        { Material: 'PUMP-100', RequestedQuantity: '1' },
      ]),
    )
    const body = fc.dictionary(
      fc.constantFrom(
        'SalesOrderType',
        'SalesOrganization',
        'DistributionChannel',
        'OrganizationDivision',
        'SoldToParty',
        'RequestedDeliveryDate',
        'TotalNetAmount',
        'to_Item',
        'to_Partner',
        'PurchaseOrderByCustomer',
        'd',
        '__metadata',
        'Nope',
      ),
      value,
    )
    const base = {
      SalesOrganization: '1710',
      DistributionChannel: '10',
      OrganizationDivision: '00',
      SoldToParty: '17100001',
    }
    fc.assert(
      fc.property(body, fc.boolean(), (given, whole) => {
        const { instance, token } = startInstance(seed)
        const { reply, changes } = ask(instance, token, {
          method: 'POST',
          url: `${orderService}/A_SalesOrder`,
          body: whole ? { ...base, ...given } : given,
        })
        assert.equal(changes.length > 0, reply.status === 201)
      }),
      runs,
    )
  })

  it('a batch leaves no changeset half applied', () => {
    fc.assert(
      fc.property(damagedBatch, (body) => {
        const { instance, token } = startInstance(seed)
        const { reply } = ask(instance, token, {
          method: 'POST',
          url: `${orderService}/$batch`,
          body,
          headers: { 'content-type': 'multipart/mixed; boundary=b' },
        })
        // A changeset that was taken back is answered by one error; whatever changed has its own answer.
        const changed = new Set(instance.diff().map(({ id }) => id))
        const answered = reply.body.toString().split('HTTP/1.1 204').length - 1
        assert.ok(changed.size <= answered, `${[...changed]} changed, ${answered} answered:\n${body}`)
      }),
      runs,
    )
  })
})
