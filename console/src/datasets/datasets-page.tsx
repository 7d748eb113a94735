import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Icon } from '../parts/icon.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { count } from '../words.ts'

type Dataset = Reply<'listDatasets'>['items'][number]

const recordsOf = ({ latest_version }: Dataset): number =>
  (latest_version?.services ?? []).reduce((sum, { entity_count }) => sum + entity_count, 0)

const columns: readonly TableColumn<Dataset>[] = [
  {
    name: 'Dataset',
    cell: ({ name, description, latest_version }) => (
      <>
        {latest_version ? (
          <Link to="/datasets/$versionId" params={{ versionId: latest_version.id }}>
            {name}
          </Link>
        ) : (
          name
        )}
        {description ? <p className="hint one-line">{description}</p> : null}
      </>
    ),
  },
  { name: 'Version', look: 'number', cell: ({ latest_version }) => latest_version?.number ?? '–' },
  { name: 'Company', cell: ({ latest_version }) => latest_version?.organization.name ?? '–' },
  {
    name: 'Services',
    cell: ({ latest_version }) => latest_version?.services.map(({ service }) => service).join(', ') ?? '–',
  },
  { name: 'Records', look: 'number', cell: (dataset) => count(recordsOf(dataset)) },
  {
    name: 'Source',
    cell: ({ latest_version }) =>
      latest_version?.source.kind === 'snapshot' ? 'snapshot' : (latest_version?.source.format ?? '–'),
  },
  {
    name: 'Imported',
    look: 'number quiet',
    cell: ({ created_at, latest_version }) => (
      <Moment at={latest_version?.created_at ?? created_at} form="ago" />
    ),
  },
]

/** Every dataset with its newest version: imports and snapshots of worlds. */
export const DatasetsPage = () => {
  const datasets = useList('listDatasets', {}, { everyMs: 10_000 })
  return (
    <>
      <PageHead title="Datasets">
        <Link to="/datasets/new" className="button is-primary">
          <Icon name="upload" size={14} /> Import a dataset
        </Link>
      </PageHead>
      <div className="page-body">
        {datasets.error ? <Failure error={datasets.error} retry={datasets.retry} /> : null}
        {datasets.loading ? <Skeleton /> : null}
        {!datasets.loading && !datasets.error && datasets.items.length === 0 ? (
          <Empty title="No datasets yet." command="diorama dataset create export.zip --name mine">
            <p className="quiet">
              A dataset holds the rows of a company's services: your export, a benchmark's data, or a snapshot
              of a world.
            </p>
          </Empty>
        ) : null}
        {datasets.items.length > 0 ? (
          <Table label="Datasets" opens columns={columns} rows={datasets.items} keyOf={({ id }) => id} />
        ) : null}
        {datasets.hasMore ? (
          <button type="button" className="button" onClick={datasets.more}>
            Show more datasets
          </button>
        ) : null}
      </div>
    </>
  )
}
