import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import { textsIn } from '../../blocks/blocks.ts'
import { blockContext } from '../../blocks/context.ts'
import { richTextValue } from '../../blocks/rich-text.ts'
import { type BlockFault, validate } from '../../blocks/validate.ts'
import type { Chat } from '../../tables.ts'
import { lookup } from '../../values/records.ts'

type Json = Record<string, unknown>

const maxValues = 100

/** The values of one kind of column: the key they come under, and what is wrong with one of them, if anything. */
interface CellKind {
  readonly key: string
  readonly fault: (value: unknown, column: Json, call: Chat) => string | undefined
  /** Values come bare rather than in a list. */
  readonly isSingle?: boolean
}

const wrongType = 'invalid_input_type'
const when = (isGood: boolean, code: string): string | undefined => (isGood ? undefined : code)
const isText = (value: unknown): value is string => typeof value === 'string'

const richText: CellKind = {
  key: 'rich_text',
  fault: (value, _column, call) => {
    const faults: BlockFault[] = []
    validate(richTextValue, { value, pointer: '', context: blockContext(call), faults })
    return when(faults.length === 0, 'invalid_blocks')
  },
}
const pattern = (key: string, form: RegExp, code: string): CellKind => ({
  key,
  fault: (value) => (isText(value) ? when(form.test(value), code) : wrongType),
})
const number = (key: string): CellKind => ({
  key,
  fault: (value) => when(typeof value === 'number' && Number.isFinite(value), wrongType),
})
const select: CellKind = {
  key: 'select',
  fault: (value, { options }) => {
    if (!isText(value)) return wrongType
    const choices =
      isRecord(options) && Array.isArray(options.choices) ? options.choices.filter(isRecord) : []
    return when(
      choices.some((choice) => choice.value === value),
      'invalid_option_id',
    )
  },
}
const user: CellKind = {
  key: 'user',
  fault: (value, _column, call) =>
    isText(value) ? when(call.tables.user.has(value), 'user_not_found') : wrongType,
}
const checkbox: CellKind = {
  key: 'checkbox',
  isSingle: true,
  fault: (value) => when(typeof value === 'boolean', wrongType),
}
const date = pattern('date', /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'invalid_date')

const kinds: Readonly<Record<string, CellKind>> = {
  text: richText,
  rich_text: richText,
  number: number('number'),
  select,
  multi_select: select,
  date,
  timestamp: number('timestamp'),
  user,
  channel: {
    key: 'channel',
    fault: (value, _column, call) =>
      isText(value) ? when(call.tables.channel.has(value), 'channel_not_found') : wrongType,
  },
  checkbox,
  email: pattern('email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'invalid_email'),
  phone: pattern('phone', /^[+\d][\d\s().-]{2,}$/, 'invalid_phone_number'),
  link: {
    key: 'link',
    fault: (value) =>
      when(isRecord(value) && isText(value.original_url) && URL.canParse(value.original_url), 'invalid_link'),
  },
  message: pattern('message', /\/archives\/[CDG][A-Z0-9]+\/p\d+/, 'invalid_link'),
  attachment: {
    key: 'attachment',
    fault: (value, _column, call) =>
      isText(value) ? when(call.tables.file.has(value), 'file_not_found') : wrongType,
  },
  rating: number('rating'),
  vote: {
    key: 'vote',
    fault: (value, _column, call) => user.fault(value, _column, call) && 'invalid_vote_value',
  },
  todo_completed: checkbox,
  todo_assignee: user,
  todo_due_date: date,
  reference: { key: 'reference', fault: (value) => when(isRecord(value), wrongType) },
}

/** Filled by the service itself. */
const computed = new Set(['created_by', 'last_edited_by', 'created_time', 'last_edited_time'])

export const isColumnType = (type: unknown): boolean =>
  isText(type) && (lookup(kinds, type) !== undefined || computed.has(type))

/** A cell as it is stored: its column, its values, and their plain value. */
export const readCellValue = (call: Chat, column: Json, given: Json): Json => {
  const type = String(column.type)
  if (computed.has(type)) throw new VendorError('uneditable_column')
  const kind = lookup(kinds, type)
  if (!kind) throw new VendorError(wrongType)
  const extra = Object.keys(given).find((key) => key !== kind.key)
  if (extra !== undefined || given[kind.key] === undefined) throw new VendorError(wrongType)
  const raw = given[kind.key]
  if (kind.isSingle !== true && !Array.isArray(raw)) throw new VendorError(wrongType)
  const values = Array.isArray(raw) ? raw : [raw]
  if (values.length > maxValues) throw new VendorError('over_cell_fields_limit')
  for (const value of values) {
    const fault = kind.fault(value, column, call)
    if (fault) throw new VendorError(fault)
  }
  const isRich = kind === richText
  return {
    key: column.key,
    value: isRich ? JSON.stringify(raw) : (values[0] ?? ''),
    ...(isRich && { text: textsIn(raw).join('') }),
    [kind.key]: raw,
    column_id: column.id,
  }
}

/** What a table of plain text shows of a cell. */
export const cellText = (field: Json | undefined): string => {
  if (!field) return ''
  if (isText(field.text)) return field.text
  const { value } = field
  return isRecord(value) ? String(value.original_url ?? '') : String(value ?? '')
}
