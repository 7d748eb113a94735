import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { WebClient } from '@slack/web-api'
import jsforce from 'jsforce'
import { zipOf } from '../../server/src/bridges/zip.ts'
import { type Any, uploadDataset } from '../../server/src/datasets/testing-upload.ts'
import { type TestService, testService } from '../../server/src/testing.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'

let service: TestService
before(async () => {
  service = await testService()
})
after(() => service[Symbol.asyncDispose]())

const upload = async (
  sent: Uint8Array | string,
  type: string,
  query: Record<string, string>,
): Promise<Any> => {
  const { status, body, text } = await uploadDataset(service, sent, { type, query })
  assert.equal(status, 201, text.slice(0, 1_000))
  return body
}
const rows = (body: string, name: string) => upload(body, 'application/x-ndjson', { name })
const exported = async (path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${service.key}` }
  const reply = await fetch(`${service.baseUrl}${path}/export`, { headers })
  assert.equal(reply.status, 200)
  return reply.text()
}
const launch = async (body: object): Promise<Any> => {
  const reply = await service.call('POST', '/v1/builder/worlds', body)
  assert.equal(reply.body.status, 'ready', reply.text)
  return reply.body
}
const digests = ({ services }: Any): [string, string][] =>
  services.map((one: Any) => [one.service, one.seed_sha256])
const twinOf = ({ twins }: Any, kind: string): Any => twins.find((one: Any) => one.service === kind)

const chatOf = (world: Any) => {
  const { token, baseUrl } = twinOf(world, 'chat')
  return { token, client: new WebClient(token, { slackApiUrl: `${baseUrl}/api/` }) }
}
const crmOf = (world: Any) => {
  const { token, baseUrl } = twinOf(world, 'crm')
  return new jsforce.Connection({ instanceUrl: baseUrl, accessToken: token, version: '62.0' })
}
const trackerOf = async (world: Any, query: string, variables: object = {}): Promise<Any> => {
  const { token, baseUrl } = twinOf(world, 'tracker')
  const reply = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await reply.json()) as Any
  assert.equal(errors, undefined, JSON.stringify(errors))
  return data
}
const erpOf = (world: Any) => {
  const { token, baseUrl } = twinOf(world, 'erp')
  const root = `${baseUrl}/sap/opu/odata/sap/API_SALES_ORDER_SRV`
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const read = async (path: string): Promise<Any> =>
    ((await (await fetch(`${root}/${path}`, { headers })).json()) as Any).d
  const rename = async (order: string, reference: string): Promise<void> => {
    const met = await fetch(`${root}/`, { headers: { ...headers, 'x-csrf-token': 'fetch' } })
    const cookies = met.headers.getSetCookie().map((one) => one.split(';')[0])
    const reply = await fetch(`${root}/A_SalesOrder('${order}')`, {
      method: 'PATCH',
      headers: {
        ...{ ...headers, 'content-type': 'application/json', 'if-match': '*', cookie: cookies.join('; ') },
        'x-csrf-token': met.headers.get('x-csrf-token') ?? '',
      },
      body: JSON.stringify({ PurchaseOrderByCustomer: reference }),
    })
    assert.equal(reply.status, 204, await reply.text())
  }
  return { read, rename }
}

const picture = Buffer.from([0, 1, 2, 0xff, 0xfe, 0x0a, 0x0d, 0xc3, 0x28])
const kiln = 'a0BON00000Kc3dCYAR'

/** The sample company, with a CRM whose objects an export brought along. */
const company = async (): Promise<Any> => {
  const { world } = await launch({ blueprint: sampleCompany })
  const sample = await rows(await exported(`/v1/builder/worlds/${world.id}`), 'sample')
  const csv = zipOf([
    ['Account.csv', 'Id,Name,Tier__c\n001ON00000Kb2cBYAR,Voss Pottery,Gold\n'],
    ['Kiln__c.csv', `Id,Name,Owner_Account__c,Heat__c\n${kiln},Kiln 7,001ON00000Kb2cBYAR,1180.5\n`],
  ])
  return upload(csv, 'application/zip', { name: 'sample', format: 'crm-csv', onto: sample.id })
}

/** Something new in every service: files, a custom record, an issue and an order. */
const change = async (world: Any): Promise<{ fileUrl: string; versionId: string }> => {
  const { client } = chatOf(world)
  const { channels = [] } = await client.conversations.list()
  const channel = channels.find(({ is_general }) => is_general)?.id ?? ''
  const sent = (await client.filesUploadV2({
    channel_id: channel,
    file: picture,
    filename: 'kiln.bin',
  })) as Any
  const fileId = sent.files[0].files[0].id
  const { file } = await client.files.info({ file: fileId })
  const crm = crmOf(world)
  const kept = await crm.sobject('ContentVersion').create({
    ...{ Title: 'Kiln', PathOnClient: 'kiln.bin', VersionData: picture.toString('base64') },
  })
  await crm.sobject('Kiln__c').update({ Id: kiln, Heat__c: 1_200.25 })
  const { teams } = await trackerOf(world, '{ teams { nodes { id } } }')
  await trackerOf(world, 'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
    input: { teamId: teams.nodes[0].id, title: 'Kept “as it is” 🔥' },
  })
  const erp = erpOf(world)
  const { results } = await erp.read('A_SalesOrder?$top=1')
  await erp.rename(results[0].SalesOrder, 'KEPT-7')
  return { fileUrl: new URL(file?.url_private ?? '').pathname, versionId: kept.id ?? '' }
}

describe('a company of all services, with files and custom objects', () => {
  it('is exported, imported and forked as the same world, untouched and changed', async () => {
    const start = await company()
    const world = await launch({ dataset_version_id: start.id })
    const path = `/v1/builder/worlds/${world.world.id}`
    const untouched = await exported(path)
    assert.deepEqual(digests(await rows(untouched, 'again')), digests(start))

    const made = await change(world)
    const { body: kept } = await service.call('POST', `${path}/snapshots`, { name: 'kept' })
    assert.deepEqual(
      digests(kept).map(([kind, digest], n) => [kind, digest !== digests(start)[n]?.[1]]),
      digests(start).map(([kind]) => [kind, true]),
    )
    const changed = await exported(`/v1/dataset-versions/${kept.id}`)
    const again = await rows(changed, 'again')
    assert.deepEqual(digests(again), digests(kept))
    assert.equal(await exported(`/v1/dataset-versions/${again.id}`), changed)
    const fork = await launch({ dataset_version_id: again.id })
    assert.equal(await exported(`/v1/builder/worlds/${fork.world.id}`), changed)
    for (const twin of fork.twins) {
      const alone = await rows(await exported(`/v1/twins/${twin.id}`), 'alone')
      assert.deepEqual(
        digests(alone),
        digests(kept).filter(([kind]) => kind === twin.service),
      )
    }
    await reads(fork, world, made)
  })

  /** What was written before the export is read from the fork by the vendors' clients. */
  const reads = async (
    fork: Any,
    world: Any,
    made: { fileUrl: string; versionId: string },
  ): Promise<void> => {
    const [{ id: before }, { id: after }] = [twinOf(world, 'chat'), twinOf(fork, 'chat')]
    const { token } = chatOf(fork)
    const url = `${service.baseUrl}${made.fileUrl.replace(before, after)}`
    const file = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), picture)
    const crm = crmOf(fork)
    const { token: crmToken, baseUrl } = twinOf(fork, 'crm')
    const data = await fetch(
      `${baseUrl}/services/data/v62.0/sobjects/ContentVersion/${made.versionId}/VersionData`,
      { headers: { authorization: `Bearer ${crmToken}` } },
    )
    assert.deepEqual(Buffer.from(await data.arrayBuffer()), picture)
    const { records } = await crm.query('SELECT Id, Heat__c, Owner_Account__r.Tier__c FROM Kiln__c')
    const [record] = records as Any[]
    assert.deepEqual([record.Id, record.Heat__c, record.Owner_Account__r.Tier__c], [kiln, 1_200.25, 'Gold'])
    const { issues } = await trackerOf(fork, '{ issues(first: 1) { nodes { title } } }')
    assert.equal(issues.nodes[0].title, 'Kept “as it is” 🔥')
    const { results } = await erpOf(fork).read("A_SalesOrder?$filter=PurchaseOrderByCustomer eq 'KEPT-7'")
    assert.equal(results.length, 1)
  }
})
