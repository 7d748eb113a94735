import { useListKeys } from '../../parts/lists/list-keys.ts'
import { useNear } from '../../parts/lists/near.tsx'
import { Table } from '../../parts/lists/table.tsx'
import { Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../search.ts'
import { decimal, money } from '../../words.ts'
import { type LiveRecords, placeOf, type Row, type StateItem } from '../live-world.ts'
import { ChangeMark, changeClass } from './change-mark.tsx'
import { Value } from './references.tsx'

export interface Column {
  readonly name: string
  readonly of: (record: Row) => string
  readonly number?: true
  /** What people call a value that refers to a record. */
  readonly known?: (value: string) => string | undefined
}

interface RecordTableProps {
  readonly live: LiveRecords
  readonly service: string
  readonly collection: string
  /** Undefined while they are read. */
  readonly items: readonly StateItem[] | undefined
  readonly columns: readonly Column[]
  /** Within a record, a list does not take the keys. */
  readonly inner?: true
}

/** Records of one collection in rows; the first column opens the record. */
export const RecordTable = ({ items, ...props }: RecordTableProps) =>
  items ? <ReadTable {...props} items={items} /> : <Skeleton rows={2} />

interface ReadTableProps extends RecordTableProps {
  readonly items: readonly StateItem[]
}

const ReadTable = ({ live, service, collection, items, columns, inner }: ReadTableProps) => {
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
  const { near, end } = useNear(items)
  const isChanged = (id: string) => live.changes.has(placeOf({ service, collection, id }))
  const changeColumn = {
    name: 'Change',
    unnamed: true,
    look: 'number',
    cell: ({ id }: StateItem) =>
      isChanged(id) ? <ChangeMark live={live} service={service} collection={collection} id={id} /> : null,
  } as const
  if (items.length === 0) return inner ? <p className="quiet">None.</p> : <Empty title="No records." />
  return (
    <>
      <Table
        label={collection}
        opens
        rows={near}
        keyOf={({ id }) => id}
        rowClass={({ id }) => changeClass({ live, service, collection, id })}
        columns={[
          ...columns.map(({ name, of, number, known }, index) => ({
            name,
            look: number ? 'number' : '',
            cell: ({ id, record }: StateItem) =>
              index === 0 ? (
                <button type="button" className="plain" onClick={() => open(id)}>
                  {of(record) || id}
                </button>
              ) : (
                <Value text={of(record)} known={known?.(of(record))} />
              ),
          })),
          ...(near.some(({ id }) => isChanged(id)) ? [changeColumn] : []),
        ]}
      />
      {end}
    </>
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
    return currency ? money(Number(value), shown(record[currency])) : decimal(Number(value))
  },
})

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** `AccountId` is the account's id, or the account's name where it is known. */
const titleOf = (field: string, isNamed: boolean): string =>
  (isNamed ? field.replace(/Id$/, '') : field).replaceAll(/([a-z])([A-Z])/g, '$1 $2')

interface DetailsProps {
  readonly record: Row
  readonly fields?: readonly string[]
  /** Names by id, where they are known. */
  readonly names?: ReadonlyMap<string, string>
  /** Whose fields these are: those that differ from the seed show what they were. */
  readonly of?: {
    readonly live: LiveRecords
    readonly service: string
    readonly collection: string
    readonly id: string
  }
}

/** A record's filled fields; the empty ones are left out. */
export const Details = ({ record, fields, names: known, of }: DetailsProps) => {
  const names = fields ?? Object.keys(record)
  const change = of?.live.changes.get(placeOf(of))
  const before = change?.operation === 'update' ? change.before : undefined
  const isChanged = (name: string) =>
    before !== undefined && JSON.stringify(before?.[name]) !== JSON.stringify(record[name])
  const filled = names.filter(
    (name) => isChanged(name) || (shown(record[name]) !== '' && record[name] !== false),
  )
  return (
    <dl className="pairs details">
      {filled.map((name) => (
        <div key={name} className={isChanged(name) ? 'pair is-changed' : 'pair'}>
          <dt>{titleOf(name, known?.has(shown(record[name])) ?? false)}</dt>
          <dd>
            <Value text={shown(record[name])} known={known?.get(shown(record[name]))} />
            {isChanged(name) ? (
              <span className="was-before">
                {' '}
                was <Value text={shown(before?.[name]) || 'empty'} />
              </span>
            ) : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}
