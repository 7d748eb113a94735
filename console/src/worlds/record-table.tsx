import { useListKeys } from '../parts/list-keys.ts'
import { Empty } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { useAddress } from '../search.ts'
import { ChangeMark, changeClass } from './change-mark.tsx'
import type { LiveWorld, Row, StateItem } from './live-world.ts'

export interface Column {
  readonly name: string
  readonly of: (record: Row) => string
  readonly number?: true
}

interface RecordTableProps {
  readonly live: LiveWorld
  readonly service: string
  readonly collection: string
  readonly items: readonly StateItem[]
  readonly columns: readonly Column[]
  /** Within a record, a list does not take the keys. */
  readonly inner?: true
}

/** Records of one collection in rows; the first column opens the record. */
export const RecordTable = ({ live, service, collection, items, columns, inner }: RecordTableProps) => {
  const { search, change } = useAddress()
  const open = (id: string) => change({ record: id, collection, open: undefined }, false)
  useListKeys({
    items,
    keyOf: ({ id }) => id,
    open: search.record,
    onOpen: inner ? undefined : ({ id }) => open(id),
    onEnter: undefined,
    show: () => {},
  })
  if (items.length === 0)
    return inner ? <p className="quiet">None.</p> : <Empty title="There are no records here." />
  return (
    <TableScroll>
      <table className="table">
        <thead>
          <tr>
            {columns.map(({ name, number }) => (
              <th key={name} scope="col" className={number ? 'number' : ''}>
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="unseen">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, record }) => (
            <tr key={id} className={changeClass({ live, service, collection, id })}>
              {columns.map(({ name, of, number }, index) => (
                <td key={name} className={number ? 'number' : ''}>
                  {index === 0 ? (
                    <button type="button" className="plain" onClick={() => open(id)}>
                      {of(record) || id}
                    </button>
                  ) : (
                    of(record)
                  )}
                </td>
              ))}
              <td>
                <ChangeMark live={live} service={service} collection={collection} id={id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  )
}

export const column = (name: string, field: string): Column => ({
  name,
  of: (record) => shown(record[field]),
})
export const amount = (name: string, field: string, currency?: string): Column => ({
  name,
  number: true,
  of: (record) => {
    const value = record[field]
    if (value === null || value === undefined || value === '') return ''
    const unit = currency ? ` ${shown(record[currency])}` : ''
    return `${Number(value).toLocaleString('en')}${unit}`
  },
})

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

interface DetailsProps {
  readonly record: Row
  readonly fields?: readonly string[]
  /** What ids stand for, where that is known. */
  readonly names?: ReadonlyMap<string, string>
}

/** A record's filled fields; the empty ones would bury them. */
export const Details = ({ record, fields, names: known }: DetailsProps) => {
  const names = fields ?? Object.keys(record)
  const filled = names.filter((name) => shown(record[name]) !== '' && record[name] !== false)
  return (
    <dl className="pairs details">
      {filled.map((name) => (
        <div key={name} className="pair">
          <dt>{name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')}</dt>
          <dd>{known?.get(shown(record[name])) ?? shown(record[name])}</dd>
        </div>
      ))}
    </dl>
  )
}
