import type { Comparison, Results } from '@diorama/contract'
import { Table } from '../parts/lists/table.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { dollars, percent } from '../words.ts'
import { isBeyond, points } from './points.ts'
import { Whisker } from './whisker.tsx'

/** The trial that explains a failure; undefined where it is not known yet. */
type FirstFailing = (agent: string, task: string) => string | undefined

interface ComparisonsProps {
  readonly comparisons: readonly Comparison[]
  readonly firstFailing: FirstFailing
}

/** Each agent against the baseline: the paired difference with its interval, and the tasks that tell them apart. */
export const Comparisons = ({ comparisons, firstFailing }: ComparisonsProps) => {
  if (comparisons.length === 0) return null
  return (
    <section className="section">
      <h2>Compared with {comparisons[0]?.baseline}</h2>
      <div className="comparisons">
        {comparisons.map((comparison) => (
          <OneComparison key={comparison.agent} comparison={comparison} firstFailing={firstFailing} />
        ))}
      </div>
    </section>
  )
}

interface OneComparisonProps {
  readonly comparison: Comparison
  readonly firstFailing: FirstFailing
}

const OneComparison = ({ comparison, firstFailing }: OneComparisonProps) => {
  const { agent, difference, interval, p_value, wins, losses, ties, tasks, cost_per_pass_usd } = comparison
  return (
    <div className="comparison">
      <h3>{agent}</h3>
      <Whisker difference={difference} interval={interval} />
      {difference === null ? null : (
        <p>
          <strong>{points(difference)}</strong>
          {interval ? (
            <span className="quiet">
              , 95% interval {points(interval.low)} to {points(interval.high)}
            </span>
          ) : null}
          {p_value === null ? null : <span className="quiet">, p = {p_value.toFixed(3)}</span>}
        </p>
      )}
      {interval && isBeyond(interval) ? (
        <p className="quiet">
          The interval extends past ±100 points because there are only {tasks} tasks. Add tasks to narrow it.
        </p>
      ) : null}
      <p className="quiet">
        Better on {wins}, worse on {losses}, equal on {ties} of {tasks} tasks.
      </p>
      {cost_per_pass_usd.agent === null && cost_per_pass_usd.baseline === null ? null : (
        <p className="quiet">
          Cost per pass: {dollars(cost_per_pass_usd.agent)}, {dollars(cost_per_pass_usd.baseline)} for{' '}
          {comparison.baseline}.
        </p>
      )}
      <Differing comparison={comparison} firstFailing={firstFailing} />
    </div>
  )
}

/** A row opens the trial in which the worse of the two failed. */
const Differing = ({ comparison, firstFailing }: OneComparisonProps) => {
  const { change } = useAddress()
  if (comparison.differing.length === 0) return null
  return (
    <Table
      label="Tasks where they differ"
      opens
      rows={comparison.differing}
      keyOf={({ task_id }) => task_id}
      columns={[
        {
          name: 'Tasks where they differ',
          cell: ({ task_id, title, agent, baseline }) => (
            <button
              type="button"
              className="link"
              onClick={() =>
                change({
                  open: firstFailing(agent < baseline ? comparison.agent : comparison.baseline, task_id),
                })
              }
            >
              {title}
            </button>
          ),
        },
        { name: comparison.baseline, look: 'number', cell: ({ baseline }) => percent(baseline) },
        {
          name: comparison.agent,
          look: 'number',
          cell: ({ agent, baseline }) => (
            <Status value={agent > baseline ? 'passed' : 'failed'} label={percent(agent)} />
          ),
        },
      ]}
    />
  )
}

interface RegressionsProps {
  readonly regression: NonNullable<Results['regression']>
  readonly firstFailing: FirstFailing
}

/** What passed before and fails now comes first. */
export const Regressions = ({ regression, firstFailing }: RegressionsProps) => {
  const { change } = useAddress()
  return (
    <section className="section">
      <h2>Since the previous evaluation</h2>
      {regression.baseline_job_id === null ? (
        <p className="quiet">No earlier finished evaluation of this suite with this agent.</p>
      ) : null}
      {regression.baseline_job_id !== null && regression.regressed.length === 0 ? (
        <Status value="passed" label="No regressions" />
      ) : null}
      <ul className="plain-list">
        {regression.regressed.map(({ agent, task_id, title }) => (
          <li key={agent + task_id}>
            <Status value="failed" label="passed before, fails now" />{' '}
            <button
              type="button"
              className="link"
              onClick={() => change({ open: firstFailing(agent, task_id) })}
            >
              {title}
            </button>{' '}
            <span className="quiet">{agent}</span>
          </li>
        ))}
        {regression.fixed.map(({ agent, task_id, title }) => (
          <li key={agent + task_id}>
            <Status value="passed" label="failed before, passes now" /> {title}{' '}
            <span className="quiet">{agent}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
