import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rest, type Served, serveCrm, serveCustomCrm, soql } from './testing/world.ts'

const count = async (host: Pick<Served, 'baseUrl' | 'token'>, from: string) =>
  (await soql(host, `SELECT COUNT() FROM ${from}`)).body.totalSize

describe('several records at once', () => {
  it('are all taken back when one fails and the caller wants all or none', async () => {
    await using host = await serveCrm()
    const before = await count(host, 'Account')
    const records = [{ Name: 'A' }, {}, { Name: 'B' }].map((fields) => ({
      attributes: { type: 'Account' },
      ...fields,
    }))
    const { body } = await rest(host, 'POST', '/composite/sobjects', { allOrNone: true, records })
    assert.deepEqual(
      body.map((row: { errors: { statusCode: string }[] }) => row.errors[0]?.statusCode),
      ['ALL_OR_NONE_OPERATION_ROLLED_BACK', 'REQUIRED_FIELD_MISSING', 'ALL_OR_NONE_OPERATION_ROLLED_BACK'],
    )
    assert.equal(await count(host, 'Account'), before)
    const kept = await rest(host, 'POST', '/composite/sobjects', { records })
    assert.deepEqual(
      kept.body.map((row: { success: boolean }) => row.success),
      [true, false, true],
    )
    assert.equal(await count(host, 'Account'), before + 2)
  })

  it('are retrieved in order, with null for unknown ids', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT Id FROM Contact LIMIT 1')
    const { body: found } = await rest(host, 'POST', '/composite/sobjects/Contact', {
      ids: ['003000000000000AAA', body.records[0].Id],
      fields: ['Name'],
    })
    assert.equal(found[0], null)
    assert.deepEqual(Object.keys(found[1]), ['attributes', 'Id', 'Name'])
  })

  it('are deleted by a list of ids', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT Id FROM Lead')
    const ids = body.records.map(({ Id }: { Id: string }) => Id)
    const gone = await rest(host, 'DELETE', `/composite/sobjects?ids=${ids.join(',')},00Q000000000000EAA`)
    assert.deepEqual(
      gone.body.map((row: { success: boolean }) => row.success),
      [true, true, false],
    )
    assert.equal(gone.body[2].errors[0].statusCode, 'INVALID_CROSS_REFERENCE_KEY')
  })

  it('are refused beyond two hundred', async () => {
    await using host = await serveCrm()
    const records = Array.from({ length: 201 }, (_, n) => ({
      attributes: { type: 'Account' },
      Name: `N${n}`,
    }))
    assert.equal((await rest(host, 'POST', '/composite/sobjects', { records })).status, 400)
  })
})

describe('a composite request', () => {
  const steps = (lastName?: string) => [
    {
      method: 'POST',
      url: '/services/data/v62.0/sobjects/Account',
      referenceId: 'a',
      body: { Name: 'Composite' },
    },
    {
      method: 'POST',
      url: '/services/data/v62.0/sobjects/Contact',
      referenceId: 'c',
      body: { AccountId: '@{a.id}', ...(lastName ? { LastName: lastName } : {}) },
    },
    { method: 'GET', url: '/services/data/v62.0/sobjects/Account/@{a.id}?fields=Name', referenceId: 'g' },
  ]

  it('hands what one part answered to the next', async () => {
    await using host = await serveCrm()
    const { body } = await rest(host, 'POST', '/composite', { compositeRequest: steps('Ref') })
    const [a, c, g] = body.compositeResponse
    assert.deepEqual([a.httpStatusCode, c.httpStatusCode, g.httpStatusCode], [201, 201, 200])
    assert.equal(a.httpHeaders.Location, `/services/data/v62.0/sobjects/Account/${a.body.id}`)
    assert.equal(g.body.Name, 'Composite')
    assert.equal((await rest(host, 'GET', `/sobjects/Contact/${c.body.id}`)).body.AccountId, a.body.id)
  })

  it('takes everything back on a failure when asked to', async () => {
    await using host = await serveCrm()
    const before = await count(host, 'Account')
    const { body } = await rest(host, 'POST', '/composite', { allOrNone: true, compositeRequest: steps() })
    assert.deepEqual(
      body.compositeResponse.map((part: { body: { errorCode: string }[] }) => part.body[0]?.errorCode),
      ['PROCESSING_HALTED', 'REQUIRED_FIELD_MISSING', 'PROCESSING_HALTED'],
    )
    assert.equal(await count(host, 'Account'), before)
  })

  it('comes as a batch, a tree and a graph, too', async () => {
    await using host = await serveCrm()
    const batch = await rest(host, 'POST', '/composite/batch', {
      batchRequests: [
        { method: 'GET', url: 'v62.0/limits' },
        { method: 'POST', url: 'v62.0/sobjects/Account', richInput: {} },
      ],
    })
    assert.deepEqual(
      [batch.body.hasErrors, batch.body.results[0].statusCode, batch.body.results[1].statusCode],
      [true, 200, 400],
    )
    const tree = await rest(host, 'POST', '/composite/tree/Account', {
      records: [
        {
          attributes: { type: 'Account', referenceId: 'r1' },
          Name: 'Tree',
          Contacts: { records: [{ attributes: { type: 'Contact', referenceId: 'r2' }, LastName: 'Leaf' }] },
        },
      ],
    })
    assert.equal(tree.status, 201)
    assert.deepEqual(
      tree.body.results.map(({ referenceId }: { referenceId: string }) => referenceId),
      ['r1', 'r2'],
    )
    assert.equal(await count(host, "Contact WHERE Account.Name = 'Tree'"), 1)
    const graph = await rest(host, 'POST', '/composite/graph', {
      graphs: [
        { graphId: 'g1', compositeRequest: steps('Ok') },
        { graphId: 'g2', compositeRequest: steps() },
      ],
    })
    assert.deepEqual(
      graph.body.graphs.map(({ isSuccessful }: { isSuccessful: boolean }) => isSuccessful),
      [true, false],
    )
    assert.equal(await count(host, "Account WHERE Name = 'Composite'"), 1)
  })
})

describe('a search', () => {
  const found = async (host: Served, text: string) =>
    (await rest(host, 'GET', `/search?q=${encodeURIComponent(text)}`)).body.searchRecords?.map(
      (record: Record<string, unknown>) => record.Name ?? record.Subject ?? record.Id,
    )

  it('finds words and their beginnings in the given fields', async () => {
    await using host = await serveCrm()
    assert.deepEqual(
      await found(
        host,
        'FIND {acme} IN NAME FIELDS RETURNING Account(Name), Opportunity(Name ORDER BY Name)',
      ),
      ['Acme Foods', 'Acme Pump Renewal', 'Acme Retrofit'],
    )
    assert.deepEqual(
      await found(host, "FIND {borea*} RETURNING Account(Name WHERE Industry = 'Energy' LIMIT 1)"),
      ['Borealis Energy'],
    )
    assert.deepEqual(
      await found(host, 'FIND {"pump leaking" OR portal} RETURNING Case(Subject ORDER BY Subject)'),
      ['Cannot log in to portal', 'Pump leaking on line 3'],
    )
    assert.deepEqual(
      await found(host, 'FIND {pump AND NOT leaking} RETURNING Case(Subject), Opportunity(Name)'),
      ['Acme Pump Renewal'],
    )
    assert.deepEqual(await found(host, 'FIND {jane@acme.example} IN EMAIL FIELDS RETURNING Contact(Name)'), [
      'Jane Whitfield',
    ])
    assert.deepEqual(await found(host, 'FIND {nothing here} RETURNING Account'), [])
  })

  it('says what is wrong with it', async () => {
    await using host = await serveCrm()
    for (const text of [
      'FIND acme',
      'FIND {a}',
      'FIND {acme} RETURNING Nope(Id)',
      'FIND {acme} RETURNING Account(Foo)',
      'FIND {acme} BY x',
    ]) {
      const { status, body } = await rest(host, 'GET', `/search?q=${encodeURIComponent(text)}`)
      assert.ok(status === 400 && typeof body[0].errorCode === 'string', text)
    }
    assert.deepEqual(host.failures, [])
  })

  it('can be spelt out in parameters', async () => {
    await using host = await serveCrm()
    const asked = await rest(
      host,
      'GET',
      '/parameterizedSearch?q=acme&sobject=Account&Account.fields=Id,Name&Account.limit=1',
    )
    assert.deepEqual(
      asked.body.searchRecords.map(({ Name }: { Name: string }) => Name),
      ['Acme Foods'],
    )
    const posted = await rest(host, 'POST', '/parameterizedSearch', {
      q: 'acme',
      sobjects: [{ name: 'Contact', fields: ['Name'] }],
      in: 'EMAIL',
    })
    assert.equal(posted.body.searchRecords.length, 2)
  })
})

describe('the rest of the service', () => {
  it('pages through an answer by locator, as it was when it was asked for', async () => {
    await using host = await serveCrm()
    const records = Array.from({ length: 200 }, (_, n) => ({
      attributes: { type: 'Lead' },
      LastName: `L${n}`,
      Company: 'Many',
    }))
    for (let n = 0; n < 3; n++) await rest(host, 'POST', '/composite/sobjects', { records })
    const options = { 'sforce-query-options': 'batchSize=250' }
    const query = "/query?q=SELECT+Id,Owner.Name+FROM+Lead+WHERE+Company='Many'"
    const first = await rest(host, 'GET', query, undefined, options)
    assert.deepEqual([first.body.totalSize, first.body.done, first.body.records.length], [600, false, 250])
    assert.match(first.body.nextRecordsUrl, /^\/services\/data\/v62\.0\/query\/01g\w{15}-250$/)
    await rest(host, 'DELETE', `/sobjects/Lead/${first.body.records[0].Id}`)
    const second = await rest(host, 'GET', first.body.nextRecordsUrl)
    const third = await rest(host, 'GET', second.body.nextRecordsUrl)
    assert.deepEqual(
      [third.body.done, third.body.records.length, third.body.nextRecordsUrl],
      [true, 100, undefined],
    )
    const all = [first, second, third].flatMap(({ body }) => body.records.map(({ Id }: { Id: string }) => Id))
    assert.equal(new Set(all).size, 600)
    assert.equal(third.body.records[0].Owner.Name, 'Integration User')
    const wrong = await rest(host, 'GET', '/query/01gxx0000000001AAA-250')
    assert.deepEqual([wrong.status, wrong.body[0].errorCode], [400, 'INVALID_QUERY_LOCATOR'])
  })

  it('describes the columns of an answer, parents and children under their own', async () => {
    await using host = await serveCrm()
    interface Column {
      columnName: string
      displayName: string
      aggregate: boolean
      joinColumns: Column[]
    }
    const written = ({ columnName, displayName, aggregate, joinColumns }: Column): string =>
      `${columnName}${aggregate ? `*${displayName}` : ''}${joinColumns.length > 0 ? `[${joinColumns.map(written).join(' ')}]` : ''}`
    const columns = async (query: string): Promise<string> => {
      const { body } = await rest(host, 'GET', `/query?q=${encodeURIComponent(query)}&columns=true`)
      return `${body.entityName} ${body.columnMetadata.map(written).join(' ')}`
    }
    assert.equal(
      await columns(
        'SELECT id, Owner.Name, Owner.Profile.Name, (SELECT LastName FROM contacts) FROM account',
      ),
      'Account Id Owner[Name Profile[Name]] Contacts*Contacts[LastName]',
    )
    assert.equal(
      await columns('SELECT StageName, COUNT(Id), SUM(Amount) s FROM Opportunity GROUP BY StageName'),
      'Opportunity StageName expr0*count(Id) s*s',
    )
    const refused = await rest(host, 'GET', '/query?q=SELECT+Nope+FROM+Account&columns=true')
    assert.deepEqual([refused.status, refused.body[0].errorCode], [400, 'INVALID_FIELD'])
  })

  it('names the methods that a resource has', async () => {
    await using host = await serveCrm()
    const { status, body } = await rest(host, 'POST', '/sobjects/Account/001000000000000AAA', {})
    assert.equal(status, 405)
    assert.deepEqual(body, [
      {
        message: "HTTP Method 'POST' not allowed. Allowed are HEAD,GET,PATCH,DELETE",
        errorCode: 'METHOD_NOT_ALLOWED',
      },
    ])
  })

  it('describes objects with every key, and says when nothing has changed', async () => {
    await using host = await serveCustomCrm()
    const { body, headers } = await rest(host, 'GET', '/sobjects/Account/describe')
    assert.equal(Object.keys(body).length, 42)
    assert.ok(body.fields.every((field: object) => Object.keys(field).length === 57))
    assert.ok(body.fields.some(({ name }: { name: string }) => name === 'Region__c'))
    assert.ok(
      body.childRelationships.some(
        ({ relationshipName }: { relationshipName: string }) => relationshipName === 'Visits__r',
      ),
    )
    const again = await rest(host, 'GET', '/sobjects/Account/describe', undefined, {
      'if-modified-since': headers.get('last-modified') ?? '',
    })
    assert.equal(again.status, 304)
    const global = await rest(host, 'GET', '/sobjects')
    assert.ok(global.body.sobjects.every((object: object) => Object.keys(object).length === 28))
  })

  it('tells what was updated and deleted in a span of time', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, 'SELECT Id FROM Lead LIMIT 1')
    await rest(host, 'DELETE', `/sobjects/Lead/${body.records[0].Id}`)
    const made = await rest(host, 'POST', '/sobjects/Lead', { LastName: 'New', Company: 'New' })
    const span = 'start=2026-03-02T08:59:00Z&end=2026-03-02T09:01:00Z'
    const updated = await rest(host, 'GET', `/sobjects/Lead/updated?${span}`)
    const deleted = await rest(host, 'GET', `/sobjects/Lead/deleted?${span}`)
    assert.deepEqual(updated.body.ids, [made.body.id])
    assert.deepEqual(
      deleted.body.deletedRecords.map(({ id }: { id: string }) => id),
      [body.records[0].Id],
    )
  })

  it('walks from a record to its children and its parent', async () => {
    await using host = await serveCrm()
    const { body } = await soql(host, "SELECT Id FROM Account WHERE Name = 'Acme Foods'")
    const contacts = await rest(host, 'GET', `/sobjects/Account/${body.records[0].Id}/Contacts?fields=Name`)
    assert.equal(contacts.body.totalSize, 2)
    const owner = await rest(host, 'GET', `/sobjects/Account/${body.records[0].Id}/Owner`)
    assert.equal(owner.body.Name, 'Lucía Fernández')
  })

  it('answers bodies that are missing, broken, or of the wrong kind', async () => {
    await using host = await serveCrm()
    const empty = await rest(host, 'POST', '/sobjects/Account')
    assert.equal(
      empty.body[0].message,
      'The HTTP entity body is required, but this request has no entity body.',
    )
    assert.equal((await rest(host, 'POST', '/sobjects/Account', '[]')).body[0].errorCode, 'JSON_PARSER_ERROR')
    const form = await rest(host, 'POST', '/sobjects/Account', 'Name=x', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.deepEqual([form.status, form.body[0].errorCode], [415, 'UNSUPPORTED_MEDIA_TYPE'])
    assert.deepEqual(host.failures, [])
  })
})
