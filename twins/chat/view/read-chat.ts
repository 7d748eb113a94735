import { type Row, type StateItem, text } from '@diorama/console/view-kit'

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
  readonly isEdited: boolean
  readonly reactions: readonly { name: string; count: number; users: readonly string[] }[]
  readonly files: readonly ChatFile[]
  readonly buttons: readonly ChatButton[]
}
/** A button under a message, which calls the app that posted it. */
export interface ChatButton {
  readonly label: string
  readonly actionId: string
  readonly blockId: string
}
export interface ChatFile {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly alt: string
  readonly kind: string
  readonly type: string
  readonly size: number
}
export interface ChatThread {
  readonly count: number
  readonly last: number
  readonly people: readonly string[]
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
  /** The threads that hang on messages, by channel and time. */
  readonly threads: ReadonlyMap<string, ChatThread>
  readonly team: string
}

const rows = (value: unknown): Row[] =>
  Array.isArray(value) ? value.filter((one): one is Row => typeof one === 'object' && one !== null) : []
const nested = (record: Row, field: string, inner: string): string => {
  const value = record[field]
  return typeof value === 'object' && value !== null ? String(Reflect.get(value, inner) ?? '') : ''
}

const readFile = (named: Row, files: ReadonlyMap<string, Row>): ChatFile => {
  const id = text(named, 'id')
  const whole = files.get(id)
  const name = text(whole, 'name') || text(named, 'name') || id
  return {
    id,
    name,
    title: text(whole, 'title') || text(named, 'title') || name,
    alt: text(whole, 'alt_txt'),
    kind: text(whole, 'pretty_type'),
    type: text(whole, 'mimetype'),
    size: Number(whole?.['size'] ?? 0),
  }
}

interface Known {
  readonly names: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, Row>
}

const buttonsOf = (record: Row): ChatButton[] =>
  rows(record['blocks']).flatMap((block) =>
    [...rows(block['elements']), ...rows([block['accessory']])]
      .filter((element) => text(element, 'type') === 'button' && text(element, 'action_id') !== '')
      .map((element) => ({
        label: nested(element, 'text', 'text'),
        actionId: text(element, 'action_id'),
        blockId: text(block, 'block_id'),
      })),
  )

const readMessage = ({ id, key, record }: StateItem, { names, files }: Known): Message => {
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
    isEdited: record['edited'] !== undefined,
    reactions: rows(record['reactions']).map((one) => ({
      name: text(one, 'name'),
      count: Number(one['count'] ?? 0),
      users: Array.isArray(one['users']) ? one['users'].map(String) : [],
    })),
    files: rows(record['files']).map((file) => readFile(file, files)),
    buttons: buttonsOf(record),
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

const threadsOf = (messages: readonly Message[]): Map<string, ChatThread> => {
  const replies = messages.filter(({ isReply }) => isReply)
  return new Map(
    [...Map.groupBy(replies, ({ channel, thread }) => `${channel}:${thread}`)].map(([place, items]) => [
      place,
      {
        count: items.length,
        last: items.at(-1)?.ms ?? 0,
        people: [...new Set(items.map(({ authorName }) => authorName))],
      },
    ]),
  )
}

/** The records of a chat, as its screens need them. */
export const readChat = (from: {
  messages: readonly StateItem[]
  channels: readonly StateItem[]
  members: readonly StateItem[]
  users: readonly StateItem[]
  files: readonly StateItem[]
  team: string
}): Chat => {
  const names = new Map(
    from.users.map(({ id, record }) => [id, text(record, 'real_name') || text(record, 'name')] as const),
  )
  const files = new Map(from.files.map(({ id, record }) => [id, record]))
  const messages = from.messages
    .map((item) => readMessage(item, { names, files }))
    .sort((a, b) => a.ms - b.ms)
  const counts = new Map<string, number>()
  for (const { record } of from.members)
    counts.set(text(record, 'channel'), (counts.get(text(record, 'channel')) ?? 0) + 1)
  const channels = from.channels
    .map((item) => readChannel(item, counts.get(item.id) ?? 0))
    .sort((a, b) => Number(a.isArchived) - Number(b.isArchived) || a.name.localeCompare(b.name))
  return { channels, messages, names, threads: threadsOf(messages), team: from.team }
}
