import type { Chat } from '../tables.ts'

/** Never read, and before every message. */
export const zeroTs = '0000000000.000000'

/** A moment as the service writes it: ten digits of seconds, a point, six of microseconds. */
export const tsOf = (micros: number): string => {
  const digits = String(Math.max(0, Math.floor(micros))).padStart(16, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

export const microsOf = (ts: string): number => Number(ts.replace('.', ''))

/** A message's ts in full, or undefined when the text is none. */
export const readTs = (text: string): string | undefined => (/^\d{10}\.\d{6}$/.test(text) ? text : undefined)

/** A bound of a range: whole or broken seconds. */
export const readBound = (text: string): string | undefined => {
  if (!/^\d{1,10}(\.\d{1,6})?$/.test(text)) return undefined
  const [seconds = '0', part = ''] = text.split('.')
  return `${seconds.padStart(10, '0')}.${part.padEnd(6, '0')}`
}

/** The next ts of a channel: the world's now, or one microsecond past the last one where time stands still. */
export const nextTs = (call: Chat, channel: string, atMs: number = call.now): string => {
  const clock = call.tables.channel_clock.get(channel)
  const last = Math.max(atMs * 1_000, (clock?.last ?? 0) + 1)
  if (clock) call.tables.channel_clock.update(channel, { last })
  else call.tables.channel_clock.insert({ id: channel, last })
  return tsOf(last)
}

/** Like a channel's ts, for marks that need not be unique there. */
export const nowTs = (call: Chat): string => tsOf(call.now * 1_000)

export const seconds = (ms: number): number => Math.floor(ms / 1_000)

/** The world's now, in whole seconds. */
export const nowSeconds = (call: Pick<Chat, 'now'>): number => seconds(call.now)
