import { Agent, request } from 'node:http'
import type { RunningService } from '../parts/running-service.ts'

/** A chat with what a person, a bot and its app need to use it. */
export interface Chat {
  readonly id: string
  readonly baseUrl: string
  readonly token: string
  readonly appToken: string
  readonly channel: string
  readonly bot: string
}

/** Close it at the end. */
export const agent = new Agent({ keepAlive: true, maxSockets: 256 })

export const post = (
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
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The service has closed an idle connection while this request was on its way to it.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(post(chat, method, args, token))
      else reject(error)
    })
    outgoing.end(body)
  })

export const openChat = async (service: RunningService): Promise<Chat> => {
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

export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Calls at a rate, whether or not the calls before have ended. Resolves when all of them have. */
export const atRate = async (
  { count, perSecond }: { count: number; perSecond: number },
  call: () => Promise<void>,
): Promise<void> => {
  const began = performance.now()
  const calls: Promise<void>[] = []
  while (calls.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - began) / 1_000) * perSecond))
    while (calls.length < due) calls.push(call())
    await pause(5)
  }
  await Promise.all(calls)
}
