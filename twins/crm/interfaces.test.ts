import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { busyOrganization, requestOf } from './testing/setup.ts'

const send = (
  organization: ReturnType<typeof busyOrganization>,
  [method, path, body, headers]: readonly [string, string, unknown?, Record<string, string>?],
) => {
  const request = requestOf(method, path, organization.token, body, headers)
  const { reply } = organization.instance.handle(request, testCompany.clock).step
  const text = String(reply.body)
  return { status: reply.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text }
}

describe('a conditional request', () => {
  const old = 'Mon, 02 Feb 2026 00:00:00 GMT'
  const now = 'Mon, 02 Mar 2026 09:00:00 GMT'

  it('changes and deletes a record only as its caller has read it', () => {
    const organization = busyOrganization()
    const path = `/sobjects/Account/${organization.key('acme')}`
    const stale = send(organization, ['PATCH', path, { Phone: '1' }, { 'if-unmodified-since': old }])
    assert.deepEqual([stale.status, stale.body[0].errorCode], [412, 'PRECONDITION_FAILED'])
    assert.equal(send(organization, ['DELETE', path, undefined, { 'if-unmodified-since': old }]).status, 412)
    assert.equal(
      send(organization, ['PATCH', path, { Phone: '1' }, { 'if-unmodified-since': now }]).status,
      204,
    )
  })

  it('reads a record only if it has changed', () => {
    const organization = busyOrganization()
    const path = `/sobjects/Account/${organization.key('acme')}`
    assert.equal(send(organization, ['GET', path, undefined, { 'if-modified-since': now }]).status, 304)
    assert.equal(send(organization, ['GET', path, undefined, { 'if-modified-since': old }]).status, 200)
  })
})

describe('the first bulk interface in JSON', () => {
  const async = '/services/async/62.0'
  it('inserts, reports each record, and queries', () => {
    const organization = busyOrganization()
    const session = { 'x-sfdc-session': organization.token }
    const call = (method: string, path: string, body?: unknown) =>
      send(organization, [method, `${async}${path}`, body, session])
    const job = call('POST', '/job', { operation: 'insert', object: 'Account', contentType: 'JSON' })
    assert.deepEqual([job.status, job.body.contentType, job.body.state], [201, 'JSON', 'Open'])
    const batch = call('POST', `/job/${job.body.id}/batch`, [{ Name: 'Bulk One' }, { Phone: '1' }])
    assert.equal(batch.status, 201)
    assert.equal(call('GET', `/job/${job.body.id}/batch/${batch.body.id}`).body.state, 'Completed')
    const [made, failed] = call('GET', `/job/${job.body.id}/batch/${batch.body.id}/result`).body
    assert.deepEqual([made.success, made.created, made.id.slice(0, 3)], [true, true, '001'])
    assert.deepEqual(
      [failed.success, failed.id, failed.errors[0].statusCode, failed.errors[0].fields],
      [false, null, 'REQUIRED_FIELD_MISSING', ['Name']],
    )
    assert.equal(call('POST', `/job/${job.body.id}`, { state: 'Closed' }).body.state, 'Closed')
    const asked = call('POST', '/job', { operation: 'query', object: 'Account', contentType: 'JSON' }).body.id
    const request = {
      ...requestOf('POST', `${async}/job/${asked}/batch`, organization.token, undefined, session),
      body: Buffer.from("SELECT Name FROM Account WHERE Name LIKE 'Bulk%'"),
    }
    const { id } = JSON.parse(
      String(organization.instance.handle(request, testCompany.clock).step.reply.body),
    )
    const [result] = call('GET', `/job/${asked}/batch/${id}/result`).body
    assert.equal(call('GET', `/job/${asked}/batch/${id}/result/${result}`).body[0].Name, 'Bulk One')
  })

  it('refuses in JSON what it cannot do', () => {
    const organization = busyOrganization()
    const session = { 'x-sfdc-session': organization.token }
    const refused = send(organization, [
      'POST',
      `${async}/job`,
      { operation: 'insert', object: 'Nope' },
      session,
    ])
    assert.deepEqual([refused.status, refused.body.exceptionCode], [400, 'InvalidEntity'])
  })
})

describe('the partner interface', () => {
  it('queries with parents and children, retrieves, searches and describes', () => {
    const organization = busyOrganization()
    const answer = organization.soap(
      "<query><queryString>SELECT Name, Owner.Name, (SELECT LastName FROM Contacts ORDER BY LastName) FROM Account WHERE Name = 'Acme Foods'</queryString></query>",
    )
    assert.match(answer, /<done>true<\/done>.*<sf:type>Account<\/sf:type><sf:Id>001/)
    assert.match(answer, /<sf:Owner xsi:type="sf:sObject"[^>]*><sf:type>User<\/sf:type>/)
    assert.match(
      answer,
      /<sf:Contacts xsi:type="QueryResult">.*<sf:LastName>Haddad<\/sf:LastName>.*<size>2<\/size>/,
    )
    const [acme, nobody] = [organization.key('acme'), '001000000000000AAA']
    const retrieved = organization.soap(
      `<retrieve><fieldList>Name</fieldList><sObjectType>Account</sObjectType><ids>${acme}</ids><ids>${nobody}</ids></retrieve>`,
    )
    assert.match(retrieved, /<sf:Name>Acme Foods<\/sf:Name><\/result><result xsi:nil="true"\/>/)
    assert.match(
      organization.soap('<search><searchString>FIND {Acme} RETURNING Account(Name)</searchString></search>'),
      /<searchRecords><record xsi:type="sf:sObject".*Acme Foods/,
    )
    assert.match(
      organization.soap('<describeSObjects><sObjectType>Case</sObjectType></describeSObjects>'),
      /<keyPrefix>500<\/keyPrefix>/,
    )
  })

  it('pages, and faults in the words of the service', () => {
    const organization = busyOrganization()
    for (let batch = 0; batch < 3; batch++)
      organization.call('POST', '/composite/sobjects', {
        records: Array.from({ length: 200 }, (_, n) => ({
          attributes: { type: 'Account' },
          Name: `Page ${batch} ${n}`,
        })),
      })
    const first = organization.soap(
      "<query><queryString>SELECT Id FROM Account WHERE Name LIKE 'Page%'</queryString></query>",
    )
    const locator = /<done>false<\/done><queryLocator>([^<]+)<\/queryLocator>/.exec(first)?.[1]
    const rest = organization.soap(`<queryMore><queryLocator>${locator}</queryLocator></queryMore>`)
    assert.deepEqual(
      [first, rest].map((page) => page.match(/<records /g)?.length),
      [500, 100],
    )
    assert.match(rest, /<done>true<\/done>/)
    assert.match(
      organization.soap('<query><queryString>SELECT Foo FROM Account</queryString></query>'),
      /<faultcode>sf:INVALID_FIELD<\/faultcode>/,
    )
    assert.match(
      organization.soap('<queryMore><queryLocator>nope</queryLocator></queryMore>'),
      /INVALID_QUERY_LOCATOR/,
    )
  })
})

describe('an e-mail', () => {
  const send = (organization: ReturnType<typeof busyOrganization>, input: object) =>
    organization.call('POST', '/actions/standard/emailSimple', { inputs: [input] })
  const email = {
    emailAddresses: 'jane@acme.example, omar@acme.example',
    emailSubject: 'Parts',
    emailBody: 'On their way',
  }
  const sent = (organization: ReturnType<typeof busyOrganization>) =>
    organization.instance.diff().filter(({ collection }) => collection === 'SentEmail')

  it('is sent by the action, seen by graders, and logged on the case when asked to', () => {
    const organization = busyOrganization()
    assert.equal(send(organization, email).body[0].isSuccess, true)
    assert.equal(sent(organization)[0]?.after?.ToAddress, 'jane@acme.example; omar@acme.example')
    const emails = () =>
      organization.call('GET', '/query?q=SELECT+Subject,ParentId,Status+FROM+EmailMessage').body
    assert.equal(emails().totalSize, 0)
    const related = { relatedRecordId: organization.key('leak'), logEmailOnSend: true }
    assert.equal(send(organization, { ...email, ...related }).status, 200)
    const { Subject, ParentId, Status } = emails().records[0]
    assert.deepEqual([Subject, ParentId, Status], ['Parts', organization.key('leak'), '3'])
  })

  it('is not sent without subject, body and good addresses', () => {
    const organization = busyOrganization()
    for (const [input, code] of [
      [{ ...email, emailSubject: '' }, 'REQUIRED_FIELD_MISSING'],
      [{ ...email, emailAddresses: 'nobody' }, 'INVALID_EMAIL_ADDRESS'],
      [{ ...email, relatedRecordId: '500000000000000AAA' }, 'INVALID_CROSS_REFERENCE_KEY'],
    ] as const) {
      const { status, body } = send(organization, input)
      assert.deepEqual([status, body[0].isSuccess, body[0].errors[0].statusCode], [400, false, code])
    }
    assert.deepEqual(sent(organization), [])
  })
})

describe('an article', () => {
  it('goes online and into the archive through its own resource, in that order', () => {
    const organization = busyOrganization()
    const id = organization.create('Knowledge__kav', { Title: 'Reset', UrlName: 'reset' })
    const publish = (publishStatus: string) =>
      organization.call('PATCH', `/knowledgeManagement/articleVersions/masterVersions/${id}`, {
        publishStatus,
      })
    assert.equal(publish('Archived').body[0].errorCode, 'INVALID_STATUS')
    assert.equal(publish('Online').status, 204)
    const { PublishStatus, VersionNumber, FirstPublishedDate } = organization.call(
      'GET',
      `/sobjects/Knowledge__kav/${id}`,
    ).body
    assert.deepEqual(
      [PublishStatus, VersionNumber, FirstPublishedDate],
      ['Online', 1, '2026-03-02T09:00:00.000+0000'],
    )
    const edited = organization.call('PATCH', `/sobjects/Knowledge__kav/${id}`, { Title: 'Again' })
    assert.equal(edited.body[0].errorCode, 'INSUFFICIENT_ACCESS_OR_READONLY')
    assert.equal(publish('Archived').status, 204)
  })
})
