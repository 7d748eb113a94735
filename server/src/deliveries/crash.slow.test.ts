import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { killProcess, type Running, startProcess } from '../testing-process.ts'

const rounds = 5
const writesPerRound = 4

// biome-ignore lint/suspicious/noExplicitAny: replies of several services.
type Body = any

interface Twin {
  readonly id: string
  readonly token: string
}

interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Calls the API with its key, or a twin with the twin's own token. */
const ask = async (running: Running, token: string, { method = 'POST', path, headers, body }: Asked) => {
  const reply = await fetch(`${running.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  assert.ok(reply.status < 300, text)
  return { body: JSON.parse(text) as Body, headers: reply.headers }
}

/** What a delivery is about, and the id by which the receiver recognizes a repeat. */
interface Received {
  readonly about: string
  readonly id: string
}

interface Kind {
  readonly service: string
  /** Has the twin call the address; nothing where the receiver opens a socket. */
  readonly configure: (call: (asked: Asked) => Promise<Body>, url: string, twin: Twin) => Promise<void>
  /** Makes the change, and returns what its delivery is about. */
  readonly write: (
    call: (asked: Asked) => Promise<{ body: Body; headers: Headers }>,
    text: string,
  ) => Promise<string>
  readonly read: (text: string, headers: IncomingHttpHeaders) => Received | undefined
  readonly answer?: string
}

const settingsOf = ({ id }: Twin) => `/v1/twins/${id}/settings`
const ack =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><notificationsResponse xmlns="http://soap.sforce.com/2005/09/outbound"><Ack>true</Ack></notificationsResponse></e:Body></e:Envelope>'
const messageIn = ({ type, event, event_id }: Body): Received | undefined =>
  type === 'event_callback' && event.type === 'message' ? { about: event.text, id: event_id } : undefined
const say: Kind['write'] = async (call, text) => {
  const { body } = await call({ path: '/api/chat.postMessage', body: { channel: '#general', text } })
  assert.ok(body.ok, JSON.stringify(body))
  return text
}
const partners = '/sap/opu/odata/sap/API_BUSINESS_PARTNER'

const kinds: Readonly<Record<string, Kind>> = {
  'chat over HTTP': {
    service: 'chat',
    configure: async (call, request_url, twin) => {
      const settings = { event_subscriptions: { request_url, bot_events: ['message.channels'] } }
      await call({ method: 'PUT', path: settingsOf(twin), body: { manifest: { settings } } })
      await eventually(async () => {
        const { body } = await call({ method: 'GET', path: settingsOf(twin) })
        return body.request_url_status === 'verified'
      }, 'the request URL is not verified')
    },
    write: say,
    read: (text) => messageIn(JSON.parse(text)),
  },
  'chat over a socket': {
    service: 'chat',
    configure: async () => undefined,
    write: say,
    read: () => undefined,
  },
  tracker: {
    service: 'tracker',
    configure: async (call, url, { id, token }) => {
      const input = { url, resourceTypes: ['Issue'], allPublicTeams: true }
      const query = 'mutation ($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }'
      const { body } = await call({
        path: `/t/${id}/graphql`,
        headers: { authorization: token },
        body: { query, variables: { input } },
      })
      assert.ok(body.data?.webhookCreate.success, JSON.stringify(body))
    },
    write: async (call, title) => {
      const teams = await call({ path: '/graphql', body: { query: '{ teams { nodes { id } } }' } })
      const query = 'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }'
      const input = { teamId: teams.body.data.teams.nodes[0].id, title }
      const { body } = await call({ path: '/graphql', body: { query, variables: { input } } })
      assert.ok(body.data?.issueCreate.success, JSON.stringify(body))
      return title
    },
    read: (text, headers) => {
      const { action, data } = JSON.parse(text)
      return action === 'create' ? { about: data.title, id: String(headers['linear-delivery']) } : undefined
    },
  },
  crm: {
    service: 'crm',
    configure: async (call, endpointUrl, twin) => {
      const message = { name: 'Accounts', object: 'Account', endpointUrl, fields: ['Name'] }
      await call({ method: 'PUT', path: settingsOf(twin), body: { outboundMessages: [message] } })
    },
    write: async (call, Name) => {
      await call({ path: '/services/data/v62.0/sobjects/Account', body: { Name } })
      return Name
    },
    read: (text) => ({
      about: /<sf:Name>([^<]*)</.exec(text)?.[1] ?? '',
      id: /<Notification><Id>(\w+)</.exec(text)?.[1] ?? '',
    }),
    answer: ack,
  },
  erp: {
    service: 'erp',
    configure: async (call, url, twin) => {
      await call({ method: 'PUT', path: settingsOf(twin), body: { webhooks: [{ id: 'broker', url }] } })
    },
    write: async (call, text) => {
      const fetched = await call({
        method: 'GET',
        path: `${partners}/A_BusinessPartner?$top=1&$format=json`,
        headers: { 'x-csrf-token': 'Fetch', accept: 'application/json' },
      })
      const cookie = fetched.headers.getSetCookie().map((one) => one.split(';')[0])
      const { body } = await call({
        path: `${partners}/A_BusinessPartner`,
        headers: {
          'x-csrf-token': fetched.headers.get('x-csrf-token') ?? '',
          cookie: cookie.join('; '),
          accept: 'application/json',
        },
        body: { BusinessPartnerCategory: '2', OrganizationBPName1: text },
      })
      return body.d.BusinessPartner
    },
    read: (text) => {
      const { type, id, data } = JSON.parse(text)
      return /\.Created\./.test(type) ? { about: data.BusinessPartner, id } : undefined
    },
  },
}

/** Receivers that answer challenges at once, and deliveries only after the last kill. */
const openReceivers = async () => {
  const received = new Map<string, Set<string>>()
  const state = { isSilent: true }
  const note = (name: string, one: Received | undefined) => {
    if (one)
      received.set(`${name} ${one.about}`, (received.get(`${name} ${one.about}`) ?? new Set()).add(one.id))
  }
  const server = createServer((request, reply) => {
    const name = decodeURIComponent((request.url ?? '').slice(1))
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const challenge = /"challenge":"(\w+)"/.exec(text)?.[1]
      if (challenge !== undefined) return reply.end(challenge)
      note(name, kinds[name]?.read(text, request.headers))
      return state.isSilent ? undefined : reply.end(kinds[name]?.answer ?? '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets: WebSocket[] = []
  return {
    received,
    urlOf: (name: string) =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(name)}`,
    openSocket: (name: string, url: string) => {
      const socket = new WebSocket(url)
      sockets.push(socket)
      socket.addEventListener('message', ({ data }) => {
        const { envelope_id, payload } = JSON.parse(String(data))
        if (envelope_id === undefined) return
        note(name, messageIn(payload))
        if (!state.isSilent) socket.send(JSON.stringify({ envelope_id }))
      })
      return new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve)
        socket.addEventListener('error', reject)
      })
    },
    answer: () => {
      state.isSilent = false
      server.closeAllConnections()
    },
    close: () => {
      for (const socket of sockets) socket.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

it(`delivers each event of every service at least once with the same id when killed ${rounds} times`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'diorama-deliveries-'))
  const key = `dk_${randomBytes(24).toString('hex')}`
  const environment = { DIORAMA_DELIVERY_ALLOW: '127.0.0.0/8' }
  const receivers = await openReceivers()
  const twins = new Map<string, Twin>()
  const acknowledged: string[] = []
  let running = await startProcess(dataDir, key, environment)
  const connect = async (name: string) => {
    const twin = twins.get(name) ?? assert.fail()
    const { body } = await ask(running, key, { method: 'GET', path: settingsOf(twin) })
    const opened = await ask(running, body.credentials.app_token, {
      path: `/t/${twin.id}/api/apps.connections.open`,
    })
    await receivers.openSocket(name, opened.body.url)
  }
  try {
    for (const [name, { service, configure }] of Object.entries(kinds)) {
      const { body } = await ask(running, key, { path: '/v1/twins', body: { service, ttl_hours: 5 } })
      twins.set(name, body)
      await configure((asked) => ask(running, key, asked), receivers.urlOf(name), body)
    }
    for (let round = 0; round < rounds; round++) {
      await connect('chat over a socket')
      const writes = [...twins].map(([name, { id, token }]) =>
        Array.from({ length: writesPerRound }, async (_, n) => {
          const call = (asked: Asked) =>
            ask(running, token, {
              ...asked,
              path: `/t/${id}${asked.path}`,
              headers: { ...(name === 'tracker' ? { authorization: token } : {}), ...asked.headers },
            })
          try {
            const about = await kinds[name]?.write(call, `round ${round} write ${n}`)
            acknowledged.push(`${name} ${about}`)
          } catch (error) {
            // Killed under way: nothing was promised. A refusal is a fault of this test.
            if (error instanceof assert.AssertionError) throw error
          }
        }),
      )
      // The first acknowledgement of each service: its step is durable, and its delivery is not answered.
      await Promise.all(writes.map((of) => Promise.race(of)))
      await killProcess(running)
      await Promise.all(writes.flat())
      running = await startProcess(dataDir, key, environment)
    }
    await connect('chat over a socket')
    receivers.answer()
    const missing = () => acknowledged.filter((one) => !receivers.received.has(one))
    await eventually(() => missing().length === 0, 'deliveries are missing', 15_000).catch((cause) =>
      assert.fail(`missing: ${missing().join(', ')}`, { cause } as never),
    )
    for (const name of twins.keys())
      assert.ok(acknowledged.filter((one) => one.startsWith(`${name} `)).length >= rounds, name)
    for (const [about, ids] of receivers.received) assert.equal(ids.size, 1, about)
  } finally {
    await killProcess(running)
    receivers.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
