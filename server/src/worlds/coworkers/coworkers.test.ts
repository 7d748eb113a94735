import assert from 'node:assert/strict'
import { after as afterAll, before, describe, it } from 'node:test'
import { joinService, type TestService, testService } from '../../testing.ts'
import { after, launch, moving } from '../clock/testing-moving.ts'
import type { Bent } from '../testing-blueprints.ts'
import { amountIn } from './amount.ts'
import { withinHours } from './hours.ts'

const coworkers = [
  {
    person: 'bram',
    knows: [
      { fact: 'The renewal closes on 31 March.', about: ['renewal date', 'closing date'] },
      { fact: 'The discount is 8 %.', about: ['discount'], tell: 'only_to', to: ['gus'] },
      { fact: 'Calder pays late.', about: ['payment'], tell: 'never' },
      { fact: 'Use the new form.', about: ['form'], tell: 'always' },
    ],
    approvals: [
      {
        about: ['approve', 'approval'],
        below: 5_000,
        otherwise: 'escalate',
        do: [
          {
            service: 'erp',
            operation: 'PATCH A_SalesOrder',
            input: { SalesOrder: { $key: 'so-calder-install' }, PurchaseOrderByCustomer: 'APPROVED' },
          },
        ],
      },
    ],
    escalatesTo: 'gus',
  },
  {
    person: 'gus',
    replyDelay: '1h',
    approvals: [{ about: ['approve', 'approval'], yes: 'Fine by me.' }],
    knows: [
      {
        fact: 'The truck leaves on Friday.',
        about: ['truck'],
        first: 'It leaves on Monday.',
        correctsAfter: '2h',
      },
    ],
    asks: { text: 'Could you send me the customer list?', after: '5m' },
  },
  {
    person: 'aiko',
    hours: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' },
    knows: [
      { fact: 'Fixed in rc2.', about: ['beacons'] },
      { fact: 'Rill 4 ships in May.', about: ['launch', 'rill 4'] },
      { fact: 'The launch party is on Friday.', about: ['launch', 'party'] },
    ],
  },
]

const open = async (service: TestService) => {
  const world = await launch(service, moving({ coworkers }))
  const { members } = await world.chat('users.list')
  const idOf = (name: string) => members.find(({ profile }: Bent) => profile.email?.startsWith(name)).id
  return {
    ...world,
    idOf,
    ask: (whom: string, text: string) => world.chat('chat.postMessage', { channel: idOf(whom), text }),
    /** What colleagues said on their own: who, when and what. */
    said: async () => {
      const caused = await world.activity('&cause=world')
      const whole = await Promise.all(
        caused.map(
          async ({ twin_id, request_id }: Bent) =>
            (await service.call('GET', `/v1/twins/${twin_id}/activity/${request_id}`)).body,
        ),
      )
      return whole.flatMap(({ cause, world_time, mutations }: Bent) =>
        mutations.flatMap(({ after: row }: Bent) =>
          typeof row?.text === 'string' ? [[cause, world_time.slice(11, 16), row.text]] : [],
        ),
      )
    },
  }
}

describe('coworkers', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('answer what they know to whom they may, ask back, and name who knows', async () => {
    const world = await open(service)
    for (const text of [
      'What is the closing date?',
      'And the discount?',
      'What about the payment?',
      'When does the truck leave?',
    ])
      assert.equal((await world.ask('bram', text)).ok, true)
    await world.ask('aiko', 'Tell me about the launch')
    await world.clock({ advance: '20m' })
    assert.deepEqual(
      (await world.said()).map(([, , text]: Bent) => text),
      [
        'The renewal closes on 31 March.\nUse the new form.',
        'I cannot tell you that.',
        'I cannot tell you that.',
        'I do not know. Ask Gus Lindqvist.',
      ],
    )
    // It is six in the evening in Tokyo: the answer comes in the morning.
    await world.clock({ advance: '16h' })
    assert.deepEqual((await world.said()).at(-1), ['coworker:aiko', '00:00', 'Do you mean rill 4 or party?'])
  })

  it('approve by the amount, pass on what is above it, and correct themselves later', async () => {
    const world = await open(service)
    await world.ask('bram', 'Please approve order 4711')
    await world.ask('bram', 'Please approve the order for 3,200 EUR')
    await world.ask('bram', 'Please approve 12 000 EUR for a pump')
    await world.ask('gus', 'When does the truck leave?')
    await world.clock({ advance: '4h' })
    assert.deepEqual(await world.said(), [
      ['coworker:bram', '09:10', 'What is the amount?\nUse the new form.'],
      ['coworker:bram', '09:10', 'Approved.'],
      ['coworker:bram', '09:11', 'That is more than I can approve. I have passed it on to Gus Lindqvist.'],
      ['coworker:gus', '10:01', 'It leaves on Monday.'],
      ['coworker:gus', '10:11', 'Fine by me.'],
      ['coworker:gus', '10:16', 'Could you send me the customer list?'],
      ['coworker:gus', '12:01', 'I was wrong earlier. The truck leaves on Friday.'],
    ])
    const orders = await world.call('erp', '/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder?$format=json')
    assert.equal(orders.d.results[0].PurchaseOrderByCustomer, 'APPROVED')
  })

  it('answer comments and assignments in the tracker, once, and on another node too', async () => {
    const path = await (async () => {
      await using leaves = await joinService(service)
      const world = await open(leaves)
      const ask = (query: string) => world.call('tracker', '/graphql', { method: 'POST', body: { query } })
      const found = await ask('{ issues(filter: { title: { contains: "beacons" } }) { nodes { id } } }')
      const { id } = found.data.issues.nodes[0]
      const asked = await ask(
        `mutation { commentCreate(input: { issueId: "${id}", body: "Do the beacons still get lost?" }) { success } }`,
      )
      assert.equal(asked.errors, undefined, JSON.stringify(asked))
      return world.path
    })()
    const { body: clock } = await service.call('POST', `${path}/clock`, { advance: '20h' })
    assert.deepEqual([clock.error, clock.pending], [null, 0])
    const { items } = (await service.call('GET', `${path}/activity?limit=50&cause=world`)).body
    assert.deepEqual(
      items.map(({ cause, operation, world_time, actor }: Bent) => [
        cause,
        operation,
        world_time,
        actor.subject,
      ]),
      [['coworker:aiko', 'mutation CommentCreate', after(15 * 60), 'aiko']],
    )
  })
})

it('coworkers who make no sense are refused at launch, each at its place', async () => {
  await using refusing = await testService()
  const blueprint = moving({
    coworkers: [
      { person: 'nobody' },
      { person: 'imogen.hale' },
      { person: 'bram', knows: [{ fact: 'x', about: ['x'], tell: 'only_to' }], escalatesTo: 'gus' },
      { person: 'gus', escalatesTo: 'bram', hours: { days: ['mon'], from: '17:00', to: '09:00' } },
      { person: 'aiko', approvals: [{ about: ['x'], below: 5, otherwise: 'escalate' }] },
      {
        person: 'nadia',
        approvals: [{ about: ['x'], do: [{ service: 'chat', operation: 'chat.shout' }] }],
        replyDelay: 'soon',
      },
    ],
  })
  const { status, body } = await refusing.call('POST', '/v1/builder/worlds', { blueprint })
  assert.equal(status, 400)
  assert.deepEqual(
    body.details.map(({ pointer }: Bent) => pointer.slice('/blueprint/scenario/coworkers/'.length)),
    [
      '5/replyDelay',
      '0/person',
      '1/person',
      '2/knows/0/to',
      '2/escalatesTo',
      '3/hours/to',
      '3/escalatesTo',
      '4/approvals/0/otherwise',
      '5/approvals/0/do/0/operation',
    ],
  )
})

it('amounts are read from what people write', () => {
  for (const [text, amount] of [
    ['approve 3,200 EUR', 3_200],
    ['order 4711 for € 1.250,50', 1_250.5],
    ['it costs 800', 800],
    ['approve order 4711', undefined],
    ['3 pumps and 4 hoses', undefined],
    ['please', undefined],
  ] as const)
    assert.equal(amountIn(text), amount, text)
})

it('working hours are those of the person’s own time zone', () => {
  const hours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' } as const
  const at = (text: string, zone: string) =>
    new Date(withinHours(Date.parse(text), { ...hours, days: [...hours.days] }, zone)).toISOString()
  assert.equal(at('2026-03-02T09:30:00Z', 'Europe/London'), '2026-03-02T09:30:00.000Z')
  assert.equal(at('2026-03-02T17:00:00Z', 'Europe/London'), '2026-03-03T09:00:00.000Z')
  assert.equal(at('2026-03-06T20:00:00Z', 'Asia/Tokyo'), '2026-03-09T00:00:00.000Z')
  assert.equal(at('2026-03-27T23:00:00Z', 'Europe/Amsterdam'), '2026-03-30T07:00:00.000Z')
  assert.equal(at('2026-03-02T01:00:00Z', 'America/Denver'), '2026-03-02T16:00:00.000Z')
})
