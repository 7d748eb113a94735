import { Link } from '@tanstack/react-router'
import { useList } from '../ask.ts'
import { now } from '../clock.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { ago, duration, percent } from '../words.ts'

const register = `curl -X POST ${location.origin}/v1/agents/register -H "Authorization: Bearer $DIORAMA_API_KEY" -H "Content-Type: application/json" -d '{"name":"mine","version":"1","files":{"agent.mjs":"console.log(1)"},"run_command":"node agent.mjs"}'`

export const AgentsPage = () => {
  const agents = useList('listAgents', {}, { everyMs: 10_000 })
  return (
    <>
      <PageHead title="Agents" />
      <div className="page-body">
        {agents.error ? <Failure error={agents.error} retry={agents.retry} /> : null}
        {agents.loading ? <Skeleton /> : null}
        {!agents.loading && !agents.error && agents.items.length === 0 ? (
          <Empty title="No agent is registered." command={register}>
            <p className="quiet">
              An agent is a name with versions: instructions, a model, tools, and a command that runs it.
            </p>
          </Empty>
        ) : null}
        {agents.items.length > 0 ? (
          <TableScroll>
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Agent</th>
                  <th scope="col">Current</th>
                  <th scope="col" className="number">
                    Versions
                  </th>
                  <th scope="col" className="number">
                    Runs
                  </th>
                  <th scope="col" className="number">
                    Succeeded
                  </th>
                  <th scope="col" className="number">
                    Median
                  </th>
                  <th scope="col" className="number">
                    Changed
                  </th>
                </tr>
              </thead>
              <tbody>
                {agents.items.map(
                  ({ name, description, current_version, version_count, runs, updated_at }) => (
                    <tr key={name}>
                      <td>
                        <Link to="/agents/$name" params={{ name }}>
                          {name}
                        </Link>{' '}
                        <p className="hint">{description}</p>
                      </td>
                      <td className="mono">{current_version ?? '–'}</td>
                      <td className="number">{version_count}</td>
                      <td className="number">{runs.count}</td>
                      <td className="number">{percent(runs.success_rate)}</td>
                      <td className="number">{duration(runs.p50_duration_ms)}</td>
                      <td className="number quiet">{ago(updated_at, now())}</td>
                    </tr>
                  ),
                )}
              </tbody>
            </table>
          </TableScroll>
        ) : null}
      </div>
    </>
  )
}
