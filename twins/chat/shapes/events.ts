import type { Change } from '@diorama/twin-kit/kernel/diff'
import { botOf, isMember, teamOf } from '../access.ts'
import type { ChannelRow, FileRow, MemberRow, MessageRow, ReactionRow, UserRow } from '../tables.ts'
import { messageId } from '../values/ids.ts'
import { type AppEvent, eventTs, type Fields, type Rows, type View } from './app-event.ts'
import { connectEvents } from './connect-events.ts'
import { channelShape } from './conversation.ts'
import { messageShape } from './message.ts'
import { metadataEvents } from './metadata-events.ts'
import { dndEvents, readStateEvents, subteamSelfEvents } from './own-events.ts'
import { userShape } from './user.ts'

/** What one changed row means to apps. */
export const eventsOf = (view: View, change: Change): readonly AppEvent[] => {
  const shape = shapes[change.collection]
  return shape ? shape(view, change as never) : []
}

const shapes: Readonly<Record<string, (view: View, rows: Rows<never>) => readonly AppEvent[]>> = {
  message: (view, rows: Rows<MessageRow>) => messageEvents(view, rows),
  channel: (view, rows: Rows<ChannelRow>) => channelEvents(view, rows),
  channel_member: (view, rows: Rows<MemberRow>) => memberEvents(view, rows),
  file: (view, rows: Rows<FileRow>) => fileEvents(view, rows),
  user: (view, rows: Rows<UserRow>) => userEvents(view, rows),
  pin: (view, rows: Rows<PinRow>) => pinEvents(view, rows),
  star: (view, rows: Rows<StarRow>) => starEvents(view, rows),
  usergroup: (view, rows: Rows<UsergroupRow>) => usergroupEvents(view, rows),
  connect_invite: connectEvents,
  dnd: dndEvents,
  read_state: readStateEvents,
  revoked_token: (view, rows: Rows<{ subject: string }>) => revokedEvents(view, rows),
}

const channelTypes = { public_channel: 'channel', private_channel: 'group', im: 'im', mpim: 'mpim' } as const
const messageNames = {
  public_channel: 'message.channels',
  private_channel: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
} as const

const messageEvents = (view: View, { before, after }: Rows<MessageRow>): readonly AppEvent[] => {
  const row = after ?? before
  const channel = row && view.tables.channel.get(row.channel)
  if (!row || !channel) return []
  const place = { channel: row.channel, channel_type: channelTypes[channel.kind] }
  const about = (event: Fields): AppEvent => ({
    name: messageNames[channel.kind],
    channel,
    event: { type: 'message', ...event, ...place },
  })
  if (!before && after) {
    const shape = messageShape(view, after)
    const posted = about({ ...shape, event_ts: after.ts })
    return [
      posted,
      ...homeEvents(view, posted, after, channel),
      ...mentionEvents(view, after, channel, shape),
      ...linkEvents(view, after, channel),
      ...metadataEvents(view, { before, after }, channel),
    ]
  }
  const event_ts = eventTs(view)
  const common = { hidden: true, ts: event_ts, event_ts }
  if (before && !after) {
    const previous_message = messageShape(view, before)
    const deleted = about({ subtype: 'message_deleted', previous_message, deleted_ts: before.ts, ...common })
    return [deleted, ...metadataEvents(view, { before, after }, channel)]
  }
  if (!before || !after) return []
  const reactions = reactionEvents(view, {
    before: before.reactions,
    after: after.reactions,
    item: { type: 'message', channel: row.channel, ts: row.ts },
    author: after.user,
    channel,
  })
  if (isSameBut(before, after, 'reactions')) return reactions
  const [message, previous_message] = [messageShape(view, after), messageShape(view, before)]
  const changed = about({ subtype: 'message_changed', message, previous_message, ...common })
  return [changed, ...metadataEvents(view, { before, after }, channel), ...reactions]
}

/** What a person writes to the app itself, on the messages tab of its home. */
const homeEvents = (view: View, { event }: AppEvent, row: MessageRow, channel: ChannelRow): AppEvent[] => {
  const bot = botOf(view).user_id
  if (channel.kind !== 'im' || row.user === bot || !channel.users?.includes(bot)) return []
  return [{ name: 'message.app_home', channel, event: { ...event, channel_type: 'app_home' } }]
}

const isSameBut = <R extends object>(before: R, after: R, ...fields: readonly (keyof R)[]): boolean => {
  const rest = (row: R) =>
    JSON.stringify(row, (key, value) => (fields.includes(key as keyof R) ? undefined : value))
  return rest(before) === rest(after)
}

/** Only people's and other bots' words call the bot, and only where it is. */
const mentionEvents = (view: View, row: MessageRow, channel: ChannelRow, shape: Fields): AppEvent[] => {
  const bot = botOf(view)
  if (channel.kind === 'im' || row.user === bot.user_id || !row.text.includes(`<@${bot.user_id}`)) return []
  if (row.subtype?.startsWith('channel_')) return []
  const { subtype: _, ...own } = shape
  const event = { ...own, type: 'app_mention', channel: row.channel, event_ts: row.ts }
  return [{ name: 'app_mention', channel, event }]
}

const linkEvents = (view: View, row: MessageRow, channel: ChannelRow): AppEvent[] => {
  const domains = view.tables.app.get(botOf(view).app_id)?.manifest.features.unfurl_domains ?? []
  if (domains.length === 0 || row.user === botOf(view).user_id) return []
  const links = [...row.text.matchAll(/<(https?:\/\/[^|>]+)/g)].flatMap(([, url = '']) => {
    const host = URL.parse(url)?.hostname ?? ''
    const domain = domains.find((one) => host === one || host.endsWith(`.${one}`))
    return domain === undefined ? [] : [{ domain, url }]
  })
  if (links.length === 0) return []
  const event = {
    type: 'link_shared',
    channel: row.channel,
    is_bot_user_member: isMember(view, channel.id, botOf(view).user_id),
    user: row.user,
    message_ts: row.ts,
    ...(row.thread_ts !== undefined && { thread_ts: row.thread_ts }),
    unfurl_id: `${row.channel}.${row.ts}`,
    source: 'conversations_history',
    links,
    event_ts: row.ts,
  }
  return [{ name: 'link_shared', channel, isPublic: true, event }]
}

interface Reacted {
  readonly before: readonly ReactionRow[] | undefined
  readonly after: readonly ReactionRow[] | undefined
  readonly item: Fields
  readonly author: string | undefined
  readonly channel: ChannelRow | undefined
}

const reactionEvents = (
  view: View,
  { before = [], after = [], item, author, channel }: Reacted,
): AppEvent[] => {
  const pairs = (list: readonly ReactionRow[]) =>
    new Set(list.flatMap(({ name, users }) => users.map((user) => `${name} ${user}`)))
  const [was, is] = [pairs(before), pairs(after)]
  const made = (type: 'reaction_added' | 'reaction_removed', pair: string): AppEvent => {
    const [reaction, user] = pair.split(' ')
    const event = {
      type,
      user,
      reaction,
      item,
      ...(author && { item_user: author }),
      event_ts: eventTs(view),
    }
    return { name: type, channel, event }
  }
  return [
    ...[...is].filter((pair) => !was.has(pair)).map((pair) => made('reaction_added', pair)),
    ...[...was].filter((pair) => !is.has(pair)).map((pair) => made('reaction_removed', pair)),
  ]
}

const channelEvents = (view: View, { before, after }: Rows<ChannelRow>): readonly AppEvent[] => {
  if (!after) return []
  const event_ts = eventTs(view)
  const isRoom = after.kind === 'public_channel' || after.kind === 'private_channel'
  const prefix = after.kind === 'public_channel' ? 'channel' : 'group'
  const made = (name: string, event: Fields): AppEvent => ({
    name,
    channel: after,
    isPublic: true,
    event: { type: name, ...event, event_ts },
  })
  if (!before && after.kind === 'im')
    return [made('im_created', { user: view.by, channel: channelShape(view, after) })]
  if (!isRoom) return []
  if (!before)
    return after.kind === 'public_channel'
      ? [made('channel_created', { channel: channelShape(view, after) })]
      : []
  const events: AppEvent[] = []
  if (before.name !== after.name)
    events.push(
      made(`${prefix}_rename`, {
        channel: {
          id: after.id,
          name: after.name,
          name_normalized: after.name,
          created: after.created,
          is_channel: prefix === 'channel',
          is_mpim: false,
        },
      }),
    )
  if (before.is_archived !== after.is_archived)
    events.push(
      made(`${prefix}_${after.is_archived ? 'archive' : 'unarchive'}`, {
        channel: after.id,
        user: view.by,
        is_moved: 0,
      }),
    )
  return events
}

const memberEvents = (view: View, { before, after }: Rows<MemberRow>): readonly AppEvent[] => {
  const row = after ?? before
  const channel = row && view.tables.channel.get(row.channel)
  if (!row || !channel || channel.kind === 'im' || channel.kind === 'mpim') return []
  const name = after ? 'member_joined_channel' : 'member_left_channel'
  const event_ts = eventTs(view)
  const events: AppEvent[] = [
    {
      name,
      channel,
      event: {
        type: name,
        user: row.user,
        channel: row.channel,
        channel_type: channel.kind === 'public_channel' ? 'C' : 'G',
        team: teamOf(view).id,
        ...(after && view.by !== row.user && { inviter: view.by }),
        enterprise: null,
        event_ts,
      },
    },
  ]
  const left = channel.kind === 'public_channel' ? 'channel_left' : 'group_left'
  if (!after && row.user === botOf(view).user_id)
    events.push({ name: left, event: { type: left, channel: row.channel, actor_id: view.by, event_ts } })
  return events
}

const fileEvents = (view: View, { before, after, id }: Rows<FileRow>): readonly AppEvent[] => {
  const row = after ?? before
  if (!row) return []
  const event_ts = eventTs(view)
  const made = (name: string, more: Fields = {}, channelId?: string): AppEvent => ({
    name,
    ...(channelId !== undefined && { channel: view.tables.channel.get(channelId) }),
    event: { type: name, file_id: id, user_id: row.user, file: { id }, ...more, event_ts },
  })
  const shares = (file: FileRow | null) => new Set(file?.shares.map(({ channel }) => channel))
  const [was, is] = [shares(before), shares(after)]
  const shared = [...is].filter((channel) => !was.has(channel))
  const unshared = after ? [...was].filter((channel) => !is.has(channel)) : []
  const isChanged = before && after && !isSameBut(before, after, 'shares', 'reactions', 'public_url_shared')
  return [
    ...(before ? [] : [made('file_created')]),
    ...shared.map((channel_id) => made('file_shared', { channel_id }, channel_id)),
    ...unshared.map((channel_id) => made('file_unshared', { channel_id }, channel_id)),
    ...(isChanged ? [made('file_change')] : []),
    ...(before && after?.public_url_shared && !before.public_url_shared ? [made('file_public')] : []),
    ...(after ? [] : [made('file_deleted')]),
    ...reactionEvents(view, {
      before: before?.reactions,
      after: after?.reactions ?? before?.reactions,
      item: { type: 'file', file: id },
      author: row.user,
      channel: undefined,
    }),
  ]
}

const userEvents = (view: View, { before, after }: Rows<UserRow>): readonly AppEvent[] => {
  if (!before || !after || isSameBut(before, after, 'presence', 'updated')) return []
  const event_ts = eventTs(view)
  const user = userShape(view, after)
  const made = (name: string): AppEvent => ({
    name,
    event: { type: name, user, cache_ts: Math.floor(view.now / 1_000), event_ts },
  })
  const status = (row: UserRow) => `${row.profile.status_text}\n${row.profile.status_emoji}`
  const isProfile = JSON.stringify(before.profile) !== JSON.stringify(after.profile)
  return [
    made('user_change'),
    ...(isProfile ? [made('user_profile_changed')] : []),
    ...(status(before) === status(after) ? [] : [made('user_status_changed')]),
  ]
}

interface PinRow {
  readonly channel: string
  readonly ts: string
  readonly created: number
  readonly created_by: string
}

const pinEvents = (view: View, { before, after }: Rows<PinRow>): readonly AppEvent[] => {
  const row = after ?? before
  const channel = row && view.tables.channel.get(row.channel)
  if (!row || !channel) return []
  const message = view.tables.message.get(messageId(row.channel, row.ts))
  const count = view.tables.pin.count('channel', row.channel)
  const type = after ? 'pin_added' : 'pin_removed'
  const event = {
    type,
    user: after ? row.created_by : view.by,
    channel_id: row.channel,
    item: {
      type: 'message',
      created: row.created,
      created_by: row.created_by,
      channel: row.channel,
      ...(message && { message: messageShape(view, message, { permalink: true }) }),
    },
    ...(message?.user && { item_user: message.user }),
    pin_count: count,
    pinned_info: { channel: row.channel, pinned_by: row.created_by, pinned_ts: row.created },
    ...(!after && { has_pins: count > 0 }),
    event_ts: eventTs(view),
  }
  return [{ name: type, channel, event }]
}

interface StarRow {
  readonly user: string
  readonly type: string
  readonly channel?: string
  readonly ts?: string
  readonly file?: string
  readonly date_create: number
}

const starEvents = (view: View, { before, after }: Rows<StarRow>): readonly AppEvent[] => {
  const row = after ?? before
  if (!row) return []
  const type = after ? 'star_added' : 'star_removed'
  const message = row.channel && row.ts ? view.tables.message.get(messageId(row.channel, row.ts)) : undefined
  const item = {
    type: row.type,
    ...(row.channel && { channel: row.channel }),
    ...(message && { message: messageShape(view, message) }),
    ...(row.file && { file: { id: row.file } }),
    date_create: row.date_create,
  }
  const channel = row.channel ? view.tables.channel.get(row.channel) : undefined
  return [{ name: type, channel, event: { type, user: row.user, item, event_ts: eventTs(view) } }]
}

interface UsergroupRow {
  readonly id: string
  readonly users: readonly string[]
  readonly date_update: number
}

const usergroupEvents = (view: View, { before, after }: Rows<UsergroupRow>): readonly AppEvent[] => {
  if (!after) return []
  const event_ts = eventTs(view)
  const team_id = teamOf(view).id
  const subteam = { ...after, team_id, is_usergroup: true, user_count: after.users.length }
  if (!before) return [{ name: 'subteam_created', event: { type: 'subteam_created', subteam, event_ts } }]
  const added = after.users.filter((user) => !before.users.includes(user))
  const removed = before.users.filter((user) => !after.users.includes(user))
  const events: AppEvent[] = [
    { name: 'subteam_updated', event: { type: 'subteam_updated', subteam, event_ts } },
  ]
  if (added.length + removed.length > 0)
    events.push({
      name: 'subteam_members_changed',
      event: {
        type: 'subteam_members_changed',
        subteam_id: after.id,
        team_id,
        date_previous_update: before.date_update,
        date_update: after.date_update,
        added_users: added,
        added_users_count: added.length,
        removed_users: removed,
        removed_users_count: removed.length,
        event_ts,
      },
    })
  events.push(...subteamSelfEvents(view, after.id, { added, removed }))
  return events
}

const revokedEvents = (view: View, { after }: Rows<{ subject: string }>): readonly AppEvent[] => {
  if (!after) return []
  // A token of the install flow is known by its hash.
  const subject = view.tables.oauth_token.get(after.subject)?.subject ?? after.subject
  const user = view.tables.user.first('subject', subject)
  const ids = user ? [user.id] : []
  const tokens = user?.is_bot ? { oauth: [], bot: ids } : { oauth: ids, bot: [] }
  return [{ name: 'tokens_revoked', event: { type: 'tokens_revoked', tokens, event_ts: eventTs(view) } }]
}
