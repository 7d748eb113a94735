import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { canSeeUser, isAdmin, isBotCall, knownUser, selfOf, teamOf } from '../../access.ts'
import { file, flag, int, invalidArguments, json, list, method, must, str } from '../../methods/method.ts'
import { makeCursor, nextCursor, readCursor, take } from '../../methods/pages.ts'
import { profileShape, userShape } from '../../shapes/user.ts'
import type { Chat, UserRow } from '../../tables.ts'
import { lookup } from '../../values/records.ts'
import { nowSeconds } from '../../values/time.ts'
import { imageSize } from '../files/image-size.ts'
import { isEmoji } from '../messages/emoji.ts'

/** Standard fields of a profile that may be set, with the longest text each takes. */
const settable: Readonly<Record<string, number>> = {
  title: 255,
  phone: 255,
  skype: 255,
  real_name: 80,
  display_name: 80,
  first_name: 80,
  last_name: 80,
  status_text: 100,
  status_emoji: 100,
  pronouns: 80,
  start_date: 20,
  email: 254,
}

const maxUsers = 1_000
const maxPhotoSide = 1_024

type ProfileChange = Partial<UserRow['profile']>

const readProfile = (call: Chat, given: Record<string, unknown>, row: UserRow): ProfileChange => {
  const change: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const most = lookup(settable, name)
    if (name === 'fields') change.fields = { ...row.profile.fields, ...readFields(value) }
    else if (name === 'status_expiration') change.status_expiration = Number(value) || 0
    else if (most !== undefined) {
      if (typeof value !== 'string') throw new VendorError('invalid_profile')
      if ([...value].length > most) throw new VendorError('too_long')
      change[name] = value
    }
  }
  const emoji = change.status_emoji
  if (typeof emoji === 'string' && emoji !== '' && !isEmoji(emoji.replace(/^:|:$/g, '')))
    throw new VendorError('profile_status_set_failed_not_valid_emoji')
  if (typeof change.display_name === 'string') checkDisplayName(change.display_name)
  const { email } = change
  if (typeof email === 'string') {
    const taken = call.tables.user.first('email', email.toLowerCase())
    if (taken && taken.id !== row.id) throw new VendorError('email_taken')
  }
  return withNames(change, row)
}

/** Names that mention everybody in a place. */
const reservedNames = new Set(['channel', 'everyone', 'group', 'here', 'slackbot'])

const checkDisplayName = (name: string): void => {
  if (name.startsWith('@')) throw new VendorError('invalid_starts_with_at')
  if (reservedNames.has(name.trim().toLowerCase())) throw new VendorError('reserved_name')
}

/** First and last name follow the full name, and the other way round. */
const withNames = (change: ProfileChange, row: UserRow): ProfileChange => {
  if (change.real_name !== undefined) {
    const [first = '', ...rest] = change.real_name.split(' ')
    return { first_name: first, last_name: rest.join(' '), ...change }
  }
  if (change.first_name === undefined && change.last_name === undefined) return change
  const first = change.first_name ?? row.profile.first_name
  const last = change.last_name ?? row.profile.last_name
  return { ...change, real_name: `${first} ${last}`.trim() }
}

const readFields = (value: unknown): UserRow['profile']['fields'] => {
  if (!isRecord(value)) throw new VendorError('invalid_profile')
  return Object.fromEntries(
    Object.entries(value).map(([id, field]) => {
      if (!isRecord(field)) throw new VendorError('invalid_profile')
      return [id, { value: String(field.value ?? ''), alt: String(field.alt ?? '') }]
    }),
  )
}

export const userMethods = {
  'users.list': method({
    effect: 'read',
    args: { cursor: str, include_locale: flag, limit: int, team_id: str },
    run: (call, args) => {
      const from = readCursor('user', args.cursor)
      if (from !== undefined && !call.tables.user.has(from)) throw new VendorError('invalid_cursor')
      const limit = args.limit && args.limit > 0 ? Math.min(args.limit, 1_000) : Number.POSITIVE_INFINITY
      const range = from === undefined ? {} : { after: from.slice(0, -1) }
      const found = call.tables.user.find('all', 'all', range)
      const rows = Iterator.from(found).filter(
        ({ id }) => (from === undefined || id >= from) && canSeeUser(call, id),
      )
      const { items, more } = take(rows, limit + 1)
      const extra = items.length > limit || more ? items.pop() : undefined
      return {
        members: items.map((row) => userShape(call, row, args.include_locale)),
        cache_ts: nowSeconds(call),
        ...nextCursor(extra ? makeCursor('user', extra.id) : ''),
      }
    },
  }),
  'users.info': method({
    effect: 'read',
    args: { user: str, users: list, include_locale: flag },
    run: (call, args) => {
      const shown = (id: string) => {
        const row = knownUser(call, id)
        if (!canSeeUser(call, row.id)) throw new VendorError('user_not_visible')
        return userShape(call, row, args.include_locale)
      }
      if (args.user !== undefined) return { user: shown(args.user) }
      if (!args.users) throw invalidArguments('missing required field: user')
      if (args.users.length > maxUsers) throw new VendorError('too_many_users')
      return { users: args.users.map(shown) }
    },
  }),
  'users.lookupByEmail': method({
    effect: 'read',
    args: { email: must(str) },
    run: (call, args) => {
      const user = call.tables.user.first('email', args.email.trim().toLowerCase())
      if (!user || user.deleted || !canSeeUser(call, user.id)) throw new VendorError('users_not_found')
      return { user: userShape(call, user) }
    },
  }),
  'users.profile.get': method({
    effect: 'read',
    args: { user: str, include_labels: flag },
    run: (call, args) => {
      const row = knownUser(call, args.user || selfOf(call))
      return { profile: profileShape(call, row, args.include_labels) }
    },
  }),
  'users.profile.set': method({
    effect: 'write',
    args: { user: str, profile: json('invalid_profile'), name: str, value: str },
    run: (call, args) => {
      const row = knownUser(call, args.user || selfOf(call))
      if (row.id !== selfOf(call) && !isAdmin(call)) throw new VendorError('not_admin')
      const given = args.name ? { [args.name]: args.value ?? '' } : args.profile
      if (!isRecord(given)) throw new VendorError('invalid_profile')
      const profile = { ...row.profile, ...readProfile(call, given, row) }
      const changed = call.tables.user.update(row.id, {
        profile,
        real_name: profile.real_name,
        updated: nowSeconds(call),
      })
      return { username: changed.name, profile: profileShape(call, changed) }
    },
  }),
  'users.getPresence': method({
    effect: 'read',
    args: { user: str },
    run: (call, args) => {
      const row = knownUser(call, args.user || selfOf(call))
      const isOnline = row.presence === 'active'
      if (row.id !== selfOf(call) || isBotCall(call)) return { presence: row.presence }
      return {
        presence: row.presence,
        online: isOnline,
        auto_away: false,
        manual_away: !isOnline,
        connection_count: 1,
        last_activity: nowSeconds(call),
      }
    },
  }),
  'users.setPresence': method({
    effect: 'write',
    args: { presence: must(str) },
    run: (call, args) => {
      if (args.presence !== 'auto' && args.presence !== 'away') throw new VendorError('invalid_presence')
      call.tables.user.update(selfOf(call), { presence: args.presence === 'auto' ? 'active' : 'away' })
      return {}
    },
  }),
  'users.setActive': method({ effect: 'read', args: {}, run: () => ({}) }),
  'users.identity': method({
    effect: 'read',
    args: {},
    run: (call) => {
      const row = knownUser(call, selfOf(call))
      const { email, image_24, image_32, image_48, image_72, image_192, image_512 } = profileShape(call, row)
      const team = teamOf(call)
      return {
        user: {
          name: row.real_name,
          id: row.id,
          email,
          image_24,
          image_32,
          image_48,
          image_72,
          image_192,
          image_512,
        },
        team: { id: team.id, name: team.name, domain: team.domain },
      }
    },
  }),
  'users.setPhoto': method({
    effect: 'write',
    args: { image: file, crop_x: int, crop_y: int, crop_w: int },
    run: (call, args) => {
      const bytes = args.image && Buffer.from(args.image)
      const size = bytes && imageSize(bytes)
      if (!bytes || !size) throw new VendorError('bad_image')
      if (Math.max(size.width, size.height) > maxPhotoSide) throw new VendorError('too_large')
      const row = knownUser(call, selfOf(call))
      const profile = { ...row.profile, avatar_hash: sha256(bytes.toString('base64')).slice(0, 12) }
      call.tables.user.update(row.id, { profile, updated: nowSeconds(call) })
      return {}
    },
  }),
  'users.deletePhoto': method({
    effect: 'write',
    args: {},
    run: (call) => {
      const row = knownUser(call, selfOf(call))
      call.tables.user.update(row.id, {
        profile: { ...row.profile, avatar_hash: `g${row.id.toLowerCase()}` },
      })
      return {}
    },
  }),
}
