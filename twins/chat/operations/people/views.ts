import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { botOf, knownUser, selfOf, teamOf } from '../../access.ts'
import { blockContext } from '../../blocks/context.ts'
import { readView, viewBlocks } from '../../blocks/view.ts'
import { json, method, must, str } from '../../methods/method.ts'
import type { Chat, ChatTables } from '../../tables.ts'
import { capitals, nativeId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'

export type View = RowOf<ChatTables['view']>

export const viewShape = (call: Chat, row: View) => {
  const { view } = row
  return {
    id: row.id,
    team_id: teamOf(call).id,
    type: view.type,
    blocks: viewBlocks(view, row.id),
    private_metadata: view.private_metadata ?? '',
    callback_id: view.callback_id ?? '',
    state: { values: {} },
    hash: row.hash,
    ...(view.type === 'modal' && {
      title: view.title,
      close: view.close ?? null,
      submit: view.submit ?? null,
    }),
    clear_on_close: view.clear_on_close ?? false,
    notify_on_close: view.notify_on_close ?? false,
    root_view_id: row.root ?? row.id,
    previous_view_id: row.previous ?? null,
    external_id: row.external_id,
    app_id: botOf(call).app_id,
    app_installed_team_id: teamOf(call).id,
    bot_id: botOf(call).id,
  }
}

const newHash = (call: Chat): string => `${nowSeconds(call)}.${capitals(call.draw('view hash'), 8)}`

const requireHash = (row: View, hash: string | undefined): void => {
  if (hash && hash !== row.hash) throw new VendorError('hash_conflict')
}

const put = (call: Chat, row: View | undefined, user: string, view: Record<string, unknown>): View => {
  const external = typeof view.external_id === 'string' ? view.external_id : ''
  const taken = external === '' ? undefined : call.tables.view.first('external', external)
  if (taken && taken.id !== row?.id) throw new VendorError('duplicate_external_id')
  const fields = { user, hash: newHash(call), external_id: external, view }
  return row
    ? call.tables.view.update(row.id, fields)
    : call.tables.view.insert({ id: nativeId('V', call.draw('view')), ...fields })
}

const maxStack = 3

/** All views of the modal that a view is in. */
export const stackOf = (call: Chat, row: View): View[] =>
  [...call.tables.view.all()].filter((one) => (one.root ?? one.id) === (row.root ?? row.id))

/** Shows a view to a person, on top of another where there is one. */
export const openView = (call: Chat, user: string, view: Record<string, unknown>, below?: View): View => {
  const row = put(call, undefined, user, view)
  if (!below) return row
  if (stackOf(call, below).length >= maxStack) throw new VendorError('push_limit_reached')
  return call.tables.view.update(row.id, { root: below.root ?? below.id, previous: below.id })
}

export const replaceView = (call: Chat, row: View, view: Record<string, unknown>): View =>
  put(call, row, row.user, view)

/** Uses up a trigger, which somebody's pressing a button made. */
const pull = (call: Chat, given: string | undefined) => {
  const trigger = call.tables.trigger.get(given ?? '')
  if (!trigger) throw new VendorError('invalid_trigger_id')
  if (trigger.is_used) throw new VendorError('exchanged_trigger_id')
  if (trigger.expires < call.now) throw new VendorError('expired_trigger_id')
  call.tables.trigger.update(trigger.id, { is_used: true })
  return trigger
}

const opened = (isPushed: boolean) =>
  method({
    effect: 'write',
    args: { view: must(json()), trigger_id: str, interactivity_pointer: str },
    run: (call, args) => {
      const view = readView(args.view, { context: blockContext(call), kinds: ['modal'] })
      const { user, view_id } = pull(call, args.trigger_id ?? args.interactivity_pointer)
      const below = isPushed ? call.tables.view.get(view_id ?? '') : undefined
      if (isPushed && !below) throw new VendorError('not_found')
      return { view: viewShape(call, openView(call, user, view, below)) }
    },
  })

export const viewMethods = {
  'views.publish': method({
    effect: 'write',
    args: { user_id: must(str), view: must(json()), hash: str, interactivity_pointer: str },
    run: (call, args) => {
      const user = knownUser(call, args.user_id, 'missing_profile_id').id
      const view = readView(args.view, { context: blockContext(call), kinds: ['home'] })
      const row = call.tables.view.first('home', user)
      if (row) requireHash(row, args.hash)
      return { view: viewShape(call, put(call, row, user, view)) }
    },
  }),
  'views.update': method({
    effect: 'write',
    args: { view: must(json()), view_id: str, external_id: str, hash: str },
    run: (call, args) => {
      const row = args.view_id
        ? call.tables.view.get(args.view_id)
        : call.tables.view.first('external', args.external_id ?? '')
      if (!row) throw new VendorError('not_found')
      requireHash(row, args.hash)
      const view = readView(args.view, { context: blockContext(call), kinds: ['modal', 'home'] })
      return { view: viewShape(call, put(call, row, row.user || selfOf(call), view)) }
    },
  }),
  'views.open': opened(false),
  'views.push': opened(true),
}
