import type { Job, Results, Trial } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useAsk, useChange } from '../ask.ts'
import { now } from '../clock.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Answered, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { useAddress } from '../search.ts'
import { ago, duration, percent, plural } from '../words.ts'
import { Comparisons, Regressions } from './comparisons.tsx'
import { IntervalBar } from './interval-bar.tsx'
import { Matrix } from './matrix.tsx'
import { TrialInspector } from './trial-inspector.tsx'

const isOver = ({ status }: Job) => status !== 'queued' && status !== 'running'
const liveMs = 1_500

/** One run: how it stands, what passed, and where the agents differ. */
export const RunPage = () => {
  const { jobId } = useParams({ from: '/evaluations/$jobId' })
  const { search, change } = useAddress()
  const params = { jobId }
  const job = useAsk('readJob', { params }, { everyMs: liveMs })
  const everyMs = job.data && isOver(job.data) ? false : liveMs
  const results = useAsk('readResults', { params }, { everyMs })
  const trials = useAsk('listTrials', { params, query: { limit: 200 } }, { everyMs })
  const open = trials.data?.items.find(({ id }) => id === search.open)
  return (
    <Answered asked={job}>
      {(data) => (
        <>
          <RunHead job={data} />
          <div className="split">
            <div className="split-main scrolls">
              <div className="page-body">
                {data.error ? <Failure error={new Error(data.error)} /> : null}
                <Answered asked={results}>
                  {(found) => <RunBody job={data} results={found} trials={trials.data?.items ?? []} />}
                </Answered>
              </div>
            </div>
            {open ? <TrialInspector trial={open} onClose={() => change({ open: undefined })} /> : null}
          </div>
        </>
      )}
    </Answered>
  )
}

const RunHead = ({ job }: { job: Job }) => {
  const cancel = useChange('cancelJob')
  const params = { jobId: job.id }
  const took =
    job.started_at && job.finished_at ? Date.parse(job.finished_at) - Date.parse(job.started_at) : null
  return (
    <PageHead
      title={job.name}
      crumbs={<Link to="/evaluations">Evaluations</Link>}
      facts={
        <>
          <Status value={job.status} />
          <span>{job.mode}</span>
          <span aria-live="polite">
            {job.completed_trials} of {plural(job.total_trials, 'trial')}
          </span>
          <span>{took === null ? `started ${ago(job.created_at, now())}` : `took ${duration(took)}`}</span>
          {job.isolation ? <span>isolation: {job.isolation}</span> : null}
          <Link to="/suites/$suiteId" params={{ suiteId: job.task_suite_id }}>
            Suite
          </Link>
        </>
      }
    >
      <progress
        className="progress"
        max={job.total_trials}
        value={job.completed_trials}
        aria-label="Trials done"
      />
      {isOver(job) ? (
        <a className="button" href={`/evaluations/new?suite=${job.task_suite_id}`}>
          Run again
        </a>
      ) : (
        <button
          type="button"
          className="button is-danger"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate({ params })}
        >
          Cancel
        </button>
      )}
    </PageHead>
  )
}

const RunBody = ({ job, results, trials }: { job: Job; results: Results; trials: readonly Trial[] }) => (
  <>
    {results.regression ? <Regressions regression={results.regression} trials={trials} /> : null}
    <section className="section">
      <h2>Agents</h2>
      <TableScroll>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Pass rate, 95 % interval</th>
              <th scope="col" className="number">
                Passed
              </th>
              <th scope="col" className="number">
                Score
              </th>
              <th scope="col" className="number">
                Time a trial
              </th>
              <th scope="col" className="number">
                Tokens
              </th>
              <th scope="col" className="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {results.agents.map((agent) => (
              <tr key={agent.agent}>
                <th scope="row">{agent.agent}</th>
                <td>
                  <IntervalBar rate={agent.pass_rate} interval={agent.interval} />
                </td>
                <td className="number">
                  {agent.passed_trials} of {agent.scored_trials}
                </td>
                <td className="number">{percent(agent.weighted_score)}</td>
                <td className="number">{duration(agent.mean_duration_ms)}</td>
                <td className="number">
                  {agent.usage
                    ? (agent.usage.input_tokens + agent.usage.output_tokens).toLocaleString('en')
                    : '–'}
                </td>
                <td className="number">
                  {agent.usage?.cost_usd == null ? '–' : `$${agent.usage.cost_usd.toFixed(4)}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      {results.trials.errored > 0 ? (
        <p className="status-warning">
          {plural(results.trials.errored, 'trial')} did not count: the platform failed, not the agent.
        </p>
      ) : null}
    </section>
    <Comparisons comparisons={results.comparisons} />
    <Matrix job={job} results={results} trials={trials} />
  </>
)
