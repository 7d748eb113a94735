import type { Scorer, TaskSuite } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { now } from '../clock.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { ago } from '../words.ts'

export const SuitesPage = () => {
  const suites = useList('listSuites')
  const scorers = useList('listScorers')
  return (
    <>
      <PageHead title="Suites">
        <Link to="/scorers/$scorerId" params={{ scorerId: 'new' }} className="button">
          <Icon name="plus" size={14} /> Write a scorer
        </Link>
      </PageHead>
      <div className="page-body">
        {suites.error ? <Failure error={suites.error} retry={suites.retry} /> : null}
        {suites.loading ? <Skeleton /> : null}
        {!suites.loading && suites.items.length === 0 ? (
          <Empty title="There is no suite yet.">
            <p className="quiet">
              A world whose blueprint has tasks comes with a suite. <Link to="/worlds/new">Launch one</Link>.
            </p>
          </Empty>
        ) : (
          <SuiteTable suites={suites.items} />
        )}
        <section className="section">
          <h2>Scorers</h2>
          {scorers.items.length > 0 ? (
            <ScorerTable scorers={scorers.items} />
          ) : (
            <p className="quiet">The library is empty.</p>
          )}
        </section>
      </div>
    </>
  )
}

const SuiteTable = ({ suites }: { suites: readonly TaskSuite[] }) => (
  <TableScroll>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Suite</th>
          <th scope="col" className="number">
            Tasks
          </th>
          <th scope="col">World</th>
          <th scope="col" className="number">
            Changed
          </th>
        </tr>
      </thead>
      <tbody>
        {suites.map(({ id, name, task_count, world_id, updated_at }) => (
          <tr key={id}>
            <td>
              <Link to="/suites/$suiteId" params={{ suiteId: id }}>
                {name}
              </Link>
            </td>
            <td className="number">{task_count}</td>
            <td>
              {world_id ? (
                <Link to="/worlds/$worldId/$tab" params={{ worldId: world_id, tab: 'story' }}>
                  Open the world
                </Link>
              ) : (
                '–'
              )}
            </td>
            <td className="number quiet">{ago(updated_at, now())}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

const ScorerTable = ({ scorers }: { scorers: readonly Scorer[] }) => (
  <TableScroll>
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Scorer</th>
          <th scope="col">Kind</th>
          <th scope="col">Language</th>
          <th scope="col" className="number">
            Needs
          </th>
          <th scope="col" className="number">
            Version
          </th>
        </tr>
      </thead>
      <tbody>
        {scorers.map(({ id, name, kind, language, passThreshold, version }) => (
          <tr key={id}>
            <td>
              <Link to="/scorers/$scorerId" params={{ scorerId: id }}>
                {name}
              </Link>
            </td>
            <td>{kind}</td>
            <td>{language ?? '–'}</td>
            <td className="number">{passThreshold ?? '–'}</td>
            <td className="number">{version}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
