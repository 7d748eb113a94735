import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { canSeeUser, knownUser, selfOf, visibleChannel } from '../../access.ts'
import { flag, list, method, must, str } from '../../methods/method.ts'
import { channelShape } from '../../shapes/conversation.ts'
import type { ChannelRow, Chat } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { seconds, zeroTs } from '../../values/time.ts'

const maxOthers = 8

export interface Opened {
  readonly channel: ChannelRow
  readonly isNew: boolean
  readonly wasOpen: boolean
}

const findDirect = (call: Chat, users: readonly string[]): ChannelRow | undefined =>
  call.tables.channel.first('users', users.join(','))

/** The direct message between the caller and these people; the same people always share the same one. */
export const openDirect = (call: Chat, others: readonly string[]): Opened => {
  const users = [...new Set([...others, selfOf(call)])].sort()
  const found = findDirect(call, users)
  if (found) return { channel: found, isNew: false, wasOpen: markOpen(call, found.id, selfOf(call), true) }
  const channel = call.tables.channel.insert(directRow(call, users, others.length > 1))
  for (const [place, user] of users.entries()) {
    call.tables.channel_member.insert({
      id: `${channel.id}:${user}`,
      channel: channel.id,
      user,
      joined: call.now * 1_000 + place,
    })
    markOpen(call, channel.id, user, true)
  }
  return { channel, isNew: true, wasOpen: false }
}

const directRow = (call: Chat, users: readonly string[], isGroup: boolean): ChannelRow => {
  const none = { value: '', creator: '', last_set: 0 }
  const handles = users.map((user) => call.tables.user.get(user)?.name ?? user)
  const self = selfOf(call)
  const purpose = isGroup
    ? {
        value: `Group messaging with: ${handles.map((name) => `@${name}`).join(' ')}`,
        creator: self,
        last_set: seconds(call.now),
      }
    : none
  return {
    id: nativeId(isGroup ? 'C' : 'D', call.draw('channel')),
    name: isGroup ? `mpdm-${handles.join('--')}-1` : '',
    kind: isGroup ? 'mpim' : 'im',
    created: seconds(call.now),
    creator: self,
    is_archived: false,
    is_general: false,
    topic: none,
    purpose,
    previous_names: [],
    updated: call.now,
    users: [...users],
  }
}

/** Opens or closes a direct message for one person; says whether it was open before. */
const markOpen = (call: Chat, channel: string, user: string, isOpen: boolean): boolean => {
  const id = `${channel}:${user}`
  const state = call.tables.read_state.get(id)
  if (!state) call.tables.read_state.insert({ id, last_read: zeroTs, is_open: isOpen })
  else if (state.is_open !== isOpen) call.tables.read_state.update(id, { is_open: isOpen })
  return state?.is_open ?? false
}

const requireUsers = (call: Chat, users: readonly string[]): string[] => {
  if (users.length === 0) throw new VendorError('users_list_not_supplied')
  const others = [...new Set(users)].filter((user) => user !== selfOf(call))
  if (others.length > maxOthers) throw new VendorError('too_many_users')
  for (const user of others) {
    if (knownUser(call, user).deleted) throw new VendorError('user_disabled')
    if (!canSeeUser(call, user)) throw new VendorError('user_not_visible')
  }
  return others.length === 0 ? [selfOf(call)] : others
}

const target = (
  call: Chat,
  args: {
    users?: string[] | undefined
    channel?: string | undefined
    prevent_creation?: boolean | undefined
  },
): Opened => {
  if (args.channel !== undefined && args.channel !== '') {
    const channel = visibleChannel(call, args.channel)
    if (channel.kind !== 'im' && channel.kind !== 'mpim')
      throw new VendorError('method_not_supported_for_channel_type')
    return { channel, isNew: false, wasOpen: markOpen(call, channel.id, selfOf(call), true) }
  }
  const others = requireUsers(call, args.users ?? [])
  const users = [...new Set([...others, selfOf(call)])].sort()
  if (args.prevent_creation && !findDirect(call, users)) throw new VendorError('channel_not_found')
  return openDirect(call, others)
}

export const direct = {
  'conversations.open': method({
    effect: 'write',
    args: { channel: str, users: list, return_im: flag, prevent_creation: flag },
    run: (call, args) => {
      const { channel, isNew, wasOpen } = target(call, args)
      return {
        ...(wasOpen && !isNew && { no_op: true, already_open: true }),
        channel:
          args.return_im || channel.kind === 'mpim'
            ? channelShape(call, channel, { isWhole: true })
            : { id: channel.id },
      }
    },
  }),
  'conversations.close': method({
    effect: 'write',
    args: { channel: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      if (channel.kind !== 'im' && channel.kind !== 'mpim')
        throw new VendorError('method_not_supported_for_channel_type')
      const wasOpen = markOpen(call, channel.id, selfOf(call), false)
      return wasOpen ? {} : { no_op: true, already_closed: true }
    },
  }),
}
