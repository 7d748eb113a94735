import { integration, VendorError } from '@diorama/twin-kit/kernel/twin'
import type { BotRow, ChannelRow, Chat, ChatViews, FileRow, MessageRow, TeamRow, UserRow } from './tables.ts'
import { memberId, messageId } from './values/ids.ts'
import { readTs } from './values/time.ts'

/** What reading needs of a call; shapes and searches take no more. */
export type Seen = Pick<Chat, 'tables' | 'actor' | 'now' | 'baseUrl'>

/** What finding the workspace needs. */
export interface Placed {
  readonly tables: Pick<ChatViews, 'team'>
  readonly baseUrl: string
}

export const teamOf = (call: Pick<Placed, 'tables'>): TeamRow => {
  for (const team of call.tables.team.all()) return team
  throw new Error('the workspace is missing')
}

export const botOf = (call: Seen): BotRow => {
  for (const bot of call.tables.bot.all()) return bot
  throw new Error('the integration bot is missing')
}

/** The account that is calling. */
export const selfOf = (call: Seen): string => {
  if (!call.actor) throw new VendorError('not_authed')
  return call.actor.id
}

export const isBotCall = (call: Seen): boolean => call.actor?.subject === integration

export const isMember = (call: Seen, channel: string, user: string): boolean =>
  call.tables.channel_member.has(memberId(channel, user))

/** Guests see only the channels they are in, and the people there. */
export const isGuest = (call: Seen): boolean => call.tables.user.get(selfOf(call))?.is_restricted === true

/** Public channels are for all but guests; the others exist for their members alone. */
export const canSee = (call: Seen, channel: ChannelRow): boolean =>
  (channel.kind === 'public_channel' && !isGuest(call)) || isMember(call, channel.id, selfOf(call))

/** Whether the caller may know of a person: guests know those they share a channel with, and the service's own. */
export const canSeeUser = (call: Seen, user: string): boolean => {
  if (!isGuest(call) || user === selfOf(call) || user === 'USLACKBOT') return true
  for (const { channel } of call.tables.channel_member.find('user', selfOf(call)))
    if (isMember(call, channel, user)) return true
  return false
}

/** Refuses guests what only full members may do. */
export const requireFullMember = (call: Seen, code = 'restricted_action'): void => {
  if (isGuest(call)) throw new VendorError(code)
}

/** Whether the caller may post in a channel, in a thread or outside of one. */
export const mayPost = (call: Seen, channel: ChannelRow, isReply: boolean): boolean =>
  postingFault(call, channel, isReply) === undefined

/** Who may post in a channel, and where in it; `code` where the method has one word for every reason. */
export const requirePosting = (
  call: Seen,
  channel: ChannelRow,
  { isReply, code }: { isReply: boolean; code?: string | undefined },
): void => {
  const fault = postingFault(call, channel, isReply)
  if (fault !== undefined) throw new VendorError(code ?? fault)
}

const postingFault = (call: Seen, channel: ChannelRow, isReply: boolean): string | undefined => {
  const { posting } = channel
  if (posting === 'nobody') return 'restricted_action_read_only_channel'
  if (posting === 'admins' && !isAdmin(call)) return 'restricted_action'
  if (posting === 'replies' && !isReply) return 'restricted_action_thread_only_channel'
  if (posting === 'roots' && isReply) return 'restricted_action_non_threadable_channel'
  return undefined
}

export const visibleChannel = (call: Seen, id: string, code = 'channel_not_found'): ChannelRow => {
  const channel = call.tables.channel.get(id)
  if (!channel || !canSee(call, channel)) throw new VendorError(code)
  return channel
}

/** A channel whose messages the caller may read: a bot has to be in it. */
export const readableChannel = (call: Seen, id: string): ChannelRow => {
  const channel = visibleChannel(call, id)
  if (isBotCall(call) && !isMember(call, channel.id, selfOf(call))) throw new VendorError('not_in_channel')
  return channel
}

/** A channel by id, `#name` or name, as the methods that post take it. */
export const namedChannel = (call: Seen, text: string): ChannelRow | undefined => {
  const byId = call.tables.channel.get(text)
  if (byId) return canSee(call, byId) ? byId : undefined
  const byName = call.tables.channel.first('name', text.replace(/^#/, '').toLowerCase())
  return byName && canSee(call, byName) ? byName : undefined
}

export const requireMember = (call: Seen, channel: ChannelRow): void => {
  if (!isMember(call, channel.id, selfOf(call))) throw new VendorError('not_in_channel')
}

export const requireOpen = (channel: ChannelRow): void => {
  if (channel.is_archived) throw new VendorError('is_archived')
}

/** Channel settings do not exist for direct messages between two people. */
export const requireRoom = (channel: ChannelRow, ...kinds: readonly ChannelRow['kind'][]): void => {
  if (!kinds.includes(channel.kind)) throw new VendorError('method_not_supported_for_channel_type')
}

export const knownUser = (call: Seen, id: string, code = 'user_not_found'): UserRow => {
  const user = call.tables.user.get(id)
  if (!user) throw new VendorError(code)
  return user
}

export const knownMessage = (
  call: Seen,
  channel: ChannelRow,
  ts: string,
  codes: { bad?: string; absent?: string } = {},
): MessageRow => {
  if (readTs(ts) === undefined) throw new VendorError(codes.bad ?? codes.absent ?? 'message_not_found')
  const message = call.tables.message.get(messageId(channel.id, ts))
  if (!message) throw new VendorError(codes.absent ?? 'message_not_found')
  return message
}

/** What the caller may do with a canvas or a list; more than one grant gives the greatest. */
export type DocumentLevel = 'read' | 'write' | 'owner'

export const documentLevel = (call: Seen, id: string): DocumentLevel | undefined => {
  const row = call.tables.canvas.get(id) ?? call.tables.list.get(id)
  if (!row) return undefined
  const self = selfOf(call)
  if (row.creator === self) return 'owner'
  const own = 'channel' in row && row.channel !== undefined && isMember(call, row.channel, self)
  const granted = Object.entries(row.access).flatMap(([holder, level]) =>
    holder === self || isMember(call, holder, self) ? [level] : [],
  )
  if (granted.includes('owner')) return 'owner'
  if (own || granted.includes('write')) return 'write'
  return granted.length > 0 ? 'read' : undefined
}

/** Files are seen by who uploaded them and by everyone who can see a channel they were shared in. */
export const canSeeFile = (call: Seen, file: FileRow): boolean =>
  file.user === selfOf(call) ||
  documentLevel(call, file.id) !== undefined ||
  file.shares.some(({ channel: id }) => {
    const channel = call.tables.channel.get(id)
    return channel !== undefined && canSee(call, channel)
  })

export const visibleFile = (call: Seen, id: string, code = 'file_not_found'): FileRow => {
  const file = call.tables.file.get(id)
  if (!file || !canSeeFile(call, file)) throw new VendorError(code)
  return file
}

export const isAdmin = (call: Seen): boolean => call.tables.user.get(selfOf(call))?.is_admin === true
