import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunningService } from '../parts/running-service.ts'
import { atRate, type Chat, openChat, pause, post, quantile } from './chats.ts'

const maxSlowdown = 1.2
const rounds = 8
/** At the same rate in every case, whatever the writes before take. */
const block = { count: 300, perSecond: 150 }

/** Receivers as bots come in real life. One that `is gone` answers the challenge and then closes its port. */
const receivers: Readonly<Record<string, RequestListener>> = {
  hangs: () => undefined,
  'answers 500': (_, reply) => void reply.writeHead(500).end(),
  'hangs up': (asked) => void asked.socket.destroy(),
  'is gone': () => undefined,
}

const listen = async (handler: RequestListener): Promise<Server & AsyncDisposable> => {
  let isVerified = false
  const server = createServer((asked, reply) => {
    if (isVerified) return handler(asked, reply)
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

/** A chat whose app has subscribed with this server, which has answered the challenge. */
const openSubscribed = async (service: RunningService, server: Server): Promise<Chat> => {
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
    if (JSON.stringify(settings).includes('verified')) return chat
    await pause(50)
  }
}

/** Times of writes and the processor time that went by while they were made. */
class Sample {
  readonly times: number[] = []
  readonly #p99s: number[] = []
  #cpuMs = 0
  readonly #service: RunningService

  constructor(service: RunningService) {
    this.#service = service
  }

  async measure(chat: Chat): Promise<void> {
    const before = this.#service.cpu()
    const times: number[] = []
    await atRate(block, async () => {
      const began = performance.now()
      await post(chat, 'chat.postMessage', { channel: chat.channel, text: `<@${chat.bot}> hello` })
      times.push(performance.now() - began)
    })
    const after = this.#service.cpu()
    this.#cpuMs += after.serviceMs + after.databaseMs - before.serviceMs - before.databaseMs
    this.#p99s.push(quantile(times, 0.99))
    this.times.push(...times)
  }

  /** Of the blocks: their median says more than one p99 over all on a machine that others use. */
  get p99(): number {
    return quantile(this.#p99s, 0.5)
  }

  get cpuPerWrite(): number {
    return this.#cpuMs / this.times.length
  }
}

/**
 * The p99 of a twin's writes with one kind of bad receiver, against a twin whose receiver answers. Both get blocks of
 * writes at the same rate in turns, so that what else the machine does falls on both. The first round warms up.
 */
const measureReceiver = async (service: RunningService, kind: string): Promise<boolean> => {
  await using answering = await listen((_, reply) => void reply.end())
  await using failing = await listen(receivers[kind] ?? (() => undefined))
  const chats = [await openSubscribed(service, answering), await openSubscribed(service, failing)] as const
  if (kind === 'is gone') await failing[Symbol.asyncDispose]()
  const warm = new Sample(service)
  for (const chat of chats) await warm.measure(chat)
  const [usual, bad] = [new Sample(service), new Sample(service)]
  for (let round = 0; round < rounds; round++) {
    const turns = [() => usual.measure(chats[0]), () => bad.measure(chats[1])]
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  for (const { id } of chats) await service.call('DELETE', `/v1/twins/${id}`)
  const ratio = bad.p99 / usual.p99
  console.log(
    `a receiver that ${kind}: p99 of writes ${bad.p99.toFixed(1)} ms, with one that answers ${usual.p99.toFixed(1)} ms: ` +
      `${ratio.toFixed(2)} × (at most ${maxSlowdown} ×); p50 ${quantile(bad.times, 0.5).toFixed(1)} and ` +
      `${quantile(usual.times, 0.5).toFixed(1)} ms; processor time for each write ${bad.cpuPerWrite.toFixed(1)} and ` +
      `${usual.cpuPerWrite.toFixed(1)} ms`,
  )
  return ratio <= maxSlowdown
}

/** Whether no kind of bad receiver slows the writes of its twin. */
export const measureReceivers = async (service: RunningService): Promise<boolean> => {
  const results: boolean[] = []
  for (const kind of Object.keys(receivers)) results.push(await measureReceiver(service, kind))
  return !results.includes(false)
}
