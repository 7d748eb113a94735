import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFindings } from '@diorama/twin-kit/kernel/findings'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { check } from './check.ts'
import { section as crmSection } from './section.ts'
import { callOn } from './testing/setup.ts'
import { section } from './testing/world.ts'
import { crm } from './twin.ts'

const discount = {
  object: 'Opportunity',
  name: 'Large_Deal',
  entryCriteria: 'Amount > 40000',
  steps: [
    { name: 'Head_of_Sales', approver: 'mira' },
    { name: 'Second_Opinion', approver: 'submitter' },
  ],
  onSubmission: { NextStep: 'Waits for approval' },
  onApproval: { NextStep: 'Approved' },
  onRejection: { NextStep: 'Rejected' },
}
const renewal = {
  object: 'Account',
  name: 'Renewal',
  steps: [{ name: 'Manager', approver: 'manager' }],
}
const written = crmSection.parse({ ...section, customization: { approvalProcesses: [discount, renewal] } })

const company = () => {
  const seed = seedFor(crm, written)
  const { instance, tokens } = startInstance(seed)
  const key = (name: string): string => seed.seed.keys.find((one) => one.key === name)?.id ?? ''
  const as = (who: 'lucia' | 'mira' | 'dev') => {
    const call = (method: string, path: string, body?: unknown) =>
      callOn(instance, tokens[who] ?? '', method, path, body)
    return {
      call,
      ask: (soql: string) => call('GET', `/query?q=${encodeURIComponent(soql)}`).body.records,
      act: (request: object) => call('POST', '/process/approvals', { requests: [request] }),
    }
  }
  const userOf = (alias: string): string =>
    as('lucia').ask(`SELECT Id FROM User WHERE Alias = '${alias}'`)[0].Id
  return { as, key, userOf }
}
const submit = (contextId: string, more: object = {}) => ({ actionType: 'Submit', contextId, ...more })

describe('an approval process', () => {
  it('is listed with its object, and what it decides can be queried', () => {
    const { as } = company()
    const { approvals } = as('lucia').call('GET', '/process/approvals').body
    assert.deepEqual(Object.keys(approvals), ['Opportunity', 'Account'])
    const [listed] = approvals.Opportunity
    assert.deepEqual([listed.name, listed.object, listed.sortOrder], ['Large Deal', 'Opportunity', 1])
    assert.match(listed.id, /^04a/)
    assert.deepEqual(
      as('lucia')
        .ask('SELECT DeveloperName, (SELECT DeveloperName FROM ProcessNodes) FROM ProcessDefinition')[0]
        .ProcessNodes.records.map((node: { DeveloperName: string }) => node.DeveloperName),
      ['Head_of_Sales', 'Second_Opinion'],
    )
  })

  it('takes a record through its steps to approval', () => {
    const { as, key, userOf } = company()
    const deal = key('acme-renewal')
    const [sent] = as('lucia').act(submit(deal, { comments: 'Please' })).body
    assert.deepEqual(
      [sent.success, sent.instanceStatus, sent.entityId, sent.actorIds, sent.errors],
      [true, 'Pending', deal, [userOf('mira')], null],
    )
    assert.equal(as('lucia').call('GET', `/sobjects/Opportunity/${deal}`).body.NextStep, 'Waits for approval')
    const [item] = sent.newWorkitemIds
    const missing = as('mira').act({ actionType: 'Approve', contextId: item })
    assert.deepEqual([missing.status, missing.body[0].errorCode], [400, 'REQUIRED_FIELD_MISSING'])
    const next = { actionType: 'Approve', contextId: item, nextApproverIds: [userOf('dev')] }
    const [first] = as('mira').act(next).body
    assert.deepEqual([first.instanceStatus, first.actorIds], ['Pending', [userOf('dev')]])
    const [last] = as('dev').act({ actionType: 'Approve', contextId: first.newWorkitemIds[0] }).body
    assert.deepEqual([last.instanceStatus, last.newWorkitemIds], ['Approved', []])
    assert.equal(as('lucia').call('GET', `/sobjects/Opportunity/${deal}`).body.NextStep, 'Approved')
    assert.deepEqual(
      as('lucia')
        .ask('SELECT StepStatus, Comments FROM ProcessInstanceStep ORDER BY Id')
        .map((step: { StepStatus: string; Comments: string }) => [step.StepStatus, step.Comments]),
      [
        ['Started', 'Please'],
        ['Approved', null],
        ['Approved', null],
      ],
    )
    assert.deepEqual(as('lucia').ask('SELECT Id FROM ProcessInstanceWorkitem'), [])
  })

  it('locks a record for everybody but administrators until it is decided', () => {
    const { as, key } = company()
    const deal = key('borealis-pilot')
    const edit = () => as('dev').call('PATCH', `/sobjects/Opportunity/${deal}`, { NextStep: 'x' })
    assert.equal(edit().status, 204)
    const [sent] = as('lucia').act(submit(deal)).body
    const refused = edit()
    assert.deepEqual([refused.status, refused.body[0].errorCode], [400, 'ENTITY_IS_LOCKED'])
    assert.equal(
      as('dev').call('DELETE', `/sobjects/Opportunity/${deal}`).body[0].errorCode,
      'ENTITY_IS_LOCKED',
    )
    const [rejected] = as('mira').act({ actionType: 'Reject', contextId: sent.newWorkitemIds[0] }).body
    assert.equal(rejected.instanceStatus, 'Rejected')
    assert.equal(edit().status, 204)
  })

  it('refuses what does not fit, in the vendor’s codes', () => {
    const { as, key, userOf } = company()
    const code = (who: 'lucia' | 'dev', request: object) => as(who).act(request).body[0].errorCode
    assert.equal(code('lucia', submit(key('acme-retrofit'))), 'NO_APPLICABLE_PROCESS')
    assert.equal(code('lucia', submit(key('leak'))), 'NO_APPLICABLE_PROCESS')
    assert.equal(code('lucia', submit('006000000000000AAA')), 'INVALID_CROSS_REFERENCE_KEY')
    assert.equal(code('lucia', submit(key('acme'))), 'MANAGER_NOT_DEFINED')
    assert.deepEqual(as('lucia').ask('SELECT Id FROM ProcessInstance'), [])
    const named = { processDefinitionNameOrId: 'Large_Deal', skipEntryCriteria: true }
    const [sent] = as('lucia').act(submit(key('acme-retrofit'), named)).body
    assert.equal(code('lucia', submit(key('acme-retrofit'), named)), 'ALREADY_IN_PROCESS')
    const [item] = sent.newWorkitemIds
    const approval = { actionType: 'Approve', contextId: item, nextApproverIds: [userOf('dev')] }
    assert.equal(code('dev', approval), 'INSUFFICIENT_ACCESS_OR_READONLY')
    const many = as('lucia').call('POST', '/process/approvals', {
      requests: [submit(key('acme-renewal')), submit(key('leak'))],
    }).body
    assert.deepEqual(
      many.map((one: { success: boolean; errors: { statusCode: string }[] | null }) => [
        one.success,
        one.errors?.[0]?.statusCode,
      ]),
      [
        [true, undefined],
        [false, 'NO_APPLICABLE_PROCESS'],
      ],
    )
  })

  it('is entered by the action that submits, too', () => {
    const { as, key } = company()
    const run = (objectId: string) =>
      as('lucia').call('POST', '/actions/standard/submit', { inputs: [{ objectId, comment: 'Please' }] })
    const done = run(key('acme-renewal'))
    assert.deepEqual(
      [done.status, done.body[0].isSuccess, done.body[0].outputValues.instanceStatus],
      [200, true, 'Pending'],
    )
    const failed = run(key('leak'))
    assert.deepEqual(
      [failed.status, failed.body[0].isSuccess, failed.body[0].errors[0].statusCode],
      [400, false, 'NO_APPLICABLE_PROCESS'],
    )
    const { actions } = as('lucia').call('GET', '/actions/standard').body
    assert.deepEqual(
      actions.map(({ name }: { name: string }) => name),
      ['emailSimple', 'submit'],
    )
  })

  it('names only objects, people and formulas that there are', () => {
    const findings = createFindings()
    const broken = {
      ...discount,
      object: 'Nope',
      entryCriteria: 'Amount >',
      steps: [{ name: 'A', approver: 'zed' }],
    }
    check(crmSection.parse({ ...section, customization: { approvalProcesses: [broken] } }), {
      findings,
      handles: new Set(testCompany.people.map(({ handle }) => handle)),
      clock: new Date(testCompany.clock).toISOString(),
    })
    assert.deepEqual(
      findings.errors.map(({ pointer }) => pointer).sort(),
      ['entryCriteria', 'object', 'steps/0/approver'].map(
        (place) => `/customization/approvalProcesses/0/${place}`,
      ),
    )
  })
})
