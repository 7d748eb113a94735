import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFindings } from '@diorama/twin-kit/kernel/findings'
import { compileSeed } from '@diorama/twin-kit/kernel/seed'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { check } from './check.ts'
import { section as crmSection } from './section.ts'
import { callOn } from './testing/setup.ts'
import { section } from './testing/world.ts'
import { crm } from './twin.ts'

/** Private records: mira leads sales, lucia sells below her, dev supports customers and only reads accounts. */
const secured = crmSection.parse({
  ...section,
  security: {
    organizationDefaults: { account: 'private', opportunity: 'private', case: 'private', lead: 'private' },
    profiles: [
      { key: 'sales', name: 'Sales User', people: ['lucia', 'mira'], objects: { Campaign: [] } },
      {
        key: 'support',
        name: 'Support User',
        people: ['dev'],
        objects: { Opportunity: [], Account: ['read'] },
        fields: { 'Account.AnnualRevenue': 'none', 'Case.Priority': 'read' },
      },
    ],
    permissionSets: [{ key: 'closer', name: 'Priority editor', fields: { 'Case.Priority': 'edit' } }],
    roles: [
      { key: 'rep', name: 'Sales Rep', parent: 'head', people: ['lucia'] },
      { key: 'head', name: 'Head of Sales', people: ['mira'] },
      { key: 'agent', name: 'Support Agent', people: ['dev'] },
    ],
    sharingRules: [
      {
        object: 'Account',
        ownedBy: { kind: 'role', key: 'rep' },
        sharedWith: { kind: 'role', key: 'agent' },
        access: 'read',
      },
    ],
  },
})

const secureOrganization = () => {
  const seed = seedFor(crm, secured)
  const { instance, tokens } = startInstance(seed)
  const key = (name: string): string => seed.seed.keys.find((one) => one.key === name)?.id ?? ''
  const as = (who: string) => {
    const call = (method: string, path: string, body?: unknown) =>
      callOn(instance, tokens[who] ?? '', method, path, body)
    const query = (text: string) => call('GET', `/query?q=${encodeURIComponent(text)}`)
    return {
      call,
      query,
      names: (text: string): string[] => query(text).body.records.map(({ Name }: { Name: string }) => Name),
      user: (alias: string): string =>
        query(`SELECT Id FROM User WHERE Alias = '${alias}'`).body.records[0].Id,
    }
  }
  return { as, key }
}
const code = ({ status, body }: { status: number; body: { errorCode: string }[] }) => [
  status,
  body[0]?.errorCode,
]

describe('the security model', () => {
  it('shows the integration everything', () => {
    const { as } = secureOrganization()
    assert.equal(as('integration').names('SELECT Name FROM Account').length, 4)
    assert.equal(as('integration').names('SELECT Name FROM Opportunity').length, 5)
  })

  it('shows a person their own records, those of people below them, and what the sharing rules give', () => {
    const { as } = secureOrganization()
    const accounts = 'SELECT Name FROM Account ORDER BY Name'
    assert.deepEqual(as('lucia').names(accounts), ['Acme Foods', 'Borealis Energy'])
    assert.deepEqual(as('mira').names(accounts), ['Acme Foods', 'Borealis Energy', "Cobalt & O'Brien"])
    assert.deepEqual(as('dev').names(accounts), ['Acme Foods'])
    assert.deepEqual(as('lucia').names('SELECT Name FROM Contact ORDER BY Name'), [
      'Inês Costa',
      'Jane Whitfield',
      'Omar Haddad',
    ])
  })

  it('answers for a record that is not seen as if it were not there', () => {
    const { as, key } = secureOrganization()
    assert.deepEqual(code(as('lucia').call('GET', `/sobjects/Account/${key('delta')}`)), [404, 'NOT_FOUND'])
    assert.deepEqual(code(as('lucia').call('PATCH', `/sobjects/Account/${key('delta')}`, { Phone: '1' })), [
      404,
      'NOT_FOUND',
    ])
    // Her role lets an account's owner read the cases of the account, and no others.
    assert.equal(as('lucia').query('SELECT COUNT() FROM Case').body.totalSize, 2)
  })

  it('refuses changes of what is only read, and deletions by those who do not own', () => {
    const { as, key } = secureOrganization()
    const borealis = `/sobjects/Account/${key('borealis')}`
    assert.deepEqual(code(as('lucia').call('PATCH', borealis, { Phone: '1' })), [
      403,
      'INSUFFICIENT_ACCESS_OR_READONLY',
    ])
    assert.equal(as('mira').call('PATCH', `/sobjects/Account/${key('acme')}`, { Phone: '1' }).status, 204)
    assert.deepEqual(code(as('dev').call('DELETE', `/sobjects/Account/${key('acme')}`)), [
      403,
      'INSUFFICIENT_ACCESS_OR_READONLY',
    ])
  })

  it('hides objects and fields that a profile may not read, from queries, descriptions and writes', () => {
    const { as, key } = secureOrganization()
    const dev = as('dev')
    assert.deepEqual(code(dev.query('SELECT Id FROM Opportunity')), [400, 'INVALID_TYPE'])
    assert.deepEqual(code(dev.query('SELECT AnnualRevenue FROM Account')), [400, 'INVALID_FIELD'])
    assert.deepEqual(code(dev.call('GET', '/sobjects/Opportunity/describe')), [404, 'NOT_FOUND'])
    const described = dev.call('GET', '/sobjects/Account/describe').body
    assert.equal(described.createable, false)
    assert.ok(!described.fields.some(({ name }: { name: string }) => name === 'AnnualRevenue'))
    assert.deepEqual(code(dev.call('POST', '/sobjects/Account', { Name: 'x' })), [
      400,
      'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
    ])
    const id = dev.call('POST', '/sobjects/Case', { Subject: 'Mine' }).body.id
    assert.deepEqual(code(dev.call('PATCH', `/sobjects/Case/${id}`, { Priority: 'High' })), [
      400,
      'INVALID_FIELD_FOR_INSERT_UPDATE',
    ])
    assert.deepEqual(code(dev.call('POST', '/sobjects/Case', { AccountId: key('delta') })), [
      400,
      'INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY',
    ])
  })

  it('keeps the fields that a caller does not see when the caller changes the record', () => {
    const { as, key } = secureOrganization()
    const admin = as('integration')
    const rights = { PermissionsEdit: true, PermissionsRead: true }
    const set = admin.query("SELECT Id FROM PermissionSet WHERE Label = 'Priority editor'").body.records[0].Id
    admin.call('POST', '/sobjects/ObjectPermissions', { ParentId: set, SobjectType: 'Account', ...rights })
    admin.call('POST', '/sobjects/PermissionSetAssignment', {
      PermissionSetId: set,
      AssigneeId: admin.user('dev'),
    })
    admin.call('PATCH', `/sobjects/Account/${key('acme')}`, { OwnerId: admin.user('dev') })
    assert.equal(as('dev').call('PATCH', `/sobjects/Account/${key('acme')}`, { Phone: '7' }).status, 204)
    const { body } = admin.call('GET', `/sobjects/Account/${key('acme')}`)
    assert.deepEqual([body.Phone, body.AnnualRevenue], ['7', 12_000_000])
  })

  it('gives what a permission set and a manual share give, and shows it in UserRecordAccess', () => {
    const { as, key } = secureOrganization()
    const admin = as('integration')
    const lucia = admin.user('lucia')
    const asked = `SELECT RecordId, HasReadAccess, HasEditAccess, HasDeleteAccess, MaxAccessLevel FROM UserRecordAccess WHERE UserId = '${lucia}' AND RecordId = '${key('delta')}'`
    assert.equal(admin.query(asked).body.records[0].MaxAccessLevel, 'None')
    admin.call('POST', '/sobjects/AccountShare', {
      AccountId: key('delta'),
      UserOrGroupId: lucia,
      AccountAccessLevel: 'Edit',
      OpportunityAccessLevel: 'Read',
      CaseAccessLevel: 'None',
    })
    const { MaxAccessLevel, HasDeleteAccess } = admin.query(asked).body.records[0]
    assert.deepEqual([MaxAccessLevel, HasDeleteAccess], ['Edit', false])
    assert.equal(as('lucia').call('PATCH', `/sobjects/Account/${key('delta')}`, { Phone: '1' }).status, 204)
  })

  it('is distinguished from a world without one, which is seeded as before and where everybody may do everything', () => {
    const plain = compileSeed(crm, section, testCompany).seed
    assert.deepEqual(
      ['$security', 'PermissionSet', 'ObjectPermissions', 'GroupMember'].map(
        (name) => plain.tables[name]?.length,
      ),
      [0, 0, 0, 0],
    )
    const { instance, tokens } = startInstance(seedFor(crm, section))
    const { body } = callOn(instance, tokens.dev ?? '', 'GET', '/query?q=SELECT+COUNT()+FROM+Opportunity')
    assert.equal(body.totalSize, 5)
  })

  it('is refused in a blueprint that names people, roles or groups that are not there', () => {
    const findings = createFindings()
    const broken = crmSection.parse({
      ...section,
      security: {
        profiles: [
          { key: 'a', name: 'A', people: ['nobody'] },
          { key: 'a', name: 'B', people: ['dev'] },
          { key: 'c', name: 'C', people: ['dev'] },
        ],
        roles: [{ key: 'r', name: 'R', parent: 'none' }],
        sharingRules: [
          {
            object: 'Case',
            ownedBy: { kind: 'group', key: 'g' },
            sharedWith: { kind: 'role', key: 'r' },
            access: 'read',
          },
        ],
      },
    })
    check(broken, { findings, handles: new Set(['dev', 'mira', 'lucia']), clock: '2026-03-02T09:00:00Z' })
    assert.deepEqual(
      findings.errors.map(({ pointer }) => pointer),
      [
        '/security/profiles/1/key',
        '/security/profiles/0/people/0',
        '/security/profiles/2/people/0',
        '/security/roles/0/parent',
        '/security/sharingRules/0/ownedBy/key',
      ],
    )
  })
})
