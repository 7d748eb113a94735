import assert from 'node:assert/strict'
import { it } from 'node:test'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { createScene } from '@diorama/twin-kit/variations/scene'
import { callOn } from '../testing/setup.ts'
import { section } from '../testing/world.ts'
import { crm } from '../twin.ts'

const start = (...permissions: readonly string[]) => {
  const { instance, token, tokens } = startInstance(seedFor(crm, section))
  const input = { subjects: [integration], permissions }
  instance.control('withhold', input, { at: testCompany.clock, baseUrl: '' })
  const call = (method: string, path: string, body?: unknown) => callOn(instance, token, method, path, body)
  const query = (soql: string) => call('GET', `/query?q=${encodeURIComponent(soql)}`)
  return { instance, call, query, tokens }
}

it('an object that was withheld does not exist for the caller, and asking for it is counted', () => {
  const { call, query, instance, tokens } = start('read Opportunity')
  const refused = query('SELECT Id FROM Opportunity')
  assert.deepEqual([refused.status, refused.body[0].errorCode], [400, 'INVALID_TYPE'])
  assert.deepEqual(refused.step.withheld, ['read Opportunity'])
  const read = call('GET', '/sobjects/Opportunity/describe')
  assert.deepEqual([read.status, read.step.withheld], [404, ['read Opportunity']])
  const listed = call('GET', '/sobjects')
  assert.equal(listed.step.withheld, undefined)
  assert.ok(!listed.body.sobjects.some(({ name }: { name: string }) => name === 'Opportunity'))
  assert.equal(query('SELECT Id FROM Account').step.withheld, undefined)
  const other = callOn(instance, tokens.mira ?? '', 'GET', '/query?q=SELECT+Id+FROM+Opportunity')
  assert.deepEqual([other.status, other.step.withheld], [200, undefined])
})

it('a record that was withheld is in no query, and is not found by its id', () => {
  const { query } = start()
  const [first, ...rest] = query('SELECT Id FROM Case').body.records.map(({ Id }: { Id: string }) => Id)
  const { query: less, call } = start(`read record ${first.slice(0, 15)}`)
  const left = less('SELECT Id FROM Case').body.records.map(({ Id }: { Id: string }) => Id)
  assert.deepEqual(left, rest)
  const read = call('GET', `/sobjects/Case/${first}`)
  assert.deepEqual([read.status, read.body[0].errorCode], [404, 'NOT_FOUND'])
  assert.deepEqual(read.step.withheld, [`read record ${first.slice(0, 15)}`])
  const written = call('PATCH', `/sobjects/Case/${first}`, { Status: 'Closed' })
  assert.equal(written.status, 404)
  assert.deepEqual(call('GET', `/sobjects/Case/${rest[0]}`).step.withheld, undefined)
})

it('reads of what the task names, or of what is around it, are not withheld', () => {
  const { instance, query } = start()
  const [row] = query('SELECT Id, CaseNumber, AccountId FROM Case WHERE AccountId != null').body.records
  const around = query(`SELECT Id FROM Opportunity WHERE AccountId = '${row.AccountId}'`).body.records
  const order = { seed: '1', agent: 'mira', about: `Close the case ${row.CaseNumber}; tell the lead.` }
  const offered = (crm.variations?.permissions?.withholdable(createScene(instance, order)) ?? []).map(
    ({ permission }) => permission,
  )
  assert.ok(offered.includes('read Opportunity') && offered.includes('read Campaign'))
  assert.ok(!offered.includes('read Lead') && !offered.includes('read Case'))
  for (const { Id } of [row, ...around]) assert.ok(!offered.includes(`read record ${Id.slice(0, 15)}`))
})
