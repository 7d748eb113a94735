import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { zipOf } from '../bridges/zip.ts'
import { type TestService, testService } from '../testing.ts'
import { sampleCompany } from '../worlds/sample.ts'
import { type Any, uploadDataset } from './testing-upload.ts'

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

const upload = (
  body: string | Uint8Array,
  { type, query }: { type?: string; query?: Record<string, string> } = {},
) =>
  uploadDataset(service, body, { ...(type === undefined ? {} : { type }), query: { name: 'rows', ...query } })

const company = {
  organization: { name: 'Ember Works', slug: 'ember-works', emailDomain: 'ember.example' },
  clock: '2026-03-02T09:00:00Z',
}
const channel = (id: string, name: string) => ({
  ...{ id, name, kind: 'public_channel', created: 1_700_000_000, creator: 'U_MIRA' },
  ...{ is_archived: false, is_general: name === 'general', previous_names: [], updated: 1_700_000_000_000 },
  topic: { value: '', creator: '', last_set: 0 },
  purpose: { value: '', creator: '', last_set: 0 },
})
const person = (id: string, subject: string) => ({
  ...{ id, subject, name: subject, real_name: subject, color: '9f69e7', tz: 'Etc/UTC', presence: 'active' },
  ...{ updated: 1_700_000_000, deleted: false, is_admin: false, is_owner: false, is_primary_owner: false },
  is_bot: false,
  profile: {
    ...{ title: '', phone: '', skype: '', real_name: subject, display_name: subject, first_name: subject },
    ...{ last_name: '', email: `${subject}@ember.example`, status_text: '', status_emoji: '' },
    ...{ status_expiration: 0, avatar_hash: 'x', fields: {} },
  },
})
const message = (ts: string, more: object = {}) => ({
  ...{ id: `C_OLD:${ts}`, channel: 'C_OLD', ts, type: 'message', user: 'U_MIRA', text: 'Hello' },
  ...more,
})
const chat = () => ({
  team: [
    {
      id: 'T_EMBER',
      name: 'Ember',
      domain: 'ember-works',
      email_domain: 'ember.example',
      description: '',
      created: 1,
    },
  ] as Any[],
  user: [person('U_MIRA', 'mira'), person('U_BOT', 'integration')] as Any[],
  bot: [{ id: 'B_1', app_id: 'A_1', user_id: 'U_BOT', name: 'Bot', deleted: false, updated: 1 }] as Any[],
  channel: [channel('C_OLD', 'general')] as Any[],
  channel_member: [
    { id: 'C_OLD:U_MIRA', channel: 'C_OLD', user: 'U_MIRA', joined: 1 },
    { id: 'C_OLD:U_BOT', channel: 'C_OLD', user: 'U_BOT', joined: 2 },
  ] as Any[],
  message: [
    message('1700000000.000100'),
    message('1700000001.000100', {
      thread_ts: '1700000000.000100',
      parent_user_id: 'U_MIRA',
      text: 'A reply',
    }),
  ] as Any[],
})
const ndjson = (rows: Record<string, Any[]>, head: object | null = company): string =>
  [
    ...(head ? [{ company: head }] : []),
    ...Object.entries(rows).flatMap(([collection, some]) =>
      some.map((row) => ({ service: 'chat', collection, row })),
    ),
  ]
    .map((line) => JSON.stringify(line))
    .join('\n')

const ask = async (twin: Any, method: string, fields: Record<string, string> = {}): Promise<Any> => {
  const reply = await fetch(`${twin.baseUrl}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${twin.token}` },
    body: new URLSearchParams(fields),
  })
  return reply.json()
}

const text = async (path: string): Promise<string> => {
  const reply = await fetch(`${service.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
  assert.equal(reply.status, 200)
  return reply.text()
}

describe('a dataset', () => {
  it('is the same as NDJSON, as JSON and as a zip, and each import is a new version', async () => {
    const rows = chat()
    const first = await upload(ndjson(rows), { query: { name: 'three forms' } })
    assert.equal(first.status, 201, first.text)
    const json = JSON.stringify({ company, twins: { chat: rows } }, null, 2)
    const second = await upload(json, { type: 'application/json', query: { name: 'three forms' } })
    assert.equal(second.status, 201, second.text)
    const files = Object.entries(rows).map(
      ([collection, some]) =>
        [`ember/chat/${collection}.ndjson`, some.map((row) => JSON.stringify(row)).join('\n')] as const,
    )
    const zip = zipOf([['ember/company.json', JSON.stringify(company)], ...files])
    const third = await upload(zip, { type: 'application/zip', query: { name: 'three forms' } })
    assert.equal(third.status, 201, third.text)
    assert.deepEqual(
      [first, second, third].map(({ body }) => body.number),
      [1, 2, 3],
    )
    const digests = [first, second, third].map(({ body }) => body.services[0].seed_sha256)
    assert.equal(new Set(digests).size, 1)
    const listed = await service.call('GET', '/v1/datasets')
    assert.equal(listed.body.items.find((one: Any) => one.name === 'three forms').latest_version.number, 3)
  })

  it('becomes a twin and a world with the ids that the rows have', async () => {
    const { body: version } = await upload(ndjson(chat()), { query: { name: 'a start' } })
    const twin = (
      await service.call('POST', '/v1/twins', { service: 'chat', dataset_version_id: version.id })
    ).body
    assert.equal(twin.datasetVersionId, version.id)
    const thread = await ask(twin, 'conversations.replies', { channel: 'C_OLD', ts: '1700000000.000100' })
    assert.deepEqual(
      thread.messages.map((one: Any) => [one.text, one.reply_count]),
      [
        ['Hello', 1],
        ['A reply', undefined],
      ],
    )
    const launched = await service.call('POST', '/v1/builder/worlds', { dataset_version_id: version.id })
    assert.equal(launched.status, 201, launched.text)
    assert.equal(launched.body.status, 'ready')
    assert.equal(launched.body.twins[0].datasetVersionId, version.id)
    const said = await ask(launched.body.twins[0], 'auth.test')
    assert.equal(said.user_id, 'U_BOT')
    const refused = await service.call('DELETE', `/v1/dataset-versions/${version.id}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'])
    assert.match(refused.body.error, /the world \S+ begins with it/)
  })

  it('can be read before it is launched, page by page, and deleted with its rows', async () => {
    const { body: version } = await upload(ndjson(chat()), { query: { name: 'to read' } })
    const path = `/v1/dataset-versions/${version.id}`
    const page = await service.call('GET', `${path}/rows?service=chat&collection=message&limit=1`)
    assert.equal(page.body.items[0].ts, '1700000000.000100')
    const next = `${path}/rows?service=chat&collection=message&limit=1&cursor=${page.body.next_cursor}`
    assert.deepEqual(
      (await service.call('GET', next)).body.items.map((row: Any) => row.text),
      ['A reply'],
    )
    const unknown = await service.call('GET', `${path}/rows?service=chat&collection=invoice`)
    assert.equal(unknown.body.details[0].pointer, '/query/collection')
    const other = await service.call('POST', '/v1/organizations', { name: 'Elsewhere' })
    const theirs = { key: other.body.key.secret }
    assert.equal((await service.call('GET', path, undefined, theirs)).status, 404)
    assert.equal((await service.call('DELETE', path)).status, 204)
    assert.equal((await service.call('GET', path)).status, 404)
  })
})

describe('pseudonyms', () => {
  it('replace people, addresses, domains and numbers in fields and texts, the same everywhere', async () => {
    const rows = chat()
    Object.assign(rows.user[0], { name: 'mira', real_name: 'Mira Holt' })
    Object.assign(rows.user[0].profile, { real_name: 'Mira Holt', first_name: 'Mira', last_name: 'Holt' })
    rows.message[0].text = 'Ask Mira (mira@ember.example, +47 22 33 44 55) before 1700000000.000100'
    const { body, text: said } = await upload(ndjson(rows), {
      query: { name: 'veiled', pseudonymize: 'true' },
    })
    assert.equal(body.pseudonyms?.telephone_numbers, 1, said)
    const exported = await text(`/v1/dataset-versions/${body.id}/export`)
    assert.doesNotMatch(exported, /Mira|mira|Holt|ember\.example|22 33 44 55/)
    assert.match(exported, /1700000000\.000100/)
    const lines = exported.split('\n').flatMap((one) => (one ? [JSON.parse(one)] : []))
    const find = (collection: string) => lines.find((one: Any) => one.collection === collection).row
    const person = lines.find((one: Any) => one.row?.id === 'U_MIRA').row
    assert.ok(find('message').text.includes(person.profile.first_name))
    assert.ok(find('message').text.includes(person.profile.email))
    const again = await upload(ndjson(rows), { query: { name: 'veiled', pseudonymize: 'true' } })
    assert.equal(again.body.services[0].seed_sha256, body.services[0].seed_sha256)
  })
})

/** How many seeds there are, with the parts in which their rows are stored. */
const seeds = async (): Promise<[string, string]> => {
  const { rows } = await service.storage.pool.query(
    'select (select count(*) from seeds) as seeds, (select count(*) from seed_parts) as parts',
  )
  return [rows[0].seeds, rows[0].parts]
}

describe('an import that does not fit', () => {
  const cases: [string, (rows: ReturnType<typeof chat>) => void, string][] = [
    ['a wrong type', (rows) => (rows.message[1].text = 7), '/dataset.ndjson/10/text'],
    ['an unknown field', (rows) => (rows.user[0].shoe_size = 43), '/dataset.ndjson/3/shoe_size'],
    ['a field inside a field', (rows) => (rows.channel[0].topic.value = 1), '/dataset.ndjson/6/topic/value'],
    ['no id', (rows) => delete rows.channel[0].id, '/dataset.ndjson/6/id'],
    ['an id twice', (rows) => (rows.user[1].id = 'U_MIRA'), '/dataset.ndjson/4/id'],
    [
      'a message of no channel',
      (rows) => Object.assign(rows.message[0], { channel: 'C_GONE', id: 'C_GONE:1700000000.000100' }),
      '/dataset.ndjson/9/channel',
    ],
  ]
  it('names file, row and field, and leaves nothing behind', async () => {
    const names = async () => (await service.call('GET', '/v1/datasets?limit=200')).body.items.length
    const [datasets, stored] = [await names(), await seeds()]
    for (const [name, bend, pointer] of cases) {
      const rows = chat()
      bend(rows)
      const reply = await upload(ndjson(rows), { query: { name: 'broken' } })
      assert.deepEqual([reply.status, reply.body.code], [400, 'invalid_dataset'], `${name}: ${reply.text}`)
      assert.equal(reply.body.details[0].pointer, pointer, `${name}: ${reply.text}`)
    }
    const cut = await upload('{"service":"chat","collection":"user","row":{', { query: { name: 'broken' } })
    assert.match(cut.body.error, /dataset\.ndjson, row 1: is no JSON/)
    const nobody = await upload(ndjson(chat(), null), { query: { name: 'broken' } })
    assert.match(nobody.body.error, /company\.json, field clock/)
    const half = await upload(zipOf([['a', 'b']]).subarray(0, 30), { type: 'application/zip' })
    assert.match(half.body.error, /is no zip archive/)
    assert.deepEqual([await names(), await seeds()], [datasets, stored])
    assert.deepEqual(await readdir(join(service.dataDir, 'imports')), [])
  })
})

describe('an import that ends early', () => {
  it('leaves nothing behind when its sender hangs up, or when another service does not fit', async () => {
    const stored = await seeds()
    const folder = join(service.dataDir, 'imports')
    const giveUp = new AbortController()
    const half = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(`${ndjson(chat())}\n`)),
    })
    const sent = fetch(`${service.baseUrl}/v1/datasets?name=half`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
      ...{ body: half, duplex: 'half', signal: giveUp.signal },
    } as RequestInit)
    await eventually(async () => (await readdir(folder)).length === 1, 'the import did not begin')
    giveUp.abort()
    await assert.rejects(sent)
    await eventually(async () => (await readdir(folder)).length === 0, 'the folder of the import stays')
    const misfit = { service: 'tracker', collection: 'Issue', row: { id: 'i1', number: 'seven' } }
    const reply = await upload(`${ndjson(chat())}\n${JSON.stringify(misfit)}`, { query: { name: 'half' } })
    assert.equal(reply.body.code, 'invalid_dataset')
    const { items } = (await service.call('GET', '/v1/datasets?limit=200')).body
    assert.equal(
      items.some((one: Any) => one.name === 'half'),
      false,
    )
    assert.deepEqual(await seeds(), stored)
  })
})

describe('an export', () => {
  it('of an untouched world is imported as the same seeds', async () => {
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    const exported = await text(`/v1/builder/worlds/${body.world.id}/export`)
    const { body: version, text: said } = await upload(exported, { query: { name: 'sample again' } })
    assert.ok(version.services, said)
    assert.deepEqual(
      version.services.map((one: Any) => [one.service, one.seed_sha256]),
      body.world.twins.map((one: Any) => [one.service, one.seedSha256]),
    )
    assert.equal(await text(`/v1/dataset-versions/${version.id}/export`), exported)
  })

  it('of a world that changed holds what changed, and a snapshot of it can be forked', async () => {
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
    const twin = body.twins.find((one: Any) => one.service === 'chat')
    const posted = await ask(twin, 'chat.postMessage', { channel: '#general', text: 'Kept' })
    const path = `/v1/builder/worlds/${body.world.id}`
    const kept = await service.call('POST', `${path}/snapshots`, { name: 'after the post' })
    assert.equal(kept.status, 201, kept.text)
    await ask(twin, 'chat.delete', { channel: posted.channel, ts: posted.ts })
    const fork = (await service.call('POST', '/v1/builder/worlds', { datasetVersionId: kept.body.id })).body
    const forked = fork.twins.find((one: Any) => one.service === 'chat')
    const history = await ask(forked, 'conversations.history', { channel: posted.channel, limit: '1' })
    assert.equal(history.messages[0].text, 'Kept')
    assert.deepEqual((await service.call('GET', `/v1/builder/worlds/${fork.world.id}/diff`)).body.items, [])
    const again = await ask(forked, 'chat.postMessage', { channel: posted.channel, text: 'After it' })
    assert.ok(Number(again.ts) > Number(posted.ts))
    const listed = await service.call('GET', `${path}/snapshots`)
    assert.deepEqual(
      listed.body.items.map((one: Any) => [one.id, one.source.world_id]),
      [[kept.body.id, body.world.id]],
    )
    const { body: version } = await upload(await text(`/v1/dataset-versions/${kept.body.id}/export`))
    assert.deepEqual(
      version.services.map((one: Any) => one.seed_sha256),
      kept.body.services.map((one: Any) => one.seed_sha256),
    )
  })
})
