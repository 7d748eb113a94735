import { table } from '@diorama/twin-kit/kernel/table'
import type { Call, Views } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { contentOf, isInHistory, isSearchable } from './operations/messages/content.ts'
import { searchKeys } from './operations/search/words.ts'
import { appTables } from './tables/apps.ts'
import { itemTables } from './tables/items.ts'

const Json = z.record(z.string(), z.unknown())
const flags = <K extends string>(...names: readonly K[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.boolean()])) as Record<K, z.ZodBoolean>).shape

export const Team = z.strictObject({
  id: z.string(),
  name: z.string(),
  domain: z.string(),
  email_domain: z.string(),
  description: z.string(),
  created: z.number(),
})

export const Profile = z.strictObject({
  title: z.string(),
  phone: z.string(),
  skype: z.string(),
  real_name: z.string(),
  display_name: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string().optional(),
  status_text: z.string(),
  status_emoji: z.string(),
  status_expiration: z.number(),
  avatar_hash: z.string(),
  pronouns: z.string().optional(),
  start_date: z.string().optional(),
  fields: z.record(z.string(), z.strictObject({ value: z.string(), alt: z.string() })),
  bot_id: z.string().optional(),
  api_app_id: z.string().optional(),
})

export const User = z.strictObject({
  id: z.string(),
  /** The blueprint's handle, `integration`, or empty for the service's own accounts. */
  subject: z.string(),
  name: z.string(),
  real_name: z.string(),
  color: z.string(),
  tz: z.string(),
  profile: Profile,
  presence: z.enum(['active', 'away']),
  updated: z.number(),
  ...flags('deleted', 'is_admin', 'is_owner', 'is_primary_owner', 'is_bot'),
  /** Set for guests; single-channel guests have both. */
  is_restricted: z.boolean().optional(),
  is_ultra_restricted: z.boolean().optional(),
})

export const Bot = z.strictObject({
  id: z.string(),
  app_id: z.string(),
  user_id: z.string(),
  name: z.string(),
  deleted: z.boolean(),
  updated: z.number(),
})

const Note = z.strictObject({ value: z.string(), creator: z.string(), last_set: z.number() })

export const Channel = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['public_channel', 'private_channel', 'im', 'mpim']),
  created: z.number(),
  creator: z.string(),
  is_archived: z.boolean(),
  is_general: z.boolean(),
  topic: Note,
  purpose: Note,
  previous_names: z.array(z.string()),
  /** Milliseconds, as the service has it. */
  updated: z.number(),
  /** Who may post, where not everyone may: admins, nobody, everyone in threads alone or outside of them alone. */
  posting: z.enum(['admins', 'nobody', 'replies', 'roots']).optional(),
  /** Ids of the other organizations that share the channel. */
  connected_teams: z.array(z.string()).optional(),
  /** The people of a direct message, in the order of their ids. */
  users: z.array(z.string()).optional(),
})

export const ChannelMember = z.strictObject({
  id: z.string(),
  channel: z.string(),
  user: z.string(),
  joined: z.number(),
})

export const Reaction = z.strictObject({ name: z.string(), users: z.array(z.string()), count: z.number() })

export const Message = z.strictObject({
  id: z.string(),
  channel: z.string(),
  ts: z.string(),
  type: z.literal('message'),
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  app_id: z.string().optional(),
  username: z.string().optional(),
  icons: Json.optional(),
  text: z.string(),
  blocks: z.array(Json).optional(),
  attachments: z.array(Json).optional(),
  metadata: Json.optional(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  edited: z.strictObject({ user: z.string(), ts: z.string() }).optional(),
  reactions: z.array(Reaction).optional(),
  files: z.array(z.strictObject({ id: z.string(), name: z.string(), title: z.string() })).optional(),
  inviter: z.string().optional(),
  topic: z.string().optional(),
  purpose: z.string().optional(),
  name: z.string().optional(),
  old_name: z.string().optional(),
  hidden: z.boolean().optional(),
  client_msg_id: z.string().optional(),
  streaming: z.boolean().optional(),
})

/** Thread counters live apart from the parent, so that a reply changes no row but its own. */
export const Thread = z.strictObject({
  id: z.string(),
  reply_count: z.number(),
  reply_users: z.array(z.string()),
  latest_reply: z.string(),
})

export const File = z.strictObject({
  id: z.string(),
  created: z.number(),
  name: z.string(),
  title: z.string(),
  mimetype: z.string(),
  filetype: z.string(),
  pretty_type: z.string(),
  user: z.string(),
  size: z.number(),
  mode: z.enum(['hosted', 'snippet', 'quip', 'list', 'external']),
  /** Set on remote files: who keeps them, under which id and address. */
  external: z
    .strictObject({ id: z.string(), type: z.string(), url: z.string(), app_id: z.string() })
    .optional(),
  alt_txt: z.string().optional(),
  /** Set on pictures. */
  image: z.strictObject({ width: z.number(), height: z.number() }).optional(),
  public_url_shared: z.boolean(),
  shares: z.array(z.strictObject({ channel: z.string(), ts: z.string(), thread_ts: z.string().optional() })),
  reactions: z.array(Reaction).optional(),
})

const coreTables = {
  team: table({ key: 'id', row: Team }),
  user: table({
    key: 'id',
    row: User,
    indexes: {
      all: { by: () => 'all' },
      subject: { by: (row: UserRow) => row.subject },
      email: { by: (row: UserRow) => row.profile.email?.toLowerCase() },
      name: { by: (row: UserRow) => row.name },
    },
  }),
  bot: table({ key: 'id', row: Bot }),
  channel: table({
    key: 'id',
    row: Channel,
    indexes: {
      kind: { by: (row: ChannelRow) => row.kind },
      name: { by: (row: ChannelRow) => (row.name === '' ? undefined : row.name) },
      users: { by: (row: ChannelRow) => row.users?.join(',') },
    },
  }),
  channel_member: table({
    key: 'id',
    row: ChannelMember,
    indexes: {
      channel: { by: (row: MemberRow) => row.channel, order: (row: MemberRow) => row.joined },
      user: { by: (row: MemberRow) => row.user, order: (row: MemberRow) => row.channel },
    },
  }),
  message: table({
    key: 'id',
    row: Message,
    indexes: {
      /** What a channel shows: roots, and replies that were also sent to the channel. */
      history: {
        by: (row: MessageRow) => (isInHistory(row) ? row.channel : undefined),
        order: (row: MessageRow) => row.ts,
      },
      channel: { by: (row: MessageRow) => row.channel, order: (row: MessageRow) => row.ts },
      thread: {
        by: (row: MessageRow) =>
          row.thread_ts && row.thread_ts !== row.ts ? `${row.channel}:${row.thread_ts}` : undefined,
        order: (row: MessageRow) => row.ts,
      },
      /** Words, and the beginnings of words. */
      word: {
        by: (row: MessageRow) => (isSearchable(row) ? searchKeys(contentOf(row)) : undefined),
        order: (row: MessageRow) => row.ts,
      },
      author: { by: (row: MessageRow) => row.user, order: (row: MessageRow) => row.ts },
      reactor: {
        by: (row: MessageRow) =>
          row.reactions ? [...new Set(row.reactions.flatMap(({ users }) => users))] : undefined,
        order: (row: MessageRow) => row.ts,
      },
    },
  }),
  thread: table({ key: 'id', row: Thread, internal: true }),
  /** What each person has read of a conversation, and whether a direct message is open to them. */
  read_state: table({
    key: 'id',
    row: z.strictObject({ id: z.string(), last_read: z.string(), is_open: z.boolean() }),
    internal: true,
  }),
  /** The last microsecond given out in each channel. */
  channel_clock: table({
    key: 'id',
    row: z.strictObject({ id: z.string(), last: z.number() }),
    internal: true,
  }),
  file: table({
    key: 'id',
    row: File,
    indexes: {
      all: { by: () => 'all', order: (row: FileRow) => row.created },
      channel: {
        by: (row: FileRow) => row.shares.map(({ channel }) => channel),
        order: (row: FileRow) => row.created,
      },
      user: { by: (row: FileRow) => row.user, order: (row: FileRow) => row.created },
      external: { by: (row: FileRow) => row.external?.id },
    },
  }),
  /** The bytes of files, in base64. */
  file_content: table({
    key: 'id',
    row: z.strictObject({ id: z.string(), base64: z.string() }),
    internal: true,
  }),
  upload: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      file: z.string(),
      user: z.string(),
      name: z.string(),
      length: z.number(),
      received: z.boolean(),
      snippet_type: z.string().optional(),
      alt_txt: z.string().optional(),
    }),
    indexes: { file: { by: (row: { file: string }) => row.file } },
    internal: true,
  }),
}

export const tables = { ...coreTables, ...itemTables, ...appTables }
export type ChatTables = typeof tables
export type Chat = Call<ChatTables>
export type ChatViews = Views<ChatTables>

export type TeamRow = z.infer<typeof Team>
export type UserRow = z.infer<typeof User>
export type BotRow = z.infer<typeof Bot>
export type ChannelRow = z.infer<typeof Channel>
export type MemberRow = z.infer<typeof ChannelMember>
export type MessageRow = z.infer<typeof Message>
export type ThreadRow = z.infer<typeof Thread>
export type FileRow = z.infer<typeof File>
export type ReactionRow = z.infer<typeof Reaction>
