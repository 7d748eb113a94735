// What twins send on their own, by the service as `npm start` runs it: `npm run bench deliveries`. First deliveries a
// second to 200 sockets, with the time from the request that causes one to its arrival; then what a receiver that hangs,
// fails or is gone does to the writes of its twin. Bounds: 1,000 a second, p99 250 ms, and 1.2 × the p99 of writes.
// Processor time is counted as well: on a machine that others use, it says more than the clock.
import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RunningService, startService } from '../parts/running-service.ts'

const twinCount = 20
const socketsPerTwin = 10
const writers = 60
const messages = 5_000
const steadySeconds = 10
const bounds = { perSecond: 1_000, p99Ms: 250, slowdown: 1.2 }

interface Chat {
  readonly id: string
  readonly baseUrl: string
  readonly token: string
  readonly appToken: string
  readonly channel: string
  readonly bot: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const post = (
  chat: Chat,
  method: string,
  args: Record<string, string>,
  token = chat.token,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = new URLSearchParams(args).toString()
    const outgoing = request(
      `${chat.baseUrl}/api/${method}`,
      {
        agent,
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        reply.on('end', () =>
          text.includes('"ok":true') ? resolve(text) : reject(new Error(text.slice(0, 300))),
        )
      },
    )
    outgoing.on('error', reject).end(body)
  })

const openChat = async (service: RunningService): Promise<Chat> => {
  const twin = await service.call('POST', '/v1/twins', { service: 'chat' })
  const { items } = await service.call('GET', `/v1/twins/${twin.id}/identities`)
  const settings = await service.call('GET', `/v1/twins/${twin.id}/settings`)
  const person = items.find(({ subject }: { subject: string }) => subject !== 'integration')
  const bot = items.find(({ subject }: { subject: string }) => subject === 'integration')
  const chat = { id: twin.id, baseUrl: twin.baseUrl, token: person.token, bot: bot.native_id }
  const appToken = settings.credentials.app_token
  const listed = JSON.parse(
    await post({ ...chat, appToken, channel: '' }, 'conversations.list', { limit: '100' }),
  )
  const channel = listed.channels.find((one: { is_member: boolean }) => one.is_member).id
  return { ...chat, appToken, channel }
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

/** Opens the sockets of a twin; each event is acknowledged, and its arrival told by the text of its message. */
const openSockets = async (chat: Chat, arrived: (text: string) => void): Promise<WebSocket[]> =>
  Promise.all(
    Array.from({ length: socketsPerTwin }, async () => {
      const { url } = JSON.parse(await post(chat, 'apps.connections.open', {}, chat.appToken))
      const socket = new WebSocket(url)
      socket.addEventListener('message', ({ data }) => {
        const envelope = JSON.parse(String(data))
        if (envelope.envelope_id === undefined) return
        socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }))
        const { event } = envelope.payload
        if (event?.text !== undefined) arrived(`${event.type} ${event.text}`)
      })
      await once(socket, 'open')
      return socket
    }),
  )

interface Phase {
  readonly perSecond: number
  readonly latencies: readonly number[]
  readonly isComplete: boolean
}

/** Messages to all twins in turn. Each causes two deliveries: one of the message, one of the mention in it. */
const openLoad = async (service: RunningService) => {
  const sentAt = new Map<string, number>()
  let latencies: number[] = []
  const chats: Chat[] = []
  for (let n = 0; n < twinCount; n++) chats.push(await openChat(service))
  const sockets: WebSocket[] = []
  const arrived = (text: string) => {
    const at = sentAt.get(/#(\w+)/.exec(text)?.[1] ?? '')
    if (at !== undefined) latencies.push(performance.now() - at)
  }
  for (const chat of chats) sockets.push(...(await openSockets(chat, arrived)))
  let next = 0
  const write = async () => {
    const number = `m${next}`
    const chat = chats[next++ % chats.length]
    if (!chat) return
    sentAt.set(number, performance.now())
    await post(chat, 'chat.postMessage', { channel: chat.channel, text: `<@${chat.bot}> #${number}` })
  }
  const measured = async (count: number, work: () => Promise<void>): Promise<Phase> => {
    sentAt.clear()
    latencies = []
    const began = performance.now()
    await work()
    for (let looks = 0; latencies.length < count * 2 && looks < 2_400; looks++) await pause(50)
    const seconds = (performance.now() - began) / 1_000
    return { perSecond: latencies.length / seconds, latencies, isComplete: latencies.length === count * 2 }
  }
  return {
    sockets,
    /** As many as the writers get through, one after the other each. */
    closed: (count: number) =>
      measured(count, async () => {
        const until = next + count
        const writer = async () => {
          while (next < until) await write()
        }
        await Promise.all(Array.from({ length: writers }, writer))
      }),
    /** At a rate, whether or not the ones before are answered. */
    steady: (count: number, perSecond: number) =>
      measured(count, async () => {
        const began = performance.now()
        const writes: Promise<void>[] = []
        while (writes.length < count) {
          const due = Math.min(count, Math.floor(((performance.now() - began) / 1_000) * perSecond))
          while (writes.length < due) writes.push(write())
          await pause(5)
        }
        await Promise.all(writes)
      }),
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const measureSockets = async (service: RunningService): Promise<boolean> => {
  const load = await openLoad(service)
  await load.closed(500)
  const cpu = service.cpu()
  const most = await load.closed(messages)
  const spent = service.cpu()
  const each = (name: 'serviceMs' | 'databaseMs') =>
    (((spent[name] - cpu[name]) * 1_000) / most.latencies.length).toFixed(0)
  console.log(
    `${load.sockets.length} sockets: ${most.perSecond.toFixed(0)} deliveries a second (at least ${bounds.perSecond}), none lost: ${most.isComplete}`,
  )
  console.log(
    `processor time for each, with its half of the write: service ${each('serviceMs')} µs, database ${each('databaseMs')} µs`,
  )
  const rate = Math.min(bounds.perSecond, most.perSecond * 0.7)
  const steady = await load.steady(Math.floor((rate / 2) * steadySeconds), rate / 2)
  const p99 = quantile(steady.latencies, 0.99)
  console.log(
    `at ${rate.toFixed(0)} a second: from request to arrival p50 ${quantile(steady.latencies, 0.5).toFixed(0)} ms, ` +
      `p99 ${p99.toFixed(0)} ms (at most ${bounds.p99Ms}), none lost: ${steady.isComplete}`,
  )
  for (const socket of load.sockets) socket.close()
  return most.perSecond >= bounds.perSecond && p99 <= bounds.p99Ms && most.isComplete && steady.isComplete
}

/** Receivers as bots come in real life. */
const receivers: Readonly<Record<string, Parameters<typeof createServer>[1]>> = {
  answers: (_, reply) => void reply.end(),
  hangs: () => undefined,
  'answers 500': (_, reply) => void reply.writeHead(500).end(),
  'hangs up': (asked) => void asked.socket.destroy(),
}

const listen = async (handler: Parameters<typeof createServer>[1]): Promise<Server & AsyncDisposable> => {
  let isVerified = false
  const server = createServer((asked, reply) => {
    if (isVerified) return handler?.(asked, reply as never)
    let text = ''
    asked.on('data', (piece) => {
      text += piece
    })
    asked.on('end', () => {
      isVerified = true
      reply.end(JSON.parse(text).challenge)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

/** The p99 of a twin's writes with each kind of receiver, in turns, against a receiver that answers. */
const measureReceivers = async (service: RunningService): Promise<boolean> => {
  const turns = 5
  const writesPerTurn = 300
  const kinds = [...Object.keys(receivers), 'is gone']
  const places = new Map<string, Chat>()
  await using open = new AsyncDisposableStack()
  for (const kind of kinds) {
    const server = open.use(await listen(receivers[kind] ?? (() => undefined)))
    const chat = await openChat(service)
    const { port } = server.address() as AddressInfo
    const event_subscriptions = {
      request_url: `http://127.0.0.1:${port}/events`,
      bot_events: ['message.channels', 'app_mention'],
    }
    await service.call('PUT', `/v1/twins/${chat.id}/settings`, {
      manifest: { settings: { event_subscriptions } },
    })
    for (;;) {
      const settings = await service.call('GET', `/v1/twins/${chat.id}/settings`)
      if (JSON.stringify(settings).includes('verified')) break
      await pause(50)
    }
    if (kind === 'is gone') await server[Symbol.asyncDispose]()
    places.set(kind, chat)
  }
  const p99s = new Map<string, number[]>(kinds.map((kind) => [kind, []]))
  for (let turn = 0; turn <= turns; turn++)
    for (const [kind, chat] of places) {
      const times: number[] = []
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let n = 0; n < writesPerTurn / 4; n++) {
            const began = performance.now()
            await post(chat, 'chat.postMessage', { channel: chat.channel, text: `<@${chat.bot}> ${n}` })
            times.push(performance.now() - began)
          }
        }),
      )
      if (turn > 0) p99s.get(kind)?.push(quantile(times, 0.99))
    }
  const median = (kind: string) => quantile(p99s.get(kind) ?? [], 0.5)
  const usual = median('answers')
  let isWithin = true
  for (const kind of kinds) {
    const ratio = median(kind) / usual
    isWithin &&= ratio <= bounds.slowdown
    console.log(
      `a receiver that ${kind}: p99 of writes ${median(kind).toFixed(1)} ms, ${ratio.toFixed(2)} × (at most ${bounds.slowdown} ×)`,
    )
  }
  return isWithin
}

await using service = await startService({ DIORAMA_DELIVERY_ALLOW: '127.0.0.0/8' })
const results = [await measureSockets(service), await measureReceivers(service)]
agent.destroy()
if (results.includes(false)) process.exitCode = 1
