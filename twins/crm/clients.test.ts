import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import jsforce from 'jsforce'
import { type Served, serveCrm, serveCrmBelow, serveCustomCrm } from './testing/world.ts'

const run = promisify(execFile)
const here = (name: string): string => fileURLToPath(new URL(`./testing/${name}`, import.meta.url))
const username = 'integration@northwind.northwind.example'
const secretOf = ({ token }: Pick<Served, 'token'>): string => token.slice(token.indexOf('!') + 1)

const connect = (host: Pick<Served, 'baseUrl' | 'token'>) =>
  new jsforce.Connection({ instanceUrl: host.baseUrl, accessToken: host.token })

describe('jsforce', () => {
  it('logs in over SOAP, works, and logs out', async () => {
    await using host = await serveCrm()
    const connection = new jsforce.Connection({ loginUrl: host.baseUrl })
    const user = await connection.login(username, `${secretOf(host)}securitytoken`)
    assert.match(user.id, /^005\w{15}$/)
    assert.equal((await connection.query('SELECT Id FROM User')).totalSize, 4)
    await connection.logout()
    await assert.rejects(async () => {
      await connect(host).query('SELECT Id FROM User')
    }, /Session expired or invalid/)
    await assert.rejects(
      new jsforce.Connection({ loginUrl: host.baseUrl }).login(username, 'wrong'),
      /INVALID_LOGIN/,
    )
  })

  it('logs in over SOAP to a twin that lives below a path, and works there', async () => {
    await using host = await serveCrmBelow('/t/tw_4f2a')
    const connection = new jsforce.Connection({ loginUrl: host.baseUrl, maxRequest: 1 })
    const user = await connection.login(username, secretOf(host))
    assert.match(user.id, /^005\w{15}$/)
    assert.equal((await connection.identity()).username, username)
    assert.equal((await connection.query('SELECT Id FROM User')).totalSize, 4)
    const made = await connection.sobject('Account').create({ Name: 'Below' })
    assert.equal((await connection.sobject('Account').retrieve(made.id ?? '')).Name, 'Below')
    const read = await connection.bulk2.query('SELECT Name FROM Lead', { pollInterval: 5 })
    assert.equal((await read.toArray()).length, 2)
    await connection.logout()
    assert.deepEqual(
      host.steps.filter(({ request }) => request.path.startsWith('/outside')),
      [],
    )
    assert.deepEqual(host.failures, [])
  })

  it('logs in over OAuth and asks who it is', async () => {
    await using host = await serveCrm()
    const connection = new jsforce.Connection({
      oauth2: { loginUrl: host.baseUrl, clientId: 'x', clientSecret: 'y', redirectUri: 'http://127.0.0.1/' },
    })
    await connection.login(username, secretOf(host))
    const identity = await connection.identity()
    assert.equal(identity.username, username)
    assert.equal(identity.display_name, 'Integration User')
  })

  it('creates, reads, updates, upserts and deletes, one and many', async () => {
    await using host = await serveCustomCrm()
    const connection = connect(host)
    const Account = connection.sobject('Account')
    const made = await Account.create({ Name: 'Alpha' })
    assert.ok(made.success)
    const id = made.id ?? ''
    await Account.update({ Id: id, Name: 'Beta' })
    assert.equal((await Account.retrieve(id)).Name, 'Beta')
    const many = await Account.create([{ Name: 'One' }, { Name: 'Two' }])
    assert.ok(many.every(({ success }) => success))
    const table = connection.sobject('UpsertTable__c')
    const first = await table.upsert({ Name: 'a', ExtId__c: 'X' }, 'ExtId__c')
    const second = await table.upsert({ Name: 'b', ExtId__c: 'X' }, 'ExtId__c')
    assert.deepEqual([first.success, second.success, first.id === second.id], [true, true, true])
    const gone = await Account.destroy(many.map((one) => one.id ?? ''))
    assert.ok(gone.every(({ success }) => success))
    await assert.rejects(Account.create({}), (error: Error) => error.name === 'REQUIRED_FIELD_MISSING')
    await assert.rejects(Account.retrieve('001000000000000AAA'), (error: Error) => error.name === 'NOT_FOUND')
    assert.deepEqual(host.failures, [])
  })

  it('builds queries with parents, children, conditions and order', async () => {
    await using host = await serveCrm()
    const connection = connect(host)
    const accounts = await connection
      .sobject('Account')
      .find({ Name: { $like: 'A%' } }, 'Id, Name, Owner.Name')
      .include('Contacts')
      .select('Name')
      .end()
    const [acme] = accounts
    assert.equal(acme?.Owner?.Name, 'Lucía Fernández')
    assert.deepEqual(
      (acme?.Contacts?.records ?? []).map(({ Name }) => Name),
      ['Jane Whitfield', 'Omar Haddad'],
    )
    assert.ok((await connection.describeGlobal()).sobjects.length > 30)
    assert.equal((await connection.sobject('Case').describe()).keyPrefix, '500')
    assert.ok((connection.limitInfo.apiUsage?.used ?? 0) > 0)
  })

  it('converts and merges leads over SOAP, which is where the service has it', async () => {
    await using host = await serveCrm()
    const connection = connect(host)
    const leads = await connection.query<{ Id: string }>('SELECT Id FROM Lead ORDER BY Name DESC')
    const done = await connection.soap.convertLead({
      leadId: leads.records[0]?.Id ?? '',
      convertedStatus: 'Closed - Converted',
      opportunityName: 'Hotel pumps',
    })
    assert.ok(done.success)
    const lead = await connection.sobject('Lead').retrieve(leads.records[0]?.Id ?? '')
    assert.deepEqual(
      [lead.IsConverted, lead.ConvertedAccountId, lead.ConvertedContactId, lead.ConvertedOpportunityId],
      [true, done.accountId, done.contactId, done.opportunityId],
    )
    const deal = await connection.sobject('Opportunity').retrieve(done.opportunityId ?? '')
    assert.deepEqual(
      [deal.Name, deal.StageName, deal.CloseDate],
      ['Hotel pumps', 'Prospecting', '2026-03-31'],
    )
    await assert.rejects(
      connection.sobject('Lead').update({ Id: leads.records[0]?.Id ?? '', Company: 'x' }),
      (error: Error) => error.name === 'CANNOT_UPDATE_CONVERTED_LEAD',
    )
    const refused = await connection.soap.convertLead({
      leadId: leads.records[1]?.Id ?? '',
      convertedStatus: 'Working',
    })
    assert.equal(refused.success, false)
    assert.match((await connection.soap.getServerTimestamp()).timestamp, /^2026-03-02T09:00:00/)
  })

  it('loads and reads in bulk, in both generations', async () => {
    await using host = await serveCrm()
    const connection = connect(host)
    const rows = Array.from({ length: 30 }, (_, n) => ({
      LastName: n === 7 ? '' : `Bulk ${n}`,
      Company: 'Bulk, "quoted"',
    }))
    const loaded = await connection.bulk2.loadAndWaitForResults({
      object: 'Lead',
      operation: 'insert',
      input: rows,
      pollInterval: 5,
    })
    assert.deepEqual([loaded.successfulResults.length, loaded.failedResults.length], [29, 1])
    assert.match(loaded.failedResults[0]?.sf__Error ?? '', /^REQUIRED_FIELD_MISSING:/)
    const read = await connection.bulk2.query(
      "SELECT Name, Owner.Name FROM Lead WHERE Company LIKE 'Bulk%'",
      {
        pollInterval: 5,
      },
    )
    const lines = (await read.toArray()) as Record<string, string>[]
    assert.equal(lines.length, 29)
    assert.equal(lines[0]?.['Owner.Name'], 'Integration User')
    const job = connection.bulk.createJob('Account', 'insert')
    const batch = job.createBatch()
    batch.on('queue', () => batch.poll(5, 5_000))
    const old = await batch.execute([{ Name: 'First generation' }])
    await job.close()
    assert.deepEqual(
      old.map((one) => 'success' in one && one.success),
      [true],
    )
  })
})

describe('a Python client', () => {
  it('works as simple_salesforce calls', async () => {
    await using host = await serveCrm()
    const { stdout } = await run('python3', [here('client.py'), host.baseUrl, username, secretOf(host)], {
      timeout: 60_000,
    })
    assert.deepEqual(JSON.parse(stdout), {
      create: [201, true, []],
      update: 204,
      read: [200, 'Jones', 'Contact'],
      usage: 'api-usage',
      upsert: 200,
      query: ['Borealis Energy'],
      count: 5,
      search: 1,
      limits: true,
      describe: true,
      delete: 204,
      gone: [404, 'ENTITY_IS_DELETED'],
      refused: [400, 'INVALID_FIELD'],
    })
    assert.deepEqual(host.failures, [])
  })
})
