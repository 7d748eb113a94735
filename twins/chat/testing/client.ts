import { serveTwin } from '@diorama/twin-kit/testing/host'
import { LogLevel, type WebAPICallResult, WebClient } from '@slack/web-api'
import type { ChatSection } from '../section.ts'
import { chat } from '../twin.ts'
import { testSection } from './section.ts'

/** A workspace on loopback with the vendor's client for the bot, and one for each person. */
export const startChat = async (section: ChatSection = testSection) => {
  const host = await serveTwin(chat, section)
  const client = (token: string | undefined) =>
    new WebClient(token, {
      slackApiUrl: `${host.baseUrl}/api/`,
      logLevel: LogLevel.ERROR,
      retryConfig: { retries: 0 },
      logger: silent,
    })
  const keyed = (key: string): string => host.instance.seed.seed.keys.find((one) => one.key === key)?.id ?? ''
  return {
    host,
    bot: client(host.token),
    mira: client(host.tokens.mira),
    dev: client(host.tokens.dev),
    lucia: client(host.tokens.lucia),
    client,
    /** A channel's id by its name. */
    channel: keyed,
    /** A seeded message's ts by its key. */
    ts: (key: string): string => keyed(key).split(':')[1] ?? '',
    user: (handle: string): string => {
      for (const row of host.instance.tables.user?.find('subject', handle) ?? []) return String(row.id)
      return ''
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

const silent = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
}

export type ChatHost = Awaited<ReturnType<typeof startChat>>

/** The service's own error code of a call that should fail. */
export const refusal = async (call: Promise<WebAPICallResult>): Promise<string> => {
  try {
    await call
  } catch (error) {
    const data = (error as { data?: { error?: string } }).data
    return data?.error ?? String(error)
  }
  return 'ok'
}
