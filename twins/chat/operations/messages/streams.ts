import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { knownMessage, selfOf, visibleChannel } from '../../access.ts'
import { readAttachments } from '../../blocks/attachments.ts'
import { blockContext } from '../../blocks/context.ts'
import { flag, json, method, must, str } from '../../methods/method.ts'
import { messageShape } from '../../shapes/message.ts'
import type { Chat, MessageRow } from '../../tables.ts'
import { compose, draftOf, replyTarget, writable } from './compose.ts'
import { insertMessage } from './post.ts'
import { richText } from './richtext.ts'
import { fromMarkdown, storedText } from './text.ts'

const maxText = 40_000

/** Text that comes in pieces, as Markdown or as chunks of it; it is read as Markdown when all of it is there. */
const piece = (markdown: string | undefined, chunks: unknown): string => {
  const parts = Array.isArray(chunks) ? chunks : []
  const texts = parts.map((chunk: unknown) => {
    if (!isRecord(chunk) || typeof chunk.type !== 'string') throw new VendorError('invalid_chunks')
    return chunk.type === 'markdown_text' ? String(chunk.text ?? '') : ''
  })
  return storedText([markdown ?? '', ...texts].join(''))
}

const running = (call: Chat, channelId: string, ts: string): MessageRow => {
  const row = knownMessage(call, visibleChannel(call, channelId), ts)
  if (row.user !== selfOf(call)) throw new VendorError('message_not_owned_by_app')
  if (!row.streaming) throw new VendorError('message_not_in_streaming_state')
  return row
}

const append = (call: Chat, row: MessageRow, text: string, isLast = false): MessageRow => {
  const raw = `${row.text}${text}`
  const whole = isLast ? fromMarkdown(raw) : raw
  if (whole.length > maxText) throw new VendorError('msg_too_long')
  const blocks = whole === '' ? undefined : richText(whole, row.id)
  return call.tables.message.update(row.id, { text: whole, ...(blocks && { blocks }) })
}

export const streamMethods = {
  'chat.startStream': method({
    effect: 'write',
    args: {
      channel: must(str),
      thread_ts: str,
      markdown_text: str,
      chunks: json('invalid_chunks'),
      recipient_team_id: str,
      recipient_user_id: str,
      task_display_mode: str,
      username: str,
      icon_emoji: str,
      icon_url: str,
    },
    run: (call, args) => {
      const channel = writable(call, args.channel, { isReply: Boolean(args.thread_ts) })
      const text = piece(args.markdown_text, args.chunks)
      const threadTs = replyTarget(call, channel, args.thread_ts)
      const composed = compose(call, { text: text || '\u200b' }, channel.id)
      const row = insertMessage(call, {
        ...draftOf(call, channel, { ...composed, text }),
        threadTs,
        streaming: true,
      })
      return { channel: channel.id, ts: row.ts }
    },
  }),
  'chat.appendStream': method({
    effect: 'write',
    args: { channel: must(str), ts: must(str), markdown_text: str, chunks: json('invalid_chunks') },
    run: (call, args) => {
      const text = piece(args.markdown_text, args.chunks)
      if (text === '' && args.chunks === undefined) throw new VendorError('no_text')
      const row = append(call, running(call, args.channel, args.ts), text)
      return { channel: row.channel, ts: row.ts }
    },
  }),
  'chat.stopStream': method({
    effect: 'write',
    args: {
      channel: must(str),
      ts: must(str),
      markdown_text: str,
      chunks: json('invalid_chunks'),
      blocks: json('invalid_blocks'),
      metadata: json('invalid_metadata_format'),
    },
    run: (call, args) => {
      const last = piece(args.markdown_text, args.chunks)
      const row = append(call, running(call, args.channel, args.ts), last, true)
      const content = { text: row.text || '\u200b', blocks: args.blocks, metadata: args.metadata }
      const composed = compose(call, content, row.id)
      const added = composed.blocks?.(row.ts) ?? []
      const done = call.tables.message.update(row.id, {
        streaming: undefined,
        ...(added.length > 0 && { blocks: [...(row.blocks ?? []), ...added] }),
        ...(composed.metadata && { metadata: composed.metadata }),
      })
      return { channel: row.channel, ts: row.ts, message: messageShape(call, done, { metadata: true }) }
    },
  }),
  'chat.unfurl': method({
    effect: 'write',
    args: {
      channel: str,
      ts: str,
      unfurls: json('invalid_unfurls_format'),
      unfurl_id: str,
      source: str,
      user_auth_required: flag,
      user_auth_message: str,
      user_auth_url: str,
      user_auth_blocks: json(),
    },
    run: (call, args) => {
      if (!args.channel) throw new VendorError('missing_channel')
      if (!args.ts) throw new VendorError('missing_ts')
      const channel = visibleChannel(call, args.channel, 'cannot_find_channel')
      const row = knownMessage(call, channel, args.ts, { absent: 'cannot_find_message' })
      if (args.user_auth_required || args.user_auth_message || args.user_auth_url) return {}
      if (!isRecord(args.unfurls)) throw new VendorError('missing_unfurls')
      const cards = Object.entries(args.unfurls).map(([url, card]) => {
        if (!isRecord(card)) throw new VendorError('cannot_parse_attachment')
        if (!row.text.includes(url)) throw new VendorError('cannot_unfurl_url')
        return { ...card, from_url: url, original_url: url, is_app_unfurl: true }
      })
      const attachments = readAttachments([...(row.attachments ?? []), ...cards], {
        context: blockContext(call),
        place: row.id,
        isOwn: true,
      })
      call.tables.message.update(row.id, { attachments })
      return {}
    },
  }),
}
