import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isGuest, isMember, knownUser, readableChannel, selfOf, visibleChannel } from '../../access.ts'
import { flag, int, method, must, str } from '../../methods/method.ts'
import {
  clampLimit,
  makeCursor,
  makeTsCursor,
  nextCursor,
  readCursor,
  readTsCursor,
  take,
} from '../../methods/pages.ts'
import { channelShape } from '../../shapes/conversation.ts'
import { writtenMessages } from '../../shapes/message.ts'
import type { ChannelRow, Chat, MessageRow } from '../../tables.ts'
import { messageId } from '../../values/ids.ts'
import { microsOf, readBound, readTs, tsOf } from '../../values/time.ts'

type Kind = ChannelRow['kind']
const kinds: readonly Kind[] = ['public_channel', 'private_channel', 'mpim', 'im']

const readTypes = (text: string | undefined): Set<Kind> => {
  const named = (text === undefined || text === '' ? 'public_channel' : text)
    .split(',')
    .map((name) => name.trim())
  const known = named.map((name) => kinds.find((kind) => kind === name))
  if (known.includes(undefined)) throw new VendorError('invalid_types')
  return new Set(known.flatMap((kind) => kind ?? []))
}

/** The channels of these kinds that a member of the workspace sees, in the order of their ids, from one on. */
const listed = (
  call: Chat,
  types: ReadonlySet<Kind>,
  from: string | undefined,
  user: string,
  own: boolean,
) => {
  const range = from === undefined ? {} : { after: before(from) }
  const onlyOwn = own || isGuest(call)
  const joined = Iterator.from(call.tables.channel_member.find('user', user, range))
    .map(({ channel }) => call.tables.channel.get(channel))
    .filter((row) => row !== undefined && types.has(row.kind) && (onlyOwn || row.kind !== 'public_channel'))
  const open =
    !onlyOwn && types.has('public_channel') ? call.tables.channel.find('kind', 'public_channel', range) : []
  return mergeById(joined, open)
}

/** The greatest key below this one, near enough: keys are never prefixes of each other. */
const before = (key: string): string =>
  `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}~`

function* mergeById(
  left: Iterable<ChannelRow | undefined>,
  right: Iterable<ChannelRow>,
): Generator<ChannelRow> {
  const [a, b] = [left[Symbol.iterator](), right[Symbol.iterator]()]
  let [one, two] = [a.next(), b.next()]
  while (!one.done || !two.done) {
    const first = one.done ? undefined : one.value
    const second = two.done ? undefined : two.value
    if (first && (!second || first.id < second.id)) {
      yield first
      one = a.next()
    } else {
      if (second) yield second
      two = b.next()
    }
  }
}

const page = (rows: Iterable<ChannelRow>, limit: number) => {
  const { items, more } = take(rows, limit + 1)
  const extra = items.length > limit || more ? items.pop() : undefined
  return {
    items,
    next: nextCursor(extra ? makeCursor(extra.kind === 'im' ? 'im_id' : 'team', extra.id) : ''),
  }
}

const readListCursor = (cursor: string | undefined): string | undefined => {
  if (!cursor) return undefined
  const text = Buffer.from(cursor, 'base64').toString('utf8')
  const id = readCursor(text.startsWith('im_id:') ? 'im_id' : 'team', cursor)
  if (id === undefined || !/^[CDG][A-Z0-9]{8,10}$/.test(id)) throw new VendorError('invalid_cursor')
  return id
}

interface RangeArgs {
  readonly latest?: string | undefined
  readonly oldest?: string | undefined
  readonly inclusive?: boolean | undefined
}

/** Bounds of a stretch of messages; both ends are outside it unless the caller wants them in. */
const readRange = ({ latest, oldest, inclusive }: RangeArgs) => {
  const last = latest === undefined || latest === '' || latest === 'now' ? undefined : readBound(latest)
  const first = oldest === undefined || oldest === '' ? undefined : readBound(oldest)
  if (latest && latest !== 'now' && last === undefined) throw new VendorError('invalid_ts_latest')
  if (oldest && first === undefined) throw new VendorError('invalid_ts_oldest')
  const step = inclusive ? 1 : 0
  return {
    ...(last !== undefined && { before: tsOf(microsOf(last) + step) }),
    ...(first !== undefined && microsOf(first) > 0 && { after: tsOf(microsOf(first) - step) }),
  }
}

const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined ? b : b === undefined ? a : a < b ? a : b
const later = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined ? b : b === undefined ? a : a > b ? a : b

const rangeArgs = {
  channel: must(str),
  cursor: str,
  inclusive: flag,
  latest: str,
  limit: int,
  oldest: str,
  include_all_metadata: flag,
}

export const conversationReads = {
  'conversations.list': method({
    effect: 'read',
    args: { cursor: str, exclude_archived: flag, limit: int, team_id: str, types: str },
    run: (call, args) => {
      const types = readTypes(args.types)
      const limit = clampLimit(args.limit, 100, 1_000, 'invalid_limit')
      const rows = listed(call, types, readListCursor(args.cursor), selfOf(call), false)
      const wanted = args.exclude_archived ? Iterator.from(rows).filter((row) => !row.is_archived) : rows
      const { items, next } = page(wanted, limit)
      return { channels: items.map((row) => channelShape(call, row, { numMembers: true })), ...next }
    },
  }),
  'users.conversations': method({
    effect: 'read',
    args: {
      cursor: str,
      exclude_archived: flag,
      exclude_muted: flag,
      limit: int,
      team_id: str,
      types: str,
      user: str,
    },
    run: (call, args) => {
      const types = readTypes(args.types)
      const user = args.user ? knownUser(call, args.user).id : selfOf(call)
      const rows = listed(call, types, readListCursor(args.cursor), user, true)
      const wanted = Iterator.from(rows).filter(
        (row) =>
          !(args.exclude_archived && row.is_archived) &&
          (row.kind === 'public_channel' || isMember(call, row.id, selfOf(call))),
      )
      const { items, next } = page(wanted, clampLimit(args.limit, 100, 1_000, 'invalid_limit'))
      return { channels: items.map((row) => channelShape(call, row, { isMember: false })), ...next }
    },
  }),
  'conversations.info': method({
    effect: 'read',
    args: { channel: must(str), include_locale: flag, include_num_members: flag },
    run: (call, args) => {
      const row = visibleChannel(call, args.channel)
      const shape = channelShape(call, row, {
        isWhole: true,
        numMembers: args.include_num_members === true,
      })
      return { channel: args.include_locale || row.kind === 'im' ? { ...shape, locale: 'en-US' } : shape }
    },
  }),
  'conversations.members': method({
    effect: 'read',
    args: { channel: must(str), cursor: str, limit: int },
    run: (call, args) => {
      const channel = visibleChannel(call, args.channel)
      const limit = clampLimit(args.limit, 100, 1_000, 'invalid_limit')
      const from = readCursor('user_id', args.cursor)
      const start = from === undefined ? undefined : call.tables.channel_member.get(`${channel.id}:${from}`)
      if (from !== undefined && !start) throw new VendorError('invalid_cursor')
      const range = start ? { after: start.joined - 0.5 } : {}
      const { items, more } = take(call.tables.channel_member.find('channel', channel.id, range), limit + 1)
      const extra = items.length > limit || more ? items.pop() : undefined
      return {
        members: items.map(({ user }) => user),
        ...nextCursor(extra ? makeCursor('user_id', extra.user) : ''),
      }
    },
  }),
  'conversations.history': method({
    effect: 'read',
    args: rangeArgs,
    run: (call, args) => {
      const channel = readableChannel(call, args.channel)
      const limit = clampLimit(args.limit, 100, 999)
      const range = readRange(args)
      const start = earlier(readTsCursor(args.cursor), range.before)
      const found = call.tables.message.find('history', channel.id, {
        ...range,
        ...(start !== undefined && { before: start }),
        reverse: true,
      })
      const { items, more } = take(found, limit)
      const options = { metadata: args.include_all_metadata === true }
      const last = items.at(-1)
      return {
        messages: writtenMessages(call, items, options),
        has_more: more,
        pin_count: call.tables.pin.count('channel', channel.id),
        channel_actions_ts: null,
        channel_actions_count: 0,
        ...(more && last && nextCursor(makeTsCursor(last.ts))),
        ...(args.latest && { latest: args.latest }),
        ...(args.oldest && { oldest: args.oldest }),
      }
    },
  }),
  'conversations.replies': method({
    effect: 'read',
    args: { ...rangeArgs, ts: must(str) },
    run: (call, args) => {
      const channel = readableChannel(call, args.channel)
      const found = readTs(args.ts) && call.tables.message.get(messageId(channel.id, args.ts))
      if (!found) throw new VendorError('thread_not_found')
      const options = { metadata: args.include_all_metadata === true }
      if (found.thread_ts !== undefined && found.thread_ts !== found.ts)
        return { messages: writtenMessages(call, [found], options), has_more: false }
      const limit = clampLimit(args.limit, 1_000, 1_000)
      const { items, more } = thread(call, found, args, limit)
      const last = items.at(-1)
      return {
        messages: writtenMessages(call, items, options),
        has_more: more,
        ...(more && last && nextCursor(makeTsCursor(last.ts))),
      }
    },
  }),
}

/** The parent, which opens every page, then its replies, oldest first. */
const thread = (
  call: Chat,
  root: MessageRow,
  args: RangeArgs & { cursor?: string | undefined },
  limit: number,
) => {
  const range = readRange(args)
  const after = later(readTsCursor(args.cursor), range.after)
  const replies = call.tables.message.find('thread', root.id, {
    ...range,
    ...(after !== undefined && { after }),
  })
  const { items, more } = take(replies, Math.max(limit - 1, 1))
  return { items: [root, ...items], more }
}
