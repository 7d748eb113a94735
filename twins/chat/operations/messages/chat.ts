import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isBotCall, knownMessage, knownUser, selfOf, visibleChannel } from '../../access.ts'
import { type Answer, flag, list, method, must, str } from '../../methods/method.ts'
import { messageShape } from '../../shapes/message.ts'
import type { Chat, MessageRow } from '../../tables.ts'
import { messageId } from '../../values/ids.ts'
import { nextTs, nowTs } from '../../values/time.ts'
import { permalink } from '../../wire/urls.ts'
import { compose, contentArgs, draftOf, replyTarget, requireAudience, writable } from './compose.ts'
import { insertMessage, recountThread } from './post.ts'
import { richText } from './richtext.ts'

const identityArgs = { username: str, icon_emoji: str, icon_url: str, as_user: flag }

const maxUpdate = 4_000

/** A custom name or picture makes a message the work of a bot without a profile. */
const authorship = (args: {
  username?: string | undefined
  icon_emoji?: string | undefined
  icon_url?: string | undefined
}) => {
  const emoji = args.icon_emoji?.replace(/^:?/, ':').replace(/:?$/, ':')
  const icons = emoji ? { emoji } : args.icon_url ? { image_64: args.icon_url } : undefined
  if (!args.username && !icons) return {}
  return {
    subtype: 'bot_message',
    ...(args.username && { username: args.username }),
    ...(icons && { icons }),
  }
}

const warned = (answer: Answer, warning: string | undefined): Answer =>
  warning ? { ...answer, warning, response_metadata: { warnings: [warning] } } : answer

const ownMessage = (call: Chat, row: MessageRow): boolean => row.user === selfOf(call)

/** Who may take a message away: its author, and for people the workspace's admins. */
const mayDelete = (call: Chat, row: MessageRow): boolean =>
  ownMessage(call, row) || (!isBotCall(call) && call.tables.user.get(selfOf(call))?.is_admin === true)

const fixed = (row: MessageRow): boolean =>
  row.subtype !== undefined && (row.subtype.startsWith('channel_') || row.subtype === 'tombstone')

const update = (call: Chat, row: MessageRow, args: Parameters<typeof compose>[1]): MessageRow => {
  if ((args.text?.length ?? 0) > maxUpdate) throw new VendorError('msg_too_long')
  const composed = compose(call, args, row.id)
  const changesText = args.text !== undefined || args.markdown_text !== undefined
  const changesBlocks = args.blocks !== undefined
  const text = changesText || changesBlocks ? composed.text : row.text
  const blocks = composed.blocks?.(row.ts) ?? (changesText ? richText(text, row.id) : row.blocks)
  return call.tables.message.update(row.id, {
    text,
    blocks,
    ...(args.attachments !== undefined && { attachments: composed.attachments }),
    ...(args.metadata !== undefined && { metadata: composed.metadata }),
    edited: { user: selfOf(call), ts: nowTs(call) },
  })
}

export const chatMethods = {
  'chat.postMessage': method({
    effect: 'write',
    args: {
      channel: must(str),
      ...contentArgs,
      ...identityArgs,
      thread_ts: str,
      reply_broadcast: flag,
      mrkdwn: flag,
      unfurl_links: flag,
      unfurl_media: flag,
    },
    run: (call, args) => {
      const channel = writable(call, args.channel, { isReply: Boolean(args.thread_ts) })
      const composed = compose(call, args, channel.id)
      const threadTs = replyTarget(call, channel, args.thread_ts)
      const row = insertMessage(call, {
        ...draftOf(call, channel, composed),
        mrkdwn: args.mrkdwn !== false,
        threadTs,
        broadcast: args.reply_broadcast,
        ...(isBotCall(call) && authorship(args)),
      })
      const message = messageShape(call, row, { metadata: true })
      return warned({ channel: channel.id, ts: row.ts, message }, composed.warning)
    },
  }),
  'chat.meMessage': method({
    effect: 'write',
    args: { channel: must(str), text: must(str) },
    run: (call, args) => {
      const channel = writable(call, args.channel)
      const composed = compose(call, args, channel.id)
      const row = insertMessage(call, { ...draftOf(call, channel, composed), subtype: 'me_message' })
      return { channel: channel.id, ts: row.ts }
    },
  }),
  'chat.postEphemeral': method({
    effect: 'write',
    args: { channel: must(str), user: must(str), ...contentArgs, ...identityArgs, thread_ts: str },
    run: (call, args) => {
      const channel = writable(call, args.channel, {
        mustBeIn: true,
        isReply: Boolean(args.thread_ts),
        postingCode: 'restricted_action',
      })
      const to = knownUser(call, args.user, 'user_not_in_channel').id
      requireAudience(call, channel, to)
      const composed = compose(call, args, channel.id)
      const threadTs = replyTarget(call, channel, args.thread_ts)
      const ts = nextTs(call, channel.id)
      const blocks = composed.blocks?.(ts)
      call.tables.ephemeral_message.insert({
        id: messageId(channel.id, ts),
        channel: channel.id,
        ts,
        user: selfOf(call),
        to,
        text: composed.text,
        ...(threadTs && { thread_ts: threadTs }),
        ...(blocks && { blocks }),
        ...(composed.attachments && { attachments: composed.attachments }),
      })
      return { message_ts: ts }
    },
  }),
  'chat.update': method({
    effect: 'write',
    args: {
      channel: must(str),
      ts: must(str),
      ...contentArgs,
      as_user: flag,
      reply_broadcast: flag,
      file_ids: list,
    },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      if (channel.is_archived) throw new VendorError('is_inactive')
      const row = knownMessage(call, channel, args.ts)
      if (!ownMessage(call, row) || fixed(row)) throw new VendorError('cant_update_message')
      if (row.streaming) throw new VendorError('streaming_state_conflict')
      if (args.reply_broadcast && row.thread_ts === undefined) throw new VendorError('cant_broadcast_message')
      const changed = update(call, row, args)
      const shown = args.reply_broadcast
        ? call.tables.message.update(changed.id, { subtype: 'thread_broadcast' })
        : changed
      return {
        channel: channel.id,
        ts: shown.ts,
        text: shown.text,
        message: messageShape(call, shown, { metadata: true }),
      }
    },
  }),
  'chat.delete': method({
    effect: 'write',
    args: { channel: must(str), ts: must(str), as_user: flag },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      const row = knownMessage(call, channel, args.ts)
      if (fixed(row) || !mayDelete(call, row)) throw new VendorError('cant_delete_message')
      if (call.tables.pin.has(row.id)) call.tables.pin.delete(row.id)
      if (call.tables.thread.has(row.id)) leaveTombstone(call, row)
      else call.tables.message.delete(row.id)
      if (row.thread_ts) recountThread(call, messageId(row.channel, row.thread_ts))
      return { channel: channel.id, ts: row.ts }
    },
  }),
  'chat.getPermalink': method({
    effect: 'read',
    args: { channel: must(str), message_ts: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      const row = knownMessage(call, channel, args.message_ts)
      return { channel: channel.id, permalink: permalink(call, row) }
    },
  }),
}

/** A parent whose replies remain leaves a mark where it stood. */
const leaveTombstone = (call: Chat, row: MessageRow): void => {
  call.tables.message.delete(row.id)
  call.tables.message.insert({
    id: row.id,
    channel: row.channel,
    ts: row.ts,
    type: 'message',
    subtype: 'tombstone',
    user: 'USLACKBOT',
    hidden: true,
    text: 'This message was deleted.',
  })
}
