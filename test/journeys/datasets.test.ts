import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { WebClient } from '@slack/web-api'
import jsforce from 'jsforce'
import { zipOf } from '../../server/src/bridges/zip.ts'
import { type Any, uploadDataset } from '../../server/src/datasets/testing-upload.ts'
import { type TestService, testService } from '../../server/src/testing.ts'

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

const upload = async (
  body: Uint8Array | string,
  type: string,
  query: Record<string, string>,
): Promise<Any> => {
  const { status, body: version } = await uploadDataset(service, body, { type, query })
  return { status, ...version }
}

const twinOf = async (version: Any, kind: string): Promise<Any> => {
  assert.equal(version.status, 201, JSON.stringify(version))
  const made = await service.call('POST', '/v1/twins', { service: kind, dataset_version_id: version.id })
  assert.equal(made.body.status, 'running', made.text)
  return made.body
}

/** A world launched from a version, and its twin of the kind. */
const worldTwinOf = async (version: Any, kind: string): Promise<Any> => {
  assert.equal(version.status, 201, JSON.stringify(version))
  const { body, text } = await service.call('POST', '/v1/builder/worlds', { dataset_version_id: version.id })
  assert.equal(body.status, 'ready', text)
  const { body: world } = await service.call('GET', `/v1/builder/worlds/${body.world.id}`)
  assert.deepEqual(
    world.twins.map((one: Any) => [one.service, one.datasetVersionId]),
    [[kind, version.id]],
  )
  return body.twins[0]
}

describe('a workspace export', () => {
  const person = (id: string, name: string) => ({
    ...{ id, team_id: 'T1', name, deleted: false, color: 'e7392d', real_name: name, tz: 'Europe/Oslo' },
    profile: {
      real_name: name,
      display_name: name,
      email: `${name}@ember.example`,
      title: 'Smith',
      image_24: 'x',
    },
    ...{
      is_admin: name === 'ada',
      is_owner: false,
      is_primary_owner: false,
      is_bot: false,
      updated: 1_700_000_000,
    },
  })
  const files: [string, unknown][] = [
    ['users.json', [person('U0ADA', 'ada'), person('U0BEN', 'ben')]],
    [
      'channels.json',
      [
        {
          ...{ id: 'C0FORGE', name: 'forge', created: 1_690_000_000, creator: 'U0ADA', is_archived: false },
          ...{
            is_general: true,
            members: ['U0ADA', 'U0BEN'],
            topic: { value: 'Heat', creator: 'U0ADA', last_set: 1 },
          },
        },
      ],
    ],
    [
      'groups.json',
      [{ id: 'G0GLAZE', name: 'glaze', created: 1, creator: 'U0ADA', members: ['U0ADA', 'U0BEN'] }],
    ],
    ['dms.json', [{ id: 'D0ADABEN', created: 1_690_000_000, members: ['U0ADA', 'U0BEN'] }]],
    [
      'forge/2023-11-14.json',
      [
        {
          ...{ type: 'message', user: 'U0ADA', text: 'The kiln is hot', ts: '1700000000.000100' },
          ...{
            thread_ts: '1700000000.000100',
            reply_count: 1,
            replies: [{ user: 'U0BEN', ts: '1700000100.000200' }],
          },
          reactions: [{ name: 'fire', users: ['U0BEN', 'U0GONE'], count: 2 }],
          files: [
            {
              id: 'F0KILN',
              name: 'kiln.png',
              title: 'Kiln',
              mimetype: 'image/png',
              size: 12,
              created: 1_700_000_000,
              user: 'U0ADA',
              mode: 'hosted',
            },
          ],
        },
        {
          ...{ type: 'message', user: 'U0BEN', text: 'On my way', ts: '1700000100.000200' },
          ...{ thread_ts: '1700000000.000100', parent_user_id: 'U0ADA' },
        },
      ],
    ],
    ['glaze/2023-11-14.json', [{ type: 'message', user: 'U0ADA', text: 'Hush', ts: '1700000300.000100' }]],
    [
      'D0ADABEN/2023-11-15.json',
      [{ type: 'message', user: 'U0BEN', text: 'Between us', ts: '1700090000.000100' }],
    ],
  ]
  const zip = zipOf(files.map(([name, value]) => [name, JSON.stringify(value)]))
  const query = { name: 'ember chat', format: 'chat-export', organization: 'Ember Works' }

  it('becomes a world with channels, threads, reactions and files when the vendor’s client reads it', async () => {
    const twin = await worldTwinOf(await upload(zip, 'application/zip', query), 'chat')
    const client = new WebClient(twin.token, { slackApiUrl: `${twin.baseUrl}/api/` })
    const { channels = [] } = await client.conversations.list()
    assert.deepEqual(
      channels.map(({ id, name, topic }) => [id, name, topic?.value]),
      [['C0FORGE', 'forge', 'Heat']],
    )
    const { messages = [] } = await client.conversations.history({ channel: 'C0FORGE' })
    const [first] = messages
    assert.deepEqual(
      [first?.text, first?.reply_count, first?.reactions?.[0]?.count],
      ['The kiln is hot', 1, 2],
    )
    assert.equal(first?.files?.[0]?.id, 'F0KILN')
    const thread = await client.conversations.replies({ channel: 'C0FORGE', ts: '1700000000.000100' })
    assert.deepEqual(
      thread.messages?.map(({ text }) => text),
      ['The kiln is hot', 'On my way'],
    )
    const { message } = await client.reactions.get({ channel: 'C0FORGE', timestamp: '1700000000.000100' })
    assert.deepEqual(
      message?.reactions?.map(({ name, users }) => [name, users]),
      [['fire', ['U0BEN', 'U0GONE']]],
    )
    const { file } = await client.files.info({ file: 'F0KILN' })
    assert.deepEqual([file?.name, file?.mimetype, file?.user], ['kiln.png', 'image/png', 'U0ADA'])
    const listed = await client.files.list({ channel: 'C0FORGE' })
    assert.deepEqual(
      listed.files?.map(({ name }) => name),
      ['kiln.png'],
    )
    const { members = [] } = await client.users.list({})
    assert.ok(members.some(({ id, deleted }) => id === 'U0GONE' && deleted))
  })

  it('becomes a world in which a person of it reads private channels and direct messages', async () => {
    const version = await upload(zip, 'application/zip', { ...query, acts_as: 'ada@ember.example' })
    const twin = await worldTwinOf(version, 'chat')
    const client = new WebClient(twin.token, { slackApiUrl: `${twin.baseUrl}/api/` })
    assert.equal((await client.auth.test()).user_id, 'U0ADA')
    const { channels = [] } = await client.conversations.list({ types: 'public_channel,private_channel,im' })
    assert.deepEqual(channels.map(({ id }) => id).toSorted(), ['C0FORGE', 'D0ADABEN', 'G0GLAZE'])
    for (const [channel, text] of [
      ['G0GLAZE', 'Hush'],
      ['D0ADABEN', 'Between us'],
    ] as const) {
      const { messages = [] } = await client.conversations.history({ channel })
      assert.deepEqual(
        messages.map((one) => one.text),
        [text],
      )
    }
    const posted = await client.chat.postMessage({ channel: 'G0GLAZE', text: 'Still hush' })
    assert.ok(Number(posted.ts) > 1_700_000_300)
  })

  it('with a broken day names the file, the row and the field', async () => {
    const broken = [
      ...files,
      ['forge/2023-11-16.json', [{ type: 'message', text: 'x' }]] as [string, unknown],
    ]
    const bytes = zipOf(broken.map(([name, value]) => [name, JSON.stringify(value)]))
    const reply = await upload(bytes, 'application/zip', { name: 'broken', format: 'chat-export' })
    assert.deepEqual(
      [reply.code, reply.details[0].pointer],
      ['invalid_dataset', '/forge/2023-11-16.json/1/ts'],
    )
  })
})

describe('a SQLite file with a table for each object', () => {
  const standard = [
    ...[
      'Contact',
      'Lead',
      'Opportunity',
      'Case',
      'Product2',
      'Pricebook2',
      'PricebookEntry',
      'Order',
      'OrderItem',
    ],
    ...['Quote', 'QuoteLineItem', 'Contract', 'Campaign', 'Task', 'Event', 'EmailMessage', 'Knowledge__kav'],
    ...['ProductCategory', 'ProductCategoryProduct', 'LiveChatTranscript', 'Territory2'],
  ]
  const make = async (): Promise<Uint8Array> => {
    const folder = await mkdtemp(join(tmpdir(), 'diorama-sqlite-'))
    const path = join(folder, 'org.db')
    const database = new DatabaseSync(path)
    database.exec(`
      create table User (Id text, Username text, LastName text, Email text, IsActive integer);
      insert into User values ('005ON00000Ka1bAYAR', 'ada@ember.example', 'Ada', 'ada@ember.example', 1);
      create table Account (Id text, FirstName text, LastName text, IsPersonAccount integer, PersonEmail text, ShippingCity text, CreatedDate text);
      insert into Account values ('001ON00000Kb2cBYAR', 'Mara', 'Voss', 1, 'mara@home.example', 'Oslo', '2024-02-03T10:11:12.000+0000');
      create table Kiln__c (Id text, Name text, Owner_Account__c text, Heat__c real, Fired__c text, Notes__c text);
      insert into Kiln__c values ('a0BON00000Kc3dCYAR', 'Kiln 7', '001ON00000Kb2cBYAR', 1180.5, '2024-02-01', null);
      create table Glaze__c (Id text, Name text, Kiln__c text, Is_Food_Safe__c text);
      insert into Glaze__c values ('a0CON00000Kd4eDYAR', 'Celadon', 'a0BON00000Kc3dCYAR', 'true');`)
    for (const [n, object] of standard.entries()) {
      database.exec(`create table "${object}" (Id text, CreatedDate text)`)
      const id = `${prefixes[object] ?? '0ZZ'}ON00000K${String(n).padStart(4, '0')}YAR`.slice(0, 18)
      database.prepare(`insert into "${object}" values (?, ?)`).run(id, '2024-01-05 06:07:08')
    }
    database.close()
    const bytes = await readFile(path)
    await rm(folder, { recursive: true })
    return bytes
  }
  const prefixes: Record<string, string> = { Contact: '003', Case: '500', Order: '801', Lead: '00Q' }

  it('becomes a CRM that the vendor’s client queries by the original ids', async () => {
    const query = { name: 'ember crm', format: 'crm-sqlite', organization: 'Ember Works' }
    const version = await upload(await make(), 'application/x-sqlite3', query)
    assert.ok(version.services?.[0].collections.length >= 25, JSON.stringify(version).slice(0, 500))
    const twin = await twinOf(version, 'crm')
    const connection = new jsforce.Connection({
      instanceUrl: twin.baseUrl,
      accessToken: twin.token,
      version: '62.0',
    })
    const ask = async (soql: string): Promise<Any[]> => (await connection.query(soql)).records
    const [person] = await ask(
      "SELECT Id, Name, IsPersonAccount, PersonEmail FROM Account WHERE LastName = 'Voss'",
    )
    assert.deepEqual(
      [person.Id, person.Name, person.IsPersonAccount, person.PersonEmail],
      ['001ON00000Kb2cBYAR', 'Mara Voss', true, 'mara@home.example'],
    )
    const [kiln] = await ask(
      "SELECT Id, Heat__c, Fired__c, Owner_Account__r.Name FROM Kiln__c WHERE Owner_Account__c = '001ON00000Kb2cBYAR'",
    )
    assert.deepEqual(
      [kiln.Id, kiln.Heat__c, kiln.Fired__c, kiln.Owner_Account__r.Name],
      ['a0BON00000Kc3dCYAR', 1180.5, '2024-02-01', 'Mara Voss'],
    )
    const [glaze] = await ask("SELECT Id, Is_Food_Safe__c FROM Glaze__c WHERE Kiln__r.Name = 'Kiln 7'")
    assert.deepEqual([glaze.Id, glaze.Is_Food_Safe__c], ['a0CON00000Kd4eDYAR', true])
    for (const object of standard)
      assert.equal((await ask(`SELECT Id FROM ${object}`)).length >= 1, true, object)
    const read = await connection.sobject('Kiln__c').retrieve('a0BON00000Kc3dCYAR')
    assert.equal((read as Any).Name, 'Kiln 7')
  })
})

describe('other exports', () => {
  it('of a tracker, as CSV, become issues with their numbers, states, people and labels', async () => {
    const csv = [
      'ID,Team,Title,Description,Status,Priority,Creator,Assignee,Labels,Created,Updated,Started,Completed,Due Date,Parent issue',
      'KIL-7,Kilns,"Crack, wide",“Long”,In Progress,High,ada@ember.example,ben@ember.example,"Heat, Safety",2024-01-02T03:04:05.000Z,2024-01-03T03:04:05.000Z,2024-01-02T05:00:00.000Z,,2024-02-01,',
      'KIL-9,Kilns,Second,,Firing,No priority,ada@ember.example,,,2024-01-04T03:04:05.000Z,2024-01-05T03:04:05.000Z,,,,KIL-7',
    ].join('\n')
    const query = {
      name: 'ember issues',
      format: 'tracker-csv',
      organization: 'Ember Works',
      acts_as: 'ada@ember.example',
    }
    const twin = await twinOf(await upload(csv, 'text/csv', query), 'tracker')
    const reply = await fetch(`${twin.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: twin.token, 'content-type': 'application/json' },
      body: JSON.stringify({
        query:
          '{ issues { nodes { identifier title priority state { name } assignee { email } labels { nodes { name } } parent { identifier } } } }',
      }),
    })
    const { data } = (await reply.json()) as Any
    assert.deepEqual(
      data.issues.nodes.map((one: Any) => [
        one.identifier,
        one.title,
        one.state.name,
        one.priority,
        one.parent?.identifier,
      ]),
      [
        ['KIL-9', 'Second', 'Firing', 0, 'KIL-7'],
        ['KIL-7', 'Crack, wide', 'In Progress', 2, undefined],
      ],
    )
    assert.deepEqual(data.issues.nodes[1].labels.nodes.map((one: Any) => one.name).sort(), ['Heat', 'Safety'])
  })

  it('of a CRM, as a tree and as CSV, keep what belongs together', async () => {
    const tree = {
      records: [
        {
          attributes: { type: 'Account', referenceId: 'AccountRef1' },
          Name: 'Voss Pottery',
          Contacts: {
            records: [{ attributes: { type: 'Contact', referenceId: 'ContactRef1' }, LastName: 'Voss' }],
          },
        },
      ],
    }
    const zip = zipOf([['Account.json', JSON.stringify(tree)]])
    const query = { organization: 'Ember Works', clock: '2026-03-02T09:00:00Z' }
    const fromTree = await twinOf(
      await upload(zip, 'application/zip', { ...query, name: 'a tree', format: 'crm-tree' }),
      'crm',
    )
    const csv = zipOf([['Account.csv', 'Id,Name,Tier__c\n001ON00000Kb2cBYAR,Voss Pottery,Gold\n']])
    const fromCsv = await twinOf(
      await upload(csv, 'application/zip', { ...query, name: 'a csv', format: 'crm-csv' }),
      'crm',
    )
    const ask = async (twin: Any, soql: string): Promise<Any[]> => {
      const connection = new jsforce.Connection({
        instanceUrl: twin.baseUrl,
        accessToken: twin.token,
        version: '62.0',
      })
      return (await connection.query(soql)).records
    }
    const [contact] = await ask(fromTree, "SELECT Account.Name FROM Contact WHERE LastName = 'Voss'")
    assert.equal(contact.Account.Name, 'Voss Pottery')
    const [account] = await ask(fromCsv, "SELECT Id FROM Account WHERE Tier__c = 'Gold'")
    assert.equal(account.Id, '001ON00000Kb2cBYAR')
  })
})
