import type { AgentRunResult } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useAll } from '../ask.ts'
import { IntervalBar } from '../evaluations/interval-bar.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Answered } from '../parts/states.tsx'
import { GateVerdict } from '../parts/status.tsx'
import { dollars } from '../words.ts'

const RatePlot = lazy(() => import('./rate-plot.tsx').then(({ RatePlot }) => ({ default: RatePlot })))

/** How often the agent passes: the newest result of each suite and version, and all of them over time. */
export const PassRates = ({ name }: { name: string }) => {
  const results = useAll('listAgentResults', { query: { agent: name } }, { everyMs: 15_000 })
  return (
    <section className="section">
      <h2>Pass rate by suite and version</h2>
      <Answered asked={results} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">
              Not evaluated yet. <Link to="/evaluations/new">Start an evaluation</Link> to see its pass rates.
            </p>
          ) : (
            <>
              {items.length > 1 ? (
                <Suspense fallback={<div className="plot" />}>
                  <RatePlot results={items} />
                </Suspense>
              ) : null}
              <Table label="Pass rates" opens columns={columns} rows={newest(items)} keyOf={keyOf} />
            </>
          )
        }
      </Answered>
    </section>
  )
}

const keyOf = ({ task_suite_id, agent_version }: AgentRunResult) => `${task_suite_id} ${agent_version}`

/** Results come newest first, so the first of each suite and version is its newest. */
const newest = (results: readonly AgentRunResult[]): readonly AgentRunResult[] =>
  [...new Map(results.toReversed().map((one) => [keyOf(one), one])).values()].toReversed()

const columns: readonly TableColumn<AgentRunResult>[] = [
  {
    name: 'Suite',
    cell: ({ task_suite_name, job_id }) => (
      <Link to="/evaluations/$jobId" params={{ jobId: job_id }}>
        {task_suite_name ?? 'deleted suite'}
      </Link>
    ),
  },
  { name: 'Version', look: 'mono', cell: ({ agent_version }) => agent_version },
  {
    name: 'Pass rate (95% CI)',
    cell: ({ pass_rate, interval }) => <IntervalBar rate={pass_rate} interval={interval} />,
  },
  {
    name: 'Trials passed',
    look: 'number',
    cell: ({ passed_trials, scored_trials }) => `${passed_trials} of ${scored_trials}`,
  },
  { name: 'Verdict', cell: ({ verdict }) => <GateVerdict verdict={verdict} /> },
  { name: 'Cost', look: 'number', cell: ({ cost_usd }) => dollars(cost_usd) },
  {
    name: 'Finished',
    look: 'number quiet',
    cell: ({ finished_at }) => <Moment at={finished_at} form="ago" />,
  },
]
