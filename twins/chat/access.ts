import { integration, Refusal } from '../kernel/twin.ts'
import type { BotRow, ChannelRow, Chat, FileRow, MessageRow, TeamRow, UserRow } from './tables.ts'
import { memberId, messageId } from './values/ids.ts'
import { readTs } from './values/time.ts'

/** What reading needs of a call; shapes and searches take no more. */
export type Seen = Pick<Chat, 'tables' | 'actor' | 'now' | 'baseUrl'>

export const teamOf = (call: Seen): TeamRow => {
  for (const team of call.tables.team.all()) return team
  throw new Error('the workspace is missing')
}

export const botOf = (call: Seen): BotRow => {
  for (const bot of call.tables.bot.all()) return bot
  throw new Error('the integration bot is missing')
}

/** The account that is calling. */
export const selfOf = (call: Seen): string => {
  if (!call.actor) throw new Refusal('not_authed')
  return call.actor.id
}

export const isBotCall = (call: Seen): boolean => call.actor?.subject === integration

export const isMember = (call: Seen, channel: string, user: string): boolean =>
  call.tables.channel_member.has(memberId(channel, user))

/** Public channels are for everyone; the others exist for their members alone. */
export const canSee = (call: Seen, channel: ChannelRow): boolean =>
  channel.kind === 'public_channel' || isMember(call, channel.id, selfOf(call))

export const visibleChannel = (call: Seen, id: string, code = 'channel_not_found'): ChannelRow => {
  const channel = call.tables.channel.get(id)
  if (!channel || !canSee(call, channel)) throw new Refusal(code)
  return channel
}

/** A channel whose messages the caller may read: a bot has to be in it. */
export const readableChannel = (call: Seen, id: string): ChannelRow => {
  const channel = visibleChannel(call, id)
  if (isBotCall(call) && !isMember(call, channel.id, selfOf(call))) throw new Refusal('not_in_channel')
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
  if (!isMember(call, channel.id, selfOf(call))) throw new Refusal('not_in_channel')
}

export const requireOpen = (channel: ChannelRow): void => {
  if (channel.is_archived) throw new Refusal('is_archived')
}

/** Channel settings do not exist for direct messages between two people. */
export const requireRoom = (channel: ChannelRow, ...kinds: readonly ChannelRow['kind'][]): void => {
  if (!kinds.includes(channel.kind)) throw new Refusal('method_not_supported_for_channel_type')
}

export const knownUser = (call: Seen, id: string, code = 'user_not_found'): UserRow => {
  const user = call.tables.user.get(id)
  if (!user) throw new Refusal(code)
  return user
}

export const knownMessage = (
  call: Seen,
  channel: ChannelRow,
  ts: string,
  codes: { bad?: string; absent?: string } = {},
): MessageRow => {
  if (readTs(ts) === undefined) throw new Refusal(codes.bad ?? codes.absent ?? 'message_not_found')
  const message = call.tables.message.get(messageId(channel.id, ts))
  if (!message) throw new Refusal(codes.absent ?? 'message_not_found')
  return message
}

/** Files are seen by who uploaded them and by everyone who can see a channel they were shared in. */
export const canSeeFile = (call: Seen, file: FileRow): boolean =>
  file.user === selfOf(call) ||
  file.shares.some(({ channel: id }) => {
    const channel = call.tables.channel.get(id)
    return channel !== undefined && canSee(call, channel)
  })

export const visibleFile = (call: Seen, id: string, code = 'file_not_found'): FileRow => {
  const file = call.tables.file.get(id)
  if (!file || !canSeeFile(call, file)) throw new Refusal(code)
  return file
}

export const isAdmin = (call: Seen): boolean => call.tables.user.get(selfOf(call))?.is_admin === true
