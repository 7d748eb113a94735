import { kindOf } from '../../parts/service.tsx'
import { brief } from '../../words.ts'

type Row = Readonly<Record<string, unknown>>

/** Fields by which people know a record, the best first. */
const namingFields = [
  'identifier',
  'CaseNumber',
  'SalesOrder',
  'Name',
  'real_name',
  'BusinessPartnerFullName',
  'ProductDescription',
  'Subject',
  'name',
  'title',
  'text',
  'body',
]
/** Fields that every write touches: noise in a diff. */
const bookkeeping =
  /^(updatedAt|updated|SystemModstamp|LastModified.*|LastChange.*|LastStageChange.*|sortOrder|prioritySortOrder|stateId|assigneeId|ETag|.*SortOrder|subscriberIds|latest_reply|reply_users.*|blocks)$/

const filled = (record: Row, field: string): boolean =>
  (typeof record[field] === 'string' && record[field] !== '') || typeof record[field] === 'number'

/** What people call a record; empty where it has nothing but its id. */
export const recordName = (service: string, collection: string, record: Row | null): string => {
  if (!record) return ''
  const primary = kindOf(service)?.primaryFields[collection]?.[0]
  const field =
    namingFields.find((name) => filled(record, name)) ??
    (primary && filled(record, primary) ? primary : undefined)
  return field ? brief(record[field], 48) : ''
}

/** Whether changes of a field follow from others: timestamps, counters, orders. */
export const isNoise = (service: string, collection: string, field: string): boolean => {
  const noise = kindOf(service)?.noise ?? {}
  return (
    bookkeeping.test(field) ||
    (noise['*']?.includes(field) ?? false) ||
    (noise[collection]?.includes(field) ?? false)
  )
}

/** `StageName` and `due_date` as words. */
export const fieldLabel = (field: string): string => {
  const words = field
    .replaceAll('_', ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/ Id$/, '')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}

/** A value by the name that the service gives it, such as a priority. */
export const valueName = (
  service: string,
  collection: string,
  field: string,
  value: unknown,
): string | undefined => {
  const names = kindOf(service)?.valueNames?.[collection]?.[field]
  return typeof value === 'number' ? names?.[value] : undefined
}
