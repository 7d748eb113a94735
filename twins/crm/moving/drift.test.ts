import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Instance } from '@diorama/twin-kit/kernel/instance'
import { integration, VendorError } from '@diorama/twin-kit/kernel/twin'
import { seedFor, testCompany } from '@diorama/twin-kit/testing/host'
import { createScene } from '@diorama/twin-kit/variations/scene'
import { callOn } from '../testing/setup.ts'
import { section } from '../testing/world.ts'
import { crm } from '../twin.ts'

const customization = {
  objects: [],
  recordTypes: [],
  validationRules: [{ object: 'Case', refuseWhen: "Shift__c = 'Night'", message: 'Not at night.' }],
  records: [],
  fields: [
    { object: 'Case', name: 'Floor__c', type: 'string' },
    { object: 'Case', name: 'Shift__c', type: 'string' },
    { object: 'Case', name: 'Areas__c', type: 'multipicklist', picklist: ['North', 'South', 'West'] },
  ],
}

const start = () => {
  const seed = seedFor(crm, { ...section, customization })
  const bare = new Instance({ seed, principals: [] })
  const token = crm.token(integration, '0123456789abcdef0123456789abcdef', bare.tables)
  const instance = new Instance({ seed, principals: [{ subject: integration, token }] })
  const call = (method: string, path: string, body?: unknown) => callOn(instance, token, method, path, body)
  const query = (soql: string) => call('GET', `/query?q=${encodeURIComponent(soql)}`)
  const rename = (type: string, input: Record<string, unknown>) =>
    instance.control('rename', { type, as: 'dev', ...input }, { at: testCompany.clock, baseUrl: '' })
  const made = call('POST', '/sobjects/Case', {
    Subject: 'Lamp',
    Origin: 'Web',
    Floor__c: '3',
    Areas__c: 'North;West',
  })
  const described = (field: string) =>
    call('GET', '/sobjects/Case/describe').body.fields.find(({ name }: { name: string }) => name === field)
  return { instance, call, query, rename, id: String(made.body.id), described }
}

describe('names that an administrator changes', () => {
  it('an option is another one in the description, in records and in queries', () => {
    const { query, rename, id, described } = start()
    const before = query("SELECT COUNT() FROM Case WHERE Origin = 'Web'").body.totalSize
    rename('RENAME PicklistValue', { object: 'Case', field: 'Origin', from: 'Web', to: 'Portal' })
    rename('RENAME PicklistValue', { object: 'Case', field: 'Areas__c', from: 'West', to: 'Far West' })
    const values = described('Origin').picklistValues.map(({ value }: { value: string }) => value)
    assert.deepEqual(values, ['Phone', 'Email', 'Portal'])
    assert.equal(query("SELECT COUNT() FROM Case WHERE Origin = 'Portal'").body.totalSize, before)
    assert.equal(query("SELECT COUNT() FROM Case WHERE Origin = 'Web'").body.totalSize, 0)
    const [row] = query(`SELECT Areas__c FROM Case WHERE Id = '${id}'`).body.records
    assert.equal(row.Areas__c, 'North;Far West')
  })

  it('a custom field answers to its new name alone, and keeps what was in it', () => {
    const { query, call, rename, id, described } = start()
    rename('RENAME CustomField', { object: 'Case', field: 'Floor__c', to: 'Storey__c' })
    assert.equal(call('GET', `/sobjects/Case/${id}`).body.Storey__c, '3')
    const refused = query('SELECT Floor__c FROM Case')
    assert.deepEqual([refused.status, refused.body[0].errorCode], [400, 'INVALID_FIELD'])
    assert.equal(described('Floor__c'), undefined)
    assert.equal(call('PATCH', `/sobjects/Case/${id}`, { Storey__c: '4' }).status, 204)
    rename('RENAME FieldLabel', { object: 'Case', field: 'Storey__c', to: 'Level' })
    assert.equal(described('Storey__c').label, 'Level')
  })

  it('are refused where something else depends on them', () => {
    const { rename } = start()
    const refused = (type: string, input: Record<string, unknown>) =>
      assert.throws(() => rename(type, { object: 'Case', ...input }), VendorError)
    refused('RENAME PicklistValue', { field: 'Status', from: 'New', to: 'Fresh' })
    refused('RENAME PicklistValue', { field: 'Origin', from: 'Web', to: 'Phone' })
    refused('RENAME PicklistValue', { field: 'Origin', from: 'Fax', to: 'Telex' })
    refused('RENAME CustomField', { field: 'Shift__c', to: 'Turn__c' })
    refused('RENAME CustomField', { field: 'Subject', to: 'Title__c' })
    refused('RENAME CustomField', { field: 'Floor__c', to: 'Areas__c' })
  })

  it('are drawn by drift away from what the task names, and each of them can be done', () => {
    const { instance, rename } = start()
    const order = { seed: '1', agent: 'mira', about: 'Set Floor__c of the case about the lamp.' }
    const acts = crm.variations?.drift?.(createScene(instance, order)) ?? []
    const renames = acts.filter(({ operation }) => operation.startsWith('RENAME '))
    assert.deepEqual(new Set(renames.map(({ operation }) => operation)).size, 3, JSON.stringify(acts))
    assert.ok(renames.every(({ input }) => input.field !== 'Floor__c' && input.field !== 'Shift__c'))
    for (const { operation, input } of renames) rename(operation, input)
  })
})
