import type { ViewProps } from '../../../view-kit.ts'
import { useAsk } from '../../ask.ts'
import { Chip } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { kindOf } from '../../parts/service.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { useAddress } from '../../search.ts'
import { type StateItem, useCollection } from '../live-world.ts'
import { ChangeInspector, ChangeMark } from './change-mark.tsx'
import { column, Details, RecordTable } from './record-table.tsx'
import { Unread } from './unread.tsx'

const maxColumns = 6

/** Any service, collection by collection: for kinds that ship no view. */
export const RecordBrowser = ({ live, twin }: ViewProps) => {
  const { search } = useAddress()
  const state = useAsk('readTwinState', { params: { twinId: twin.id }, query: { limit: 1 } })
  return (
    <Answered asked={state}>
      {({ collections }) => {
        const shown = collections.find(({ name }) => name === search.collection) ?? collections[0]
        if (!shown) return <Empty title="No records." />
        return (
          <div className="split">
            <div className="split-main scrolls">
              <CollectionChips names={collections.map(({ name }) => name)} current={shown.name} />
              <Collection key={shown.name} live={live} twin={twin} collection={shown.name} />
            </div>
            <ChangeInspector live={live} />
          </div>
        )
      }}
    </Answered>
  )
}

const CollectionChips = ({ names, current }: { names: readonly string[]; current: string }) => {
  const { change } = useAddress()
  return (
    <div className="filters">
      <div className="chips">
        {names.map((name) => (
          <Chip
            key={name}
            on={name === current}
            onClick={() => change({ collection: name, record: undefined, open: undefined }, false)}
          >
            {name}
          </Chip>
        ))}
      </div>
    </div>
  )
}

const Collection = ({ live, twin, collection }: ViewProps & { readonly collection: string }) => {
  const { search } = useAddress()
  const records = useCollection(twin.id, collection)
  const open = records.data?.find(
    ({ id, key }) => id === search.record || (key !== null && key === search.record),
  )
  if (open) return <Record live={live} twin={twin} collection={collection} item={open} />
  return (
    <div className="page-body">
      <Unread list={records} of="records" />
      <Answered asked={records}>
        {(items) => (
          <RecordTable
            live={live}
            service={twin.service}
            collection={collection}
            items={items}
            columns={fieldsOf(twin.service, collection, items).map((field) => column(field, field))}
          />
        )}
      </Answered>
    </div>
  )
}

/** The fields that the kind puts first, or those that the first record has. */
const fieldsOf = (service: string, collection: string, items: readonly StateItem[]): readonly string[] =>
  kindOf(service)?.primaryFields[collection] ?? Object.keys(items[0]?.record ?? {}).slice(0, maxColumns)

interface RecordProps extends ViewProps {
  readonly collection: string
  readonly item: StateItem
}

const Record = ({ live, twin, collection, item }: RecordProps) => {
  const { change } = useAddress()
  return (
    <article className="page-body record">
      <header className="record-head">
        <button type="button" className="link" onClick={() => change({ record: undefined }, false)}>
          <Icon name="back" size={12} /> {collection}
        </button>
        <h2>
          {item.key ?? item.id}{' '}
          <ChangeMark live={live} service={twin.service} collection={collection} id={item.id} />
        </h2>
      </header>
      <Details record={item.record} of={{ live, service: twin.service, collection, id: item.id }} />
    </article>
  )
}
