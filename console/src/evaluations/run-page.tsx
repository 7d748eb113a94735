import type { AgentResult, Job, Results, Trial } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { addressOf } from '../api.ts'
import { useAll, useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Answered, AnsweredPage, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { saveFrom } from '../save-file.ts'
import { useAddress } from '../search.ts'
import { dollars, duration, percent, plural } from '../words.ts'
import { Comparisons, Regressions } from './comparisons.tsx'
import { IntervalBar } from './interval-bar.tsx'
import { Matrix } from './matrix.tsx'
import { Rescoring } from './rescoring.tsx'
import { useRunProgress } from './run-progress.ts'
import { TrialInspector } from './trial/trial-inspector.tsx'

const junitOf = ({ id }: Job) => addressOf('/v1/backtests/jobs/{jobId}/results.junit.xml', { jobId: id })

/** A finished run can be graded again. */
const restMs = 15_000
const isOver = ({ status }: Job) => status !== 'queued' && status !== 'running'

/** One run: how it stands, what passed, and where the agents differ. */
export const RunPage = () => {
  const { jobId } = useParams({ from: '/evaluations/$jobId' })
  const { search, change } = useAddress()
  const params = { jobId }
  const [over, setOver] = useState(false)
  const everyMs = useRunProgress(jobId, over)
  const job = useAsk('readJob', { params }, { everyMs: everyMs || restMs })
  const results = useAsk('readResults', { params }, { everyMs })
  const trials = useAll('listTrials', { params }, { everyMs })
  useEffect(() => {
    if (job.data) setOver(isOver(job.data))
  }, [job.data])
  const open = trials.data?.items.find(({ id }) => id === search.open)
  return (
    <AnsweredPage asked={job}>
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
                {trials.data?.cut ? (
                  <p className="status-warning">
                    Showing the first {plural(trials.data.items.length, 'trial')}. The totals above include
                    all of them.
                  </p>
                ) : null}
              </div>
            </div>
            {open ? <TrialInspector trial={open} onClose={() => change({ open: undefined })} /> : null}
          </div>
        </>
      )}
    </AnsweredPage>
  )
}

const RunHead = ({ job }: { job: Job }) => {
  const cancel = useChange('cancelJob')
  const [unsaved, setUnsaved] = useState<Error>()
  const failure = cancel.error ?? unsaved
  const save = () => {
    setUnsaved(undefined)
    saveFrom(junitOf(job), `${job.id}.junit.xml`).catch(setUnsaved)
  }
  const { search, change } = useAddress()
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
          <span>
            started <Moment at={job.started_at ?? job.created_at} form="ago" />
          </span>
          {took === null ? null : <span>took {duration(took)}</span>}
          {job.isolation ? <span>isolation: {job.isolation}</span> : null}
          <Link to="/suites/$suiteId" params={{ suiteId: job.task_suite_id }}>
            Suite
          </Link>
        </>
      }
    >
      {isOver(job) ? (
        <>
          <button type="button" className="button" onClick={save}>
            Download JUnit
          </button>
          <button type="button" className="button" onClick={() => change({ edit: 'rescore' })}>
            Rescore
          </button>
          <Link to="/evaluations/new" search={{ suite: job.task_suite_id }} className="button">
            Run again
          </Link>
        </>
      ) : (
        <>
          <progress
            className="progress"
            max={job.total_trials}
            value={job.completed_trials}
            aria-label="Trials done"
          />
          <button
            type="button"
            className="button is-danger"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate({ params })}
          >
            Cancel
          </button>
        </>
      )}
      {failure ? <Failure error={failure} /> : null}
      {search.edit === 'rescore' ? <Rescoring job={job} onClose={() => change({ edit: undefined })} /> : null}
    </PageHead>
  )
}

const agentColumns: readonly TableColumn<AgentResult>[] = [
  { name: 'Agent', cell: ({ agent }) => agent },
  {
    name: 'Pass rate (95% interval)',
    cell: ({ pass_rate, interval }) => <IntervalBar rate={pass_rate} interval={interval} />,
  },
  {
    name: 'Passed',
    look: 'number',
    cell: ({ passed_trials, scored_trials }) => `${passed_trials} of ${scored_trials}`,
  },
  { name: 'Score', look: 'number', cell: ({ weighted_score }) => percent(weighted_score) },
  { name: 'Mean duration', look: 'number', cell: ({ mean_duration_ms }) => duration(mean_duration_ms) },
  {
    name: 'Tokens',
    look: 'number',
    cell: ({ usage }) => (usage ? (usage.input_tokens + usage.output_tokens).toLocaleString('en') : '–'),
  },
  {
    name: 'Cost',
    look: 'number',
    cell: ({ usage }) => dollars(usage?.cost_usd),
  },
]

const RunBody = ({ job, results, trials }: { job: Job; results: Results; trials: readonly Trial[] }) => (
  <>
    {results.regression ? <Regressions regression={results.regression} trials={trials} /> : null}
    <section className="section">
      <h2>Agents</h2>
      <Table label="Agents" columns={agentColumns} rows={results.agents} keyOf={({ agent }) => agent} />
      {results.trials.errored > 0 ? (
        <p className="status-warning">
          {plural(results.trials.errored, 'trial')} not scored: a scorer, a model provider or the platform
          failed.
        </p>
      ) : null}
    </section>
    <Comparisons comparisons={results.comparisons} />
    <Matrix job={job} results={results} trials={trials} />
  </>
)
