import type { Reply } from '../api.ts'
import { useList } from '../ask.ts'
import { Chip } from '../parts/field.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { ServiceGlyph } from '../parts/service.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { brief, count, plural } from '../words.ts'
import { fieldLabel } from '../worlds/records/record-name.ts'

type Version = Reply<'readDatasetVersion'>
type Row = Readonly<Record<string, unknown>>

const maxColumns = 6

/** As words, unless another field would have the same ones. */
const columnName = (field: string, all: readonly string[]): string => {
  const label = fieldLabel(field)
  return all.some((other) => other !== field && fieldLabel(other) === label) ? field : label
}

/** The fields that most rows of a page hold, the first ones first. */
const columnsOf = (rows: readonly Row[]): readonly TableColumn<Row>[] => {
  const held = new Map<string, number>()
  for (const row of rows) for (const name of Object.keys(row)) held.set(name, (held.get(name) ?? 0) + 1)
  return [...held]
    .filter(([, number]) => number >= rows.length / 2)
    .slice(0, maxColumns)
    .map(([name]) => ({ name: columnName(name, [...held.keys()]), cell: (row) => brief(row[name]) }))
}

/** The collections of a version, and the rows of the one that is chosen. */
export const CollectionRows = ({ version }: { version: Version }) => {
  const { search, change } = useAddress()
  const service = version.services.find((one) => one.service === search.service) ?? version.services[0]
  const collection =
    service?.collections.find(({ name }) => name === search.collection) ?? service?.collections[0]
  return (
    <section aria-label="Rows">
      {version.services.map((one) => (
        <p key={one.service} className="chips collections">
          <strong>
            <ServiceGlyph service={one.service} named />
          </strong>
          <span className="quiet">{plural(one.entity_count, 'record')}</span>
          {one.collections.map(({ name, count: number }) => (
            <Chip
              key={name}
              on={one === service && name === collection?.name}
              onClick={() => change({ service: one.service, collection: name })}
            >
              {fieldLabel(name)} <span className="quiet">{count(number)}</span>
            </Chip>
          ))}
        </p>
      ))}
      {service && collection ? (
        <Rows versionId={version.id} service={service.service} collection={collection.name} />
      ) : null}
    </section>
  )
}

interface RowsProps {
  readonly versionId: string
  readonly service: string
  readonly collection: string
}

const Rows = ({ versionId, service, collection }: RowsProps) => {
  const rows = useList('listDatasetRows', {
    params: { versionId },
    query: { service, collection, limit: 50 },
  })
  if (rows.error) return <Failure error={rows.error} retry={rows.retry} />
  if (rows.loading) return <Skeleton />
  return (
    <>
      <Table
        label={`Rows of ${fieldLabel(collection)}`}
        columns={columnsOf(rows.items)}
        rows={rows.items}
        keyOf={(_, index) => String(index)}
      />
      {rows.hasMore ? (
        <button type="button" className="button" onClick={rows.more}>
          Show more rows
        </button>
      ) : null}
    </>
  )
}
