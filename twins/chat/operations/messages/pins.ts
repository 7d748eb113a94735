import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { knownMessage, readableChannel, requireMember, selfOf, visibleChannel } from '../../access.ts'
import { type Answer, method, must, str } from '../../methods/method.ts'
import { messageShape } from '../../shapes/message.ts'
import type { Chat } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'
import { isEmoji } from './emoji.ts'

const maxPins = 100
const codes = { bad: 'bad_timestamp', absent: 'message_not_found' }

export const pinMethods = {
  'pins.add': method({
    effect: 'write',
    args: { channel: must(str), timestamp: str },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      if (!args.timestamp) throw new VendorError('no_item_specified')
      requireMember(call, channel)
      const message = knownMessage(call, channel, args.timestamp, codes)
      if (call.tables.pin.has(message.id)) throw new VendorError('already_pinned')
      if (message.subtype?.startsWith('channel_')) throw new VendorError('not_pinnable')
      if (call.tables.pin.count('channel', channel.id) >= maxPins) throw new VendorError('too_many_pins')
      call.tables.pin.insert({
        id: message.id,
        channel: channel.id,
        ts: message.ts,
        created: nowSeconds(call),
        created_by: selfOf(call),
      })
      return {}
    },
  }),
  'pins.list': method({
    effect: 'read',
    args: { channel: must(str) },
    run: (call, args) => {
      const channel = readableChannel(call, args.channel)
      const items = [...call.tables.pin.find('channel', channel.id, { reverse: true })].flatMap((pin) => {
        const message = call.tables.message.get(pin.id)
        if (!message) return []
        const { created, created_by } = pin
        const shape = messageShape(call, message, { permalink: true })
        return [{ type: 'message', channel: channel.id, message: shape, created, created_by }]
      })
      return { items }
    },
  }),
  'pins.remove': method({
    effect: 'write',
    args: { channel: must(str), timestamp: str },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      if (!args.timestamp) throw new VendorError('no_item_specified')
      const message = knownMessage(call, channel, args.timestamp, codes)
      if (!call.tables.pin.has(message.id)) throw new VendorError('no_pin')
      call.tables.pin.delete(message.id)
      return {}
    },
  }),
}

const maxBookmarks = 100

const readLink = (link: string | undefined): string => {
  if (!link || !URL.canParse(link) || !/^https?:/i.test(link)) throw new VendorError('invalid_link')
  return link
}

const bookmarkOf = (call: Chat, channelId: string | undefined, id: string | undefined) => {
  const channel = visibleChannel(call, channelId ?? '')
  const row = call.tables.bookmark.get(id ?? '')
  if (!row || row.channel_id !== channel.id) throw new VendorError('not_found')
  return row
}

const bookmarkShape = (row: Answer): Answer => ({
  ...row,
  icon_url: null,
  entity_id: row.entity_id ?? null,
  last_updated_by_team_id: null,
  shortcut_id: null,
  app_id: row.app_id ?? null,
  app_action_id: null,
})

/** An emoji by its short name, with or without colons. */
const readEmoji = (text = ''): string => {
  if (text !== '' && !isEmoji(text.replace(/^:|:$/g, ''))) throw new VendorError('invalid_emoji')
  return text
}

export const bookmarkMethods = {
  'bookmarks.add': method({
    effect: 'write',
    args: {
      channel_id: must(str),
      title: must(str),
      type: must(str),
      link: str,
      emoji: str,
      entity_id: str,
      parent_id: str,
      access_level: str,
    },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel_id)
      if (args.type !== 'link') throw new VendorError('invalid_bookmark_type')
      if (call.tables.bookmark.count('channel', channel.id) >= maxBookmarks)
        throw new VendorError('too_many_bookmarks')
      const row = call.tables.bookmark.insert({
        id: nativeId('Bk', call.draw('bookmark')),
        channel_id: channel.id,
        title: args.title,
        link: readLink(args.link),
        emoji: readEmoji(args.emoji),
        type: 'link',
        ...(args.entity_id && { entity_id: args.entity_id }),
        ...(args.parent_id && { parent_id: args.parent_id }),
        date_created: nowSeconds(call),
        date_updated: 0,
        rank: String(call.sequence('bookmark rank')).padStart(6, '0'),
        last_updated_by_user_id: selfOf(call),
      })
      return { bookmark: bookmarkShape(row) }
    },
  }),
  'bookmarks.edit': method({
    effect: 'write',
    args: { channel_id: must(str), bookmark_id: must(str), title: str, link: str, emoji: str },
    run: (call, args) => {
      const row = bookmarkOf(call, args.channel_id, args.bookmark_id)
      const changed = call.tables.bookmark.update(row.id, {
        ...(args.title !== undefined && { title: args.title }),
        ...(args.link !== undefined && { link: readLink(args.link) }),
        ...(args.emoji !== undefined && { emoji: readEmoji(args.emoji) }),
        date_updated: nowSeconds(call),
        last_updated_by_user_id: selfOf(call),
      })
      return { bookmark: bookmarkShape(changed) }
    },
  }),
  'bookmarks.list': method({
    effect: 'read',
    args: { channel_id: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel_id)
      return { bookmarks: [...call.tables.bookmark.find('channel', channel.id)].map(bookmarkShape) }
    },
  }),
  'bookmarks.remove': method({
    effect: 'write',
    args: { channel_id: must(str), bookmark_id: must(str), quip_section_id: str },
    run: (call, args) => {
      call.tables.bookmark.delete(bookmarkOf(call, args.channel_id, args.bookmark_id).id)
      return {}
    },
  }),
}
