import { isMember, type Seen, selfOf, teamOf } from '../access.ts'
import { isSearchable } from '../operations/messages/content.ts'
import type { ChannelRow } from '../tables.ts'
import { zeroTs } from '../values/time.ts'
import { messageShape } from './message.ts'

type Shape = Record<string, unknown>

export interface ChannelOptions {
  readonly numMembers?: boolean
  readonly isMember?: boolean
  /** Whether the channel is shown alone, with how it may be used and what the caller has read of it. */
  readonly isWhole?: boolean
}

export const channelShape = (call: Seen, row: ChannelRow, options: ChannelOptions = {}): Shape => {
  const team = teamOf(call).id
  const member = isMember(call, row.id, selfOf(call))
  const reading = options.isWhole && member ? readingShape(call, row) : undefined
  const numMembers = options.numMembers && {
    num_members: call.tables.channel_member.count('channel', row.id),
  }
  if (row.kind === 'im') return { ...imShape(call, row, team), ...reading, ...numMembers }
  const { connected_teams = [] } = row
  const isShared = connected_teams.length > 0
  return {
    id: row.id,
    name: row.name,
    is_channel: row.kind === 'public_channel' || row.kind === 'private_channel',
    is_group: row.kind === 'mpim',
    is_im: false,
    is_mpim: row.kind === 'mpim',
    is_private: row.kind !== 'public_channel',
    created: row.created,
    is_archived: row.is_archived,
    is_general: row.is_general,
    unlinked: 0,
    name_normalized: row.name,
    is_shared: isShared,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    context_team_id: team,
    updated: row.updated,
    parent_conversation: null,
    creator: row.creator,
    is_ext_shared: isShared,
    shared_team_ids: [team, ...connected_teams],
    pending_connected_team_ids: [],
    ...(isShared && { connected_team_ids: connected_teams, conversation_host_id: team }),
    ...(options.isMember !== false && { is_member: member }),
    ...(options.isWhole && usageShape(call, row)),
    ...reading,
    topic: row.topic,
    purpose: row.purpose,
    previous_names: row.previous_names,
    ...(row.kind === 'mpim' && { is_open: isOpen(call, row), priority: 0 }),
    ...numMembers,
  }
}

/** How a channel may be used. */
const usageShape = (call: Seen, row: ChannelRow): Shape => {
  const canvas = call.tables.canvas.first('channel', row.id)
  return {
    is_frozen: false,
    is_read_only: row.posting === 'nobody',
    is_thread_only: row.posting === 'replies',
    is_non_threadable: row.posting === 'roots',
    properties: {
      ...(canvas && { canvas: { file_id: canvas.id, is_empty: canvas.markdown === '', quip_thread_id: '' } }),
      tabs: [
        ...(canvas ? [{ id: 'channel_canvas', label: '', type: 'channel_canvas' }] : []),
        { id: 'files', label: '', type: 'files' },
        { id: 'bookmarks', label: '', type: 'bookmarks' },
      ],
    },
  }
}

const isOpen = (call: Seen, row: ChannelRow): boolean =>
  call.tables.read_state.get(`${row.id}:${selfOf(call)}`)?.is_open ?? false

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

/** What the caller has read of a conversation and what is new to them. */
export const readingShape = (call: Seen, row: ChannelRow): Shape => {
  const self = selfOf(call)
  const state = call.tables.read_state.get(`${row.id}:${self}`)
  const last_read = state?.last_read ?? zeroTs
  const latest = call.tables.message.first('history', row.id, { reverse: true })
  const unread = unreadCounts(call, row, last_read)
  return {
    last_read,
    latest: latest ? messageShape(call, latest) : null,
    unread_count: unread.all,
    unread_count_display: unread.shown,
    ...(row.users && { is_open: isOpen(call, row) }),
  }
}

/** Counting stops here, so that a long history costs no more than this. */
const maxUnread = 10_000

/** Messages of others after a moment: all of them, and without those that the service itself wrote. */
const unreadCounts = (call: Seen, row: ChannelRow, after: string): { all: number; shown: number } => {
  let [all, shown] = [0, 0]
  for (const message of call.tables.message.find('history', row.id, { after })) {
    if (message.user === selfOf(call)) continue
    all++
    if (isSearchable(message)) shown++
    if (all === maxUnread) break
  }
  return { all, shown }
}
