import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { canSee, knownMessage, knownUser, selfOf, visibleChannel, visibleFile } from '../../access.ts'
import { flag, int, method, must, str } from '../../methods/method.ts'
import { makeCursor, nextCursor, pageOf, pagingShape, readCursor, readPaging } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import { messageShape } from '../../shapes/message.ts'
import type { Chat, FileRow, MessageRow, ReactionRow } from '../../tables.ts'
import { canonicalName, isEmoji } from './emoji.ts'

const maxEmoji = 50
const maxOwn = 23

const readName = (text: string): string => {
  const name = text.replace(/^:|:$/g, '')
  if (!isEmoji(name)) throw new VendorError('invalid_name')
  return canonicalName(name)
}

interface Item {
  readonly channel?: string | undefined
  readonly timestamp?: string | undefined
  readonly file?: string | undefined
}

const codes = { bad: 'bad_timestamp', absent: 'message_not_found' }

const findItem = (call: Chat, args: Item): { message: MessageRow } | { file: FileRow } => {
  if (args.file) return { file: visibleFile(call, args.file) }
  if (!args.channel || !args.timestamp) throw new VendorError('no_item_specified')
  return { message: knownMessage(call, visibleChannel(call, args.channel), args.timestamp, codes) }
}

const add = (reactions: readonly ReactionRow[], name: string, user: string): ReactionRow[] => {
  const found = reactions.find((reaction) => reaction.name === name)
  if (found?.users.includes(user)) throw new VendorError('already_reacted')
  if (!found && reactions.length >= maxEmoji) throw new VendorError('too_many_emoji')
  if (reactions.filter(({ users }) => users.includes(user)).length >= maxOwn)
    throw new VendorError('too_many_reactions')
  if (!found) return [...reactions, { name, users: [user], count: 1 }]
  const users = [...found.users, user]
  return reactions.map((reaction) => (reaction === found ? { name, users, count: users.length } : reaction))
}

const remove = (reactions: readonly ReactionRow[], name: string, user: string): ReactionRow[] => {
  if (!reactions.find((reaction) => reaction.name === name)?.users.includes(user))
    throw new VendorError('no_reaction')
  return reactions
    .map((reaction) => {
      if (reaction.name !== name) return reaction
      const users = reaction.users.filter((one) => one !== user)
      return { name, users, count: users.length }
    })
    .filter(({ count }) => count > 0)
}

const put = (call: Chat, item: { message: MessageRow } | { file: FileRow }, reactions: ReactionRow[]) => {
  const kept = reactions.length > 0 ? reactions : undefined
  if ('file' in item) call.tables.file.update(item.file.id, { reactions: kept })
  else call.tables.message.update(item.message.id, { reactions: kept })
}

const reactionsOf = (item: { message: MessageRow } | { file: FileRow }): readonly ReactionRow[] =>
  ('file' in item ? item.file.reactions : item.message.reactions) ?? []

export const reactionMethods = {
  'reactions.add': method({
    effect: 'write',
    args: { channel: must(str), name: must(str), timestamp: must(str) },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      const name = readName(args.name)
      const message = knownMessage(call, channel, args.timestamp, codes)
      if (channel.is_archived) throw new VendorError('is_archived')
      if (message.subtype === 'tombstone') throw new VendorError('not_reactable')
      const item = { message }
      put(call, item, add(reactionsOf(item), name, selfOf(call)))
      return {}
    },
  }),
  'reactions.remove': method({
    effect: 'write',
    args: { name: must(str), channel: str, timestamp: str, file: str, file_comment: str },
    run: (call, args) => {
      const item = findItem(call, args)
      put(call, item, remove(reactionsOf(item), readName(args.name), selfOf(call)))
      return {}
    },
  }),
  'reactions.get': method({
    effect: 'read',
    args: { channel: str, timestamp: str, file: str, file_comment: str, full: flag },
    run: (call, args) => {
      const item = findItem(call, args)
      if ('file' in item) return { type: 'file', file: fileShape(call, item.file) }
      const message = messageShape(call, item.message, { permalink: true })
      return { type: 'message', channel: item.message.channel, message }
    },
  }),
  'reactions.list': method({
    effect: 'read',
    args: { user: str, count: int, page: int, cursor: str, limit: int, full: flag, team_id: str },
    run: (call, args) => {
      const user = args.user ? knownUser(call, args.user).id : selfOf(call)
      const seen = [...call.tables.message.find('reactor', user, { reverse: true })].filter((row) => {
        const channel = call.tables.channel.get(row.channel)
        return channel !== undefined && canSee(call, channel)
      })
      const shape = (row: MessageRow) => ({
        type: 'message',
        channel: row.channel,
        message: messageShape(call, row, { permalink: true }),
      })
      if (args.cursor || args.limit) {
        const after = readCursor('reaction', args.cursor)
        const rest = after === undefined ? seen : seen.filter(({ ts }) => ts < after)
        const limit = Math.min(Math.max(args.limit ?? 100, 1), 1_000)
        const last = rest.length > limit ? rest[limit - 1] : undefined
        return {
          items: rest.slice(0, limit).map(shape),
          ...nextCursor(last ? makeCursor('reaction', last.ts) : ''),
        }
      }
      const paging = readPaging(args, 100, 1_000)
      return {
        items: pageOf(seen, paging).map(shape),
        paging: pagingShape(seen.length, paging),
        ...nextCursor(''),
      }
    },
  }),
}
