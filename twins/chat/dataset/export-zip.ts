import type {
  DatasetReader,
  DatasetSource,
  Reading,
  SourceFile,
  SourcePlace,
} from '@diorama/twin-kit/datasets/dataset'
import { jsonValues } from '@diorama/twin-kit/datasets/json-values'
import { isRecord } from '@diorama/twin-kit/records'
import { kindOfFile } from '../operations/files/filetypes.ts'
import { type ChannelRow, type FileRow, type MessageRow, User, type UserRow } from '../tables.ts'
import { memberId, messageId } from '../values/ids.ts'
import { emptyProfile } from './accounts.ts'
import { personRow, type ReadPeople, readPeople } from './people.ts'

type Json = Record<string, unknown>

/** A workspace as the service exports it: users, channels, groups, dms and mpims, and a file for each day of a channel. */
export const exportZip: DatasetReader = {
  format: 'chat-export',
  label: 'A workspace export (zip)',
  takes: 'files',
  read: async (source, reading) => {
    const people = readPeople(reading)
    for await (const { value, ...place } of elements(source, 'users.json', reading)) {
      if (text(value.id) === '') reading.fault({ ...place, field: 'id' }, 'is missing')
      else await people.add(userOf(value), place)
    }
    const channels = await readChannels(source, reading, people)
    const context: Context = { reading, people, files: new Map(), latest: 0 }
    for (const [folder, id] of channels.byFolder) await readDays(source, folder, id, context)
    for (const { row, place } of context.files.values()) await reading.insert('file', row, place)
    await people.finish(channels.open)
    reading.company({ ...(context.latest > 0 && { latest: context.latest }) })
    if (context.files.size > 0)
      reading.warn('An export names files and does not hold their bytes; their content cannot be downloaded')
  },
}

interface Context {
  readonly reading: Reading
  readonly people: ReadPeople
  readonly files: Map<string, { row: FileRow; readonly place: SourcePlace }>
  latest: number
}

const baseOf = ({ files }: DatasetSource): string => {
  const users = files.find(({ name }) => name === 'users.json' || name.endsWith('/users.json'))
  return users ? users.name.slice(0, -'users.json'.length) : ''
}

interface Listed extends SourcePlace {
  readonly value: Json
}

async function* elements(source: DatasetSource, name: string, reading: Reading): AsyncGenerator<Listed> {
  const file = source.files.find((one) => one.name === baseOf(source) + name)
  if (file) yield* elementsOf(file, reading)
}

async function* elementsOf(file: SourceFile, reading: Reading): AsyncGenerator<Listed> {
  let row = 0
  for await (const { text } of jsonValues(file.chunks(), (path) => path.length === 1)) {
    const place = { file: file.name, row: ++row }
    const value = parsed(text)
    if (isRecord(value)) yield { value, ...place }
    else reading.fault(place, 'is no JSON object')
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const userOf = (value: Json): UserRow => {
  const profile = (value.profile ?? {}) as Json
  const realName = text(value.real_name) || text(profile.real_name) || text(value.name)
  const base = personRow({
    id: text(value.id),
    name: text(value.name) || text(value.id).toLowerCase(),
    real_name: realName,
    tz: text(value.tz) || 'Etc/UTC',
  })
  const shown = Object.fromEntries(
    Object.keys(emptyProfile)
      .filter((name) => typeof profile[name] === typeof Reflect.get(emptyProfile, name) && name !== 'fields')
      .map((name) => [name, profile[name]]),
  )
  const optional = Object.fromEntries(
    ['email', 'pronouns', 'start_date', 'bot_id', 'api_app_id']
      .filter((name) => typeof profile[name] === 'string')
      .map((name) => [name, profile[name]]),
  )
  const flags = Object.fromEntries(
    ['deleted', 'is_admin', 'is_owner', 'is_primary_owner', 'is_bot', 'is_restricted', 'is_ultra_restricted']
      .filter((name) => typeof value[name] === 'boolean')
      .map((name) => [name, value[name]]),
  )
  return User.parse({
    ...base,
    ...flags,
    color: text(value.color) || base.color,
    updated: number(value.updated),
    profile: { ...base.profile, ...shown, ...optional },
  })
}

const lists = [
  ['channels.json', 'public_channel'],
  ['groups.json', 'private_channel'],
  ['dms.json', 'im'],
  ['mpims.json', 'mpim'],
] as const

const readChannels = async (source: DatasetSource, reading: Reading, people: ReadPeople) => {
  const byFolder = new Map<string, string>()
  const open: string[] = []
  for (const [name, kind] of lists)
    for await (const { value, ...place } of elements(source, name, reading)) {
      const channel = channelOf(value, kind)
      if (channel.id === '') {
        reading.fault({ ...place, field: 'id' }, 'is missing')
        continue
      }
      await reading.insert('channel', channel, place)
      byFolder.set(channel.name === '' ? channel.id : channel.name, channel.id)
      if (kind === 'public_channel' && !channel.is_archived) open.push(channel.id)
      let joined = channel.created * 1_000_000
      for (const user of new Set(texts(value.members))) {
        await people.need(user, place)
        const id = memberId(channel.id, user)
        await reading.insert('channel_member', { id, channel: channel.id, user, joined: joined++ }, place)
      }
    }
  return { byFolder, open }
}

const noteOf = (value: unknown) => {
  const note = (value ?? {}) as Json
  return { value: text(note.value), creator: text(note.creator), last_set: number(note.last_set) }
}

const channelOf = (value: Json, kind: ChannelRow['kind']): ChannelRow => ({
  id: text(value.id),
  name: text(value.name),
  kind,
  created: number(value.created),
  creator: text(value.creator) || (texts(value.members)[0] ?? ''),
  is_archived: value.is_archived === true,
  is_general: value.is_general === true,
  topic: noteOf(value.topic),
  purpose: noteOf(value.purpose),
  previous_names: texts(value.previous_names),
  updated: number(value.created) * 1_000,
  ...((kind === 'im' || kind === 'mpim') && { users: texts(value.members).toSorted() }),
})

const readDays = async (
  source: DatasetSource,
  folder: string,
  channel: string,
  context: Context,
): Promise<void> => {
  const prefix = `${baseOf(source)}${folder}/`
  const seen = new Set<string>()
  const days = source.files
    .filter(({ name }) => name.startsWith(prefix) && name.endsWith('.json'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const day of days)
    for await (const { value, ...place } of elementsOf(day, context.reading)) {
      const ts = text(value.ts)
      if (!/^\d{10}\.\d{6}$/.test(ts)) {
        context.reading.fault({ ...place, field: 'ts' }, 'must be seconds and microseconds')
        continue
      }
      if (seen.has(ts)) continue
      seen.add(ts)
      context.latest = Math.max(context.latest, Number(ts) * 1_000)
      await readMessage(value, { channel, ts, place }, context)
    }
}

const kept = [
  'subtype',
  'user',
  'bot_id',
  'app_id',
  'username',
  'thread_ts',
  'parent_user_id',
  'inviter',
  'topic',
  'purpose',
  'name',
  'old_name',
  'client_msg_id',
]

interface MessagePlace {
  readonly channel: string
  readonly ts: string
  readonly place: SourcePlace
}

const readMessage = async (value: Json, at: MessagePlace, context: Context): Promise<void> => {
  const { people, reading } = context
  const { channel, ts, place } = at
  if (typeof value.user === 'string') await people.need(value.user, place)
  const edited = value.edited as Json | undefined
  const reactions = Array.isArray(value.reactions) ? value.reactions.map(reactionOf) : []
  for (const { users } of reactions) for (const user of users) await people.need(user, place)
  const files = Array.isArray(value.files)
    ? value.files.flatMap((file) => fileOf(file as Json, { ...at, value }, context) ?? [])
    : []
  const row: MessageRow = {
    id: messageId(channel, ts),
    channel,
    ts,
    type: 'message',
    text: text(value.text),
    ...Object.fromEntries(
      kept.filter((name) => typeof value[name] === 'string').map((name) => [name, value[name]]),
    ),
    ...(Array.isArray(value.blocks) && { blocks: value.blocks as Json[] }),
    ...(Array.isArray(value.attachments) && { attachments: value.attachments as Json[] }),
    ...(edited && { edited: { user: text(edited.user), ts: text(edited.ts) } }),
    ...(reactions.length > 0 && { reactions }),
    ...(files.length > 0 && { files: files.map(({ id, name, title }) => ({ id, name, title })) }),
  }
  await reading.insert('message', row, place)
}

const reactionOf = (value: Json) => {
  const users = texts(value.users)
  return { name: text(value.name), users, count: users.length }
}

const fileOf = (
  value: Json,
  at: MessagePlace & { readonly value: Json },
  { files }: Context,
): FileRow | undefined => {
  const id = text(value.id)
  if (id === '' || value.mode === 'tombstone') return undefined
  const thread = text(at.value.thread_ts)
  const share = {
    channel: at.channel,
    ts: at.ts,
    ...(thread !== '' && thread !== at.ts && { thread_ts: thread }),
  }
  const known = files.get(id)
  if (known) {
    known.row = { ...known.row, shares: [...known.row.shares, share] }
    return known.row
  }
  const name = text(value.name) || id
  const type = kindOfFile(name)
  const row: FileRow = {
    id,
    created: number(value.created) || Math.floor(Number(at.ts)),
    name,
    title: text(value.title) || name,
    mimetype: text(value.mimetype) || type.mimetype,
    filetype: text(value.filetype) || type.filetype,
    pretty_type: text(value.pretty_type) || type.pretty,
    user: text(value.user) || text(at.value.user),
    size: number(value.size),
    mode: value.mode === 'snippet' ? 'snippet' : 'hosted',
    public_url_shared: value.public_url_shared === true,
    shares: [share],
  }
  files.set(id, { row, place: at.place })
  return row
}
