import type { Seeding } from '@diorama/twin-kit/kernel/twin'
import { canonicalName, isEmoji } from '../operations/messages/emoji.ts'
import { richText } from '../operations/messages/richtext.ts'
import { mentionNames, type Names, storedText } from '../operations/messages/text.ts'
import type { ChatSection } from '../section.ts'
import type { MessageRow, ReactionRow, ThreadRow } from '../tables.ts'
import { messageId } from '../values/ids.ts'
import { microsOf, tsOf } from '../values/time.ts'
import type { SeededChannel } from './channels.ts'
import { botAuthor, type Cast } from './people.ts'

type MessageBlueprint = ChatSection['messages'][number]
type Clocks = Map<string, number>

/** Messages in story time, after what the service itself wrote when each channel was made. */
export const seedMessages = (
  section: ChatSection,
  cast: Cast,
  channels: ReadonlyMap<string, SeededChannel>,
  seeding: Seeding,
): void => {
  const clocks: Clocks = new Map()
  for (const channel of channels.values()) seedBeginnings(channel, clocks, seeding)
  const names: Names = {
    users: cast.users,
    channels: new Map([...channels].map(([name, { row }]) => [name, row.id])),
  }
  const keyed = new Map<string, MessageRow>()
  const threads = new Map<string, ThreadRow>()
  const ordered = section.messages
    .map((message, n) => ({ message, n, at: Date.parse(message.at) }))
    .sort((a, b) => a.at - b.at || a.n - b.n)
  for (const { message, n, at } of ordered) {
    const channel = channels.get(message.channel)
    const user = cast.users.get(message.author)
    if (!channel || !user) throw new Error(`message ${n} names an unknown channel or author`)
    const named = message.replyTo === null ? undefined : keyed.get(message.replyTo)
    const parent = named?.channel === channel.row.id ? named : undefined
    if (message.replyTo !== null && !parent)
      seeding.warn(
        `/messages/${n}/replyTo`,
        'no earlier message of the channel has this key; it stands alone',
      )
    const ts = allot(clocks, channel.row.id, at * 1_000)
    const row = messageRow({
      message,
      ts,
      channel,
      user,
      parent,
      cast,
      names,
      pointer: `/messages/${n}`,
      seeding,
    })
    seeding.insert('message', row)
    if (parent) countReply(threads, parent, row)
    if (message.key !== null) {
      keyed.set(message.key, row)
      seeding.key('message', message.key, row.id)
    }
  }
  for (const channel of channels.values()) if (channel.row.is_archived) seedEnd(channel, clocks, seeding)
  for (const thread of threads.values()) seeding.insert('thread', { ...thread })
  for (const [id, last] of clocks) seeding.insert('channel_clock', { id, last })
}

/** The next free microsecond of a channel at or after a moment. */
const allot = (clocks: Clocks, channel: string, micros: number): string => {
  const next = Math.max(micros, (clocks.get(channel) ?? 0) + 1)
  clocks.set(channel, next)
  return tsOf(next)
}

const system = (
  { row }: SeededChannel,
  ts: string,
  note: Pick<MessageRow, 'subtype' | 'user' | 'text' | 'topic' | 'purpose'>,
): MessageRow => ({ id: messageId(row.id, ts), channel: row.id, ts, type: 'message', ...note })

const seedBeginnings = (channel: SeededChannel, clocks: Clocks, seeding: Seeding): void => {
  const { row, members, createdMs, firstMessageMs } = channel
  const steps = members.length + 2
  const gap = Math.min(60_000, Math.floor((firstMessageMs - createdMs) / (steps + 1)))
  let n = 0
  const next = () => allot(clocks, row.id, (createdMs + gap * n++) * 1_000)
  for (const user of members)
    seeding.insert(
      'message',
      system(channel, next(), { subtype: 'channel_join', user, text: `<@${user}> has joined the channel` }),
    )
  for (const what of ['purpose', 'topic'] as const) {
    const { value, creator } = row[what]
    if (value === '') continue
    const text = `<@${creator}> set the channel ${what}: ${storedText(value)}`
    const note = { subtype: `channel_${what}`, user: creator, text, [what]: value }
    seeding.insert('message', system(channel, next(), note))
  }
}

const seedEnd = (channel: SeededChannel, clocks: Clocks, seeding: Seeding): void => {
  const user = channel.row.creator
  const ts = allot(clocks, channel.row.id, (clocks.get(channel.row.id) ?? 0) + 60_000_000)
  seeding.insert(
    'message',
    system(channel, ts, { subtype: 'channel_archive', user, text: `<@${user}> archived the channel` }),
  )
}

interface MessageSeed {
  readonly message: MessageBlueprint
  readonly ts: string
  readonly channel: SeededChannel
  readonly user: string
  readonly parent: MessageRow | undefined
  readonly cast: Cast
  readonly names: Names
  readonly pointer: string
  readonly seeding: Seeding
}

const messageRow = (seed: MessageSeed): MessageRow => {
  const { message, ts, channel, user, parent, cast } = seed
  const id = messageId(channel.row.id, ts)
  const text = storedText(mentionNames(message.text, seed.names))
  const reactions = reactionRows(seed)
  return {
    id,
    channel: channel.row.id,
    ts,
    type: 'message',
    user,
    ...(message.author === botAuthor
      ? { bot_id: cast.bot.id, app_id: cast.bot.app_id }
      : { client_msg_id: uuid(seed.seeding.digest('message', id)) }),
    text,
    blocks: richText(text, id),
    ...(parent && {
      thread_ts: parent.thread_ts ?? parent.ts,
      parent_user_id: parent.parent_user_id ?? parent.user,
    }),
    ...(reactions.length > 0 && { reactions }),
  }
}

/** Aliases of one emoji count as one reaction, and nobody reacts twice with it. */
const reactionRows = ({ message, cast, pointer, seeding }: MessageSeed): ReactionRow[] => {
  const users = new Map<string, Set<string>>()
  for (const [n, { name, by }] of message.reactions.entries()) {
    if (!isEmoji(name)) {
      seeding.warn(
        `${pointer}/reactions/${n}/name`,
        `"${name}" is no emoji of the service; the reaction was left out`,
      )
      continue
    }
    const own = users.get(canonicalName(name)) ?? new Set()
    for (const handle of by) {
      const id = cast.users.get(handle)
      if (id) own.add(id)
    }
    if (own.size > 0) users.set(canonicalName(name), own)
  }
  return [...users].map(([name, own]) => ({ name, users: [...own], count: own.size }))
}

const countReply = (threads: Map<string, ThreadRow>, parent: MessageRow, reply: MessageRow): void => {
  const id = messageId(reply.channel, parent.thread_ts ?? parent.ts)
  const thread = threads.get(id)
  const author = reply.user ?? ''
  const users = thread?.reply_users ?? []
  threads.set(id, {
    id,
    reply_count: (thread?.reply_count ?? 0) + 1,
    reply_users: users.includes(author) ? users : [...users, author],
    latest_reply:
      microsOf(thread?.latest_reply ?? '0') > microsOf(reply.ts) ? (thread?.latest_reply ?? '') : reply.ts,
  })
}

const uuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
