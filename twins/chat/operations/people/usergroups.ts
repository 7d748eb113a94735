import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { selfOf, teamOf } from '../../access.ts'
import { flag, list, method, must, str } from '../../methods/method.ts'
import type { Chat, ChatTables } from '../../tables.ts'
import { nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'

type Usergroup = RowOf<ChatTables['usergroup']>

const shape = (call: Chat, row: Usergroup, users = true) => ({
  id: row.id,
  team_id: teamOf(call).id,
  is_usergroup: true,
  is_subteam: true,
  name: row.name,
  description: row.description,
  handle: row.handle,
  is_external: false,
  date_create: row.date_create,
  date_update: row.date_update,
  date_delete: row.date_delete,
  auto_type: null,
  auto_provision: false,
  enterprise_subteam_id: '',
  created_by: row.created_by,
  updated_by: row.updated_by,
  deleted_by: row.deleted_by ?? null,
  prefs: { channels: row.channels, groups: [] },
  ...(users && { users: row.users }),
  user_count: row.users.length,
  channel_count: row.channels.length,
})

const known = (call: Chat, id: string): Usergroup => {
  const row = call.tables.usergroup.get(id)
  if (!row) throw new VendorError('no_such_subteam')
  return row
}

/** Handles that mention everybody in a place. */
const forbiddenHandles = new Set(['channel', 'everyone', 'group', 'here'])

const readHandle = (call: Chat, text: string, own?: string): string => {
  const handle = text.replace(/^@/, '')
  if (!/^[a-z0-9][a-z0-9._-]{0,79}$/.test(handle)) throw new VendorError('bad_handle')
  if (forbiddenHandles.has(handle)) throw new VendorError('forbidden_handle')
  const taken = call.tables.usergroup.first('handle', handle)
  if ((taken && taken.id !== own) || call.tables.user.first('name', handle))
    throw new VendorError('handle_already_exists')
  return handle
}

const readGroupName = (call: Chat, name: string, own?: string): string => {
  if (name.trim() === '') throw new VendorError('missing_subteam_name')
  if (name.length > 255) throw new VendorError('name_too_long')
  for (const row of call.tables.usergroup.find('all', 'all'))
    if (row.id !== own && row.name === name) throw new VendorError('name_already_exists')
  return name
}

const readDescription = (text: string): string => {
  if ([...text].length > maxDescription) throw new VendorError('description_too_long')
  return text
}
const maxDescription = 255

const readChannels = (call: Chat, ids: readonly string[]): string[] => {
  for (const id of ids)
    if (call.tables.channel.get(id)?.kind !== 'public_channel')
      throw new VendorError('invalid_channel_provided')
  return [...ids]
}

const touched = (call: Chat) => ({ date_update: nowSeconds(call), updated_by: selfOf(call) })

const detailArgs = {
  additional_channels: list,
  channels: list,
  description: str,
  enable_section: flag,
  handle: str,
  include_count: flag,
  team_id: str,
}

export const usergroupMethods = {
  'usergroups.list': method({
    effect: 'read',
    args: { include_count: flag, include_disabled: flag, include_users: flag, team_id: str },
    run: (call, args) => {
      const rows = [...call.tables.usergroup.find('all', 'all')].filter(
        ({ date_delete }) => args.include_disabled || date_delete === 0,
      )
      return { usergroups: rows.map((row) => shape(call, row, args.include_users === true)) }
    },
  }),
  'usergroups.create': method({
    effect: 'write',
    args: { name: must(str), ...detailArgs },
    run: (call, args) => {
      const name = readGroupName(call, args.name)
      const plain = name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
      const now = nowSeconds(call)
      const row = call.tables.usergroup.insert({
        id: nativeId('S', call.draw('usergroup')),
        name,
        handle: readHandle(call, args.handle || plain),
        description: readDescription(args.description ?? ''),
        users: [],
        channels: readChannels(call, args.channels ?? []),
        date_create: now,
        date_update: now,
        date_delete: 0,
        created_by: selfOf(call),
        updated_by: selfOf(call),
      })
      return { usergroup: shape(call, row) }
    },
  }),
  'usergroups.update': method({
    effect: 'write',
    args: { usergroup: must(str), name: str, ...detailArgs },
    run: (call, args) => {
      const row = known(call, args.usergroup)
      const changed = call.tables.usergroup.update(row.id, {
        ...(args.name !== undefined && { name: readGroupName(call, args.name, row.id) }),
        ...(args.handle && { handle: readHandle(call, args.handle, row.id) }),
        ...(args.description !== undefined && { description: readDescription(args.description) }),
        ...(args.channels && { channels: readChannels(call, args.channels) }),
        ...touched(call),
      })
      return { usergroup: shape(call, changed) }
    },
  }),
  'usergroups.disable': method({
    effect: 'write',
    args: { usergroup: must(str), include_count: flag, team_id: str },
    run: (call, args) => {
      const row = known(call, args.usergroup)
      const gone = { date_delete: nowSeconds(call), deleted_by: selfOf(call) }
      return { usergroup: shape(call, call.tables.usergroup.update(row.id, { ...gone, ...touched(call) })) }
    },
  }),
  'usergroups.enable': method({
    effect: 'write',
    args: { usergroup: must(str), include_count: flag, team_id: str },
    run: (call, args) => {
      const row = known(call, args.usergroup)
      const back = { date_delete: 0, deleted_by: undefined }
      return { usergroup: shape(call, call.tables.usergroup.update(row.id, { ...back, ...touched(call) })) }
    },
  }),
  'usergroups.users.list': method({
    effect: 'read',
    args: { usergroup: must(str), include_disabled: flag, team_id: str },
    run: (call, args) => {
      const row = known(call, args.usergroup)
      if (row.date_delete > 0 && !args.include_disabled) throw new VendorError('no_such_subteam')
      return { users: row.users }
    },
  }),
  'usergroups.users.update': method({
    effect: 'write',
    args: {
      usergroup: must(str),
      users: must(list),
      additional_channels: list,
      include_count: flag,
      is_shared: flag,
      team_id: str,
    },
    run: (call, args) => {
      const row = known(call, args.usergroup)
      if (args.users.length === 0) throw new VendorError('no_users_provided')
      for (const user of args.users) {
        const found = call.tables.user.get(user)
        if (!found || found.deleted || found.is_bot) throw new VendorError('invalid_users')
      }
      const users = [...new Set(args.users)]
      return { usergroup: shape(call, call.tables.usergroup.update(row.id, { users, ...touched(call) })) }
    },
  }),
}
