import { VendorError } from '@diorama/twin-kit/kernel/twin'
import {
  isAdmin,
  isBotCall,
  isGuest,
  isMember,
  knownUser,
  requireFullMember,
  requireMember,
  requireOpen,
  requireRoom,
  selfOf,
  visibleChannel,
} from '../../access.ts'
import { flag, list, method, must, str } from '../../methods/method.ts'
import { channelShape } from '../../shapes/conversation.ts'
import type { ChannelRow, Chat } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { readBound, seconds, zeroTs } from '../../values/time.ts'
import { addMember, insertSystemMessage, removeMember } from '../messages/post.ts'
import { storedText } from '../messages/text.ts'

const maxName = 80
const maxNote = 250
const maxInvites = 100

/** A channel's name, refused in the service's words for each fault. */
const readName = (call: Chat, text: string): string => {
  const name = text.replace(/^#/, '')
  if (name.trim() === '') throw new VendorError('invalid_name_required')
  if (name.length > maxName) throw new VendorError('invalid_name_maxlength')
  if (!/[\p{L}\p{N}]/u.test(name)) throw new VendorError('invalid_name_punctuation')
  if (!/^[\p{L}\p{N}_-]+$/u.test(name) || name !== name.toLowerCase())
    throw new VendorError('invalid_name_specials')
  if (call.tables.channel.first('name', name)) throw new VendorError('name_taken')
  return name
}

const room = (call: Chat, id: string): ChannelRow => {
  const channel = visibleChannel(call, id)
  requireRoom(channel, 'public_channel', 'private_channel')
  return channel
}

const setNote = (what: 'topic' | 'purpose') => (call: Chat, args: { channel: string; text: string }) => {
  const channel = visibleChannel(call, args.channel)
  requireRoom(channel, 'public_channel', 'private_channel', 'mpim')
  requireMember(call, channel)
  requireFullMember(call, 'user_is_restricted')
  requireOpen(channel)
  if ([...args.text].length > maxNote) throw new VendorError('too_long')
  const value = storedText(args.text)
  const user = selfOf(call)
  const row = call.tables.channel.update(channel.id, {
    [what]: { value, creator: user, last_set: seconds(call.now) },
    updated: call.now,
  })
  const text =
    value === '' ? `<@${user}> cleared the channel ${what}` : `<@${user}> set the channel ${what}: ${value}`
  insertSystemMessage(call, row, { subtype: `channel_${what}`, user, text, extra: { [what]: value } })
  return { channel: channelShape(call, row, { isWhole: true }) }
}
const setTopic = setNote('topic')
const setPurpose = setNote('purpose')

const create = (call: Chat, name: string, isPrivate: boolean): ChannelRow => {
  const none = { value: '', creator: '', last_set: 0 }
  const row = call.tables.channel.insert({
    id: nativeId('C', call.draw('channel')),
    name,
    kind: isPrivate ? 'private_channel' : 'public_channel',
    created: seconds(call.now),
    creator: selfOf(call),
    is_archived: false,
    is_general: false,
    topic: none,
    purpose: none,
    previous_names: [],
    updated: call.now,
  })
  addMember(call, row, selfOf(call))
  return row
}

/** Invites each person; with `force` the good ones come in although others are refused. */
const invite = (call: Chat, channel: ChannelRow, users: readonly string[], force: boolean) => {
  const faults = users.flatMap((user) => {
    const error = inviteFault(call, channel, user)
    return error ? [{ user, ok: false, error }] : []
  })
  const first = faults[0]
  if (first && (!force || faults.length === users.length))
    throw new VendorError(first.error, first.error, { data: { errors: faults } })
  for (const user of users)
    if (!faults.some((fault) => fault.user === user)) addMember(call, channel, user, selfOf(call))
  return faults
}

const inviteFault = (call: Chat, channel: ChannelRow, id: string): string | undefined => {
  const user = call.tables.user.get(id)
  if (!user) return 'user_not_found'
  if (id === selfOf(call)) return 'cant_invite_self'
  if (isMember(call, channel.id, id)) return 'already_in_channel'
  if (user.deleted || id === 'USLACKBOT') return 'cant_invite'
  if (user.is_ultra_restricted && channelsOf(call, id) > 0) return 'ura_max_channels'
  return undefined
}

/** How many channels somebody is in, direct messages aside. */
const channelsOf = (call: Chat, user: string): number => {
  let count = 0
  for (const { channel } of call.tables.channel_member.find('user', user))
    if (call.tables.channel.get(channel)?.users === undefined) count++
  return count
}

/** Members of a private channel may remove each other; from a public one only its creator, admins and apps may. */
const mayKick = (call: Chat, channel: ChannelRow): boolean =>
  !isGuest(call) &&
  (channel.kind === 'private_channel' || channel.creator === selfOf(call) || isAdmin(call) || isBotCall(call))

export const conversationWrites = {
  'conversations.create': method({
    effect: 'write',
    args: { name: must(str, 'invalid_name_required'), is_private: flag, team_id: str },
    run: (call, args) => {
      requireFullMember(call)
      const row = create(call, readName(call, args.name), args.is_private ?? false)
      return {
        channel: {
          ...channelShape(call, row, { isWhole: true }),
          last_read: zeroTs,
          latest: null,
          unread_count: 0,
          unread_count_display: 0,
          priority: 0,
        },
      }
    },
  }),
  'conversations.join': method({
    effect: 'write',
    args: { channel: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      requireRoom(channel, 'public_channel')
      requireOpen(channel)
      const joined = addMember(call, channel, selfOf(call))
      const shape = channelShape(call, channel, { isWhole: true })
      if (joined) return { channel: shape }
      const warning = 'already_in_channel'
      return { channel: shape, warning, response_metadata: { warnings: [warning] } }
    },
  }),
  'conversations.leave': method({
    effect: 'write',
    args: { channel: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      requireRoom(channel, 'public_channel', 'private_channel', 'mpim')
      if (channel.is_general) throw new VendorError('cant_leave_general')
      if (!isMember(call, channel.id, selfOf(call))) return { not_in_channel: true }
      requireFullMember(call, 'user_is_restricted')
      requireOpen(channel)
      const alone = call.tables.channel_member.count('channel', channel.id) === 1
      if (alone && channel.kind === 'private_channel') throw new VendorError('last_member')
      removeMember(call, channel, selfOf(call))
      return {}
    },
  }),
  'conversations.invite': method({
    effect: 'write',
    args: { channel: must(str), users: must(list), force: flag },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      requireRoom(channel, 'public_channel', 'private_channel')
      if (args.users.length === 0) throw new VendorError('no_user')
      if (args.users.length > maxInvites) throw new VendorError('too_many_users')
      requireMember(call, channel)
      requireFullMember(call, 'cant_invite')
      requireOpen(channel)
      const errors = invite(call, channel, [...new Set(args.users)], args.force ?? false)
      return { channel: channelShape(call, channel, { isWhole: true }), ...(errors.length > 0 && { errors }) }
    },
  }),
  'conversations.kick': method({
    effect: 'write',
    args: { channel: must(str), user: must(str, 'user_not_found') },
    run: (call, args) => {
      const channel = room(call, args.channel)
      requireMember(call, channel)
      const user = knownUser(call, args.user)
      if (user.id === selfOf(call)) throw new VendorError('cant_kick_self')
      if (channel.is_general) throw new VendorError('cant_kick_from_general')
      if (!isMember(call, channel.id, user.id)) throw new VendorError('not_in_channel')
      if (!mayKick(call, channel)) throw new VendorError('restricted_action')
      removeMember(call, channel, user.id)
      return { errors: {} }
    },
  }),
  'conversations.archive': method({
    effect: 'write',
    args: { channel: must(str) },
    run: (call, args) => {
      const channel = room(call, args.channel)
      if (channel.is_general) throw new VendorError('cant_archive_general')
      if (channel.is_archived) throw new VendorError('already_archived')
      requireMember(call, channel)
      requireFullMember(call)
      const user = selfOf(call)
      insertSystemMessage(call, channel, {
        subtype: 'channel_archive',
        user,
        text: `<@${user}> archived the channel`,
      })
      call.tables.channel.update(channel.id, { is_archived: true, updated: call.now })
      return {}
    },
  }),
  'conversations.unarchive': method({
    effect: 'write',
    args: { channel: must(str) },
    run: (call, args) => {
      const channel = room(call, args.channel)
      if (!channel.is_archived) throw new VendorError('not_archived')
      if (isBotCall(call)) requireMember(call, channel)
      const user = selfOf(call)
      const row = call.tables.channel.update(channel.id, { is_archived: false, updated: call.now })
      insertSystemMessage(call, row, {
        subtype: 'channel_unarchive',
        user,
        text: `<@${user}> un-archived the channel`,
      })
      return {}
    },
  }),
  'conversations.rename': method({
    effect: 'write',
    args: { channel: must(str), name: must(str, 'invalid_name_required') },
    run: (call, args) => {
      const channel = room(call, args.channel)
      requireMember(call, channel)
      requireOpen(channel)
      const user = selfOf(call)
      if (channel.creator !== user && !isAdmin(call)) throw new VendorError('not_authorized')
      const name = args.name === channel.name ? channel.name : readName(call, args.name)
      const row = call.tables.channel.update(channel.id, {
        name,
        previous_names: [channel.name, ...channel.previous_names.filter((old) => old !== name)].slice(0, 20),
        updated: call.now,
      })
      insertSystemMessage(call, row, {
        subtype: 'channel_name',
        user,
        text: `<@${user}> has renamed the channel from "${channel.name}" to "${name}"`,
        extra: { old_name: channel.name, name },
      })
      return { channel: { ...channelShape(call, row, { isWhole: true, numMembers: true }), locale: 'en-US' } }
    },
  }),
  'conversations.setTopic': method({
    effect: 'write',
    args: { channel: must(str), topic: must(str) },
    run: (call, args) => setTopic(call, { channel: args.channel, text: args.topic }),
  }),
  'conversations.setPurpose': method({
    effect: 'write',
    args: { channel: must(str), purpose: must(str) },
    run: (call, args) => setPurpose(call, { channel: args.channel, text: args.purpose }),
  }),
  'conversations.mark': method({
    effect: 'write',
    args: { channel: must(str), ts: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      requireMember(call, channel)
      const ts = readBound(args.ts)
      if (ts === undefined) throw new VendorError('invalid_timestamp')
      const id = `${channel.id}:${selfOf(call)}`
      if (call.tables.read_state.has(id)) call.tables.read_state.update(id, { last_read: ts })
      else call.tables.read_state.insert({ id, last_read: ts, is_open: true })
      return {}
    },
  }),
}
