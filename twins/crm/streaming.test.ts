import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import jsforce from 'jsforce'
import { StreamingExtension } from 'jsforce/lib/api/streaming.js'
import { section as crmSection } from './section.ts'
import { emptySection } from './testing/world.ts'
import { crm } from './twin.ts'

const section = crmSection.parse({
  ...emptySection,
  customization: {
    objects: [{ name: 'Pump__c' }],
    platformEvents: [
      {
        name: 'Shipped__e',
        fields: [
          { name: 'Order__c', type: 'string', required: true },
          { name: 'Weight__c', type: 'double' },
        ],
      },
    ],
  },
})

interface Event {
  readonly payload: Record<string, unknown> & { ChangeEventHeader: Record<string, unknown> }
  readonly event: { replayId: number; EventUuid?: string }
  readonly schema: string
}

/** What the client has beyond its type. */
interface FayeClient {
  readonly disconnect: () => Promise<void>
}

/** A list that can be waited on. */
const collected = () => {
  const events: Event[] = []
  const waiting: (() => void)[] = []
  return {
    events,
    add: (event: unknown) => {
      events.push(event as Event)
      for (const wake of waiting.splice(0)) wake()
    },
    until: async (count: number) => {
      while (events.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      return events
    },
  }
}

const open = async () => {
  const host = await serveTwin(crm, section)
  const connection = new jsforce.Connection({
    instanceUrl: host.baseUrl,
    accessToken: host.token,
    version: '62.0',
  })
  const clients: FayeClient[] = []
  return {
    host,
    connection,
    /** Subscribes as the vendor's documentation shows it, from a replay id or from now on. */
    listen: async (channel: string, replay: number) => {
      const client = connection.streaming.createClient([new StreamingExtension.Replay(channel, replay)])
      clients.push(client as unknown as FayeClient)
      const got = collected()
      await client.subscribe(channel, got.add)
      return { ...got, client }
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client.disconnect()
      await host[Symbol.asyncDispose]()
    },
  }
}

describe('the streaming API, as jsforce uses it', () => {
  it('sends changes of records as they happen, with who, when and what', async () => {
    await using world = await open()
    const { connection, host } = world
    const { until } = await world.listen('/data/ChangeEvents', -1)
    const made = await connection
      .sobject('Contact')
      .create({ FirstName: 'Ada', LastName: 'Byron', MailingCity: 'Ulm' })
    const id = String(made.id)
    await connection.sobject('Contact').update({ Id: id, LastName: 'Lovelace', MailingCity: null })
    await connection.sobject('Contact').destroy(id)
    const [created, updated, deleted] = await until(3)
    assert.deepEqual(created?.payload.Name, { FirstName: 'Ada', LastName: 'Byron' })
    assert.deepEqual(created?.payload.MailingAddress, { City: 'Ulm' })
    assert.match(String(created?.payload.CreatedDate), /Z$/)
    const header = updated?.payload.ChangeEventHeader
    assert.deepEqual([header?.entityName, header?.changeType, header?.recordIds], ['Contact', 'UPDATE', [id]])
    assert.deepEqual(header?.nulledFields, ['MailingAddress.City'])
    assert.ok((header?.changedFields as string[] | undefined)?.includes('Name.LastName'))
    assert.deepEqual(updated?.payload.Name, { LastName: 'Lovelace' })
    assert.equal(deleted?.payload.ChangeEventHeader.changeType, 'DELETE')
    assert.deepEqual(Object.keys(deleted?.payload ?? {}), ['ChangeEventHeader'])
    assert.deepEqual(host.failures, [])
  })

  it('replays what is kept from a replay id on, and tells changes of one transaction together', async () => {
    await using world = await open()
    const { connection } = world
    const first = await world.listen('/data/AccountChangeEvent', -1)
    await connection.sobject('Account').create([{ Name: 'One' }, { Name: 'Two' }])
    const [one, two] = await first.until(2)
    const keys = [one, two].map((event) => event?.payload.ChangeEventHeader.transactionKey)
    assert.equal(keys[0], keys[1])
    assert.deepEqual(
      [one, two].map((event) => event?.payload.ChangeEventHeader.sequenceNumber),
      [1, 2],
    )
    const all = await world.listen('/data/AccountChangeEvent', -2)
    assert.deepEqual(
      (await all.until(2)).map(({ event }) => event.replayId),
      first.events.map(({ event }) => event.replayId),
    )
    const later = await world.listen('/data/AccountChangeEvent', one?.event.replayId ?? 0)
    assert.equal((await later.until(1))[0]?.payload.Name, 'Two')
    await assert.rejects(() => world.listen('/data/AccountChangeEvent', 9_999), /replayId/)
    await assert.rejects(() => world.listen('/data/NothingChangeEvent', -1), /denied/)
  })

  it('publishes events that the organization defines, one by one and many at once', async () => {
    await using world = await open()
    const { connection } = world
    const { until } = await world.listen('/event/Shipped__e', -1)
    const published = await connection.sobject('Shipped__e').create({ Order__c: '7001', Weight__c: 2.5 })
    assert.equal(published.success, true)
    await connection.sobject('Shipped__e').create([{ Order__c: '7002' }, { Order__c: '7003' }])
    const events = await until(3)
    assert.deepEqual(
      events.map(({ payload }) => payload.Order__c),
      ['7001', '7002', '7003'],
    )
    assert.equal(events[0]?.payload.Weight__c, 2.5)
    assert.ok(events[0]?.event.EventUuid)
    await assert.rejects(
      async () => connection.sobject('Shipped__e').create({ Weight__c: 1 }),
      /REQUIRED_FIELD|missing/,
    )
    await assert.rejects(
      async () => connection.sobject('Shipped__e').create({ Order__c: '1', No__c: 1 }),
      /No such column/,
    )
  })

  it('asks a client that it does not know, or whose session ended, to begin anew', async () => {
    await using host = await serveTwin(crm, section)
    const send = async (messages: unknown, token = host.token) => {
      const reply = await fetch(`${host.baseUrl}/cometd/62.0`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(messages),
      })
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown>[] }
    }
    assert.equal((await send([{ channel: '/meta/handshake', version: '1.0' }], 'none')).status, 401)
    const unknown = await send([{ channel: '/meta/connect', clientId: 'nobody' }])
    assert.deepEqual(
      [unknown.body[0]?.error, unknown.body[0]?.advice],
      ['403::Unknown client', { interval: 0, reconnect: 'handshake' }],
    )
    const [{ clientId } = {}] = (await send([{ channel: '/meta/handshake', version: '1.0' }])).body
    const first = await send([{ channel: '/meta/connect', clientId, connectionType: 'long-polling' }])
    assert.deepEqual(first.body[0]?.advice, { interval: 0, timeout: 110_000, reconnect: 'retry' })
    await send([{ channel: '/meta/disconnect', clientId }])
    assert.equal((await send([{ channel: '/meta/connect', clientId }])).body[0]?.successful, false)
  })
})
