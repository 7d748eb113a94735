import type { TwinInstanceRecord } from '@diorama/contract'
import { Inspector } from '../../parts/inspector.tsx'
import { useAddress } from '../../search.ts'
import { type LiveRecords, useCollection } from '../live-world.ts'
import { recordName } from './record-name.ts'
import { Details } from './record-table.tsx'

interface Place {
  readonly live: LiveRecords
  readonly twin: TwinInstanceRecord
}

interface RecordInspectorProps extends Place {
  /** Collections that the view has no page for, such as its users. */
  readonly collections: readonly string[]
}

/** A record that a link leads to and that the view has no page for, with its fields. */
export const RecordInspector = ({ live, twin, collections }: RecordInspectorProps) => {
  const { search } = useAddress()
  const collection = collections.find((name) => name === search.collection)
  if (collection === undefined || search.record === undefined || search.open) return null
  return <One key={collection} live={live} twin={twin} collection={collection} id={search.record} />
}

const One = ({ live, twin, collection, id }: Place & { collection: string; id: string }) => {
  const { change } = useAddress()
  const found = useCollection(twin.id, collection).data?.find((one) => one.id === id || one.key === id)
  if (!found) return null
  const { service } = twin
  return (
    <Inspector
      title={recordName(service, collection, found.record) || found.id}
      onClose={() => change({ record: undefined, collection: undefined })}
    >
      <Details record={plain(found.record)} of={{ live, service, collection, id: found.id }} />
    </Inspector>
  )
}

/** The fields that people read: without pictures' addresses and what holds other fields. */
const plain = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) => typeof value !== 'object' && !/^(image_\w+|avatarUrl|avatar_hash)$/.test(name),
    ),
  )
