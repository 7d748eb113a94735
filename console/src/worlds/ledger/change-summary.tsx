import type { Activity, ActivityDetail } from '@diorama/contract'
import { useAsk } from '../../ask.ts'
import { changedFields } from '../../parts/differences/field-diff.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useEmoji } from '../../parts/text/emoji.ts'
import { brief } from '../../words.ts'
import { fieldLabel, isNoise, recordName, valueName } from '../records/record-name.ts'
import { useReferences } from '../records/references.tsx'

type Change = ActivityDetail['mutations'][number]
type Told = Pick<Change, 'operation' | 'collection' | 'before' | 'after' | 'id'> & {
  readonly service?: string
}

export const nameOf = (service: string, collection: string, record: Change['after'], id: string): string =>
  recordName(service, collection, record) || id

/** The changes of one record that somebody may have asked for, field by field. */
export const toldFields = ({ service = '', collection, before, after }: Told): readonly string[] =>
  changedFields(before, after).filter((field) => !isNoise(service, collection, field))

const valueText = (change: Told, field: string, value: unknown, names: Names): string =>
  names.get(String(value))?.name ??
  valueName(change.service ?? '', change.collection, field, value) ??
  brief(value, 32)
type Names = ReadonlyMap<string, { readonly name: string }>

/** "updated Case 00001002: Status: Working → Escalated" */
export const inWords = (change: Told, names: Names = new Map()): string => {
  const { service = '', operation, collection, before, after, id } = change
  const name = nameOf(service, collection, after ?? before, id)
  const verb = { create: 'created', update: 'updated', delete: 'deleted' }[operation]
  const kind = fieldLabel(collection)
  if (operation !== 'update')
    return `${verb} ${kind.toLowerCase() === collection ? collection : kind} ${name}`
  const fields = toldFields(change)
  if (fields.length === 0) return `updated ${kind} ${name} (timestamps only)`
  const told = fields
    .slice(0, 2)
    .map(
      (field) =>
        `${fieldLabel(field)}: ${valueText(change, field, before?.[field], names)} → ${valueText(change, field, after?.[field], names)}`,
    )
  const rest = fields.length > 2 ? ` and ${fields.length - 2} more` : ''
  return `${verb} ${kind} ${name}: ${told.join(', ')}${rest}`
}

/** What a request did, in words; only a request that changed something is looked up. */
export const ChangeSummary = ({ item }: { item: Activity }) => {
  if (item.not_emulated.length > 0)
    return <span className="status-warning">not emulated: {item.not_emulated.join(', ')}</span>
  if (item.refused !== null)
    return (
      <span className="status status-fail" title={item.refused}>
        <Icon name="cross" size={14} /> refused: {brief(item.refused, 80)}
      </span>
    )
  if (item.mutation_count === 0) return <span className="quiet">{item.request.path}</span>
  return <RecordChanges item={item} />
}

const RecordChanges = ({ item }: { item: Activity }) => {
  const params = { twinId: item.twin_id, requestId: item.request_id }
  const detail = useAsk('readTwinActivity', { params }, { forever: true })
  const { byId } = useReferences()
  const { withEmoji } = useEmoji(item.service)
  const [first] = detail.data?.mutations.filter(({ collection }) => collection !== 'channel_member') ?? []
  if (!first) return <span className="quiet">changed {item.mutation_count} records</span>
  const others = item.mutation_count - 1
  return (
    <span>
      {withEmoji(inWords({ ...first, service: item.service }, byId))}
      {others > 0 ? <span className="quiet"> and {others} more</span> : null}
    </span>
  )
}
