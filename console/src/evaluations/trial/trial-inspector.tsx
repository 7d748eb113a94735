import type { Trial } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useAsk } from '../../ask.ts'
import { Icon } from '../../parts/icon.tsx'
import { Inspector } from '../../parts/inspector.tsx'
import { Answered } from '../../parts/states.tsx'
import { useAddress } from '../../search.ts'
import { dollars, duration } from '../../words.ts'
import { ReferenceProvider } from '../../worlds/records/references.tsx'
import { Outcome } from '../matrix/outcome.tsx'
import { VerdictTable } from '../verdict.tsx'

interface TrialInspectorProps {
  readonly jobId: string
  readonly trialId: string
  readonly onClose: () => void
}

/** A trial beside the matrix: its verdict, and the way to all of it. */
export const TrialInspector = ({ jobId, trialId, onClose }: TrialInspectorProps) => {
  const trial = useAsk('readTrial', { params: { jobId, trialId } })
  return (
    <Inspector
      title={trial.data?.task_title ?? 'Trial'}
      onClose={onClose}
      link={
        <Link to="/evaluations/$jobId/trials/$trialId" params={{ jobId, trialId }} className="button">
          Open the trial
        </Link>
      }
    >
      <Answered asked={trial}>
        {(data) => (
          <ReferenceProvider place={undefined} twins={data.twins}>
            <TrialFacts trial={data} />
          </ReferenceProvider>
        )}
      </Answered>
    </Inspector>
  )
}

const TrialFacts = ({ trial }: { trial: Trial }) => {
  const { search, change } = useAddress()
  const place = `${trial.job_id}/${trial.id}`
  return (
    <>
      <dl className="pairs">
        <dt>Agent</dt>
        <dd>{trial.agent}</dd>
        <dt>Repeat</dt>
        <dd>{trial.repetition}</dd>
        <dt>Outcome</dt>
        <dd>
          <Outcome trial={trial} />
        </dd>
        <dt>Duration</dt>
        <dd>{duration(trial.duration_ms)}</dd>
        {trial.usage ? (
          <>
            <dt>Cost</dt>
            <dd>{dollars(trial.usage.cost_usd)}</dd>
          </>
        ) : null}
      </dl>
      <p>
        {search.a && search.a !== place ? (
          <Link
            to="/evaluations/compare/trials"
            search={{ a: search.a, b: place }}
            className="button is-primary"
          >
            <Icon name="compare" size={14} /> Compare the two
          </Link>
        ) : (
          <button
            type="button"
            className="button"
            disabled={search.a === place}
            onClick={() => change({ a: place })}
          >
            <Icon name="compare" size={14} /> Compare with another trial
          </button>
        )}
      </p>
      <VerdictTable trial={trial} />
    </>
  )
}
