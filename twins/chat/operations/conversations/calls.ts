import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { isBotCall, selfOf } from '../../access.ts'
import { int, invalidArguments, json, method, must, str } from '../../methods/method.ts'
import type { Chat, ChatTables } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'

type CallRow = RowOf<ChatTables['call']>
type Participant = Record<string, unknown>

const maxParticipants = 1_000

/** People of the workspace by id, or others by an id of the app's own and a name. */
const readUsers = (call: Chat, value: unknown): Participant[] => {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > maxParticipants) throw new VendorError('invalid_arguments')
  return value.map((user: unknown) => {
    if (!isRecord(user)) throw new VendorError('invalid_arguments')
    const { slack_id, external_id, display_name, avatar_url } = user
    if (typeof slack_id === 'string') {
      if (!call.tables.user.has(slack_id)) throw new VendorError('user_not_found')
      return { slack_id }
    }
    if (typeof external_id !== 'string') throw new VendorError('user_not_found')
    return { external_id, display_name: String(display_name ?? ''), avatar_url: String(avatar_url ?? '') }
  })
}

const keyOf = (user: Participant): string => String(user.slack_id ?? `external:${String(user.external_id)}`)

const known = (call: Chat, id: string): CallRow => {
  const row = call.tables.call.get(id)
  if (!row) throw new VendorError('invalid_call_id')
  return row
}

const running = (call: Chat, id: string): CallRow => {
  const row = known(call, id)
  if (row.date_end > 0) throw new VendorError('inactive_call')
  return row
}

const shape = (row: CallRow) => ({
  id: row.id,
  date_start: row.date_start,
  ...(row.date_end > 0 && { date_end: row.date_end }),
  external_unique_id: row.external_unique_id,
  external_display_id: row.external_display_id,
  join_url: row.join_url,
  desktop_app_join_url: row.desktop_app_join_url,
  title: row.title,
  users: row.users,
  channels: row.channels,
})

const isUrl = (text: string): boolean => URL.canParse(text)

export const callMethods = {
  'calls.add': method({
    effect: 'write',
    args: {
      external_unique_id: must(str),
      join_url: must(str),
      external_display_id: str,
      desktop_app_join_url: str,
      date_start: int,
      title: str,
      created_by: str,
      users: json(),
    },
    run: (call, args) => {
      const creator = args.created_by || (isBotCall(call) ? '' : selfOf(call))
      if (creator === '' || !call.tables.user.has(creator)) throw new VendorError('invalid_created_by')
      if (!isUrl(args.join_url)) throw new VendorError('invalid_arguments')
      if (args.date_start !== undefined && args.date_start <= 0) throw new VendorError('invalid_start_time')
      const row = call.tables.call.insert({
        id: nativeId('R', call.draw('call')),
        external_unique_id: args.external_unique_id,
        external_display_id: args.external_display_id ?? '',
        join_url: args.join_url,
        desktop_app_join_url: args.desktop_app_join_url ?? '',
        title: args.title ?? '',
        date_start: args.date_start ?? nowSeconds(call),
        date_end: 0,
        created_by: creator,
        users: readUsers(call, args.users),
        channels: [],
      })
      return { call: shape(row) }
    },
  }),
  'calls.info': method({
    effect: 'read',
    args: { id: must(str) },
    run: (call, args) => {
      const row = call.tables.call.get(args.id)
      if (!row) throw invalidArguments('no such call [json-pointer:/id]')
      return { call: shape(row) }
    },
  }),
  'calls.update': method({
    effect: 'write',
    args: { id: must(str), title: str, join_url: str, desktop_app_join_url: str },
    run: (call, args) => {
      const row = known(call, args.id)
      if (args.join_url !== undefined && !isUrl(args.join_url)) throw new VendorError('invalid_arguments')
      const { title, join_url, desktop_app_join_url } = args
      const changed = call.tables.call.update(row.id, {
        ...(title !== undefined && { title }),
        ...(join_url !== undefined && { join_url }),
        ...(desktop_app_join_url !== undefined && { desktop_app_join_url }),
      })
      return { call: shape(changed) }
    },
  }),
  'calls.end': method({
    effect: 'write',
    args: { id: must(str), duration: int },
    run: (call, args) => {
      const row = running(call, args.id)
      const end = args.duration === undefined ? nowSeconds(call) : row.date_start + Math.max(0, args.duration)
      call.tables.call.update(row.id, { date_end: end })
      return {}
    },
  }),
  'calls.participants.add': method({
    effect: 'write',
    args: { id: must(str, 'missing_argument'), users: must(json(), 'missing_argument') },
    run: (call, args) => {
      const row = running(call, args.id)
      const users = readUsers(call, args.users)
      const there = new Set(row.users.map(keyOf))
      if (users.some((user) => there.has(keyOf(user)))) throw new VendorError('bad_users')
      call.tables.call.update(row.id, { users: [...row.users, ...users] })
      return {}
    },
  }),
  'calls.participants.remove': method({
    effect: 'write',
    args: { id: must(str, 'missing_argument'), users: must(json(), 'missing_argument') },
    run: (call, args) => {
      const row = running(call, args.id)
      const gone = new Set(readUsers(call, args.users).map(keyOf))
      const there = new Set(row.users.map(keyOf))
      if ([...gone].some((key) => !there.has(key))) throw new VendorError('bad_users')
      call.tables.call.update(row.id, { users: row.users.filter((user) => !gone.has(keyOf(user))) })
      return {}
    },
  }),
}
