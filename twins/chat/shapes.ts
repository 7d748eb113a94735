import { isMember, type Seen, selfOf, teamOf } from './access.ts'
import type { BotRow, ChannelRow, FileRow, MessageRow, UserRow } from './tables.ts'
import { seconds, zeroTs } from './time.ts'
import { zoneAt } from './zone.ts'

type Shape = Record<string, unknown>

const vendorHost = /^https:\/\/(?:[a-z0-9-]+\.)*slack\.com$/

/** The workspace's own address, without a trailing slash: the real one where the caller used a real host. */
export const workspaceUrl = (call: Seen): string =>
  vendorHost.test(call.baseUrl) ? `https://${teamOf(call).domain}.slack.com` : call.baseUrl

/** Where files are kept. */
export const filesUrl = (call: Seen): string =>
  vendorHost.test(call.baseUrl) ? 'https://files.slack.com' : call.baseUrl

export const permalink = (call: Seen, row: MessageRow): string => {
  const link = `${workspaceUrl(call)}/archives/${row.channel}/p${row.ts.replace('.', '')}`
  return row.thread_ts ? `${link}?thread_ts=${row.thread_ts}&cid=${row.channel}` : link
}

const avatarSizes = [24, 32, 48, 72, 192, 512]

const avatars = (call: Seen, hash: string, sizes: readonly number[] = avatarSizes): Shape => {
  const start = `${workspaceUrl(call)}/avatars/${hash}_`
  const images: Shape = {}
  for (const size of sizes) images[`image_${size}`] = `${start}${size}.png`
  return images
}

export const profileShape = (call: Seen, row: UserRow, labels = false): Shape => {
  const { profile } = row
  const { fields, bot_id, api_app_id, email, pronouns, start_date, ...own } = profile
  return {
    ...own,
    real_name_normalized: profile.real_name,
    display_name_normalized: profile.display_name,
    fields: Object.keys(fields).length > 0 ? labelled(fields, labels) : row.is_bot ? null : {},
    status_emoji_display_info: [],
    ...(pronouns !== undefined && { pronouns }),
    ...(start_date !== undefined && { start_date }),
    ...(email !== undefined && { email }),
    ...(bot_id !== undefined && { bot_id, api_app_id, always_active: true }),
    ...avatars(call, profile.avatar_hash),
    status_text_canonical: '',
  }
}

const labelled = (fields: UserRow['profile']['fields'], labels: boolean): Shape =>
  Object.fromEntries(
    Object.entries(fields).map(([id, field]) => [id, labels ? { ...field, label: id } : field]),
  )

export const userShape = (call: Seen, row: UserRow, locale = false): Shape => {
  const team_id = teamOf(call).id
  const { fields: _, ...own } = profileShape(call, row)
  const profile = { ...own, team: team_id }
  if (row.deleted)
    return {
      id: row.id,
      team_id,
      name: row.name,
      deleted: true,
      profile,
      is_bot: row.is_bot,
      is_app_user: false,
      updated: row.updated,
      is_forever: false,
    }
  const zone = zoneAt(row.tz, call.now)
  return {
    id: row.id,
    team_id,
    name: row.name,
    deleted: false,
    color: row.color,
    real_name: row.real_name,
    tz: row.tz,
    tz_label: zone.label,
    tz_offset: zone.offsetSeconds,
    profile,
    is_admin: row.is_admin,
    is_owner: row.is_owner,
    is_primary_owner: row.is_primary_owner,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: row.is_bot,
    is_app_user: false,
    updated: row.updated,
    is_email_confirmed: !row.is_bot && row.subject !== '',
    who_can_share_contact_card: 'EVERYONE',
    ...(locale && { locale: 'en-US' }),
  }
}

export const botShape = (call: Seen, bot: BotRow): Shape => ({
  id: bot.id,
  deleted: bot.deleted,
  name: bot.name,
  updated: bot.updated,
  app_id: bot.app_id,
  user_id: bot.user_id,
  icons: avatars(call, bot.id.toLowerCase(), [36, 48, 72]),
})

export const botProfile = (call: Seen, bot: BotRow): Shape => ({
  ...botShape(call, bot),
  team_id: teamOf(call).id,
})

export const channelShape = (
  call: Seen,
  row: ChannelRow,
  options: { numMembers?: boolean; isMember?: boolean; lastRead?: boolean } = {},
): Shape => {
  const team = teamOf(call).id
  if (row.kind === 'im') return imShape(call, row, team)
  const member = isMember(call, row.id, selfOf(call))
  const isPrivate = row.kind !== 'public_channel'
  return {
    id: row.id,
    name: row.name,
    is_channel: row.kind === 'public_channel' || row.kind === 'private_channel',
    is_group: row.kind === 'mpim',
    is_im: false,
    is_mpim: row.kind === 'mpim',
    is_private: isPrivate,
    created: row.created,
    is_archived: row.is_archived,
    is_general: row.is_general,
    unlinked: 0,
    name_normalized: row.name,
    is_shared: false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    context_team_id: team,
    updated: row.updated,
    parent_conversation: null,
    creator: row.creator,
    is_ext_shared: false,
    shared_team_ids: [team],
    pending_connected_team_ids: [],
    ...(options.isMember !== false && { is_member: member }),
    ...(options.lastRead && member && { last_read: lastRead(call, row.id) }),
    topic: row.topic,
    purpose: row.purpose,
    previous_names: row.previous_names,
    ...(options.numMembers && { num_members: call.tables.channel_member.count('channel', row.id) }),
  }
}

const imShape = (call: Seen, row: ChannelRow, team: string): Shape => {
  const self = selfOf(call)
  const other = row.users?.find((user) => user !== self) ?? self
  return {
    id: row.id,
    created: row.created,
    is_archived: false,
    is_im: true,
    is_org_shared: false,
    context_team_id: team,
    updated: row.updated,
    user: other,
    is_user_deleted: call.tables.user.get(other)?.deleted ?? false,
    priority: 0,
  }
}

export const lastRead = (call: Seen, channel: string): string =>
  call.tables.read_state.get(`${channel}:${selfOf(call)}`)?.last_read ?? zeroTs

export const sharedFile = (call: Seen, id: string): Shape => {
  const file = call.tables.file.get(id)
  return file ? fileShape(call, file) : { id, mode: 'tombstone' }
}

const fileGroups = (call: Seen, row: FileRow) => {
  const kinds = row.shares.map(({ channel }) => ({
    channel,
    kind: call.tables.channel.get(channel)?.kind ?? 'public_channel',
  }))
  const of = (...wanted: string[]) =>
    [...new Set(kinds.filter(({ kind }) => wanted.includes(kind)).map(({ channel }) => channel))].sort()
  return { channels: of('public_channel'), groups: of('private_channel', 'mpim'), ims: of('im') }
}

export const fileShape = (call: Seen, row: FileRow, withShares = false): Shape => {
  const team = teamOf(call).id
  const groups = fileGroups(call, row)
  const path = `${team}-${row.id}`
  const name = encodeURIComponent(row.name.toLowerCase().replace(/\s+/g, '_'))
  const hosted = `${filesUrl(call)}/files-pri/${path}`
  return {
    id: row.id,
    created: row.created,
    timestamp: row.created,
    name: row.name,
    title: row.title,
    mimetype: row.mimetype,
    filetype: row.filetype,
    pretty_type: row.pretty_type,
    user: row.user,
    user_team: team,
    editable: row.mode === 'snippet',
    size: row.size,
    mode: row.mode,
    is_external: false,
    external_type: '',
    is_public: groups.channels.length > 0,
    public_url_shared: row.public_url_shared,
    display_as_bot: false,
    username: '',
    url_private: `${hosted}/${name}`,
    url_private_download: `${hosted}/download/${name}`,
    media_display_type: 'unknown',
    permalink: `${workspaceUrl(call)}/files/${row.user}/${row.id}/${name}`,
    permalink_public: `${filesUrl(call)}/files-pub/${path}/${name}`,
    ...(row.alt_txt !== undefined && { alt_txt: row.alt_txt }),
    is_starred: false,
    has_rich_preview: false,
    file_access: 'visible',
    comments_count: 0,
    ...(row.reactions && row.reactions.length > 0 && { reactions: row.reactions }),
    ...(withShares && { shares: sharesShape(call, row, team) }),
    ...groups,
  }
}

const sharesShape = (call: Seen, row: FileRow, team: string): Shape => {
  const shares: Record<string, Record<string, Shape[]>> = {}
  for (const { channel, ts, thread_ts } of row.shares) {
    const found = call.tables.channel.get(channel)
    const side = found?.kind === 'public_channel' ? 'public' : 'private'
    const group = shares[side] ?? {}
    shares[side] = group
    const list = group[channel] ?? []
    group[channel] = list
    list.push({
      reply_users: [],
      reply_users_count: 0,
      reply_count: 0,
      ts,
      ...(thread_ts && { thread_ts }),
      channel_name: found?.name ?? '',
      team_id: team,
      share_user_id: row.user,
      source: 'UNKNOWN',
    })
  }
  return shares
}

export const nowSeconds = (call: Seen): number => seconds(call.now)
