import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TestService } from '../testing.ts'

/** A chat twin of a service, with its app's credentials and a caller for each person. */
/** A chat twin of a test, with what its people can do. */
export interface TestChat {
  readonly id: string
  readonly base: string
  readonly baseUrl: string
  readonly apiUrl: string
  readonly token: string
  // biome-ignore lint/suspicious/noExplicitAny: settings of every app.
  readonly settings: any
  readonly person: string
  /** A channel that the person and the bot are in. */
  readonly channel: string
  readonly nativeId: (subject: string) => string
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method.
  readonly as: (subject: string, method: string, args: Record<string, string>) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: answers of every method.
  readonly say: (channel: string, text: string) => Promise<any>
  readonly configure: (manifest: object) => ReturnType<TestService['call']>
  readonly history: (channel: string) => Promise<string[]>
  readonly deliveries: (
    query?: string,
  ) => Promise<{ kind: string; status: string; id: string; attempts: number }[]>
}

export const openChat = async (service: TestService): Promise<TestChat> => {
  const { body: twin, status } = await service.call('POST', '/v1/twins', { service: 'chat' })
  assert.equal(status, 201)
  const base = `/v1/twins/${twin.id}`
  const { body: people } = await service.call('GET', `${base}/identities`)
  const { body: settings } = await service.call('GET', `${base}/settings`)
  const tokenOf = (subject: string): string =>
    people.items.find((one: { subject: string }) => one.subject === subject)?.token ?? ''
  const person: string = people.items.find(
    (one: { subject: string }) => one.subject !== 'integration',
  ).subject
  const as = async (subject: string, method: string, args: Record<string, string>) => {
    const reply = await fetch(`${twin.baseUrl}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(subject)}` },
      body: new URLSearchParams(args),
    })
    return JSON.parse(await reply.text())
  }
  const { channels } = await as(person, 'conversations.list', { limit: '100', exclude_archived: 'true' })
  const rooms: string[] = channels
    .filter((one: { is_member: boolean }) => one.is_member)
    .map(({ id }: { id: string }) => id)
  return {
    id: twin.id as string,
    base,
    baseUrl: twin.baseUrl as string,
    apiUrl: `${twin.baseUrl}/api/`,
    token: twin.token as string,
    settings,
    person,
    channel: rooms[0] ?? '',
    nativeId: (subject: string): string =>
      people.items.find((one: { subject: string }) => one.subject === subject)?.native_id,
    as,
    say: async (channel: string, text: string) => {
      const said = await as(person, 'chat.postMessage', { channel, text })
      assert.equal(said.ok, true, said.error)
      return said
    },
    configure: (manifest: object) => service.call('PUT', `${base}/settings`, { manifest }),
    history: async (channel: string): Promise<string[]> =>
      (await as('integration', 'conversations.history', { channel, limit: '20' })).messages.map(
        ({ text }: { text: string }) => text,
      ),
    deliveries: async (
      query = '',
    ): Promise<{ kind: string; status: string; id: string; attempts: number }[]> =>
      (await service.call('GET', `${base}/deliveries?limit=200${query}`)).body.items,
  }
}

/** A port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
