import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { type Element, parseXml } from '@diorama/twin-kit/wires/xml'
import { businessServices } from './catalogue/services.ts'
import { caller, serviceRoot } from './testing/requests.ts'
import { testSection } from './testing/section.ts'
import { erp } from './twin.ts'

const all = (element: Element, name: string): Element[] => [
  ...element.children.filter((child) => child.name === name),
  ...element.children.flatMap((child) => all(child, name)),
]
const names = (elements: readonly Element[]): string[] =>
  elements.map(({ attributes }) => attributes.Name ?? '')
const local = (qualified: string | undefined): string => qualified?.split('.').at(-1) ?? ''

const types = new Set(
  [
    'String',
    'Decimal',
    'Boolean',
    'DateTime',
    'DateTimeOffset',
    'Time',
    'Guid',
    'Double',
    'Byte',
    'Int16',
    'Int32',
  ].map((name) => `Edm.${name}`),
)

/** Every name that a description uses is one that it declares, once. */
const checkDescription = (document: Element): void => {
  const entityTypes = all(document, 'EntityType')
  const associations = new Map(all(document, 'Association').map((each) => [each.attributes.Name ?? '', each]))
  const sets = new Map(
    all(document, 'EntitySet').map((each) => [each.attributes.Name ?? '', local(each.attributes.EntityType)]),
  )
  assert.equal(new Set(names(entityTypes)).size, entityTypes.length)
  assert.deepEqual([...sets.values()].sort(), names(entityTypes).sort())
  for (const type of entityTypes) {
    const properties = names(all(type, 'Property'))
    assert.equal(new Set(properties).size, properties.length)
    for (const { attributes } of all(type, 'Property'))
      assert.ok(types.has(attributes.Type ?? ''), attributes.Name)
    for (const key of names(all(type, 'PropertyRef'))) assert.ok(properties.includes(key), key)
    for (const { attributes } of all(type, 'NavigationProperty')) {
      const association = associations.get(local(attributes.Relationship))
      assert.ok(association, attributes.Name)
      const ends = new Map(
        all(association, 'End').map((end) => [end.attributes.Role, local(end.attributes.Type)]),
      )
      assert.equal(ends.get(attributes.FromRole), type.attributes.Name)
      assert.ok(names(entityTypes).includes(ends.get(attributes.ToRole) ?? ''))
    }
  }
  const bound = all(document, 'AssociationSet').map((each) => {
    for (const end of all(each, 'End')) assert.ok(sets.has(end.attributes.EntitySet ?? ''))
    return local(each.attributes.Association)
  })
  assert.deepEqual(bound.sort(), [...associations.keys()].sort())
}

describe('$metadata', () => {
  for (const { name, sets } of businessServices)
    it(`of ${name} parses, and every name in it is declared`, async () => {
      await using host = await serveTwin(erp, testSection)
      const { text } = await caller(host).get(`${serviceRoot(name)}/$metadata`, { accept: 'application/xml' })
      const document = parseXml(text)
      assert.equal(document.name, 'Edmx')
      assert.equal(document.attributes.Version, '1.0')
      assert.equal(all(document, 'DataServices')[0]?.attributes.DataServiceVersion, '2.0')
      assert.equal(all(document, 'EntitySet').length, sets.size)
      checkDescription(document)
    })

  it('says what can be written, how long it is, and which property is the version', async () => {
    await using host = await serveTwin(erp, testSection)
    const { text } = await caller(host).get(`${serviceRoot('API_SALES_ORDER_SRV')}/$metadata`, {
      accept: 'application/xml',
    })
    assert.match(
      text,
      /<Property Name="PurchaseOrderByCustomer" Type="Edm.String" MaxLength="35" sap:label="Customer Reference"/,
    )
    assert.match(
      text,
      /<Property Name="TotalNetAmount" Type="Edm.Decimal" Precision="16" Scale="3" sap:unit="TransactionCurrency"[^>]*sap:creatable="false" sap:updatable="false"/,
    )
    assert.match(text, /<Property Name="LastChangeDateTime"[^>]* ConcurrencyMode="Fixed"/)
    assert.match(
      text,
      /<EntitySet Name="A_SalesOrderScheduleLine"[^>]*sap:creatable="false" sap:updatable="false" sap:deletable="false"/,
    )
    assert.match(
      text,
      /<FunctionImport Name="releaseApprovalRequest" ReturnType="API_SALES_ORDER_SRV.FunctionResult" m:HttpMethod="POST"><Parameter Name="SalesOrder" Type="Edm.String"/,
    )
  })
})
