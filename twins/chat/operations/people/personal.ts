import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { knownMessage, knownUser, selfOf, visibleChannel, visibleFile } from '../../access.ts'
import { int, list, method, must, str } from '../../methods/method.ts'
import { nextCursor, pageOf, pagingShape, readPaging } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import { messageShape } from '../../shapes/message.ts'
import type { Chat } from '../../tables.ts'
import { nowSeconds } from '../../values/time.ts'

const maxSnoozeMinutes = 1_440 * 365
/** Nobody of the twin's people keeps quiet hours; the service then names a moment long past. */
const noQuietHours = { dnd_enabled: false, next_dnd_start_ts: 1, next_dnd_end_ts: 1 }

const snooze = (call: Chat, user: string) => {
  const now = nowSeconds(call)
  const end = call.tables.dnd.get(user)?.snooze_endtime ?? 0
  if (end <= now) return { snooze_enabled: false }
  return {
    snooze_enabled: true,
    snooze_endtime: end,
    snooze_remaining: end - now,
    snooze_is_indefinite: false,
  }
}

const setSnooze = (call: Chat, endtime: number): void => {
  const id = selfOf(call)
  if (call.tables.dnd.has(id)) call.tables.dnd.update(id, { snooze_endtime: endtime })
  else call.tables.dnd.insert({ id, snooze_endtime: endtime })
}

export const dndMethods = {
  'dnd.info': method({
    effect: 'read',
    args: { user: str, team_id: str },
    run: (call, args) => {
      const user = knownUser(call, args.user || selfOf(call)).id
      return { ...noQuietHours, ...snooze(call, user) }
    },
  }),
  'dnd.teamInfo': method({
    effect: 'read',
    args: { users: must(list, 'no_users_provided'), team_id: str },
    run: (call, args) => ({
      users: Object.fromEntries(
        args.users.filter((id) => call.tables.user.has(id)).map((id) => [id, noQuietHours]),
      ),
    }),
  }),
  'dnd.setSnooze': method({
    effect: 'write',
    args: { num_minutes: must(int, 'missing_duration') },
    run: (call, args) => {
      if (args.num_minutes <= 0) throw new VendorError('missing_duration')
      if (args.num_minutes > maxSnoozeMinutes) throw new VendorError('too_long')
      setSnooze(call, nowSeconds(call) + args.num_minutes * 60)
      return snooze(call, selfOf(call))
    },
  }),
  'dnd.endSnooze': method({
    effect: 'write',
    args: {},
    run: (call) => {
      if (!snooze(call, selfOf(call)).snooze_enabled) throw new VendorError('snooze_not_active')
      setSnooze(call, 0)
      return { ...noQuietHours, snooze_enabled: false }
    },
  }),
  'dnd.endDnd': method({
    effect: 'write',
    args: {},
    run: (call) => {
      if (!snooze(call, selfOf(call)).snooze_enabled) throw new VendorError('not_in_dnd')
      setSnooze(call, 0)
      return {}
    },
  }),
}

interface Starred {
  readonly channel?: string | undefined
  readonly timestamp?: string | undefined
  readonly file?: string | undefined
}

const codes = { bad: 'bad_timestamp', absent: 'message_not_found' }

/** What is starred, and the key under which that is remembered. */
const findStarred = (call: Chat, args: Starred) => {
  const self = selfOf(call)
  if (args.file) {
    const file = visibleFile(call, args.file).id
    return { id: `${self}:${file}`, type: 'file' as const, file }
  }
  if (!args.channel) throw new VendorError('no_item_specified')
  const channel = visibleChannel(call, args.channel)
  if (!args.timestamp) return { id: `${self}:${channel.id}`, type: 'channel' as const, channel: channel.id }
  const message = knownMessage(call, channel, args.timestamp, codes)
  return { id: `${self}:${message.id}`, type: 'message' as const, channel: channel.id, ts: message.ts }
}

const starArgs = { channel: str, timestamp: str, file: str, file_comment: str }

export const starMethods = {
  'stars.add': method({
    effect: 'write',
    args: starArgs,
    run: (call, args) => {
      const item = findStarred(call, args)
      if (call.tables.star.has(item.id)) throw new VendorError('already_starred')
      call.tables.star.insert({ ...item, user: selfOf(call), date_create: nowSeconds(call) })
      return {}
    },
  }),
  'stars.remove': method({
    effect: 'write',
    args: starArgs,
    run: (call, args) => {
      const item = findStarred(call, args)
      if (!call.tables.star.has(item.id)) throw new VendorError('not_starred')
      call.tables.star.delete(item.id)
      return {}
    },
  }),
  'stars.list': method({
    effect: 'read',
    args: { count: int, page: int, cursor: str, limit: int, team_id: str },
    run: (call, args) => {
      const items = [...call.tables.star.find('user', selfOf(call), { reverse: true })].flatMap(
        (star): Record<string, unknown>[] => {
          const at = { type: star.type, date_create: star.date_create }
          if (star.type === 'channel') return [{ ...at, channel: star.channel }]
          const file = star.file === undefined ? undefined : call.tables.file.get(star.file)
          if (star.type === 'file') return file ? [{ ...at, file: fileShape(call, file) }] : []
          const message = call.tables.message.get(`${star.channel}:${star.ts}`)
          if (!message) return []
          return [{ ...at, channel: star.channel, message: messageShape(call, message, { permalink: true }) }]
        },
      )
      const paging = readPaging({ count: args.limit || args.count, page: args.page }, 100, 1_000)
      return {
        items: pageOf(items, paging),
        paging: { ...pagingShape(items.length, paging), per_page: paging.count, spill: 0 },
        ...nextCursor(''),
      }
    },
  }),
}
