import type { Span, TrialDetail, TrialStep } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { addressOf } from '../../api.ts'
import { useAsk } from '../../ask.ts'
import { PageHead } from '../../frame/page-head.tsx'
import { Id } from '../../parts/copy.tsx'
import { Payload } from '../../parts/payload.tsx'
import { AnsweredPage, Empty } from '../../parts/states.tsx'
import { saveFrom } from '../../save-file.ts'
import { useAddress } from '../../search.ts'
import { dollars, duration, plural } from '../../words.ts'
import { RequestInspector } from '../../worlds/ledger/request-inspector.tsx'
import { ReferenceProvider } from '../../worlds/records/references.tsx'
import { Outcome } from '../matrix/outcome.tsx'
import { useRunProgress } from '../run-progress.ts'
import { VerdictTable } from '../verdict.tsx'
import { Artifacts } from './artifacts.tsx'
import { Assignment, CrashBanner } from './assignment.tsx'
import { Lanes } from './lanes.tsx'
import { ModelCallInspector } from './model-call.tsx'
import { StepList } from './step-list.tsx'
import { firstFault, stepWord } from './steps.ts'
import { StoryLanes } from './story-lanes.tsx'
import { TrialDiff } from './trial-diff.tsx'

const tabs = ['steps', 'output', 'diff', 'artifacts', 'log'] as const
const tabNames = { steps: 'Steps', output: 'Output', diff: 'World diff', artifacts: 'Artifacts', log: 'Log' }
const unfinished = ['queued', 'running', 'scoring']

/** One trial made readable: the verdict first, then what happened when, then everything it left. */
export const TrialPage = () => {
  const params = useParams({ from: '/evaluations/$jobId/trials/$trialId' })
  const [over, setOver] = useState(false)
  const everyMs = useRunProgress(params.jobId, over)
  const trial = useAsk('readTrial', { params }, { everyMs })
  const status = trial.data?.status
  useEffect(() => setOver(status !== undefined && !unfinished.includes(status)), [status])
  const traceId = trial.data?.trace_id ?? ''
  const trace = useAsk('readTrace', { params: { traceId } }, { when: over && traceId !== '' })
  return (
    <AnsweredPage asked={trial}>
      {(data) => (
        <ReferenceProvider place={undefined} twins={data.twins}>
          <TrialBody trial={data} spans={trace.data?.spans ?? []} />
        </ReferenceProvider>
      )}
    </AnsweredPage>
  )
}

const stepAt = (trial: TrialDetail, open: string | undefined): TrialStep | undefined =>
  open === undefined ? undefined : trial.steps[Number(open)]

const TrialBody = ({ trial, spans }: { trial: TrialDetail; spans: readonly Span[] }) => {
  const { search, change } = useAddress()
  const fault = trial.passed === false ? firstFault(trial.steps) : undefined
  const open = search.open ?? (fault === undefined ? undefined : String(fault))
  const tab = tabs.find((name) => name === search.tab) ?? 'steps'
  const step = stepAt(trial, search.open)
  const twinId = stepWord(step, 'twin_id')
  const requestId = stepWord(step, 'request_id')
  const callId = step?.kind === 'model_call' ? stepWord(step, 'call_id') : ''
  return (
    <>
      <TrialHead trial={trial} />
      <div className="split">
        <div className="split-main scrolls">
          <div className="page-body trial">
            {trial.outcome === 'crashed' ? <CrashBanner trial={trial} /> : null}
            <VerdictTable trial={trial} />
            <Assignment trial={trial} />
            <Lanes
              steps={trial.steps}
              spans={spans}
              open={open}
              onOpen={(index) => change({ open: String(index), tab: undefined })}
            />
            <StoryLanes twins={trial.twins} isOver={!unfinished.includes(trial.status)} />
          </div>
          <div className="tabs" role="tablist" aria-label="What the trial left">
            {tabs.map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-controls="trial-panel"
                aria-selected={tab === name}
                className="tab"
                onClick={() => change({ tab: name })}
              >
                {tabNames[name]}
              </button>
            ))}
          </div>
          <div className="page-body" role="tabpanel" id="trial-panel" aria-labelledby={`tab-${tab}`}>
            <TrialTab
              tab={tab}
              trial={trial}
              open={open}
              chosen={search.open !== undefined}
              onOpen={(index) => change({ open: String(index) })}
            />
          </div>
        </div>
        {callId ? <ModelCallInspector callId={callId} onClose={() => change({ open: undefined })} /> : null}
        {twinId && requestId ? (
          <RequestInspector
            twinId={twinId}
            requestId={requestId}
            branch={{ jobId: trial.job_id, trialId: trial.id }}
            onClose={() => change({ open: undefined })}
          />
        ) : null}
      </div>
    </>
  )
}

const EvaluationName = ({ jobId }: { jobId: string }) => (
  <>{useAsk('readJob', { params: { jobId } }).data?.name ?? 'Evaluation'}</>
)

const TrialHead = ({ trial }: { trial: TrialDetail }) => (
  <PageHead
    title={trial.task_title}
    crumbs={
      <>
        <Link to="/evaluations">Evaluations</Link>
        <Link to="/evaluations/$jobId" params={{ jobId: trial.job_id }}>
          <EvaluationName jobId={trial.job_id} />
        </Link>
      </>
    }
    facts={
      <>
        <Outcome trial={trial} />
        <Link to="/agents/$name" params={{ name: trial.agent.slice(0, trial.agent.lastIndexOf('@')) }}>
          {trial.agent}
        </Link>
        <span>repeat {trial.repetition}</span>
        <span>{duration(trial.duration_ms)}</span>
        {trial.usage ? (
          <span>
            {plural(trial.usage.input_tokens + trial.usage.output_tokens, 'token')}
            {trial.usage.cost_usd === null ? '' : `, ${dollars(trial.usage.cost_usd)}`}
          </span>
        ) : null}
        {trial.trace_id ? (
          <Link to="/telemetry/traces/$traceId" params={{ traceId: trial.trace_id }}>
            Trace
          </Link>
        ) : null}
        {trial.isolation ? <span>isolation: {trial.isolation}</span> : null}
        <Id value={trial.id} />
      </>
    }
  >
    <TrajectoryButton trial={trial} />
  </PageHead>
)

const TrajectoryButton = ({ trial }: { trial: TrialDetail }) => {
  const [unsaved, setUnsaved] = useState<Error>()
  const path = '/v1/backtests/jobs/{jobId}/trials/{trialId}/trajectory'
  const save = () => {
    setUnsaved(undefined)
    const address = addressOf(path, { jobId: trial.job_id, trialId: trial.id })
    saveFrom(address, `${trial.id}.trajectory.json`).catch(setUnsaved)
  }
  return (
    <>
      {unsaved ? <span role="alert">{unsaved.message}</span> : null}
      <button type="button" className="button" onClick={save}>
        Download trajectory
      </button>
    </>
  )
}

interface TrialTabProps {
  readonly tab: (typeof tabs)[number]
  readonly trial: TrialDetail
  readonly open: string | undefined
  readonly onOpen: (index: number) => void
  readonly chosen: boolean
}

const TrialTab = ({ tab, trial, open, onOpen, chosen }: TrialTabProps) => {
  if (tab === 'steps') return <StepList trial={trial} open={open} onOpen={onOpen} chosen={chosen} />
  if (tab === 'diff') return <TrialDiff twins={trial.twins} />
  if (tab === 'artifacts') return <Artifacts trial={trial} />
  if (tab === 'output')
    return trial.output ? <Payload body={trial.output} label="output" /> : <Empty title="No output." />
  const agent = trial.steps.find(({ kind }) => kind === 'agent')
  return (
    <>
      <h2>Standard output</h2>
      <Payload body={stepWord(agent, 'stdout')} label="standard output" />
      <h2>Standard error</h2>
      <Payload body={stepWord(agent, 'stderr')} label="standard error" />
    </>
  )
}
