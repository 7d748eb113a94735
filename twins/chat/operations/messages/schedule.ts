import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { botOf, isMember, namedChannel, selfOf } from '../../access.ts'
import { flag, int, method, must, str } from '../../methods/method.ts'
import { clampLimit, makeCursor, nextCursor, readCursor, take } from '../../methods/pages.ts'
import type { Chat } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { seconds } from '../../values/time.ts'
import { compose, contentArgs, replyTarget, writable } from './compose.ts'
import { insertMessage } from './post.ts'

const farthestSeconds = 120 * 24 * 3_600
const maxPerWindow = 30
const windowSeconds = 300

const requireTime = (call: Chat, postAt: number): void => {
  const now = seconds(call.now)
  if (!Number.isFinite(postAt) || postAt <= 0) throw new VendorError('invalid_time')
  if (postAt <= now) throw new VendorError('time_in_past')
  if (postAt > now + farthestSeconds) throw new VendorError('time_too_far')
}

/** No more than thirty messages may wait for one channel within five minutes. */
const requireRoom = (call: Chat, channel: string, postAt: number): void => {
  const near = { after: postAt - windowSeconds, before: postAt + windowSeconds }
  let waiting = 0
  for (const row of call.tables.scheduled_message.find('due', 'due', near))
    if (row.channel === channel) waiting++
  if (waiting >= maxPerWindow) throw new VendorError('restricted_too_many')
}

/** A message that is posted within a minute can no longer be taken back. */
const lockedSeconds = 60

export const scheduleMethods = {
  'chat.scheduleMessage': method({
    effect: 'write',
    args: {
      channel: must(str),
      post_at: must(int),
      ...contentArgs,
      as_user: flag,
      thread_ts: str,
      reply_broadcast: flag,
      unfurl_links: flag,
      unfurl_media: flag,
    },
    run: (call, args) => {
      const channel = writable(call, args.channel, { isReply: Boolean(args.thread_ts) })
      requireTime(call, args.post_at)
      requireRoom(call, channel.id, args.post_at)
      const composed = compose(call, args, channel.id)
      const threadTs = replyTarget(call, channel, args.thread_ts)
      const id = nativeId('Q', call.draw('scheduled message'))
      const blocks = composed.blocks?.(id)
      call.tables.scheduled_message.insert({
        id,
        channel: channel.id,
        user: selfOf(call),
        post_at: args.post_at,
        date_created: seconds(call.now),
        text: composed.text,
        ...(blocks && { blocks }),
        ...(composed.attachments && { attachments: composed.attachments }),
        ...(composed.metadata && { metadata: composed.metadata }),
        ...(threadTs && { thread_ts: threadTs }),
        reply_broadcast: args.reply_broadcast ?? false,
      })
      const bot = call.tables.user.get(selfOf(call))?.is_bot ? botOf(call) : undefined
      return {
        scheduled_message_id: id,
        channel: channel.id,
        post_at: args.post_at,
        message: {
          text: composed.text,
          ...(bot && { username: bot.name, bot_id: bot.id, app_id: bot.app_id }),
          type: 'delayed_message',
          subtype: 'bot_message',
          ...(blocks && { blocks }),
          ...(composed.attachments && { attachments: composed.attachments }),
        },
      }
    },
  }),
  'chat.scheduledMessages.list': method({
    effect: 'read',
    args: { channel: str, cursor: str, latest: str, limit: int, oldest: str, team_id: str },
    run: (call, args) => {
      const channel = args.channel ? namedChannel(call, args.channel) : undefined
      if (args.channel && !channel) throw new VendorError('invalid_channel')
      const [after, id] = (readCursor('scheduled', args.cursor) ?? '').split(':')
      const from = Math.max(Number(args.oldest ?? 0) - 1, Number(after ?? 0) - 1)
      const range = {
        after: Number.isFinite(from) ? from : -1,
        ...(args.latest && { before: Number(args.latest) + 1 }),
      }
      const own = call.tables.scheduled_message.find('user', selfOf(call), range)
      const wanted = Iterator.from(own).filter(
        (row) =>
          (!channel || row.channel === channel.id) && (!id || row.post_at > Number(after) || row.id >= id),
      )
      const { items, more } = take(wanted, clampLimit(args.limit, 100, 1_000) + 1)
      const last = items.length > clampLimit(args.limit, 100, 1_000) || more ? items.pop() : undefined
      return {
        scheduled_messages: items.map(({ id, channel, post_at, date_created, text }) => ({
          id,
          channel_id: channel,
          post_at,
          date_created,
          text,
        })),
        ...nextCursor(last ? makeCursor('scheduled', `${last.post_at}:${last.id}`) : ''),
      }
    },
  }),
  'chat.deleteScheduledMessage': method({
    effect: 'write',
    args: { channel: must(str), scheduled_message_id: must(str), as_user: flag },
    run: (call, args) => {
      const channel = namedChannel(call, args.channel)
      if (!channel) throw new VendorError('channel_not_found')
      const row = call.tables.scheduled_message.get(args.scheduled_message_id)
      if (!row || row.channel !== channel.id || row.user !== selfOf(call))
        throw new VendorError('invalid_scheduled_message_id')
      if (row.post_at - seconds(call.now) < lockedSeconds)
        throw new VendorError('invalid_scheduled_message_id')
      call.tables.scheduled_message.delete(row.id)
      return {}
    },
  }),
}

/** Posts what has come due. A message for a channel that is closed or left by then is dropped. */
export const postScheduled = (call: Chat): void => {
  const before = seconds(call.now) + 1
  if (!call.tables.scheduled_message.first('due', 'due', { before })) return
  for (const row of [...call.tables.scheduled_message.find('due', 'due', { before })]) {
    call.tables.scheduled_message.delete(row.id)
    const channel = call.tables.channel.get(row.channel)
    const author = call.tables.user.get(row.user)
    if (!channel || !author || channel.is_archived) continue
    const isOpen = author.is_bot && channel.kind === 'public_channel'
    if (!isOpen && !isMember(call, channel.id, author.id)) continue
    const parent = row.thread_ts && call.tables.message.has(`${channel.id}:${row.thread_ts}`)
    insertMessage(call, {
      channel,
      user: author.id,
      bot: author.is_bot ? botOf(call) : undefined,
      text: row.text,
      ...(row.blocks && { blocks: () => row.blocks }),
      attachments: row.attachments,
      metadata: row.metadata,
      threadTs: parent ? row.thread_ts : undefined,
      broadcast: row.reply_broadcast,
      atMs: row.post_at * 1_000,
    })
  }
}
