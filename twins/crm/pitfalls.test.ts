import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eighteen } from './ids.ts'
import { rest, serveCrm, serveCustomCrm, soql } from './testing/world.ts'

/** Pitfalls of a careless emulator, in the order of the notes on fidelity. */
describe('the crm twin is not caught by', () => {
  it('1: an unknown object, which is NOT_FOUND in a path and INVALID_TYPE in a query', async () => {
    await using host = await serveCrm()
    const path = await rest(host, 'GET', '/sobjects/Nope/describe')
    assert.deepEqual(
      [path.status, path.body],
      [404, [{ message: 'The requested resource does not exist', errorCode: 'NOT_FOUND' }]],
    )
    const query = await soql(host, 'SELECT Id FROM Nope')
    assert.deepEqual([query.status, query.body[0].errorCode], [400, 'INVALID_TYPE'])
  })

  it('2: the shape of errors, which is always a list', async () => {
    await using host = await serveCrm()
    for (const [method, path, body] of [
      ['GET', '/sobjects/Account/001000000000000AAA'],
      ['POST', '/sobjects/Account', {}],
      ['POST', '/sobjects/Account', '{broken'],
      ['GET', '/query?q=nonsense'],
      ['GET', '/nowhere'],
      ['PUT', '/sobjects/Account'],
    ] as const) {
      const reply = await rest(host, method, path, body)
      assert.ok(reply.status >= 400 && Array.isArray(reply.body), `${method} ${path}`)
      assert.ok(typeof reply.body[0].errorCode === 'string' && typeof reply.body[0].message === 'string')
    }
  })

  it('3: rows of collections and trees, whose code is a statusCode', async () => {
    await using host = await serveCrm()
    const many = await rest(host, 'POST', '/composite/sobjects', {
      records: [{ attributes: { type: 'Account' } }],
    })
    assert.equal(many.status, 200)
    assert.deepEqual(many.body, [
      {
        success: false,
        errors: [
          {
            statusCode: 'REQUIRED_FIELD_MISSING',
            message: 'Required fields are missing: [Name]',
            fields: ['Name'],
          },
        ],
      },
    ])
    const tree = await rest(host, 'POST', '/composite/tree/Account', {
      records: [{ attributes: { type: 'Account', referenceId: 'r1' } }],
    })
    assert.deepEqual(
      [tree.status, tree.body.hasErrors, tree.body.results[0].errors[0].statusCode],
      [400, true, 'REQUIRED_FIELD_MISSING'],
    )
  })

  it('4: an unknown route, which is a 404 at once', async () => {
    await using host = await serveCrm()
    for (const path of [
      '/foo',
      '/services/apexrest/x',
      '/services/data/v62.0/chatter/feeds',
      '/services/data/v99.0/sobjects',
    ])
      assert.equal((await rest(host, 'GET', path)).status, 404, path)
    assert.deepEqual(host.failures, [])
  })

  it('5: other versions, which are echoed in every link', async () => {
    await using host = await serveCrm()
    for (const version of ['20.0', '42.0', '50.0', '67.0']) {
      const reply = await rest(
        host,
        'GET',
        `/services/data/v${version}/query?q=SELECT+Id+FROM+Account+LIMIT+1`,
      )
      assert.ok(
        reply.body.records[0].attributes.url.startsWith(`/services/data/v${version}/sobjects/Account/001`),
      )
    }
  })

  it('6: names in any case, and answers in the case of the schema', async () => {
    await using host = await serveCrm()
    const made = await rest(host, 'POST', '/sobjects/account', { name: 'Lower', NUMBEROFEMPLOYEES: 3 })
    const updated = await rest(host, 'PATCH', '/composite/sobjects', {
      records: [{ attributes: { type: 'Account' }, id: made.body.id, NAME: 'Upper' }],
    })
    assert.equal(updated.body[0].success, true)
    const { body } = await soql(host, `select id, NAME, owner.NAME from ACCOUNT where ID = '${made.body.id}'`)
    assert.deepEqual(Object.keys(body.records[0]), ['attributes', 'Id', 'Name', 'Owner'])
    assert.equal(body.records[0].Name, 'Upper')
  })

  it('7: no children and no parent, which are null', async () => {
    await using host = await serveCrm()
    const { body } = await soql(
      host,
      "SELECT Name, Parent.Name, (SELECT Id FROM Contacts) FROM Account WHERE Name LIKE 'Cobalt%'",
    )
    assert.equal(body.records[0].Parent, null)
    assert.equal(body.records[0].Contacts, null)
  })

  it('8: moments, which end in +0000', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT CreatedDate FROM Account LIMIT 1')
    assert.match(body.records[0].CreatedDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/)
  })

  it('9: ids, which have eighteen characters and a true checksum, and are taken in either form', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT Id, AccountId FROM Contact')
    for (const { Id, AccountId } of body.records)
      for (const id of [Id, AccountId]) assert.equal(eighteen(id.slice(0, 15)), id)
    const [first] = body.records
    assert.equal((await rest(host, 'GET', `/sobjects/Contact/${first.Id.slice(0, 15)}`)).body.Id, first.Id)
    const made = await rest(host, 'POST', '/sobjects/Case', { ContactId: first.Id.slice(0, 15) })
    assert.equal((await rest(host, 'GET', `/sobjects/Case/${made.body.id}`)).body.ContactId, first.Id)
    const wrong = await rest(host, 'GET', `/sobjects/Contact/${first.Id.slice(0, 15)}zzz`)
    assert.deepEqual([wrong.status, wrong.body[0].errorCode], [400, 'MALFORMED_ID'])
    assert.equal(eighteen('001Da00000xnAk6'), '001Da00000xnAk6IAE')
    assert.equal(eighteen('0019H00000H1RMD'), '0019H00000H1RMDQA3')
  })

  it('10: attributes sent back, which are taken, and an Id in the body, which is refused', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT Id FROM Account LIMIT 1')
    const [{ Id, attributes }] = body.records
    assert.equal(
      (await rest(host, 'PATCH', `/sobjects/Account/${Id}`, { attributes, Site: 'West' })).status,
      204,
    )
    const refused = await rest(host, 'PATCH', `/sobjects/Account/${Id}`, { Id, Site: 'East' })
    assert.deepEqual(
      [refused.status, refused.body[0].message],
      [400, 'The Id field should not be specified in the sobject data.'],
    )
  })

  it('11: values outside an open picklist, which are kept; a restricted one refuses them', async () => {
    await using host = await serveCrm()
    const made = await rest(host, 'POST', '/sobjects/Case', {
      Status: 'Waiting on Parts',
      Priority: 'P0',
      Origin: 'Fax',
    })
    assert.equal(made.status, 201)
    assert.equal((await rest(host, 'GET', `/sobjects/Case/${made.body.id}`)).body.Status, 'Waiting on Parts')
    const refused = await rest(host, 'POST', '/sobjects/Account', { Name: 'x', CleanStatus: 'Spotless' })
    assert.equal(refused.body[0].errorCode, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST')
  })

  it('12: what clients ask first: login, userinfo, Organization, User.Username', async () => {
    await using host = await serveCrm()
    const info = await rest(host, 'GET', '/services/oauth2/userinfo')
    const user = await rest(host, 'GET', `/services/data/v51.0/sobjects/User/${info.body.user_id}`)
    assert.equal(user.body.Username, info.body.preferred_username)
    const { body } = await soql(
      host,
      'SELECT Name, InstanceName, IsSandbox, TrialExpirationDate, NamespacePrefix, OrganizationType FROM Organization',
    )
    assert.equal(body.totalSize, 1)
  })

  it('13: ScratchOrgInfo, which is not an object here', async () => {
    await using host = await serveCrm()
    const { status, body } = await soql(host, 'SELECT Id FROM ScratchOrgInfo limit 1')
    assert.deepEqual([status, body[0].errorCode], [400, 'INVALID_TYPE'])
  })

  it('14: the statuses of an upsert: 201, 200, 204 and 300', async () => {
    await using host = await serveCustomCrm()
    const put = (version: string, name: string) =>
      rest(host, 'PATCH', `/services/data/v${version}/sobjects/UpsertTable__c/ExtId__c/A-1`, { Name: name })
    const made = await put('62.0', 'one')
    assert.deepEqual([made.status, made.body.created, made.body.success], [201, true, true])
    const changed = await put('62.0', 'two')
    assert.deepEqual(
      [changed.status, changed.body],
      [200, { id: made.body.id, success: true, errors: [], created: false }],
    )
    assert.equal((await put('45.0', 'three')).status, 204)
    await rest(host, 'POST', '/sobjects/UpsertTable__c', { Name: 'twin', ExtId__c: 'A-1' })
    const several = await put('62.0', 'four')
    assert.equal(several.status, 300)
    assert.ok(
      several.body.every((url: string) => url.startsWith('/services/data/v62.0/sobjects/UpsertTable__c/a00')),
    )
    assert.equal((await rest(host, 'PATCH', '/sobjects/Account/Name/x', {})).status, 404)
  })

  it('15: a slash at the end', async () => {
    await using host = await serveCrm()
    for (const path of [
      '/query/?q=SELECT+Id+FROM+Account',
      '/limits/',
      '/sobjects/',
      '/sobjects/Account/describe/',
    ])
      assert.equal((await rest(host, 'GET', path)).status, 200, path)
    assert.equal((await rest(host, 'POST', '/sobjects/Account/', { Name: 'Slash' })).status, 201)
  })

  it('16: a query with plus signs for spaces', async () => {
    await using host = await serveCrm()
    const { body } = await rest(host, 'GET', "/query?q=SELECT+Name+FROM+Account+WHERE+Name+=+'Acme+Foods'")
    assert.equal(body.totalSize, 1)
  })

  it('17: the header that counts calls', async () => {
    await using host = await serveCrm()
    const { headers } = await rest(host, 'GET', '/limits')
    assert.match(headers.get('sforce-limit-info') ?? '', /^api-usage=\d+\/15000$/)
    assert.equal(headers.get('content-type'), 'application/json;charset=UTF-8')
  })

  it('18: ?fields= with a field that is not there', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT Id FROM Account LIMIT 1')
    const id = body.records[0].Id
    const asked = await rest(host, 'GET', `/sobjects/Account/${id}?fields=Name,Industry`)
    assert.deepEqual(Object.keys(asked.body), ['attributes', 'Name', 'Industry'])
    const refused = await rest(host, 'GET', `/sobjects/Account/${id}?fields=Name,Equipo`)
    assert.deepEqual(refused.body, [
      { message: "No such column 'Equipo' on sobject of type Account", errorCode: 'INVALID_FIELD' },
    ])
  })

  it('19: a deleted record, which is ENTITY_IS_DELETED and still in queryAll', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, "SELECT Id FROM Lead WHERE Name = 'Lars Holm'")
    const id = body.records[0].Id
    assert.equal((await rest(host, 'DELETE', `/sobjects/Lead/${id}`)).status, 204)
    for (const [method, sent] of [['GET'], ['DELETE'], ['PATCH', { Title: 'x' }]] as const) {
      const reply = await rest(host, method, `/sobjects/Lead/${id}`, sent)
      assert.deepEqual(
        [reply.status, reply.body],
        [404, [{ message: 'entity is deleted', errorCode: 'ENTITY_IS_DELETED', fields: [] }]],
      )
    }
    const all = await rest(host, 'GET', `/queryAll?q=SELECT+Id,IsDeleted+FROM+Lead+WHERE+Id='${id}'`)
    assert.equal(all.body.records[0].IsDeleted, true)
  })

  it('20: lead conversion, which REST does not offer', async () => {
    await using host = await serveCrm()
    const { status, body } = await rest(host, 'POST', '/actions/standard/convertLead', { inputs: [{}] })
    assert.deepEqual([status, body], [404, [{ errorCode: 'NOT_FOUND', message: 'Invalid Action Type' }]])
  })
})
