import type { AgentRunResult } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import type { Reply } from '../api.ts'
import { useAll, useList } from '../ask.ts'
import { IntervalBar } from '../evaluations/interval-bar.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Icon } from '../parts/icon.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { duration } from '../words.ts'

type AgentSummary = Reply<'listAgents'>['items'][number]

const register = `curl -X POST ${location.origin}/v1/agents/register -H "Authorization: Bearer $DIORAMA_API_KEY" -H "Content-Type: application/json" -d '{"name":"mine","version":"1","files":{"agent.mjs":"console.log(1)"},"run_command":"node agent.mjs"}'`

type Results = ReadonlyMap<string, readonly AgentRunResult[]>

const columnsOf = (results: Results): readonly TableColumn<AgentSummary>[] => [
  {
    name: 'Agent',
    cell: ({ name, description }) => (
      <>
        <Link to="/agents/$name" params={{ name }}>
          {name}
        </Link>
        {description ? <p className="hint one-line">{description}</p> : null}
      </>
    ),
  },
  {
    name: 'Pass rate (95% CI)',
    cell: ({ name }) => <Rates results={results.get(name) ?? []} />,
  },
  { name: 'Current', look: 'mono', cell: ({ current_version }) => current_version ?? '–' },
  { name: 'Versions', look: 'number', cell: ({ version_count }) => version_count },
  { name: 'Runs', look: 'number', cell: ({ runs }) => runs.count },
  { name: 'Median duration', look: 'number', cell: ({ runs }) => duration(runs.p50_duration_ms) },
  {
    name: 'Updated',
    look: 'number quiet',
    cell: ({ updated_at }) => <Moment at={updated_at} form="ago" />,
  },
]

const maxRates = 3

const Rates = ({ results }: { results: readonly AgentRunResult[] }) => {
  if (results.length === 0) return <span className="quiet">Not evaluated yet</span>
  return (
    <span className="agent-rates">
      {results.slice(0, maxRates).map((one) => (
        <span key={one.job_id + one.agent} className="agent-rate">
          <IntervalBar rate={one.pass_rate} interval={one.interval} />
          <span className="hint">
            {one.task_suite_name ?? 'deleted suite'} @ {one.agent_version}
          </span>
        </span>
      ))}
      {results.length > maxRates ? <span className="hint">and {results.length - maxRates} more</span> : null}
    </span>
  )
}

export const AgentsPage = () => {
  const agents = useList('listAgents', {}, { everyMs: 10_000 })
  const latest = useAll('listAgentResults', { query: { latest: true } }, { everyMs: 15_000 })
  const results = Map.groupBy(latest.data?.items ?? [], ({ agent_name }) => agent_name)
  return (
    <>
      <PageHead title="Agents">
        <Link to="/agents/new" className="button is-primary">
          <Icon name="plus" size={14} /> Register an agent
        </Link>
      </PageHead>
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
          <Table
            label="Agents"
            opens
            columns={columnsOf(results)}
            rows={agents.items}
            keyOf={({ name }) => name}
          />
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
