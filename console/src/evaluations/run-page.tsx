import type { AgentResult, Job, MatrixTrial, Results, RunMatrix } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Moment } from '../parts/moment.tsx'
import { Answered, AnsweredPage, Failure } from '../parts/states.tsx'
import { GateVerdict, Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { count, dollars, duration, percent, plural } from '../words.ts'
import { benchmarkOf } from './benchmark-name.ts'
import { Comparisons, Regressions } from './comparisons.tsx'
import { ExportChoice } from './export-choice.tsx'
import { IntervalBar } from './interval-bar.tsx'
import { Matrix } from './matrix/matrix.tsx'
import { useRunMatrix } from './matrix/run-matrix.ts'
import { Rescoring } from './rescoring.tsx'
import { useRunProgress } from './run-progress.ts'
import { TrialInspector } from './trial/trial-inspector.tsx'
import { Variants } from './variants.tsx'

const restMs = 15_000
const isOver = ({ status }: Job) => status !== 'queued' && status !== 'running'

/** One evaluation: its verdict, what passed, and where the agents differ. */
export const RunPage = () => {
  const { jobId } = useParams({ from: '/evaluations/$jobId' })
  const { search, change } = useAddress()
  const params = { jobId }
  const [over, setOver] = useState<boolean>()
  const everyMs = useRunProgress(jobId, over)
  const job = useAsk('readJob', { params }, { everyMs: everyMs || restMs })
  const { matrix, painted } = useRunMatrix(jobId, everyMs)
  // Of a large run the statistics take longer than the cells, which are asked for first.
  const results = useAsk('readResults', { params }, { everyMs, when: painted || matrix.isError })
  useEffect(() => {
    if (job.data) setOver(isOver(job.data))
  }, [job.data])
  return (
    <AnsweredPage asked={job}>
      {(data) => (
        <>
          <RunHead job={data} />
          <div className="split">
            <div className="split-main scrolls">
              <div className="page-body">
                {data.error ? <Failure error={new Error(data.error)} /> : null}
                {search.a ? <ChoosingSecond first={search.a} /> : null}
                <Answered asked={results} rows={4}>
                  {(found) => <RunBody results={found} matrix={matrix.data} />}
                </Answered>
                <Answered asked={matrix}>{(found) => <Matrix matrix={found} />}</Answered>
              </div>
            </div>
            {search.open ? (
              <TrialInspector
                jobId={jobId}
                trialId={search.open}
                onClose={() => change({ open: undefined })}
              />
            ) : null}
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
          {job.verdict ? <GateVerdict verdict={job.verdict} /> : null}
          {job.status === 'succeeded' ? null : <Status value={job.status} />}
          <span>{job.mode}</span>
          <span aria-live="polite">
            {count(job.completed_trials)} of {plural(job.total_trials, 'trial')}
          </span>
          <span>
            started <Moment at={job.started_at ?? job.created_at} form="ago" />
          </span>
          {took === null ? null : <span>took {duration(took)}</span>}
          {job.isolation ? <span>isolation: {job.isolation}</span> : null}
          <Link to="/suites/$suiteId" params={{ suiteId: job.task_suite_id }}>
            {job.task_suite_name ?? 'Suite'}
          </Link>
          {job.cost_usd === null ? null : <span>{dollars(job.cost_usd)}</span>}
        </>
      }
    >
      {isOver(job) ? (
        <>
          <ExportChoice job={job} onFailure={setUnsaved} />
          {benchmarkOf(job.task_suite_name) ? (
            <Link to="/evaluations/$jobId/benchmark" params={params} className="button">
              Benchmark report
            </Link>
          ) : null}
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
  {
    name: 'Agent',
    cell: ({ agent }) => (
      <Link to="/agents/$name" params={{ name: agent.slice(0, agent.lastIndexOf('@')) }}>
        {agent}
      </Link>
    ),
  },
  { name: 'Verdict', cell: ({ gate }) => <GateVerdict verdict={gate.verdict} /> },
  {
    name: 'Pass rate (95% CI)',
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
    name: 'Cost',
    look: 'number',
    cell: ({ usage }) => (
      <span title={usage ? plural(usage.input_tokens + usage.output_tokens, 'token') : undefined}>
        {dollars(usage?.cost_usd)}
      </span>
    ),
  },
  { name: 'Cost per pass', look: 'number', cell: ({ cost_per_pass_usd }) => dollars(cost_per_pass_usd) },
]

/** A trial was chosen to be compared; the next one that is opened is held against it. */
const ChoosingSecond = ({ first }: { first: string }) => {
  const { change } = useAddress()
  return (
    <p className="notice" role="status">
      Open the trial to compare with <code>{first.split('/')[1]}</code>.{' '}
      <button type="button" className="link" onClick={() => change({ a: undefined })}>
        Cancel
      </button>
    </p>
  )
}

const RunBody = ({ results, matrix }: { results: Results; matrix: RunMatrix | undefined }) => (
  <>
    {results.regression ? (
      <Regressions
        regression={results.regression}
        firstFailing={(agent, task) => firstFailing(matrix, agent, task)}
      />
    ) : null}
    <section className="section">
      <h2>Agents</h2>
      <Table label="Agents" opens columns={agentColumns} rows={results.agents} keyOf={({ agent }) => agent} />
      {results.trials.errored > 0 ? (
        <p className="status-warning">
          {plural(results.trials.errored, 'trial')} not scored: a scorer, a model provider or the platform
          failed.
        </p>
      ) : null}
      {results.trials.errored > 0 ? <Misses jobId={results.job_id} /> : null}
    </section>
    <Comparisons
      comparisons={results.comparisons}
      firstFailing={(agent, task) => firstFailing(matrix, agent, task)}
    />
    <Variants variants={results.variants} />
  </>
)

/** Requests to models that the cassette did not hold, by agent: an agent that changes its prompts leaves its own trials without a verdict. */
const Misses = ({ jobId }: { jobId: string }) => {
  const usage = useAsk('readModelUsage', { params: { jobId } })
  const missed = Map.groupBy(
    (usage.data?.groups ?? []).filter(({ missing }) => missing > 0),
    ({ agent }) => agent ?? 'no agent',
  )
  return [...missed].map(([agent, groups]) => (
    <p key={agent} className="status-warning">
      {agent}:{' '}
      {plural(
        groups.reduce((sum, { missing }) => sum + missing, 0),
        'model request',
      )}{' '}
      not on the cassette. Each left its trial without a verdict.
    </p>
  ))
}

const firstFailing = (
  matrix: RunMatrix | undefined,
  agent: string,
  task: string,
): MatrixTrial['id'] | undefined =>
  matrix?.trials.find(
    (one) =>
      matrix.agents[one.agent] === agent &&
      matrix.tasks[one.task]?.id === task &&
      one.outcome !== 'passed' &&
      one.outcome !== null,
  )?.id
