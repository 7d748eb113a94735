import type { Job, RunAgentSummary } from '@diorama/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useList } from '../../ask.ts'
import { PageHead } from '../../frame/page-head.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Rows } from '../../parts/lists/rows.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/states.tsx'
import { GateVerdict, Status } from '../../parts/status.tsx'
import { useAddress } from '../../search.ts'
import { dollars, percent } from '../../words.ts'
import { IntervalBar } from '../interval-bar.tsx'
import { RunFilters, runFilterFields } from './run-filters.tsx'
import { Sparkline } from './sparkline.tsx'

/** Runs by what they found: verdict, rates, suite and cost; two of them are compared side by side. */
export const RunsPage = () => {
  const { search } = useAddress()
  const go = useNavigate()
  const query = {
    task_suite_id: search.suite,
    agent: search.agent,
    verdict: search.verdict,
    since: search.since,
    status: search.status,
  }
  const jobs = useList('listJobs', { query }, { everyMs: 5_000 })
  const [chosen, setChosen] = useState<readonly string[]>([])
  const toggle = ({ id }: Job) =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2))
  const filtered = runFilterFields.some((field) => search[field] !== undefined)
  const [a, b] = chosen
  return (
    <>
      <PageHead title="Evaluations">
        {a && b ? (
          <Link to="/evaluations/compare" search={{ a, b }} className="button">
            Compare the two
          </Link>
        ) : (
          <span className="hint page-hint">Select two to compare them</span>
        )}
        <Link to="/evaluations/new" className="button is-primary">
          <Icon name="plus" size={14} /> Start an evaluation
        </Link>
      </PageHead>
      <RunFilters />
      <Rows
        className="runs"
        listing={jobs}
        label="Evaluations"
        keyOf={({ id }) => id}
        row={(job) => <RunRow job={job} />}
        onOpen={({ id }) => void go({ to: '/evaluations/$jobId', params: { jobId: id } })}
        choice={{ label: (job) => `Select ${job.name}`, chosen, onToggle: toggle }}
        heading={
          <>
            <span>Verdict</span>
            <span>Evaluation</span>
            <span className="lesser">Suite</span>
            <span>Pass rate (95% CI)</span>
            <span className="lesser">Suite history</span>
            <span className="number">Cost</span>
            <span className="number">Started</span>
          </>
        }
        empty={
          <Empty title={filtered ? 'No evaluations match these filters.' : 'No evaluations yet.'}>
            <p className="quiet">
              An evaluation runs agents on the tasks of a suite, each in a fresh copy of the world, and scores
              the result. <Link to="/evaluations/new">Start one</Link>.
            </p>
          </Empty>
        }
      />
    </>
  )
}

const RunRow = ({ job }: { job: Job }) => (
  <>
    <span className="fits">
      {job.verdict ? <GateVerdict verdict={job.verdict} /> : <Status value={job.status} />}
    </span>
    <strong className="first">{job.name}</strong>
    <span className="quiet minor lesser">{job.task_suite_name ?? 'deleted suite'}</span>
    <span className="second">
      <Rates results={job.results} />
    </span>
    <span className="minor lesser">
      <Sparkline rates={job.history} />
    </span>
    <span className="number quiet minor">{dollars(job.cost_usd)}</span>
    <span className="number quiet minor">
      {job.finished_at === null ? (
        `${job.completed_trials} of ${job.total_trials}`
      ) : (
        <Moment at={job.created_at} form="ago" />
      )}
    </span>
  </>
)

const maxRates = 2

/** One agent with its interval drawn; several by their numbers. */
const Rates = ({ results }: { results: readonly RunAgentSummary[] }) => {
  const [only, ...others] = results
  if (!only) return <span className="quiet">Not scored yet</span>
  if (others.length === 0)
    return (
      <span className="run-rate">
        <IntervalBar rate={only.pass_rate} interval={only.interval} />
        <span className="quiet">{only.agent}</span>
      </span>
    )
  return (
    <span className="run-rate">
      {results.slice(0, maxRates).map(({ agent, pass_rate, interval }) => (
        <span key={agent}>
          <strong>{percent(pass_rate)}</strong>{' '}
          <span className="quiet">
            {interval ? (
              <span className="run-interval">
                {percent(interval.low)}–{percent(interval.high)}{' '}
              </span>
            ) : null}
            {agent}
          </span>
        </span>
      ))}
      {results.length > maxRates ? (
        <span className="quiet run-more">{results.length - maxRates} more</span>
      ) : null}
    </span>
  )
}
