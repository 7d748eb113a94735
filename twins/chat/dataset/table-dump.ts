import type { DatasetReader, Reading } from '@diorama/twin-kit/datasets/dataset'
import { requireTexts, type Tables, tablesIn } from '@diorama/twin-kit/datasets/table-dump'
import { canonicalName } from '../operations/messages/emoji.ts'
import { richText } from '../operations/messages/richtext.ts'
import type { ChannelRow, MessageRow, ReactionRow } from '../tables.ts'
import { memberId, messageId } from '../values/ids.ts'
import { personRow, type ReadPeople, readPeople } from './people.ts'

type Json = Readonly<Record<string, unknown>>

/** Tables as replicas of the service keep them: one JSON object of teams, users, channels, members and messages. */
export const tableDump: DatasetReader = {
  format: 'chat-tables',
  label: 'Tables of a replica: teams, users, channels, messages (JSON)',
  takes: 'files',
  read: async ({ files: [file] }, reading) => {
    if (file) await readTables(await tablesIn(file), reading)
  },
}

/** What a row cannot be without. */
const required = {
  users: ['user_id', 'username'],
  channels: ['channel_id'],
  channel_members: ['channel_id', 'user_id'],
  messages: ['message_id', 'channel_id', 'user_id'],
  message_reactions: ['message_id', 'user_id', 'reaction_type'],
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '')

const readTables = async (rows: Tables, reading: Reading): Promise<void> => {
  requireTexts(rows, required, reading.fault)
  const people = readPeople(reading)
  const admins = new Set(
    rows('user_teams').flatMap(({ user_id, role }) =>
      role === 'admin' || role === 'owner' ? [word(user_id)] : [],
    ),
  )
  for (const [n, user] of rows('users').entries()) {
    const email = word(user.email)
    const tz = word(user.timezone)
    const made = personRow({
      id: word(user.user_id),
      name: word(user.username),
      real_name: word(user.real_name) || word(user.display_name),
      display_name: word(user.display_name),
      ...(email !== '' && { email }),
      ...(tz !== '' && { tz }),
    })
    await people.add(
      { ...made, is_bot: user.is_bot === true, is_admin: admins.has(made.id) },
      { file: 'users', row: n + 1 },
    )
  }
  const [team] = rows('teams')
  const times = rows('messages').flatMap(({ message_id }) => {
    const at = Number(word(message_id))
    return at > 0 && at < 1e11 ? [at] : []
  })
  reading.company({
    ...(team && { name: word(team.team_name) }),
    ...(times.length > 0 && { latest: Math.max(...times) * 1_000 }),
  })
  const started = Math.floor(Math.min(...times, 1_600_000_000)) - 86_400
  await readChannels(rows, { reading, people, started })
  await readMessages(rows, reading, people)
  await people.finish([])
}

const readChannels = async (
  rows: Tables,
  { reading, people, started }: { reading: Reading; people: ReadPeople; started: number },
): Promise<void> => {
  const members = Map.groupBy(rows('channel_members'), ({ channel_id }) => word(channel_id))
  for (const [at, channel] of rows('channels').entries()) {
    const place = { file: 'channels', row: at + 1 }
    const id = word(channel.channel_id)
    const users = (members.get(id) ?? []).map(({ user_id }) => word(user_id))
    const kind = kindOf(channel)
    const creator = users[0] ?? ''
    const note = (value: unknown) => ({
      value: word(value),
      creator: word(value) === '' ? '' : creator,
      last_set: word(value) === '' ? 0 : started,
    })
    const row: ChannelRow = {
      ...{ id, kind, creator, name: kind === 'im' ? '' : word(channel.channel_name), created: started },
      is_archived: channel.is_archived === true,
      is_general: channel.channel_name === 'general',
      topic: note(channel.topic_text),
      purpose: note(channel.purpose_text),
      previous_names: [],
      updated: started * 1_000,
      ...((kind === 'im' || kind === 'mpim') && { users: users.toSorted() }),
    }
    await reading.insert('channel', row, place)
    for (const [n, user] of users.entries()) {
      await people.need(user, place)
      const joined = started * 1_000_000 + n
      await reading.insert('channel_member', { id: memberId(id, user), channel: id, user, joined }, place)
    }
  }
}

const kindOf = ({ is_dm, is_gc, is_private }: Json): ChannelRow['kind'] => {
  if (is_dm === true) return 'im'
  if (is_gc === true) return 'mpim'
  return is_private === true ? 'private_channel' : 'public_channel'
}

const readMessages = async (rows: Tables, reading: Reading, people: ReadPeople): Promise<void> => {
  const authors = new Map(
    rows('messages').map(({ message_id, user_id }) => [word(message_id), word(user_id)]),
  )
  const reactions = Map.groupBy(rows('message_reactions'), ({ message_id }) => word(message_id))
  for (const [n, message] of rows('messages').entries()) {
    const place = { file: 'messages', row: n + 1 }
    const [ts, channel, user, parent] = [
      word(message.message_id),
      word(message.channel_id),
      word(message.user_id),
      word(message.parent_id),
    ]
    if (!/^\d{1,11}\.\d{1,6}$/.test(ts)) reading.fault({ ...place, field: 'message_id' }, 'is no ts')
    await people.need(user, place)
    const id = messageId(channel, ts)
    const own = reactionsOf(reactions.get(ts) ?? [])
    const row: MessageRow = {
      ...{ id, channel, ts, type: 'message', user, text: word(message.message_text) },
      blocks: richText(word(message.message_text), id),
      ...(parent !== '' && { thread_ts: parent, parent_user_id: authors.get(parent) ?? user }),
      ...(own.length > 0 && { reactions: own }),
    }
    await reading.insert('message', row, place)
  }
}

const reactionsOf = (rows: readonly Json[]): ReactionRow[] => {
  const byName = Map.groupBy(rows, ({ reaction_type }) => canonicalName(word(reaction_type)))
  return [...byName].map(([name, some]) => {
    const users = [...new Set(some.map(({ user_id }) => word(user_id)))]
    return { name, users, count: users.length }
  })
}
