import type { Scorer, TaskSuite } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useAsk, useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Icon } from '../parts/icon.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { ReadyMade } from './scorer/ready-made.tsx'
import { SuiteNaming } from './suite-naming.tsx'

export const SuitesPage = () => {
  const suites = useList('listSuites')
  const scorers = useList('listScorers')
  const { search, change } = useAddress()
  return (
    <>
      <PageHead title="Suites">
        <Link to="/scorers/$scorerId" params={{ scorerId: 'new' }} className="button">
          <Icon name="plus" size={14} /> Write a scorer
        </Link>
        <button type="button" className="button" onClick={() => change({ edit: 'ready' })}>
          Built-in scorers
        </button>
        <button type="button" className="button is-primary" onClick={() => change({ edit: 'new' })}>
          <Icon name="plus" size={14} /> New suite
        </button>
      </PageHead>
      <div className="page-body">
        {suites.error ? <Failure error={suites.error} retry={suites.retry} /> : null}
        {suites.loading ? <Skeleton /> : null}
        {!suites.loading && suites.items.length === 0 ? (
          <Empty title="No suites yet.">
            <p className="quiet">
              A world whose blueprint has tasks comes with a suite: <Link to="/worlds/new">launch one</Link>.
              Or create an empty suite and add tasks to it, by hand or from traces.
            </p>
          </Empty>
        ) : null}
        {suites.items.length > 0 ? <SuiteTable suites={suites.items} /> : null}
        <More listing={suites} />
        <section className="section">
          <h2>Scorers</h2>
          {scorers.error ? <Failure error={scorers.error} retry={scorers.retry} /> : null}
          {scorers.items.length > 0 ? <ScorerTable scorers={scorers.items} /> : null}
          {!scorers.loading && !scorers.error && scorers.items.length === 0 ? (
            <p className="quiet">
              No scorers yet. A scorer judges a trial: code that reads the final state of the world, or a
              language model with a prompt.
            </p>
          ) : null}
          <More listing={scorers} />
        </section>
      </div>
      {search.edit === 'ready' ? <ReadyMade onClose={() => change({ edit: undefined })} /> : null}
      {search.edit === 'new' ? <SuiteNaming onClose={() => change({ edit: undefined })} /> : null}
    </>
  )
}

const More = ({ listing }: { listing: { hasMore: boolean; more: () => void } }) =>
  listing.hasMore ? (
    <button type="button" className="button" onClick={listing.more}>
      Show more
    </button>
  ) : null

const SuiteTable = ({ suites }: { suites: readonly TaskSuite[] }) => {
  const worlds = useAsk('listWorlds', { query: { limit: 200 } }).data?.items ?? []
  const names = new Map(worlds.map(({ id, name, version }) => [id, `${name}, version ${version.number}`]))
  const columns: readonly TableColumn<TaskSuite>[] = [
    {
      name: 'Suite',
      cell: ({ id, name, description }) => (
        <>
          <Link to="/suites/$suiteId" params={{ suiteId: id }}>
            {name}
          </Link>
          {description ? <p className="hint one-line">{description}</p> : null}
        </>
      ),
    },
    { name: 'Tasks', look: 'number', cell: ({ task_count }) => task_count },
    {
      name: 'World',
      cell: ({ world_id }) =>
        world_id ? (
          <Link to="/worlds/$worldId/$tab" params={{ worldId: world_id, tab: 'story' }}>
            {names.get(world_id) ?? 'World'}
          </Link>
        ) : (
          '–'
        ),
    },
    {
      name: 'Changed',
      look: 'number quiet',
      cell: ({ updated_at }) => <Moment at={updated_at} form="ago" />,
    },
  ]
  return <Table label="Suites" opens columns={columns} rows={suites} keyOf={({ id }) => id} />
}

const scorerColumns: readonly TableColumn<Scorer>[] = [
  {
    name: 'Scorer',
    cell: ({ id, name, slug }) => (
      <>
        <Link to="/scorers/$scorerId" params={{ scorerId: id }}>
          {name}
        </Link>
        <p className="hint mono">{slug}</p>
      </>
    ),
  },
  {
    name: 'Kind',
    cell: ({ kind, language }) => (kind === 'llm-judge' ? 'LLM judge' : `code, ${language ?? ''}`),
  },
  { name: 'Threshold', look: 'number', cell: ({ passThreshold }) => passThreshold ?? '–' },
  { name: 'Version', look: 'number', cell: ({ version }) => version },
  { name: 'Changed', look: 'number quiet', cell: ({ updatedAt }) => <Moment at={updatedAt} form="ago" /> },
]

const ScorerTable = ({ scorers }: { scorers: readonly Scorer[] }) => (
  <Table label="Scorers" opens columns={scorerColumns} rows={scorers} keyOf={({ id }) => id} />
)
