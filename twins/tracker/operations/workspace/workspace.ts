import { type Operation, operation } from '@diorama/twin-kit/kernel/twin'
import { actorId, organizationOf, type TrackerCall } from '../../context.ts'
import { hourly } from '../../graphql/complexity.ts'
import { emptyPage } from '../../graphql/resolvers.ts'
import { need, seek } from '../../lists/lookup.ts'
import { everything } from '../../lists/page.ts'
import { newestFirst } from '../../lists/relations.ts'
import type { EntityRow } from '../../rows.ts'
import { isAdmin, membershipOf, needAdmin, needOwner, needRole, rankOf, roleOf } from '../../rules/access.ts'
import { forbidden, inputError, notFound } from '../../shapes/refusals.ts'
import type { TrackerTables } from '../../tables.ts'
import { priorityLabels } from '../../values/text.ts'
import { hour } from '../../values/times.ts'
import { assetUrl, maxBytes } from '../../wire/uploads.ts'
import { mutation, type Operations, query } from '../crud.ts'
import { rootPage } from '../queries.ts'
import { addRecord, changeRecord, newId, payload, plain, readInput, recordInput } from '../records.ts'

const live = (rows: Iterable<EntityRow>): EntityRow[] =>
  newestFirst([...rows].filter(({ archivedAt }) => archivedAt === null))

const settingsOf = (call: TrackerCall): EntityRow => {
  const row = call.tables.UserSettings.first('userId', actorId(call))
  if (!row) throw notFound('UserSettings')
  return row
}

const reads: Operations = {
  ...query('viewer', (call) => need(call, 'User', actorId(call))),
  ...query('organization', (call) => organizationOf(call)),
  ...query('organizationExists', (call, { urlKey }) => ({
    success: true,
    exists: organizationOf(call).urlKey === urlKey,
  })),
  ...query('organizationMeta', (call, { urlKey }) =>
    organizationOf(call).urlKey === urlKey
      ? { allowedAuthServices: ['google', 'email'], region: 'us' }
      : null,
  ),
  ...query('userSettings', settingsOf),
  ...query('issuePriorityValues', () => priorityLabels.map((label, priority) => ({ label, priority }))),
  ...query('templates', (call) => live(call.tables.Template.all())),
  ...query(
    'templateSearch',
    (call, args) => rootPage(call, 'templateSearch', args, everything('Template')).nodes,
  ),
  ...query('archivedTeams', (call) =>
    [...call.tables.Team.all()].filter(({ archivedAt }) => archivedAt !== null),
  ),
  ...query('administrableTeams', (call, args) =>
    rootPage(
      call,
      'administrableTeams',
      args,
      everything('Team'),
      (row) => isAdmin(call) || membershipOf(call, row.id, actorId(call))?.owner === true,
    ),
  ),
  ...query('customViewHasSubscribers', (call, { id }) => {
    const view = need(call, 'CustomView', id)
    return {
      hasSubscribers: [...call.tables.NotificationSubscription.all()].some(
        (row) => row.customViewId === view.id,
      ),
    }
  }),
  ...query('rateLimitStatus', (call) => ({
    identifier: actorId(call),
    kind: 'user',
    limits: Object.entries(hourly).map(([type, allowedAmount]) => ({
      type,
      allowedAmount,
      requestedAmount: 1,
      remainingAmount: allowedAmount - 1,
      period: hour,
      reset: call.now + hour,
    })),
  })),
  ...query('_dummy', () => 'dummy'),
}

const setActive = (call: TrackerCall, id: unknown, active: boolean) => {
  needAdmin(call)
  const user = need(call, 'User', id)
  if (user.id === actorId(call)) throw inputError('Cannot change yourself', 'You cannot suspend yourself.')
  return payload(call, 'User', changeRecord(call, 'User', user, { active }))
}

const isAdminRole = (role: unknown): boolean => role === 'admin' || role === 'owner'

/** Somebody must remain who can manage the workspace. */
const checkLastAdmin = (call: TrackerCall, user: EntityRow, role: unknown): void => {
  const others = [...call.tables.User.all()].some(
    (row) => row.id !== user.id && row.active !== false && isAdminRole(roleOf(row)),
  )
  if (isAdminRole(roleOf(user)) && !isAdminRole(role) && !others)
    throw inputError('Last admin', 'The workspace must have at least one admin.')
}

/** Administrators list and end browser sessions; a twin has none. */
const sessions: Operations = {
  ...query('userSessions', (call, { id }) => {
    needAdmin(call)
    need(call, 'User', id)
    return []
  }),
  ...mutation('userRevokeAllSessions', (call, { id }) => {
    needAdmin(call)
    return payload(call, 'User', need(call, 'User', id))
  }),
  ...query('auditEntries', (call) => {
    needAdmin(call)
    return emptyPage
  }),
}

const users: Operations = {
  ...mutation('userUpdate', (call, { id, input }) => {
    const user = need(call, 'User', id)
    if (user.id !== actorId(call)) needAdmin(call)
    const columns = readInput(call, 'User', 'UserUpdateInput', recordInput(input))
    const { displayName } = columns
    const taken = [...call.tables.User.all()].some(
      (row) => row.id !== user.id && row.displayName === displayName,
    )
    if (taken)
      throw inputError('Duplicate display name', `The display name "${displayName}" is already taken.`)
    return payload(call, 'User', changeRecord(call, 'User', user, columns))
  }),
  ...mutation('userSuspend', (call, { id }) => setActive(call, id, false)),
  ...mutation('userUnsuspend', (call, { id }) => setActive(call, id, true)),
  ...mutation('userChangeRole', (call, { id, role }) => {
    needAdmin(call)
    const user = need(call, 'User', id)
    const own = rankOf(roleOf(call.tables.User.get(actorId(call))))
    if (rankOf(role) > own || rankOf(roleOf(user)) > own)
      throw forbidden('You cannot change roles above your own.')
    if (isAdminRole(role) !== isAdminRole(roleOf(user))) needRole(call, 'adminManagementRole')
    checkLastAdmin(call, user, role)
    const columns = {
      admin: role === 'admin' || role === 'owner',
      owner: role === 'owner',
      guest: role === 'guest',
    }
    return payload(call, 'User', changeRecord(call, 'User', user, columns))
  }),
  ...mutation('userSettingsUpdate', (call, { id, input }) => {
    const row = settingsOf(call)
    if (id !== row.id) throw notFound('UserSettings')
    const columns = readInput(call, 'UserSettings', 'UserSettingsUpdateInput', recordInput(input))
    return payload(call, 'UserSettings', changeRecord(call, 'UserSettings', row, columns))
  }),
  ...mutation('webhookRotateSecret', (call, { id }) => {
    const secret = `lin_wh_${call.draw('webhook secret').slice(0, 40)}`
    const row = changeRecord(call, 'Webhook', need(call, 'Webhook', id), { secret })
    return payload(call, 'Webhook', row, { secret })
  }),
}

const publicTypes = /^image\/(png|jpe?g|gif|webp|avif|bmp|tiff|heic)$/i

/** A file is announced first; the answer says where to put it. */
const announce = (name: string): Operations =>
  mutation(name, (call, args) => {
    const { contentType, filename, size } = args
    if (args.makePublic === true && !publicTypes.test(String(contentType)))
      throw inputError('Invalid content type', 'Only images can be uploaded publicly.')
    if (typeof size === 'number' && size > maxBytes)
      throw inputError('File too large', `Files of up to ${maxBytes} bytes can be uploaded.`)
    const id = newId(call)
    call.tables.upload.insert({
      id,
      contentType: String(contentType),
      filename: String(filename),
      size: Number(size),
      content: null,
    })
    const url = assetUrl(call.baseUrl, id)
    return payload(call, 'User', undefined, {
      uploadFile: {
        uploadUrl: url,
        assetUrl: url,
        contentType,
        filename,
        size,
        metaData: plain(args.metaData) ?? null,
        headers: [{ key: 'x-upload-id', value: id }],
      },
    })
  })

const putFile: Operation = operation<TrackerTables, { id: string; content: string }>({
  effect: 'write',
  run: (call, { id, content }) => call.tables.upload.update(id, { content }),
})

/** View preferences: one set for each view, kind of view and, for personal ones, person. */
const preferences: Operations = {
  ...query('userViewPreferences', (call, { viewType }) => ownPreferences(call, 'user', viewType) ?? null),
  ...mutation('viewPreferencesCreate', (call, { input }) => {
    const given = recordInput(input)
    const there = ownPreferences(call, given.type, given.viewType)
    if (there) call.tables.ViewPreferences.delete(there.id)
    const row = addRecord(
      call,
      'ViewPreferences',
      {
        type: given.type,
        viewType: given.viewType,
        preferences: plain(given.preferences) ?? {},
        userId: actorId(call),
      },
      given,
    )
    return payload(call, 'ViewPreferences', row)
  }),
  ...mutation('viewPreferencesUpdate', (call, { id, input }) => {
    const row = need(call, 'ViewPreferences', id)
    if (row.type === 'user') needOwner(call, row.userId, 'owner of the preferences')
    const given = plain(recordInput(input).preferences)
    const columns = given ? { preferences: given } : {}
    return payload(call, 'ViewPreferences', changeRecord(call, 'ViewPreferences', row, columns))
  }),
  ...mutation('viewPreferencesDelete', (call, { id }) => {
    const row = seek(call, 'ViewPreferences', id)
    if (row) call.tables.ViewPreferences.delete(row.id)
    return payload(call, 'ViewPreferences', undefined, { entityId: id })
  }),
}

const ownPreferences = (call: TrackerCall, type: unknown, viewType: unknown): EntityRow | undefined =>
  [...call.tables.ViewPreferences.all()].find(
    (row) =>
      row.type === type && row.viewType === viewType && (type !== 'user' || row.userId === actorId(call)),
  )

export const workspaceOperations: Operations = {
  ...reads,
  ...users,
  ...sessions,
  ...preferences,
  ...announce('fileUpload'),
  ...announce('importFileUpload'),
  ...mutation('fileUploadDangerouslyDelete', (call, args) => {
    const id = String(args.assetUrl).split('/').pop() ?? ''
    if (!call.tables.upload.has(id)) throw notFound('File')
    call.tables.upload.delete(id)
    return { success: true }
  }),
  'put file': putFile,
}
