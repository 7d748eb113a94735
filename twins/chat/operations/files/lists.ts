import { type RowOf, VendorError } from '@diorama/twin-kit/kernel/twin'
import { documentLevel, selfOf, teamOf } from '../../access.ts'
import { textsIn } from '../../blocks/blocks.ts'
import { flag, int, json, list, method, must, str } from '../../methods/method.ts'
import { clampLimit, makeCursor, nextCursor, readCursor, take } from '../../methods/pages.ts'
import { fileShape } from '../../shapes/file.ts'
import type { Chat, ChatTables } from '../../tables.ts'
import { nativeId, shortId } from '../../values/ids.ts'
import { nowSeconds } from '../../values/time.ts'
import { filesUrl } from '../../wire/urls.ts'
import { changedAccess, insertDocument, requireLevel, updateDocument } from './documents.ts'
import { cellText, readCellValue } from './list-cells.ts'
import { maxColumns, readSchema, records } from './list-schema.ts'

type List = RowOf<ChatTables['list']>
type Item = RowOf<ChatTables['list_item']>
type Json = Record<string, unknown>

const maxName = 255
const maxItems = 10_000
const maxViews = 50
const maxAttachments = 10

const known = (call: Chat, id: string): List => {
  const row = call.tables.list.get(id)
  if (!row || !documentLevel(call, id)) throw new VendorError('list_not_found')
  return row
}

/** A list whose content the caller may change. */
const editable = (call: Chat, id: string, code = 'no_permission'): List => {
  const row = known(call, id)
  if (documentLevel(call, id) === 'read') throw new VendorError(code)
  return row
}

const knownItem = (call: Chat, listId: string, id: string, code = 'record_not_found'): Item => {
  const row = call.tables.list_item.get(id)
  if (!row || row.list_id !== listId) throw new VendorError(code)
  return row
}

const metadata = (row: List) => ({
  schema: row.schema,
  subtask_schema: row.schema,
  views: [],
  todo_mode: row.todo_mode,
})

const itemShape = (row: Item) => ({
  id: row.id,
  list_id: row.list_id,
  date_created: row.date_created,
  created_by: row.created_by,
  updated_by: row.updated_by,
  updated_timestamp: String(row.updated_timestamp),
  fields: row.fields,
  ...(row.parent_item_id && { parent_record_id: row.parent_item_id }),
  archived: row.archived,
})

/** A cell names its column by id; the rest is its value. */
const readCell = (call: Chat, row: List, cell: Json): Json => {
  const { column_id, row_id: _, row_id_to_create: __, ...given } = cell
  if (column_id === undefined) throw new VendorError('column_id_not_provided')
  const column = row.schema.find(({ id, key }) => id === column_id || key === column_id)
  if (!column) throw new VendorError('invalid_column_id')
  return readCellValue(call, column, given)
}

const initialErrors = new Set([
  'invalid_option_id',
  'invalid_column_id',
  'over_cell_fields_limit',
  'uneditable_column',
  'file_not_found',
  'user_not_found',
  'invalid_vote_value',
])

/** The method that makes items has fewer words for a bad value than the one that changes them. */
const readInitial = (call: Chat, row: List, cell: Json): Json => {
  try {
    return readCell(call, row, cell)
  } catch (error) {
    if (!(error instanceof VendorError) || initialErrors.has(error.code)) throw error
    throw new VendorError(error.code === 'column_id_not_provided' ? 'invalid_args' : 'invalid_input_type')
  }
}

const withCell = (fields: readonly Json[], cell: Json): Json[] => [
  ...fields.filter(({ column_id }) => column_id !== cell.column_id),
  cell,
]

const insertItem = (call: Chat, row: List, fields: Json[], parent?: string): Item => {
  if (call.tables.list_item.count('list', row.id) >= maxItems) throw new VendorError('over_row_maximum')
  const now = nowSeconds(call)
  return call.tables.list_item.insert({
    id: `Rec${String(call.sequence('list item')).padStart(4, '0')}${shortId(row.id).toUpperCase()}`,
    list_id: row.id,
    ...(parent && { parent_item_id: parent }),
    created_by: selfOf(call),
    updated_by: selfOf(call),
    date_created: now,
    updated_timestamp: now,
    archived: false,
    fields,
  })
}

const updateCell = (call: Chat, row: List, cell: Json): void => {
  const value = readCell(call, row, cell)
  if (cell.row_id_to_create === true) {
    insertItem(call, row, [value])
    return
  }
  if (typeof cell.row_id !== 'string') throw new VendorError('row_id_not_provided')
  const item = knownItem(call, row.id, cell.row_id, 'row_not_found')
  call.tables.list_item.update(item.id, {
    fields: withCell(item.fields, value),
    updated_by: selfOf(call),
    updated_timestamp: nowSeconds(call),
  })
}

const copyItems = (call: Chat, from: List, to: List): void => {
  for (const item of [...call.tables.list_item.find('list', from.id)]) insertItem(call, to, item.fields)
}

const readName = (name: string): string => {
  if (name.length > maxName) throw new VendorError('over_title_length_maximum')
  return name
}

export const listMethods = {
  'slackLists.create': method({
    effect: 'write',
    args: {
      name: must(str),
      description_blocks: json(),
      schema: json('invalid_schema'),
      copy_from_list_id: str,
      include_copied_list_records: flag,
      todo_mode: flag,
    },
    run: (call, args) => {
      const source = args.copy_from_list_id ? known(call, args.copy_from_list_id) : undefined
      if (source && args.schema !== undefined) throw new VendorError('invalid_copy_and_schema_args')
      if (!source && args.include_copied_list_records) throw new VendorError('missing_arg_copy_from_list_id')
      const now = nowSeconds(call)
      const id = nativeId('F', call.draw('file'))
      const name = readName(args.name)
      insertDocument(call, { id, title: name, mode: 'list', size: 0 })
      const row = call.tables.list.insert({
        id,
        name,
        creator: selfOf(call),
        description_blocks: records(args.description_blocks, 'invalid_arguments'),
        todo_mode: args.todo_mode ?? source?.todo_mode ?? false,
        schema: source ? source.schema : readSchema(call, args.schema, args.todo_mode ?? false),
        access: {},
        created: now,
        updated: now,
      })
      if (source && args.include_copied_list_records) copyItems(call, source, row)
      return { list_id: row.id, list_metadata: metadata(row) }
    },
  }),
  'slackLists.update': method({
    effect: 'write',
    args: { id: must(str), name: str, description_blocks: json(), todo_mode: flag },
    run: (call, args) => {
      const row = known(call, args.id)
      requireLevel(call, row.id, 'write')
      if (args.name === undefined && args.description_blocks === undefined && args.todo_mode === undefined)
        throw new VendorError('missing_arguments')
      if (args.name !== undefined) updateDocument(call, row.id, { title: readName(args.name) })
      call.tables.list.update(row.id, {
        ...(args.name !== undefined && { name: readName(args.name) }),
        ...(args.description_blocks !== undefined && {
          description_blocks: records(args.description_blocks, 'invalid_arguments'),
        }),
        ...(args.todo_mode !== undefined && { todo_mode: args.todo_mode }),
        updated: nowSeconds(call),
      })
      return {}
    },
  }),
  'slackLists.access.set': method({
    effect: 'write',
    args: { list_id: must(str), access_level: must(str), channel_ids: list, user_ids: list },
    run: (call, args) => {
      const row = known(call, args.list_id)
      call.tables.list.update(row.id, { access: changedAccess(call, row, args, args.access_level) })
      return {}
    },
  }),
  'slackLists.access.delete': method({
    effect: 'write',
    args: { list_id: must(str), channel_ids: list, user_ids: list },
    run: (call, args) => {
      const row = known(call, args.list_id)
      call.tables.list.update(row.id, { access: changedAccess(call, row, args) })
      return {}
    },
  }),
  'slackLists.items.create': method({
    effect: 'write',
    args: { list_id: must(str), initial_fields: json(), parent_item_id: str, duplicated_item_id: str },
    run: (call, args) => {
      const row = editable(call, args.list_id)
      const copied = args.duplicated_item_id
        ? knownItem(call, row.id, args.duplicated_item_id, 'duplicated_item_not_found').fields
        : []
      const parent = args.parent_item_id && knownItem(call, row.id, args.parent_item_id, 'invalid_args').id
      const cells = records(args.initial_fields, 'invalid_args').map((cell) => readInitial(call, row, cell))
      const item = insertItem(call, row, cells.reduce(withCell, copied), parent || undefined)
      return { item: itemShape(item) }
    },
  }),
  'slackLists.items.update': method({
    effect: 'write',
    args: { list_id: must(str), cells: must(json()) },
    run: (call, args) => {
      const row = editable(call, args.list_id, 'permission_denied')
      for (const cell of records(args.cells, 'invalid_input_type')) updateCell(call, row, cell)
      return {}
    },
  }),
  'slackLists.items.info': method({
    effect: 'read',
    args: { list_id: must(str), id: must(str), include_is_subscribed: flag },
    run: (call, args) => {
      const row = known(call, args.list_id)
      const item = knownItem(call, row.id, args.id)
      const subtasks = [...call.tables.list_item.find('parent', item.id)].map(itemShape)
      const file = call.tables.file.get(row.id)
      return {
        list: { ...(file && fileShape(call, file, true)), ...listShape(call, row) },
        record: {
          ...itemShape(item),
          ...(args.include_is_subscribed && { is_subscribed: item.created_by === selfOf(call) }),
        },
        subtasks,
      }
    },
  }),
  'slackLists.items.list': method({
    effect: 'read',
    args: { list_id: must(str), archived: flag, cursor: str, limit: int },
    run: (call, args) => {
      const row = known(call, args.list_id)
      const limit = clampLimit(args.limit, 100, 1_000)
      const after = readCursor('item', args.cursor)
      const rows = call.tables.list_item.find('list', row.id, after === undefined ? {} : { after })
      const wanted = Iterator.from(rows).filter(({ archived }) => archived === (args.archived ?? false))
      const { items, more } = take(wanted, limit)
      const last = more ? items.at(-1) : undefined
      return { items: items.map(itemShape), ...nextCursor(last ? makeCursor('item', last.id) : '') }
    },
  }),
  'slackLists.items.delete': method({
    effect: 'write',
    args: { list_id: must(str), id: must(str) },
    run: (call, args) => {
      call.tables.list_item.delete(knownItem(call, editable(call, args.list_id).id, args.id).id)
      return {}
    },
  }),
  'slackLists.items.deleteMultiple': method({
    effect: 'write',
    args: { list_id: must(str), ids: must(list) },
    run: (call, args) => {
      const row = editable(call, args.list_id)
      for (const id of new Set(args.ids)) call.tables.list_item.delete(knownItem(call, row.id, id).id)
      return {}
    },
  }),
  'slackLists.download.start': method({
    effect: 'read',
    args: {
      list_id: must(str),
      include_archived: flag,
      format: str,
      include_threads: flag,
      include_attachments: flag,
    },
    run: (call, args) => ({ job_id: jobOf(known(call, args.list_id)) }),
  }),
  'slackLists.download.get': method({
    effect: 'read',
    args: {
      list_id: must(str),
      job_id: must(str),
      format: str,
      include_threads: flag,
      include_attachments: flag,
    },
    run: (call, args) => {
      const row = known(call, args.list_id)
      if (args.job_id !== jobOf(row)) throw new VendorError('job_not_found')
      return {
        status: 'COMPLETED',
        download_url: csvUrl(call, row),
      }
    },
  }),
}

/** What a list has beside the fields of its file. */
const listShape = (call: Chat, row: List): Json => ({
  list_metadata: {
    ...metadata(row),
    integrations: [],
    icon: '',
    description: textsIn(row.description_blocks).join(''),
    description_blocks: row.description_blocks,
    is_trial: false,
    creation_source: { type: 'api', reference_id: '' },
    default_view: 'table',
  },
  list_limits: {
    over_row_maximum: false,
    row_count_limit: maxItems,
    row_count: call.tables.list_item.count('list', row.id),
    archived_row_count: 0,
    over_column_maximum: false,
    column_count: row.schema.length,
    column_count_limit: maxColumns,
    over_view_maximum: false,
    view_count: 1,
    view_count_limit: maxViews,
    max_attachments_per_cell: maxAttachments,
  },
  list_csv_download_url: csvUrl(call, row),
  skipped_shares: false,
  teams_shared_with: [],
  is_restricted_sharing_enabled: false,
  org_or_workspace_access: 'none',
  is_ai_suggested: false,
})

const csvUrl = (call: Chat, row: List): string =>
  `${filesUrl(call)}/files-pri/${teamOf(call).id}-${row.id}/csv/list`

/** An export is ready as soon as it is asked for, so that its id need not be kept. */
const jobOf = (row: List): string => `Le${row.id.slice(1)}`

/** A list as CSV: a line of column names, then one line for each item. */
export const listCsv = (call: Chat, row: List): string => {
  const quote = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text)
  const head = row.schema.map(({ name, key }) => quote(String(name ?? key)))
  const lines = [...call.tables.list_item.find('list', row.id)].map((item) =>
    row.schema.map(({ id }) => quote(cellText(item.fields.find(({ column_id }) => column_id === id)))),
  )
  return `${[head, ...lines].map((cells) => cells.join(',')).join('\r\n')}\r\n`
}
