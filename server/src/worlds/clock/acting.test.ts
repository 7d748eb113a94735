import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testService } from '../../testing.ts'
import type { Bent } from '../testing-blueprints.ts'
import { after, launch, moving, post } from './testing-moving.ts'

const events = [
  {
    key: 'assign',
    at: '10m',
    as: 'tomas',
    do: [
      {
        service: 'tracker',
        operation: 'issueUpdate',
        input: {
          id: { $key: 'radio-retry' },
          input: { assigneeId: { $person: 'imogen.hale' }, priority: 1 },
        },
      },
    ],
  },
  {
    key: 'case',
    after: ['assign'],
    delay: '5m',
    as: 'nadia',
    do: [
      {
        service: 'crm',
        operation: 'PATCH Case',
        input: { Id: { $key: 'lakeshore-wiring-case' }, Priority: 'High' },
      },
      {
        service: 'crm',
        operation: 'POST CaseComment',
        input: { ParentId: { $key: 'lakeshore-wiring-case' }, CommentBody: 'They called again.' },
      },
    ],
  },
  {
    key: 'order',
    when: { request: { service: 'tracker', operation: 'issueUpdate', actor: 'tomas' } },
    delay: '20m',
    as: 'gus',
    do: [
      {
        service: 'erp',
        operation: 'PATCH A_SalesOrder',
        input: { SalesOrder: { $key: 'so-calder-install' }, PurchaseOrderByCustomer: 'CVW-2148' },
      },
    ],
  },
  { key: 'said', after: ['order'], as: 'gus', do: [post('The order has another number.')] },
]

it('people act in every service by its own operations, and what services do on their own comes in its order', async () => {
  await using service = await testService()
  const blueprint = moving({ events })
  // Opened at 10:05 six days earlier: escalated 12 minutes after the start of the story.
  blueprint.twins.crm.escalation = [{ priority: 'high', ageOverMinutes: 6 * 1_440 - 53, assignTo: 'tomas' }]
  const world = await launch(service, blueprint)
  const moved = await world.clock({ advance: '1h' })
  assert.deepEqual([moved.error, moved.fired], [null, 5])
  const caused = await world.activity('&cause=world')
  assert.deepEqual(
    caused.map(({ cause, world_time, operation, actor }: Bent) => [
      cause,
      world_time,
      operation,
      actor?.subject ?? null,
    ]),
    [
      ['event:assign', after(10), 'mutation IssueUpdate', 'tomas'],
      ['clock', after(12), 'due', null],
      ['event:case', after(15), 'PATCH Case', 'nadia'],
      ['event:case', after(15), 'POST CaseComment', 'nadia'],
      ['event:order', after(30), 'PATCH A_SalesOrder', 'gus'],
      ['event:said', after(30), 'chat.postMessage', 'gus'],
    ],
  )
  const query = `?q=${encodeURIComponent('SELECT IsEscalated, Owner.Name, Priority FROM Case ORDER BY CaseNumber')}`
  const cases = await world.call('crm', `/services/data/v60.0/query${query}`)
  assert.deepEqual(
    cases.records.map(({ IsEscalated, Owner, Priority }: Bent) => [IsEscalated, Owner.Name, Priority]),
    [
      [true, 'Tomás Rivera', 'High'],
      [false, 'Nadia Rahman', 'High'],
      [false, 'Nadia Rahman', 'Low'],
    ],
  )
  const orders = await world.call('erp', '/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder?$format=json')
  assert.equal(orders.d.results[0].PurchaseOrderByCustomer, 'CVW-2148')
})
