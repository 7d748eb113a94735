import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { busyOrganization, callOn } from './testing/setup.ts'

describe('the user interface API', () => {
  it('returns a record with the fields that are asked for, and its parents’', () => {
    const { call, key } = busyOrganization()
    const fields = 'Opportunity.Name,Opportunity.Amount,Opportunity.Account.Name'
    const { body } = call(
      'GET',
      `/ui-api/records/${key('acme-renewal')}?fields=${fields}&optionalFields=Opportunity.Nope`,
    )
    assert.deepEqual(
      [body.apiName, body.id, body.childRelationships],
      ['Opportunity', key('acme-renewal'), {}],
    )
    assert.deepEqual(body.fields.Name, { displayValue: null, value: 'Acme Pump Renewal' })
    assert.deepEqual(body.fields.Amount, { displayValue: '$48,000.00', value: 48_000 })
    assert.equal(body.fields.Account.displayValue, 'Acme Foods')
    assert.equal(body.fields.Account.value.fields.Name.value, 'Acme Foods')
    assert.match(body.lastModifiedDate, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepEqual(Object.keys(body.fields).sort(), ['Account', 'Amount', 'Name'])
  })

  it('refuses fields that are not there, and requests that name none', () => {
    const { call, key } = busyOrganization()
    const code = (query: string) => {
      const { status, body } = call('GET', `/ui-api/records/${key('acme')}${query}`)
      return [status, body[0].errorCode]
    }
    assert.deepEqual(code('?fields=Account.Nope'), [400, 'INVALID_FIELD'])
    assert.deepEqual(code('?fields=Name'), [400, 'ILLEGAL_QUERY_PARAMETER_VALUE'])
    assert.deepEqual(code(''), [400, 'ILLEGAL_QUERY_PARAMETER_VALUE'])
    assert.equal(call('GET', '/ui-api/records/001000000000000AAA?fields=Account.Name').status, 404)
  })

  it('reads many records at once, each with its own status', () => {
    const { call, key } = busyOrganization()
    const ids = `${key('acme')},001000000000000AAA`
    const { body } = call('GET', `/ui-api/records/batch/${ids}?fields=Account.Name`)
    assert.equal(body.hasErrors, true)
    assert.deepEqual(
      body.results.map(({ statusCode }: { statusCode: number }) => statusCode),
      [200, 404],
    )
  })

  it('creates, changes and deletes records', () => {
    const { call } = busyOrganization()
    const made = call('POST', '/ui-api/records', { apiName: 'Account', fields: { Name: 'Kiosk' } })
    assert.deepEqual([made.status, made.body.fields.Name.value], [201, 'Kiosk'])
    const changed = call('PATCH', `/ui-api/records/${made.body.id}`, { fields: { Phone: '555' } })
    assert.deepEqual([changed.status, changed.body.fields.Phone.value], [200, '555'])
    assert.equal(call('DELETE', `/ui-api/records/${made.body.id}`).status, 204)
    assert.equal(call('GET', `/sobjects/Account/${made.body.id}`).body[0].errorCode, 'ENTITY_IS_DELETED')
    const refused = call('POST', '/ui-api/records', { apiName: 'Account', fields: {} })
    assert.deepEqual([refused.status, refused.body[0].errorCode], [400, 'REQUIRED_FIELD_MISSING'])
    assert.equal(refused.body[0].output.fieldErrors.Name[0].errorCode, 'REQUIRED_FIELD_MISSING')
    assert.equal(call('POST', '/ui-api/records', { apiName: 'Nope', fields: {} }).status, 404)
  })

  it('describes objects and their picklists', () => {
    const { call } = busyOrganization()
    const { objects } = call('GET', '/ui-api/object-info').body
    assert.equal(objects.Account.objectInfoUrl, '/services/data/v62.0/ui-api/object-info/Account')
    const info = call('GET', '/ui-api/object-info/Contact').body
    assert.deepEqual(info.nameFields, ['FirstName', 'LastName', 'Name'])
    assert.deepEqual(
      [info.fields.LastName.required, info.fields.LastName.dataType, info.fields.AccountId.referenceToInfos],
      [true, 'String', [{ apiName: 'Account', nameFields: ['Name'] }]],
    )
    assert.equal(info.recordTypeInfos[info.defaultRecordTypeId].master, true)
    const type = info.defaultRecordTypeId
    const { values } = call('GET', `/ui-api/object-info/Case/picklist-values/${type}/Priority`).body
    assert.ok(values.some(({ value }: { value: string }) => value === 'High'))
    const all = call('GET', `/ui-api/object-info/Case/picklist-values/${type}`).body.picklistFieldValues
    assert.deepEqual(all.Priority.values, values)
    assert.equal(
      call('GET', '/ui-api/object-info/Case/picklist-values/012000000000009AAA/Status').status,
      404,
    )
  })

  it('counts what it leaves out as not emulated', () => {
    const { instance, token, key } = busyOrganization()
    const counted = (path: string) => (callOn(instance, token, 'GET', path).step.notEmulated ?? []).length
    assert.equal(counted('/ui-api/layout/Account'), 1)
    assert.equal(counted(`/ui-api/records/${key('acme')}?layoutTypes=Full`), 1)
    assert.equal(counted(`/ui-api/records/${key('acme')}?fields=Account.Name`), 0)
  })
})
