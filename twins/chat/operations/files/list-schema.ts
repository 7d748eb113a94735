import { VendorError } from '@diorama/twin-kit/kernel/twin'
import { isRecord } from '@diorama/twin-kit/records'
import type { Chat } from '../../tables.ts'
import { capitals } from '../../values/ids.ts'
import { isColumnType } from './list-cells.ts'

type Json = Record<string, unknown>

export const maxColumns = 100

export const records = (value: unknown, code: string): Json[] => {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(isRecord)) throw new VendorError(code)
  return value
}

const primary = { key: 'name', name: 'Name', type: 'text', is_primary_column: true }

const todoColumns: readonly Json[] = [
  { key: 'todo_completed', name: 'Completed', type: 'todo_completed', is_primary_column: false, id: 'Col00' },
  {
    key: 'todo_assignee',
    name: 'Assignee',
    type: 'todo_assignee',
    is_primary_column: false,
    options: { format: 'multi_entity', default_value: null, show_member_name: true },
    id: 'Col01',
  },
  { key: 'todo_due_date', name: 'Due Date', type: 'todo_due_date', is_primary_column: false, id: 'Col02' },
]

export const readSchema = (call: Chat, value: unknown, isTodo: boolean): Json[] => {
  const columns = records(value, 'invalid_schema')
  if (columns.length > maxColumns) throw new VendorError('over_column_maximum')
  const own = (columns.length > 0 ? columns : [primary]).map((column) => {
    const { key, name, type } = column
    if (typeof key !== 'string' || typeof name !== 'string') throw new VendorError('invalid_schema')
    if (!isColumnType(type)) throw new VendorError('invalid_column_type')
    return {
      is_primary_column: false,
      ...column,
      key,
      type,
      id: `Col${capitals(call.draw('list column'), 8)}`,
    }
  })
  if (new Set(own.map(({ key }) => key)).size !== own.length) throw new VendorError('invalid_schema')
  const [first, ...others] = own.filter(({ is_primary_column }) => is_primary_column === true)
  if (!first || others.length > 0 || first.type !== 'text') throw new VendorError('invalid_primary_column')
  return isTodo ? [...own, ...todoColumns] : own
}
