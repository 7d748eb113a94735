import type { Comparison, Results, Trial } from '@diorama/contract'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { percent } from '../words.ts'

/** No rate can differ by more than all; an interval of few tasks would say so. */
const clamp = (share: number) => Math.min(Math.max(share, -1), 1)
const points = (raw: number | null) => {
  const share = raw === null ? null : clamp(raw)
  return share === null ? '–' : `${share > 0 ? '+' : ''}${Math.round(share * 100)} points`
}

/** Each agent against the baseline: the paired difference with its interval, and the tasks that tell them apart. */
export const Comparisons = ({ comparisons }: { comparisons: readonly Comparison[] }) => {
  if (comparisons.length === 0) return null
  return (
    <section className="section">
      <h2>Against {comparisons[0]?.baseline}</h2>
      {comparisons.map((comparison) => (
        <div key={comparison.agent} className="comparison">
          <h3>{comparison.agent}</h3>
          <Whisker comparison={comparison} />
          <p>
            <strong>{points(comparison.difference)}</strong>
            {comparison.interval ? (
              <span className="quiet">
                {' '}
                between {points(comparison.interval.low)} and {points(comparison.interval.high)}
              </span>
            ) : null}
            {comparison.p_value === null ? null : (
              <span className="quiet">, p = {comparison.p_value.toFixed(3)}</span>
            )}
          </p>
          <p className="quiet">
            Better in {comparison.wins}, worse in {comparison.losses}, even in {comparison.ties} of{' '}
            {comparison.tasks} tasks.
          </p>
          <Differing comparison={comparison} />
        </div>
      ))}
    </section>
  )
}

const width = 420
const place = (share: number) => 10 + ((clamp(share) + 1) / 2) * (width - 20)

const Whisker = ({ comparison }: { comparison: Comparison }) => {
  const { difference, interval } = comparison
  if (difference === null) return <p className="quiet">There is nothing to compare yet.</p>
  const label = `Difference ${points(difference)}${interval ? `, between ${points(interval.low)} and ${points(interval.high)}` : ''}`
  return (
    <svg className="whisker" viewBox={`0 0 ${width} 48`} role="img" aria-label={label}>
      <line x1={place(-1)} x2={place(1)} y1="18" y2="18" className="interval-axis" />
      <line x1={place(0)} x2={place(0)} y1="4" y2="32" className="whisker-zero" />
      {interval ? (
        <>
          <line
            x1={place(interval.low)}
            x2={place(interval.high)}
            y1="18"
            y2="18"
            className="interval-range"
          />
          <line x1={place(interval.low)} x2={place(interval.low)} y1="12" y2="24" className="interval-end" />
          <line
            x1={place(interval.high)}
            x2={place(interval.high)}
            y1="12"
            y2="24"
            className="interval-end"
          />
        </>
      ) : null}
      <circle cx={place(difference)} cy="18" r="5" className="interval-dot" />
      {[-1, -0.5, 0, 0.5, 1].map((share) => (
        <text
          key={share}
          x={place(share)}
          y="45"
          className="axis-text"
          textAnchor={share === -1 ? 'start' : share === 1 ? 'end' : 'middle'}
        >
          {share > 0 ? '+' : ''}
          {share * 100}
        </text>
      ))}
    </svg>
  )
}

const Differing = ({ comparison }: { comparison: Comparison }) => {
  if (comparison.differing.length === 0) return null
  return (
    <table className="table narrow-table">
      <thead>
        <tr>
          <th scope="col">Tasks where they differ</th>
          <th scope="col" className="number">
            {comparison.baseline}
          </th>
          <th scope="col" className="number">
            {comparison.agent}
          </th>
        </tr>
      </thead>
      <tbody>
        {comparison.differing.map(({ task_id, title, baseline, agent }) => (
          <tr key={task_id}>
            <th scope="row">{title}</th>
            <td className="number">{percent(baseline)}</td>
            <td className="number">
              <Status value={agent > baseline ? 'passed' : 'failed'} label={percent(agent)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface RegressionsProps {
  readonly regression: NonNullable<Results['regression']>
  readonly trials: readonly Trial[]
}

/** What passed before and fails now comes first. */
export const Regressions = ({ regression, trials }: RegressionsProps) => {
  const { change } = useAddress()
  const first = (agent: string, task: string) =>
    trials.find((trial) => trial.agent === agent && trial.task_id === task && trial.passed === false)?.id
  return (
    <section className="section">
      <h2>Since the run before</h2>
      {regression.baseline_job_id === null ? (
        <p className="quiet">There is no earlier finished run of this suite and agent.</p>
      ) : null}
      {regression.baseline_job_id !== null && regression.regressed.length === 0 ? (
        <Status value="passed" label="Nothing that passed fails now" />
      ) : null}
      <ul>
        {regression.regressed.map(({ agent, task_id, title }) => (
          <li key={agent + task_id}>
            <Status value="failed" label="passed before, fails now" />{' '}
            <button type="button" className="link" onClick={() => change({ open: first(agent, task_id) })}>
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
