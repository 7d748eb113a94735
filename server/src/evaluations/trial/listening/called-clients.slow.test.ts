import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { type TestService, testService } from '../../../testing.ts'
import { sampleCompany } from '../../../worlds/sample.ts'
import { createSuite, pythonScorer, runToEnd } from '../../testing-runs.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../../..')

/** Each ends with one visible act, `On it`, that it does only because it was called. */
const agents = {
  /** The vendor's webhook client, behind Node's own server. */
  webhooks: `
import { createServer } from 'node:http'
import { LinearClient } from '@linear/sdk'
import { LinearWebhookClient } from '@linear/sdk/webhooks'
const client = new LinearClient({ apiKey: process.env.LINEAR_API_KEY })
const secret = 'a-secret-of-the-webhook'
const handler = new LinearWebhookClient(secret).createHandler()
handler.on('Comment', async ({ action, data }) => {
  if (action === 'create' && /pumps/.test(data.body)) await client.createComment({ issueId: data.issueId, body: 'On it' })
})
const start = async () => {
  await client.createWebhook({ url: 'https://agent.internal/hook', resourceTypes: ['Comment'], allPublicTeams: true, secret })
  createServer((request, response) => void handler(request, response)).listen(process.env.PORT)
}
start()
`,
  /** The streaming client of the CRM's usual library. */
  streaming: `
import jsforce from 'jsforce'
import { StreamingExtension } from 'jsforce/lib/api/streaming.js'
const connection = new jsforce.Connection({ instanceUrl: process.env.SF_INSTANCE_URL, accessToken: process.env.SF_ACCESS_TOKEN, version: '62.0' })
const channel = '/data/AccountChangeEvent'
const client = connection.streaming.createClient([new StreamingExtension.Replay(channel, -1)])
const start = async () => {
  await client.subscribe(channel, async ({ payload }) => {
    const { changeType, recordIds } = payload.ChangeEventHeader
    if (changeType !== 'CREATE') process.exit(0)
    await connection.sobject('Account').update({ Id: recordIds[0], Description: 'On it' })
  })
  await connection.sobject('Account').create({ Name: 'Pump works' })
}
start()
`,
  /** A client of the event bus made with gRPC's own library, from the vendor's interface file. */
  grpc: `
import { credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import avro from 'avsc'
import jsforce from 'jsforce'
const { eventbus } = loadPackageDefinition(loadSync('event-bus.proto', { keepCase: true, longs: Number, enums: String, defaults: true }))
const { SF_INSTANCE_URL, SF_ACCESS_TOKEN } = process.env
const connection = new jsforce.Connection({ instanceUrl: SF_INSTANCE_URL, accessToken: SF_ACCESS_TOKEN, version: '62.0' })
const bus = new eventbus.v1.PubSub('api.pubsub.salesforce.com:7443', credentials.createSsl())
const metadata = new Metadata()
metadata.set('accesstoken', SF_ACCESS_TOKEN)
metadata.set('instanceurl', SF_INSTANCE_URL)
metadata.set('tenantid', SF_ACCESS_TOKEN.split('!')[0])
const ask = (method, message) => new Promise((resolve, reject) => bus[method](message, metadata, (error, reply) => error ? reject(error) : resolve(reply)))
const start = async () => {
  const topic = await ask('GetTopic', { topic_name: '/data/AccountChangeEvent' })
  const { schema_json } = await ask('GetSchema', { schema_id: topic.schema_id })
  const type = avro.Type.forSchema(JSON.parse(schema_json))
  const stream = bus.Subscribe(metadata)
  stream.on('error', (error) => { console.error(error); process.exit(1) })
  stream.on('data', async ({ events }) => {
    for (const { event } of events) {
      const { changeType, recordIds } = type.fromBuffer(event.payload).ChangeEventHeader
      if (changeType !== 'CREATE') process.exit(0)
      await connection.sobject('Account').update({ Id: recordIds[0], Description: 'On it' })
    }
  })
  stream.write({ topic_name: '/data/AccountChangeEvent', replay_preset: 'EARLIEST', num_requested: 10 })
  await connection.sobject('Account').create({ Name: 'Pump works' })
}
start()
`,
  /** A listener for outbound messages, which works with the session that they carry. */
  outbound: `
import { createServer } from 'node:http'
import jsforce from 'jsforce'
const word = (xml, name) => new RegExp('<(?:\\\\w+:)?' + name + '>([^<]*)<').exec(xml)?.[1]
createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const xml = Buffer.concat(parts).toString()
  const connection = new jsforce.Connection({ instanceUrl: process.env.SF_INSTANCE_URL, accessToken: word(xml, 'SessionId'), version: '62.0' })
  await connection.sobject('Task').create({ Subject: 'On it', WhatId: word(xml, 'sf:Id') })
  response.setHeader('content-type', 'text/xml')
  response.end('<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><notificationsResponse xmlns="http://soap.sforce.com/2005/09/outbound"><Ack>true</Ack></notificationsResponse></soapenv:Body></soapenv:Envelope>')
}).listen(process.env.PORT)
`,
} as const

const outboundMessage = {
  name: 'New_accounts',
  object: 'Account',
  endpointUrl: 'https://agent.internal/accounts',
  fields: ['Name'],
  triggerType: 'onCreateOnly',
  includeSessionId: true,
}

describe('an unmodified client as the agent of a trial', () => {
  let service: TestService
  let suite: string
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diorama-clients-'))
    service = await testService()
    const blueprint = structuredClone(sampleCompany) as { scenario: object }
    const comment = { issueId: { $key: 'radio-retry' }, body: 'The pumps are late' }
    Object.assign(blueprint.scenario, {
      events: [
        {
          ...{ key: 'asked', at: '10m', as: 'tomas' },
          do: [{ service: 'tracker', operation: 'commentCreate', input: { input: comment } }],
        },
        {
          ...{ key: 'customer', at: '20m', as: 'nadia' },
          do: [{ service: 'crm', operation: 'POST Account', input: { Name: 'New customer' } }],
        },
      ],
    })
    const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint })
    assert.equal(body.evaluation?.status, 'ready', JSON.stringify(body))
    const scorer = `import json
from world_state import world
changes = json.dumps(world.diff())
return {'score': 1 if '"On it"' in changes else 0, 'reason': changes[:3000]}`
    suite = await createSuite(service, {
      scorers: [pythonScorer('was called', scorer)],
      environmentVersionId: body.evaluation.environmentVersionId,
    })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** One file, as a developer would ship it: the trial has no registry. */
  const bundled = async (name: keyof typeof agents): Promise<Buffer> => {
    const where = join(folder, name)
    await mkdir(where)
    // Beside the dependencies, so that they are found.
    const near = await mkdtemp(join(root, 'node_modules/.bot-'))
    try {
      await writeFile(join(near, 'bot.mjs'), agents[name])
      const build = await rolldown({ input: join(near, 'bot.mjs'), platform: 'node', logLevel: 'silent' })
      await build.write({ file: join(where, 'bot.cjs'), format: 'cjs', codeSplitting: false })
    } finally {
      await rm(near, { recursive: true, force: true })
    }
    await copyFile(join(root, 'twins/crm/testing/event-bus.proto'), join(where, 'event-bus.proto'))
    await run('tar', ['-czf', `${where}.tgz`, '-C', where, '.'])
    return readFile(`${where}.tgz`)
  }

  const solves = async (name: keyof typeof agents, listen?: object): Promise<void> => {
    const registered = await service.call('POST', '/v1/agents/register', {
      ...{ name, version: '1' },
      run: {
        ...{ command: ['node', 'bot.cjs'], network: 'world', timeout_seconds: 240 },
        ...(listen ? { listen } : {}),
      },
    })
    assert.equal(registered.status, 201, registered.text)
    const headers = { 'content-type': 'application/gzip' }
    const path = `/v1/agents/${name}/versions/1/bundle`
    const stored = await service.call('PUT', path, await bundled(name), { headers })
    assert.equal(stored.status, 201, stored.text)
    const body = { task_suite_id: suite, agents: [`${name}@1`] }
    const { job, trials } = await runToEnd(service, body, { looks: 12_000 })
    const trial = (await service.call('GET', `/v1/backtests/jobs/${job.id}/trials/${trials[0].id}`)).body
    assert.deepEqual([trial.error, trial.scores[0]?.score], [null, 1], JSON.stringify(trial).slice(0, 6_000))
  }

  it('takes webhooks of the tracker', () => solves('webhooks', {}))
  it('streams changes of the CRM by long polling', () => solves('streaming'))
  it('subscribes to the event bus of the CRM by gRPC', () => solves('grpc'))
  it('takes outbound messages of the CRM and acknowledges them', () =>
    solves('outbound', { settings: { crm: { outboundMessages: [outboundMessage] } } }))
})
