import { isMember, type Seen, selfOf, teamOf } from '../access.ts'
import type { ChannelRow } from '../tables.ts'
import { zeroTs } from '../values/time.ts'

type Shape = Record<string, unknown>

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
