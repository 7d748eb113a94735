import type { Activity, ActivityDetail } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { changedFields } from '../../parts/differences/field-diff.tsx'
import { brief } from '../../words.ts'

type Change = ActivityDetail['mutations'][number]
type Row = Readonly<Record<string, unknown>>

/** Fields by which people know a record, the best first. */
const namingFields = [
  'identifier',
  'CaseNumber',
  'SalesOrder',
  'Name',
  'Subject',
  'title',
  'name',
  'text',
  'body',
]
/** Fields that every write touches and nobody asked about. */
const bookkeeping =
  /^(updatedAt|updated|SystemModstamp|LastModified.*|LastChange.*|LastStageChange.*|sortOrder|prioritySortOrder|stateId|assigneeId|ETag|.*SortOrder|subscriberIds|latest_reply|reply_users.*|blocks)$/

export const nameOf = (record: Row | null, id: string): string => {
  const field = namingFields.find((name) => typeof record?.[name] === 'string' && record[name] !== '')
  return field ? brief(record?.[field], 48) : id
}

/** "updated Case 00001002: Status Working → Escalated" */
export const inWords = ({
  operation,
  collection,
  before,
  after,
  id,
}: Pick<Change, 'operation' | 'collection' | 'before' | 'after' | 'id'>): string => {
  const name = nameOf(after ?? before, id)
  const verb = { create: 'created', update: 'updated', delete: 'deleted' }[operation]
  if (operation !== 'update') return `${verb} ${collection} ${name}`
  const fields = changedFields(before, after).filter((field) => !bookkeeping.test(field))
  const told = fields
    .slice(0, 2)
    .map((field) => `${field} ${brief(before?.[field], 24)} → ${brief(after?.[field], 24)}`)
  if (fields.length === 0) return `updated ${collection} ${name} (timestamps only)`
  const rest = fields.length > 2 ? ` and ${fields.length - 2} more` : ''
  return `${verb} ${collection} ${name}${told.length > 0 ? `: ${told.join(', ')}` : ''}${rest}`
}

/** What a request did, in words; only a request that changed something is looked up. */
export const ChangeSummary = ({ item }: { item: Activity }) => {
  if (item.not_emulated.length > 0)
    return <span className="status-warning">not emulated: {item.not_emulated.join(', ')}</span>
  if (item.mutation_count === 0) return <span className="quiet">{item.request.path}</span>
  return <RecordChanges item={item} />
}

const RecordChanges = ({ item }: { item: Activity }) => {
  const params = { twinId: item.twin_id, requestId: item.request_id }
  const detail = useAsk('readTwinActivity', { params }, { forever: true })
  const [first] = detail.data?.mutations.filter(({ collection }) => collection !== 'channel_member') ?? []
  if (!first) return <span className="quiet">changed {item.mutation_count} records</span>
  const others = item.mutation_count - 1
  return (
    <span>
      {inWords(first)}
      {others > 0 ? <span className="quiet"> and {others} more</span> : null}
    </span>
  )
}
