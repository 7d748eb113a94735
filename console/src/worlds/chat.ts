import { text } from '../words.ts'
import type { Row, StateItem } from './live-world.ts'

export interface Message {
  readonly id: string
  readonly key: string | null
  readonly channel: string
  readonly ts: string
  readonly ms: number
  readonly author: string
  readonly authorName: string
  readonly isBot: boolean
  readonly isNotice: boolean
  readonly text: string
  readonly thread: string
  readonly isReply: boolean
  readonly reactions: readonly { name: string; count: number }[]
  readonly files: readonly string[]
}
export interface ChatChannel {
  readonly id: string
  readonly key: string | null
  readonly name: string
  readonly topic: string
  readonly members: number
  readonly isPrivate: boolean
  readonly isArchived: boolean
}
export interface Chat {
  readonly channels: readonly ChatChannel[]
  readonly messages: readonly Message[]
  readonly names: ReadonlyMap<string, string>
  /** How many replies a message has, by channel and time. */
  readonly replies: ReadonlyMap<string, number>
}

const rows = (value: unknown): Row[] =>
  Array.isArray(value) ? value.filter((one): one is Row => typeof one === 'object' && one !== null) : []
const nested = (record: Row, field: string, inner: string): string => {
  const value = record[field]
  return typeof value === 'object' && value !== null ? String(Reflect.get(value, inner) ?? '') : ''
}

const readMessage = ({ id, key, record }: StateItem, names: ReadonlyMap<string, string>): Message => {
  const ts = text(record, 'ts')
  const author = text(record, 'user') || text(record, 'bot_id')
  const thread = text(record, 'thread_ts') || ts
  return {
    id,
    key,
    channel: text(record, 'channel'),
    ts,
    ms: Number(ts) * 1_000,
    author,
    authorName: text(record, 'username') || (names.get(author) ?? (text(record, 'user_name') || author)),
    isBot: text(record, 'bot_id') !== '',
    isNotice: /^channel_(join|leave|topic|purpose|name|archive|unarchive)/.test(text(record, 'subtype')),
    text: text(record, 'text'),
    thread,
    isReply: thread !== ts && text(record, 'subtype') !== 'thread_broadcast',
    reactions: rows(record['reactions']).map((one) => ({
      name: text(one, 'name'),
      count: Number(one['count'] ?? 0),
    })),
    files: rows(record['files']).map((file) => text(file, 'name') || text(file, 'title') || text(file, 'id')),
  }
}

const readChannel = ({ id, key, record }: StateItem, members: number): ChatChannel => ({
  id,
  key,
  name: text(record, 'name') || 'direct message',
  topic: nested(record, 'topic', 'value'),
  members,
  isPrivate: record['is_private'] === true,
  isArchived: record['is_archived'] === true,
})

/** The records of a chat, as its screens need them. */
export const readChat = (from: {
  messages: readonly StateItem[]
  channels: readonly StateItem[]
  members: readonly StateItem[]
  users: readonly StateItem[]
}): Chat => {
  const names = new Map(
    from.users.map(({ id, record }) => [id, text(record, 'real_name') || text(record, 'name')] as const),
  )
  const messages = from.messages.map((item) => readMessage(item, names)).sort((a, b) => a.ms - b.ms)
  const replies = new Map<string, number>()
  for (const { channel, thread, isReply } of messages)
    if (isReply) replies.set(`${channel}:${thread}`, (replies.get(`${channel}:${thread}`) ?? 0) + 1)
  const counts = new Map<string, number>()
  for (const { record } of from.members)
    counts.set(text(record, 'channel'), (counts.get(text(record, 'channel')) ?? 0) + 1)
  const channels = from.channels
    .map((item) => readChannel(item, counts.get(item.id) ?? 0))
    .sort((a, b) => Number(a.isArchived) - Number(b.isArchived) || a.name.localeCompare(b.name))
  return { channels, messages, names, replies }
}
