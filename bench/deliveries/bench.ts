// What twins send on their own, by the service as `npm start` runs it: `npm run bench deliveries`. First deliveries a
// second to 200 sockets, with the time from the request that causes one to its arrival; then what a receiver that hangs,
// fails or is gone does to the writes of its twin. Bounds: 1,000 a second, p99 250 ms, and 1.2 × the p99 of writes.
// Processor time is counted as well: on a machine that others use, it says more than the clock.
import { once } from 'node:events'
import { type RunningService, startService } from '../parts/running-service.ts'
import { agent, atRate, type Chat, openChat, pause, post, quantile } from './chats.ts'
import { measureReceivers } from './receivers.ts'

const twinCount = 20
const socketsPerTwin = 10
const writers = 60
const messages = 5_000
const steadySeconds = 10
const bounds = { perSecond: 1_000, p99Ms: 250 }

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
    steady: (count: number, perSecond: number) => measured(count, () => atRate({ count, perSecond }, write)),
  }
}

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

await using service = await startService({ DIORAMA_DELIVERY_ALLOW: '127.0.0.0/8' })
const only = process.argv[2]
const results: boolean[] = []
if (only !== 'receivers') results.push(await measureSockets(service))
if (only !== 'sockets') results.push(await measureReceivers(service))
agent.destroy()
if (results.includes(false)) process.exitCode = 1
