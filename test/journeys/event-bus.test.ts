import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import avro from 'avsc'
import { testService } from '../../server/src/testing.ts'
import { section as crmSection } from '../../twins/crm/section.ts'
import { crm } from '../../twins/crm/twin.ts'

const section = crmSection.parse({
  accounts: [],
  contacts: [],
  opportunities: [],
  customization: {
    platformEvents: [{ name: 'Shipped__e', fields: [{ name: 'Order__c', type: 'string', required: true }] }],
  },
})
const models = [{ twin: crm, sample: { section, company: testCompany } }]

const proto = fileURLToPath(new URL('../../twins/crm/testing/event-bus.proto', import.meta.url))
const { eventbus } = loadPackageDefinition(
  loadSync(proto, { keepCase: true, longs: Number, enums: String, defaults: true }),
) as unknown as {
  eventbus: { v1: { PubSub: ServiceClientConstructor } }
}

interface Fetched {
  readonly events: { event: { schema_id: string; payload: Buffer; id: string }; replay_id: Buffer }[]
  readonly pending_num_requested: number
}

const open = async () => {
  const service = await testService({ grpcPort: 0 }, models)
  const { body: twin } = await service.call('POST', '/v1/twins', { service: 'crm' })
  const client = new eventbus.v1.PubSub(`127.0.0.1:${service.app.grpcPort}`, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('accesstoken', twin.token)
  metadata.set('instanceurl', twin.baseUrl)
  metadata.set('tenantid', twin.token.split('!')[0])
  const call = (method: string, message: object, as = metadata): Promise<Record<string, string>> =>
    new Promise((resolve, reject) => {
      const invoke = (client as unknown as Record<string, (...args: unknown[]) => void>)[method]?.bind(client)
      invoke?.(message, as, (error: Error | null, reply: Record<string, string>) =>
        error ? reject(error) : resolve(reply),
      )
    })
  const subscribe = (first: object) => {
    const stream = (
      client as unknown as {
        Subscribe: (as: Metadata) => import('@grpc/grpc-js').ClientDuplexStream<object, Fetched>
      }
    ).Subscribe(metadata)
    const events: Fetched['events'] = []
    const responses: Fetched[] = []
    const waiting: (() => void)[] = []
    const failure: { error?: Error } = {}
    const wake = () => {
      for (const one of waiting.splice(0)) one()
    }
    stream.on('data', (response: Fetched) => {
      responses.push(response)
      events.push(...response.events)
      wake()
    })
    stream.on('error', (error) => {
      failure.error = error
      wake()
    })
    stream.write(first)
    return {
      stream,
      responses,
      until: async (count: number) => {
        while (events.length < count) {
          if (failure.error) throw failure.error
          await new Promise<void>((resolve) => waiting.push(resolve))
        }
        return events
      },
    }
  }
  const schemaOf = async (id: string) =>
    avro.Type.forSchema(JSON.parse((await call('GetSchema', { schema_id: id })).schema_json ?? ''))
  const native = (method: string, path: string, body?: object) =>
    fetch(`${twin.baseUrl}/services/data/v62.0${path}`, {
      method,
      headers: { authorization: `Bearer ${twin.token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  return {
    address: `http://127.0.0.1:${service.app.grpcPort}`,
    call,
    metadata,
    subscribe,
    schemaOf,
    native,
    [Symbol.asyncDispose]: async () => {
      client.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

describe('the event bus by gRPC', () => {
  it('gives topics and schemas, publishes, and streams events as the subscriber asks for them', async () => {
    await using world = await open()
    const { call, subscribe, schemaOf } = world
    const topic = await call('GetTopic', { topic_name: '/event/Shipped__e' })
    const type = await schemaOf(topic.schema_id ?? '')
    const payload = (order: string) =>
      type.toBuffer({ CreatedDate: Date.now(), CreatedById: '005', Order__c: order })
    const publish = (...orders: string[]) =>
      call('Publish', {
        topic_name: '/event/Shipped__e',
        events: orders.map((id) => ({ id, schema_id: topic.schema_id, payload: payload(id) })),
      }) as unknown as Promise<{ results: { replay_id: Buffer; error: { msg: string } | null }[] }>
    const { stream, until, responses } = subscribe({
      topic_name: '/event/Shipped__e',
      replay_preset: 'EARLIEST',
      num_requested: 2,
    })
    const { results } = await publish('7001', '7002', '7003')
    assert.equal(results.length, 3)
    const two = await until(2)
    assert.equal(responses.at(-1)?.pending_num_requested, 0)
    assert.deepEqual(
      two.map(({ event }) => (type.fromBuffer(event.payload) as { Order__c: string }).Order__c),
      ['7001', '7002'],
    )
    stream.write({ topic_name: '/event/Shipped__e', num_requested: 5 })
    assert.equal((await until(3)).length, 3)
    stream.end()
    const replayed = subscribe({
      topic_name: '/event/Shipped__e',
      replay_preset: 'CUSTOM',
      replay_id: two[0]?.replay_id,
      num_requested: 10,
    })
    assert.equal((await replayed.until(2)).length, 2)
    replayed.stream.cancel()
    replayed.stream.on('error', () => undefined)
    const bad = (await call('Publish', {
      topic_name: '/event/Shipped__e',
      events: [{ id: 'x', schema_id: topic.schema_id, payload: Buffer.from([1]) }],
    })) as unknown as { results: { error: { msg: string } }[] }
    assert.match(bad.results[0]?.error.msg ?? '', /cut off/)
  })

  it('streams changes of records with the places of the fields that changed', async () => {
    await using world = await open()
    const { call, subscribe, schemaOf, native } = world
    const topic = await call('GetTopic', { topic_name: '/data/ContactChangeEvent' })
    const type = await schemaOf(topic.schema_id ?? '')
    const { until, stream } = subscribe({
      topic_name: '/data/ContactChangeEvent',
      replay_preset: 'EARLIEST',
      num_requested: 100,
    })
    const made = (await (
      await native('POST', '/sobjects/Contact', { LastName: 'Byron', MailingCity: 'Ulm' })
    ).json()) as { id: string }
    await native('PATCH', `/sobjects/Contact/${made.id}`, { LastName: 'Lovelace' })
    const [created, updated] = (await until(2)).map(({ event }) => type.fromBuffer(event.payload)) as Record<
      string,
      never
    >[]
    const header = updated?.ChangeEventHeader as unknown as {
      changeType: string
      changedFields: string[]
      recordIds: string[]
    }
    assert.deepEqual([header.changeType, header.recordIds], ['UPDATE', [made.id]])
    assert.ok(
      header.changedFields.some((bitmap) => /^\d+-0x/.test(bitmap)),
      JSON.stringify(header.changedFields),
    )
    assert.ok(created?.MailingAddress)
    stream.end()
  })

  it('refuses strangers, unknown topics and methods in the words of the protocol', async () => {
    await using world = await open()
    const { call, metadata } = world
    const stranger = metadata.clone()
    stranger.set('accesstoken', 'none')
    await assert.rejects(() => call('GetTopic', { topic_name: '/event/Shipped__e' }, stranger), { code: 16 })
    await assert.rejects(() => call('GetTopic', { topic_name: '/event/Nothing__e' }), { code: 5 })
    await assert.rejects(() => call('GetTopic', { topic_name: '/event/Shipped__e' }, new Metadata()), {
      code: 5,
    })
    const many = world.subscribe({ topic_name: '/event/Shipped__e', num_requested: 1_000 })
    await assert.rejects(() => many.until(1), { code: 3 })
  })

  it('keeps only so much of messages that never end, and answers others meanwhile', async () => {
    await using world = await open()
    const session = connect(world.address)
    const megabyte = 1_048_576
    /** The head of a message of four megabytes, and all of it but the last byte. */
    const unfinished = Buffer.alloc(4 * megabyte + 4)
    unfinished.writeUInt32BE(4 * megabyte, 1)
    const calls = Array.from({ length: 5 }, async () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/eventbus.v1.PubSub/Publish',
        'content-type': 'application/grpc',
        ...world.metadata.getMap(),
      })
      stream.on('error', () => undefined)
      stream.write(unfinished)
      const [headers] = await once(stream, 'response')
      return headers['grpc-status']
    })
    assert.equal(await Promise.race(calls), '8')
    assert.ok((await world.call('GetTopic', { topic_name: '/event/Shipped__e' })).schema_id)
    session.destroy()
  })
})
