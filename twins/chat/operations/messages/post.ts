import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { botOf, isBotCall, isMember, selfOf } from '../../access.ts'
import type { BotRow, ChannelRow, Chat, MessageRow } from '../../tables.ts'
import { messageId } from '../../values/ids.ts'
import { nextTs, readTs } from '../../values/time.ts'
import { richText } from './richtext.ts'

type Json = Record<string, unknown>

export interface Draft {
  readonly channel: ChannelRow
  readonly user: string
  /** Set where the integration bot is the author. */
  readonly bot?: BotRow | undefined
  readonly text: string
  readonly mrkdwn?: boolean
  readonly blocks?: ((ts: string) => Json[] | undefined) | undefined
  readonly attachments?: Json[] | undefined
  readonly metadata?: Json | undefined
  readonly threadTs?: string | undefined
  readonly broadcast?: boolean | undefined
  readonly subtype?: string | undefined
  readonly username?: string | undefined
  readonly icons?: Json | undefined
  readonly files?: MessageRow['files']
  readonly streaming?: boolean
  /** When it is posted; the world's now when left out. */
  readonly atMs?: number
}

/** Who a message of this caller comes from. */
export const authorOf = (call: Chat): { user: string; bot?: BotRow } =>
  isBotCall(call) ? { user: selfOf(call), bot: botOf(call) } : { user: selfOf(call) }

/** The message that a reply belongs to: replying to a reply joins its thread. */
export const threadRoot = (call: Chat, channel: ChannelRow, threadTs: string): MessageRow => {
  if (readTs(threadTs) === undefined) throw new VendorError('invalid_thread_ts')
  const found = call.tables.message.get(messageId(channel.id, threadTs))
  if (!found) throw new VendorError('thread_not_found')
  if (found.thread_ts === undefined || found.thread_ts === found.ts) return found
  const root = call.tables.message.get(messageId(channel.id, found.thread_ts))
  return root ?? found
}

/** Puts a message into its channel and counts it in its thread. */
export const insertMessage = (call: Chat, draft: Draft): MessageRow => {
  const { channel, user, bot, text } = draft
  const root = draft.threadTs === undefined ? undefined : threadRoot(call, channel, draft.threadTs)
  const ts = nextTs(call, channel.id, draft.atMs)
  const id = messageId(channel.id, ts)
  const blocks = draft.blocks?.(ts) ?? (hasOwnBlocks(draft) ? undefined : richText(text, id, draft.mrkdwn))
  const subtype = draft.subtype ?? (root && draft.broadcast ? 'thread_broadcast' : undefined)
  const row: MessageRow = {
    id,
    channel: channel.id,
    ts,
    type: 'message',
    ...(subtype && { subtype }),
    user,
    ...(bot && { bot_id: bot.id, app_id: bot.app_id }),
    ...(draft.username && { username: draft.username }),
    ...(draft.icons && { icons: draft.icons }),
    text,
    ...(blocks && { blocks }),
    ...(draft.attachments && { attachments: draft.attachments }),
    ...(draft.metadata && { metadata: draft.metadata }),
    ...(draft.files && { files: draft.files }),
    ...(draft.streaming && { streaming: true }),
    ...(root && { thread_ts: root.ts, parent_user_id: root.user ?? '' }),
  }
  call.tables.message.insert(row)
  if (root) countReply(call, root, row)
  reopen(call, channel)
  return row
}

/** Text that is empty, or that only explains blocks, gets no rich text. */
const hasOwnBlocks = ({ text, subtype }: Draft): boolean => text === '' || systemSubtypes.has(subtype ?? '')

const systemSubtypes = new Set([
  'channel_join',
  'channel_leave',
  'channel_topic',
  'channel_purpose',
  'channel_name',
  'channel_archive',
  'channel_unarchive',
  'bot_message',
  'me_message',
])

const countReply = (call: Chat, root: MessageRow, reply: MessageRow): void => {
  const thread = call.tables.thread.get(root.id)
  const author = reply.user ?? reply.bot_id ?? ''
  if (!thread)
    call.tables.thread.insert({
      id: root.id,
      reply_count: 1,
      reply_users: [author],
      latest_reply: reply.ts,
    })
  else
    call.tables.thread.update(root.id, {
      reply_count: thread.reply_count + 1,
      reply_users: thread.reply_users.includes(author) ? thread.reply_users : [...thread.reply_users, author],
      latest_reply: reply.ts,
    })
}

/** Counts a thread anew after a reply has gone. */
export const recountThread = (call: Chat, rootId: string): void => {
  if (!call.tables.thread.has(rootId)) return
  const replies = [...call.tables.message.find('thread', rootId)]
  const last = replies.at(-1)
  if (!last) call.tables.thread.delete(rootId)
  else
    call.tables.thread.update(rootId, {
      reply_count: replies.length,
      reply_users: [...new Set(replies.map(({ user, bot_id }) => user ?? bot_id ?? ''))],
      latest_reply: last.ts,
    })
}

/** A direct message that somebody closed opens again when something is said in it. */
const reopen = (call: Chat, channel: ChannelRow): void => {
  for (const user of channel.users ?? []) {
    const state = call.tables.read_state.get(`${channel.id}:${user}`)
    if (state && !state.is_open) call.tables.read_state.update(state.id, { is_open: true })
  }
}

export interface SystemNote {
  readonly subtype: string
  readonly user: string
  readonly text: string
  readonly extra?: Partial<Pick<MessageRow, 'inviter' | 'topic' | 'purpose' | 'name' | 'old_name'>>
}

/** What the service itself writes into a channel when something happens to it. */
export const insertSystemMessage = (call: Chat, channel: ChannelRow, note: SystemNote): MessageRow => {
  const ts = nextTs(call, channel.id)
  return call.tables.message.insert({
    id: messageId(channel.id, ts),
    channel: channel.id,
    ts,
    type: 'message',
    subtype: note.subtype,
    user: note.user,
    text: note.text,
    ...note.extra,
  })
}

/** Adds somebody to a channel, with the message that says so. */
export const addMember = (call: Chat, channel: ChannelRow, user: string, inviter?: string): boolean => {
  if (isMember(call, channel.id, user)) return false
  call.tables.channel_member.insert({
    id: `${channel.id}:${user}`,
    channel: channel.id,
    user,
    joined: call.now * 1_000 + call.tables.channel_member.count('channel', channel.id),
  })
  if (channel.kind === 'public_channel' || channel.kind === 'private_channel')
    insertSystemMessage(call, channel, {
      subtype: 'channel_join',
      user,
      text: `<@${user}> has joined the channel`,
      ...(inviter && { extra: { inviter } }),
    })
  return true
}

export const removeMember = (call: Chat, channel: ChannelRow, user: string): void => {
  call.tables.channel_member.delete(`${channel.id}:${user}`)
  insertSystemMessage(call, channel, {
    subtype: 'channel_leave',
    user,
    text: `<@${user}> has left the channel`,
  })
}
