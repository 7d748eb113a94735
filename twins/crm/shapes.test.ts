import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { busyOrganization } from './testing/setup.ts'

/** Keys as live organizations were recorded to answer, by public projects. */
const recorded = {
  describe:
    'actionOverrides activateable childRelationships compactLayoutable createable custom customSetting deepCloneable defaultImplementation deletable deprecatedAndHidden extendedBy extendsInterfaces feedEnabled fields hasSubtypes implementedBy implementsInterfaces isInterface isSubtype keyPrefix label labelPlural layoutable listviewable lookupLayoutable mergeable mruEnabled name namedLayoutInfos networkScopeFieldName queryable recordTypeInfos replicateable retrieveable searchLayoutable searchable supportedScopes triggerable undeletable updateable urls',
  field:
    'aggregatable aiPredictionField autoNumber byteLength calculated calculatedFormula cascadeDelete caseSensitive compoundFieldName controllerName createable custom defaultValue defaultValueFormula defaultedOnCreate dependentPicklist deprecatedAndHidden digits displayLocationInDecimal encrypted externalId extraTypeInfo filterable filteredLookupInfo formulaTreatNullNumberAsZero groupable highScaleNumber htmlFormatted idLookup inlineHelpText label length mask maskType name nameField namePointing nillable permissionable picklistValues polymorphicForeignKey precision queryByDistance referenceTargetField referenceTo relationshipName relationshipOrder restrictedDelete restrictedPicklist scale searchPrefilterable soapType sortable type unique updateable writeRequiresMasterRead',
  global:
    'activateable associateEntityType associateParentEntity createable custom customSetting deepCloneable deletable deprecatedAndHidden feedEnabled hasSubtypes isInterface isSubtype keyPrefix label labelPlural layoutable mergeable mruEnabled name queryable replicateable retrieveable searchable triggerable undeletable updateable urls',
  address: 'city country geocodeAccuracy latitude longitude postalCode state street',
  child:
    'cascadeDelete childSObject deprecatedAndHidden field junctionIdListNames junctionReferenceTo relationshipName restrictedDelete',
}
const keys = (value: object): string => Object.keys(value).sort().join(' ')

describe('answers have the recorded keys:', () => {
  const organization = busyOrganization()
  const get = (path: string) => organization.call('GET', path).body

  it('descriptions of objects, fields and children', () => {
    for (const object of [
      'Account',
      'Contact',
      'Lead',
      'Opportunity',
      'Case',
      'Task',
      'Event',
      'User',
      'Visit__c',
    ]) {
      const described = get(`/sobjects/${object}/describe`)
      assert.equal(keys(described), recorded.describe, object)
      for (const field of described.fields)
        assert.equal(keys(field), recorded.field, `${object}.${field.name}`)
      for (const child of described.childRelationships) assert.equal(keys(child), recorded.child)
    }
    for (const object of get('/sobjects').sobjects) assert.equal(keys(object), recorded.global, object.name)
  })

  it('records hold every field, compound addresses as objects', () => {
    const account = get(`/sobjects/Account/${organization.key('acme')}`)
    const described = get('/sobjects/Account/describe')
    assert.deepEqual(Object.keys(account), [
      'attributes',
      ...described.fields.map(({ name }: { name: string }) => name),
    ])
    assert.equal(keys(account.BillingAddress), recorded.address)
    assert.equal(account.ShippingAddress, null)
    assert.equal(keys(account.attributes), 'type url')
  })

  it('results of queries, counts, groups and saves', () => {
    const query = (text: string) => get(`/query?q=${encodeURIComponent(text)}`)
    assert.deepEqual(query('SELECT COUNT() FROM Account'), { totalSize: 4, done: true, records: [] })
    assert.deepEqual(query('SELECT COUNT(Id) FROM Account'), {
      totalSize: 1,
      done: true,
      records: [{ attributes: { type: 'AggregateResult' }, expr0: 4 }],
    })
    const made = organization.call('POST', '/sobjects/Account', { Name: 'Shape' })
    assert.deepEqual([made.status, keys(made.body), made.body.errors], [201, 'errors id success', []])
  })
})
