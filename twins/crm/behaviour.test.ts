import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { brief } from './testing/brief.ts'
import { busyOrganization, requestOf } from './testing/setup.ts'

type Organization = ReturnType<typeof busyOrganization>
const record = (organization: Organization, object: string, id: string) =>
  organization.call('GET', `/sobjects/${object}/${id}`).body
const ask = (organization: Organization, query: string): string =>
  brief(organization.call('GET', `/query?q=${encodeURIComponent(query)}`))
const change = (organization: Organization, object: string, id: string, fields: unknown) =>
  organization.call('PATCH', `/sobjects/${object}/${id}`, fields)
const refusal = ({
  status,
  body,
}: {
  status: number
  body: { errorCode: string; message: string; fields?: string[] }[]
}) => [status, body[0]?.errorCode, body[0]?.message, body[0]?.fields]

describe('an opportunity', () => {
  it('takes probability, forecast, closed and won from its stage', () => {
    const organization = busyOrganization()
    const id = organization.key('acme-renewal')
    assert.equal(change(organization, 'Opportunity', id, { StageName: 'Closed Won' }).status, 204)
    const won = record(organization, 'Opportunity', id)
    assert.deepEqual(
      [
        won.Probability,
        won.ForecastCategory,
        won.ForecastCategoryName,
        won.IsClosed,
        won.IsWon,
        won.ExpectedRevenue,
      ],
      [100, 'Closed', 'Closed', true, true, 48_000],
    )
    assert.equal(won.LastStageChangeDate, '2026-03-02T09:00:00.000+0000')
  })

  it('keeps a probability that was given with the stage', () => {
    const organization = busyOrganization()
    const id = organization.key('acme-renewal')
    change(organization, 'Opportunity', id, { StageName: 'Qualification', Probability: 35 })
    const { Probability, ExpectedRevenue } = record(organization, 'Opportunity', id)
    assert.deepEqual([Probability, ExpectedRevenue], [35, 16_800])
  })

  it('adds to its history when stage, amount, date or probability change, and not otherwise', () => {
    const organization = busyOrganization()
    const id = organization.key('borealis-pilot')
    const history = () =>
      ask(organization, `SELECT COUNT() FROM OpportunityHistory WHERE OpportunityId = '${id}'`)
    assert.equal(history(), '#1')
    change(organization, 'Opportunity', id, { NextStep: 'Call' })
    assert.equal(history(), '#1')
    change(organization, 'Opportunity', id, { Amount: 130_000 })
    change(organization, 'Opportunity', id, { CloseDate: '2026-08-01' })
    assert.equal(history(), '#3')
    const { Fiscal, LastAmountChangedHistoryId } = record(organization, 'Opportunity', id)
    assert.equal(Fiscal, '2026 3')
    assert.ok(LastAmountChangedHistoryId.startsWith('008'))
  })

  it('is worth what its products come to', () => {
    const organization = busyOrganization()
    const id = organization.key('acme-retrofit')
    const line = organization.call('GET', '/query?q=SELECT+Id+FROM+OpportunityLineItem').body.records[0].Id
    change(organization, 'OpportunityLineItem', line, { Quantity: 10, UnitPrice: 200 })
    assert.equal(record(organization, 'Opportunity', id).Amount, 2_000)
  })

  it('makes the contact it was created with its primary one', () => {
    const organization = busyOrganization()
    const id = organization.create('Opportunity', {
      Name: 'With contact',
      StageName: 'Prospecting',
      CloseDate: '2026-09-30',
      ContactId: organization.key('tom'),
    })
    assert.equal(
      ask(
        organization,
        `SELECT Contact.Name, IsPrimary FROM OpportunityContactRole WHERE OpportunityId = '${id}'`,
      ),
      'Tom Lee|true',
    )
    assert.deepEqual(
      refusal(change(organization, 'Opportunity', id, { ContactId: organization.key('jane') })).slice(0, 2),
      [400, 'INVALID_FIELD_FOR_INSERT_UPDATE'],
    )
  })

  it('refuses derived fields and a missing close date in the service’s words', () => {
    const organization = busyOrganization()
    const id = organization.key('acme-renewal')
    assert.deepEqual(refusal(change(organization, 'Opportunity', id, { IsWon: true, Fiscal: '2030 1' })), [
      400,
      'INVALID_FIELD_FOR_INSERT_UPDATE',
      'Unable to create/update fields: IsWon, Fiscal. Please check the security settings of this field and verify that it is read/write for your profile or permission set.',
      ['IsWon', 'Fiscal'],
    ])
    assert.deepEqual(refusal(organization.call('POST', '/sobjects/Opportunity', { Name: 'x' })), [
      400,
      'REQUIRED_FIELD_MISSING',
      'Required fields are missing: [StageName, CloseDate]',
      ['StageName', 'CloseDate'],
    ])
  })
})

describe('a case', () => {
  it('notes when it was closed, and forgets it when it is opened again', () => {
    const organization = busyOrganization()
    const id = organization.key('leak')
    change(organization, 'Case', id, { Status: 'Closed' })
    const closed = record(organization, 'Case', id)
    assert.deepEqual([closed.IsClosed, closed.ClosedDate], [true, '2026-03-02T09:00:00.000+0000'])
    change(organization, 'Case', id, { Status: 'Working' })
    const open = record(organization, 'Case', id)
    assert.deepEqual([open.IsClosed, open.ClosedDate], [false, null])
    assert.equal(
      ask(organization, `SELECT Field, OldValue, NewValue FROM CaseHistory WHERE CaseId = '${id}'`),
      'created|-|-; Status|New|Closed; Status|Closed|Working',
    )
  })

  it('goes on numbering where the seed stopped, and starts as New and Medium', () => {
    const organization = busyOrganization()
    const id = organization.create('Case', { Subject: 'Next', ContactId: organization.key('ines') })
    const made = record(organization, 'Case', id)
    assert.deepEqual(
      [made.CaseNumber, made.Status, made.Priority, made.AccountId, made.ContactEmail],
      ['00001004', 'New', 'Medium', organization.key('borealis'), 'ines@borealis.example'],
    )
    assert.equal(
      refusal(change(organization, 'Case', id, { CaseNumber: '1' }))[1],
      'INVALID_FIELD_FOR_INSERT_UPDATE',
    )
  })

  it('turns comments into a comment', () => {
    const organization = busyOrganization()
    const id = organization.key('login')
    change(organization, 'Case', id, { Comments: 'Password reset' })
    assert.equal(
      ask(organization, `SELECT CommentBody, IsPublished FROM CaseComment WHERE ParentId = '${id}'`),
      'Password reset|false',
    )
    assert.equal(record(organization, 'Case', id).Comments, null)
  })
})

describe('people', () => {
  it('have names made of their parts, which cannot be written', () => {
    const organization = busyOrganization()
    const id = organization.key('jane')
    change(organization, 'Contact', id, { LastName: 'Okoro' })
    assert.equal(record(organization, 'Contact', id).Name, 'Jane Okoro')
    assert.deepEqual(refusal(change(organization, 'Contact', id, { Name: 'X' }))[3], ['Name'])
  })

  it('are refused a second time unless the caller insists', () => {
    const organization = busyOrganization()
    const again = { FirstName: 'jane', LastName: 'whitfield', Email: 'JANE@acme.example' }
    assert.deepEqual(refusal(organization.call('POST', '/sobjects/Contact', again)).slice(0, 3), [
      400,
      'DUPLICATES_DETECTED',
      'Use one of these records?',
    ])
    const insisting = requestOf('POST', '/sobjects/Contact', organization.token, again, {
      'sforce-duplicate-rule-header': 'allowSave=true',
    })
    assert.equal(organization.instance.handle(insisting, testCompany.clock).step.reply.status, 201)
  })

  it('are checked for length, address and the kind of their references', () => {
    const organization = busyOrganization()
    const make = (fields: unknown) => refusal(organization.call('POST', '/sobjects/Contact', fields))
    assert.deepEqual(make({ LastName: 'x', Email: 'not an email' }), [
      400,
      'INVALID_EMAIL_ADDRESS',
      'Email: invalid email address: not an email',
      ['Email'],
    ])
    assert.equal(
      make({ LastName: 'x'.repeat(81) })[2],
      `Last Name: data value too large: ${'x'.repeat(81)} (max length=80)`,
    )
    assert.deepEqual(make({ LastName: 'x', AccountId: organization.key('leak') }), [
      400,
      'FIELD_INTEGRITY_EXCEPTION',
      `Account ID: id value of incorrect type: ${organization.key('leak')}`,
      ['AccountId'],
    ])
    assert.equal(make({ LastName: 'x', AccountId: '001000000000000AAA' })[1], 'INVALID_CROSS_REFERENCE_KEY')
    assert.match(
      String(make({ LastName: 'x', Birthdate: 'soon' })[2]),
      /^Cannot deserialize instance of date from VALUE_STRING value soon/,
    )
    assert.deepEqual(make({ LastName: 'x', Equipo: 1 }).slice(0, 3), [
      400,
      'INVALID_FIELD',
      "No such column 'Equipo' on sobject of type Contact",
    ])
  })
})

describe('deleting', () => {
  it('takes along what lives through the record, and undeleting brings it back', () => {
    const organization = busyOrganization()
    const id = organization.key('cobalt')
    const contact = organization.create('Contact', { LastName: 'Leaver', AccountId: id })
    change(organization, 'Opportunity', organization.key('cobalt-won'), { StageName: 'Prospecting' })
    assert.equal(organization.call('DELETE', `/sobjects/Account/${id}`).status, 204)
    assert.equal(refusal(organization.call('GET', `/sobjects/Contact/${contact}`))[1], 'ENTITY_IS_DELETED')
    assert.equal(
      refusal(organization.call('GET', `/sobjects/Opportunity/${organization.key('cobalt-won')}`))[1],
      'ENTITY_IS_DELETED',
    )
    const diff = organization.instance.diff().filter(({ collection }) => collection === 'Account')
    assert.deepEqual(
      diff.filter(({ operation }) => operation === 'delete').map((one) => one.id),
      [id],
    )
    const soap = `<Envelope><Header><SessionHeader><sessionId>${organization.token}</sessionId></SessionHeader></Header><Body><undelete><ids>${id}</ids></undelete></Body></Envelope>`
    const request = {
      ...requestOf('POST', '/services/Soap/u/62.0', organization.token),
      body: Buffer.from(soap),
    }
    organization.instance.handle(request, testCompany.clock)
    assert.equal(record(organization, 'Contact', contact).AccountId, id)
  })

  it('is refused while cases need the record', () => {
    const organization = busyOrganization()
    const refused = refusal(organization.call('DELETE', `/sobjects/Account/${organization.key('acme')}`))
    assert.deepEqual(refused.slice(0, 2), [400, 'DELETE_FAILED'])
    assert.match(String(refused[2]), /associated with the following cases.: 00001001, 00001002/)
  })
})

describe('an organization of one’s own', () => {
  it('keeps its validation rules, its unique fields and its restricted picklists', () => {
    const organization = busyOrganization()
    assert.deepEqual(
      refusal(change(organization, 'Opportunity', organization.key('acme-renewal'), { Amount: -5 })),
      [400, 'FIELD_CUSTOM_VALIDATION_EXCEPTION', 'An amount cannot be negative.', ['Amount']],
    )
    const first = organization.create('Visit__c', {
      Name: 'A',
      Account__c: organization.key('acme'),
      Badge__c: 'B-1',
    })
    assert.deepEqual(
      refusal(
        organization.call('POST', '/sobjects/Visit__c', {
          Account__c: organization.key('acme'),
          Badge__c: 'b-1',
        }),
      ).slice(1, 3),
      [
        'DUPLICATE_VALUE',
        `duplicate value found: Badge__c duplicates value on record with id: ${first.slice(0, 15)}`,
      ],
    )
    assert.deepEqual(refusal(change(organization, 'Visit__c', first, { Outcome__c: 'Fine' })).slice(1, 3), [
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      'Outcome: bad value for restricted picklist field: Fine',
    ])
  })

  it('shows graders whole records in native spelling', () => {
    const organization = busyOrganization()
    const { instance, key } = organization
    change(organization, 'Case', key('leak'), { Status: 'Closed' })
    const changed = instance.diff().find(({ id }) => id === key('leak'))
    const shown = instance.twin.present?.('Case', changed?.after ?? {}, instance.tables)
    assert.deepEqual(
      [shown?.Status, shown?.IsClosed, shown?.ParentId, shown?.ContactEmail],
      ['Closed', true, null, 'jane@acme.example'],
    )
  })
})
