import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Emission } from '@diorama/twin-kit/kernel/deliveries'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { parseXml } from '@diorama/twin-kit/wires/xml'
import { outboundChannel } from './outbound/channel.ts'
import { all, find, textIn } from './soap/xml.ts'
import { emptySection } from './testing/world.ts'
import { crm } from './twin.ts'

const seed = seedFor(crm, emptySection)
const place = { at: testCompany.clock, baseUrl: 'https://northwind.my.salesforce.com' }
const wonDeals = {
  name: 'Won_deals',
  object: 'Opportunity',
  endpointUrl: 'https://listener.example/won',
  fields: ['Name', 'Amount', 'CreatedDate', 'IsWon'],
  condition: "StageName = 'Closed Won'",
  triggerType: 'onCreateOrTriggeringUpdate',
  includeSessionId: true,
}

const open = (outboundMessages: readonly object[]) => {
  const { instance, token } = startInstance(seed)
  instance.control('writeSettings', { outboundMessages }, place)
  const ask = (method: string, path: string, body?: object) => {
    const { step, failure } = instance.handle(
      {
        method,
        path: `/services/data/v62.0${path.split('?')[0]}`,
        query: path.split('?')[1] ?? '',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: Buffer.from(body ? JSON.stringify(body) : ''),
        baseUrl: place.baseUrl,
      },
      testCompany.clock + 1_000,
    )
    assert.equal(failure, undefined)
    assert.ok(step.reply.status < 300, String(step.reply.body))
    const text = String(step.reply.body)
    return { body: text === '' ? undefined : JSON.parse(text), emissions: step.emissions }
  }
  return { instance, ask, token }
}

const notificationsIn = (emission: Emission | undefined) => {
  assert.ok(emission)
  const { body } = outboundChannel.request(emission, { number: 1, at: 0 })
  const notifications = find(parseXml(body), 'Body', 'notifications')
  return {
    notifications,
    records: all(notifications, 'Notification').map((one) => {
      const record = find(one, 'sObject')
      return {
        id: textIn(one, 'Id'),
        type: record?.attributes.type,
        field: (name: string) => textIn(record, name),
      }
    }),
  }
}

describe('outbound messages', () => {
  it('carry the fields of the records that meet their rule, when they come to meet it', () => {
    const { ask, token } = open([wonDeals])
    const deal = { Name: 'Pumps & seals', StageName: 'Prospecting', CloseDate: '2026-05-01', Amount: 1_200 }
    const made = ask('POST', '/sobjects/Opportunity', deal)
    assert.deepEqual(made.emissions, [])
    const at = `/sobjects/Opportunity/${made.body.id}`
    const { emissions } = ask('PATCH', at, { StageName: 'Closed Won' })
    assert.equal(emissions.length, 1)
    assert.deepEqual(
      [emissions[0]?.url, emissions[0]?.kind],
      ['https://listener.example/won', 'Opportunity Won_deals'],
    )
    const { notifications, records } = notificationsIn(emissions[0])
    assert.match(textIn(notifications, 'OrganizationId') ?? '', /^00D\w{15}$/)
    assert.match(textIn(notifications, 'ActionId') ?? '', /^04k\w{15}$/)
    assert.equal(textIn(notifications, 'SessionId'), token)
    assert.match(
      textIn(notifications, 'PartnerUrl') ?? '',
      /^https:\/\/northwind\.my\.salesforce\.com\/services\/Soap\/u\//,
    )
    const [record] = records
    assert.equal(record?.id, emissions[0]?.id)
    assert.match(record?.type ?? '', /Opportunity$/)
    assert.deepEqual(
      ['Id', 'Name', 'Amount', 'IsWon'].map((name) => record?.field(name)),
      [made.body.id, 'Pumps & seals', '1200', 'true'],
    )
    assert.match(record?.field('CreatedDate') ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepEqual(ask('PATCH', at, { Amount: 1_300 }).emissions, [], 'it met the rule before')
  })

  it('hold up to a hundred notifications of one transaction, each with its own id', () => {
    const { ask } = open([{ ...wonDeals, object: 'Account', fields: ['Name'], condition: null }])
    const records = Array.from({ length: 120 }, (_, n) => ({
      attributes: { type: 'Account' },
      Name: `Account ${n}`,
    }))
    const { emissions } = ask('POST', '/composite/sobjects', { records })
    const counts = emissions.map((emission) => notificationsIn(emission).records)
    assert.deepEqual(
      counts.map(({ length }) => length),
      [100, 20],
    )
    assert.equal(new Set(counts.flat().map(({ id }) => id)).size, 120)
  })

  it('are delivered when the receiver acknowledges in words, and sent again for a day otherwise', () => {
    const judge = (status: number, ack: string) =>
      outboundChannel.judge?.(
        {
          status,
          headers: {},
          body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><o:notificationsResponse xmlns:o="http://soap.sforce.com/2005/09/outbound"><o:Ack>${ack}</o:Ack></o:notificationsResponse></e:Body></e:Envelope>`,
        },
        {} as Emission,
      )
    assert.deepEqual(
      [judge(200, 'true'), judge(200, 'false'), judge(500, 'true')],
      ['delivered', 'retry', 'retry'],
    )
    assert.equal(outboundChannel.judge?.({ status: 200, headers: {}, body: 'ok' }, {} as Emission), 'retry')
    const total = outboundChannel.retryAfterMs.reduce((sum, ms) => sum + ms, 0)
    assert.ok(total > 20 * 3_600_000 && total <= 24 * 3_600_000)
    assert.equal(Math.max(...outboundChannel.retryAfterMs), 2 * 3_600_000)
  })

  it('are refused with the place of what the organization does not have', () => {
    const { instance } = startInstance(seed)
    const write = (change: object) => () =>
      instance.control('writeSettings', { outboundMessages: [{ ...wonDeals, ...change }] }, place)
    assert.throws(write({ object: 'Nothing__c' }), /no such object/)
    assert.throws(write({ fields: ['Name', 'Nothing__c'] }), /no such field/)
    assert.throws(write({ condition: 'Nothing__c = 1' }), /Nothing__c/)
  })
})

describe('EventBusSubscriber', () => {
  it('can be queried and lists triggers and flows alone, of which there are none', () => {
    const { ask } = open([])
    const found = ask('GET', '/query?q=SELECT+Name,Position,Tip,Status+FROM+EventBusSubscriber')
    assert.deepEqual([found.body.totalSize, found.body.done], [0, true])
    assert.equal(ask('GET', '/sobjects/EventBusSubscriber/describe').body.queryable, true)
  })
})
