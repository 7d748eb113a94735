import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { useList } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { duration, percent } from '../words.ts'

type AgentSummary = Reply<'listAgents'>['items'][number]

const register = `curl -X POST ${location.origin}/v1/agents/register -H "Authorization: Bearer $DIORAMA_API_KEY" -H "Content-Type: application/json" -d '{"name":"mine","version":"1","files":{"agent.mjs":"console.log(1)"},"run_command":"node agent.mjs"}'`

const columns: readonly TableColumn<AgentSummary>[] = [
  {
    name: 'Agent',
    cell: ({ name, description }) => (
      <>
        <Link to="/agents/$name" params={{ name }}>
          {name}
        </Link>
        {description ? <p className="hint">{description}</p> : null}
      </>
    ),
  },
  { name: 'Current', look: 'mono', cell: ({ current_version }) => current_version ?? '–' },
  { name: 'Versions', look: 'number', cell: ({ version_count }) => version_count },
  { name: 'Runs', look: 'number', cell: ({ runs }) => runs.count },
  { name: 'Completed', look: 'number', cell: ({ runs }) => percent(runs.success_rate) },
  { name: 'Median', look: 'number', cell: ({ runs }) => duration(runs.p50_duration_ms) },
  {
    name: 'Changed',
    look: 'number quiet',
    cell: ({ updated_at }) => <Moment at={updated_at} form="ago" />,
  },
]

export const AgentsPage = () => {
  const agents = useList('listAgents', {}, { everyMs: 10_000 })
  return (
    <>
      <PageHead title="Agents" />
      <div className="page-body">
        {agents.error ? <Failure error={agents.error} retry={agents.retry} /> : null}
        {agents.loading ? <Skeleton /> : null}
        {!agents.loading && !agents.error && agents.items.length === 0 ? (
          <Empty title="No agents yet." command={register}>
            <p className="quiet">
              An agent has versions, each with instructions, a model, tools and a command that runs it.
            </p>
          </Empty>
        ) : null}
        {agents.items.length > 0 ? (
          <Table label="Agents" columns={columns} rows={agents.items} keyOf={({ name }) => name} />
        ) : null}
        {agents.hasMore ? (
          <button type="button" className="button" onClick={agents.more}>
            Show more agents
          </button>
        ) : null}
      </div>
    </>
  )
}
