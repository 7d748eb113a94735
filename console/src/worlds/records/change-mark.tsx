import type { DiffEntry } from '@diorama/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { FieldDiff } from '../../parts/differences/field-diff.tsx'
import { Inspector } from '../../parts/inspector.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { useEmoji } from '../../parts/text/emoji.ts'
import { useAddress } from '../../search.ts'
import { inWords } from '../ledger/change-summary.tsx'
import { type LiveRecords, placeOf, type RecordSource } from '../live-world.ts'
import { useReferences } from './references.tsx'

interface Of {
  readonly live: LiveRecords
  readonly service: string
  readonly collection: string
  readonly id: string
}

/** The class of a record's row: changed records are marked, and those changed just now light up. */
export const changeClass = ({ live, ...of }: Of): string => {
  const place = placeOf(of)
  return live.fresh.has(place) ? 'is-marked is-fresh' : live.changes.has(place) ? 'is-marked' : ''
}

const words = { create: 'New', update: 'Changed', delete: 'Deleted' }

/** A quiet mark on a record that differs from the seed; it opens who changed what, when, by which request. */
export const ChangeMark = ({ live, ...of }: Of) => {
  const { change } = useAddress()
  const place = placeOf(of)
  const entry = live.changes.get(place)
  if (!entry) return null
  return (
    <button
      type="button"
      className="change-mark"
      onClick={(event) => {
        event.stopPropagation()
        change({ open: place })
      }}
    >
      {words[entry.operation]}
    </button>
  )
}

const looked = 40

/** The newest request that touched this record, among the last ones that changed anything. */
const findCause = async (source: RecordSource, entry: DiffEntry, signal: AbortSignal) => {
  const query = { mutations_only: true, limit: looked }
  const { items } = await ('worldId' in source
    ? call('listWorldActivity', { params: source, query: { ...query, service: entry.service }, signal })
    : call('listTwinActivity', { params: source, query, signal }))
  for (const { twin_id, request_id } of items) {
    const params = { twinId: twin_id, requestId: request_id }
    const detail = await call('readTwinActivity', { params, signal })
    if (detail.mutations.some(({ id, collection }) => id === entry.id && collection === entry.collection))
      return detail
  }
  return null
}

/** The inspector of a change, when the address asks for one. */
export const ChangeInspector = ({ live }: { live: LiveRecords }) => {
  const { search, change } = useAddress()
  const { byId } = useReferences()
  const entry = live.changes.get(search.open ?? '')
  const { withEmoji } = useEmoji(entry?.service ?? '')
  if (!entry) return null
  return (
    <Inspector title={withEmoji(inWords(entry, byId))} onClose={() => change({ open: undefined })}>
      <Cause source={live.source} entry={entry} />
      <FieldDiff before={entry.before} after={entry.after} />
    </Inspector>
  )
}

const ledgerOf = (source: RecordSource): string =>
  'worldId' in source ? `/worlds/${source.worldId}/ledger` : `/twins/${source.twinId}/ledger`

const Cause = ({ source, entry }: { source: RecordSource; entry: DiffEntry }) => {
  const cause = useQuery({
    queryKey: ['cause', source, placeOf(entry), JSON.stringify(entry.after)],
    queryFn: ({ signal }) => findCause(source, entry, signal),
  })
  if (cause.error) return <Failure error={cause.error} />
  if (cause.data === undefined) return <Skeleton rows={2} />
  if (cause.data === null) return <p className="quiet">Not found in the last {looked} writes.</p>
  const { actor, operation, at, request_id } = cause.data
  return (
    <p>
      Changed by {actor?.name ?? 'an unknown actor'} at <Moment at={at} /> with <code>{operation}</code>,
      request{' '}
      <a href={`${ledgerOf(source)}?open=${request_id}`}>
        <code>{request_id}</code>
      </a>
      .
    </p>
  )
}
