import { Refusal, type RowOf } from '../../kernel/twin.ts'
import { botOf, knownUser, selfOf, teamOf } from '../access.ts'
import { capitals, nativeId, shortId } from '../ids.ts'
import { invalidArguments, json, method, must, str } from '../method.ts'
import { isRecord } from '../records.ts'
import type { Chat, ChatTables } from '../tables.ts'
import { nowSeconds } from '../time.ts'

type View = RowOf<ChatTables['view']>

const maxBytes = 250_000

const readView = (value: unknown, kinds: readonly string[]): Record<string, unknown> => {
  if (!isRecord(value)) throw invalidArguments('missing required field: view')
  const { type, blocks } = value
  if (typeof type !== 'string' || !kinds.includes(type))
    throw invalidArguments(`must be one of: ${kinds.join(', ')} [json-pointer:/view/type]`)
  if (!Array.isArray(blocks)) throw invalidArguments('missing required field: blocks [json-pointer:/view]')
  if (type === 'modal' && value.title === undefined)
    throw invalidArguments('missing required field: title [json-pointer:/view]')
  if (JSON.stringify(value).length > maxBytes) throw new Refusal('view_too_large')
  return value
}

const shape = (call: Chat, row: View) => {
  const { view } = row
  const blocks = Array.isArray(view.blocks) ? view.blocks : []
  return {
    id: row.id,
    team_id: teamOf(call).id,
    type: view.type,
    blocks: blocks.map((block: unknown, n) =>
      isRecord(block) ? { block_id: shortId(row.id, String(n)), ...block } : block,
    ),
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
    root_view_id: row.id,
    previous_view_id: null,
    external_id: row.external_id,
    app_id: botOf(call).app_id,
    app_installed_team_id: teamOf(call).id,
    bot_id: botOf(call).id,
  }
}

const newHash = (call: Chat): string => `${nowSeconds(call)}.${capitals(call.draw('view hash'), 8)}`

const requireHash = (row: View, hash: string | undefined): void => {
  if (hash && hash !== row.hash) throw new Refusal('hash_conflict')
}

const put = (call: Chat, row: View | undefined, user: string, view: Record<string, unknown>): View => {
  const external = typeof view.external_id === 'string' ? view.external_id : ''
  const taken = external === '' ? undefined : call.tables.view.first('external', external)
  if (taken && taken.id !== row?.id) throw new Refusal('duplicate_external_id')
  const fields = { user, hash: newHash(call), external_id: external, view }
  return row
    ? call.tables.view.update(row.id, fields)
    : call.tables.view.insert({ id: nativeId('V', call.draw('view')), ...fields })
}

/** Triggers come from people who press buttons; nobody does in a twin, so that none is ever good. */
const opened = method({
  effect: 'read',
  args: { view: must(json()), trigger_id: str, interactivity_pointer: str },
  run: (_call, args) => {
    readView(args.view, ['modal'])
    throw new Refusal('invalid_trigger_id')
  },
})

export const viewMethods = {
  'views.publish': method({
    effect: 'write',
    args: { user_id: must(str), view: must(json()), hash: str, interactivity_pointer: str },
    run: (call, args) => {
      const user = knownUser(call, args.user_id, 'missing_profile_id').id
      const view = readView(args.view, ['home'])
      const row = call.tables.view.first('home', user)
      if (row) requireHash(row, args.hash)
      return { view: shape(call, put(call, row, user, view)) }
    },
  }),
  'views.update': method({
    effect: 'write',
    args: { view: must(json()), view_id: str, external_id: str, hash: str },
    run: (call, args) => {
      const row = args.view_id
        ? call.tables.view.get(args.view_id)
        : call.tables.view.first('external', args.external_id ?? '')
      if (!row) throw new Refusal('not_found')
      requireHash(row, args.hash)
      const view = readView(args.view, ['modal', 'home'])
      return { view: shape(call, put(call, row, row.user || selfOf(call), view)) }
    },
  }),
  'views.open': opened,
  'views.push': opened,
}
