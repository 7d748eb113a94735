import type { Trial } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { Inspector } from '../../parts/inspector.tsx'
import { Verdict } from '../../parts/status.tsx'
import { duration } from '../../words.ts'
import { VerdictTable } from '../verdict.tsx'

/** A trial that ran to its end is told by its verdict alone. */
const isPlain = (status: Trial['status']) => status === 'succeeded' || status === 'failed'

/** A trial beside the matrix: its verdict, and the way to all of it. */
export const TrialInspector = ({ trial, onClose }: { trial: Trial; onClose: () => void }) => (
  <Inspector
    title={trial.task_title}
    onClose={onClose}
    link={
      <Link
        to="/evaluations/$jobId/trials/$trialId"
        params={{ jobId: trial.job_id, trialId: trial.id }}
        className="button"
      >
        Open the trial
      </Link>
    }
  >
    <dl className="pairs">
      <dt>Agent</dt>
      <dd>{trial.agent}</dd>
      <dt>Repeat</dt>
      <dd>{trial.repetition}</dd>
      <dt>Verdict</dt>
      <dd>
        <Verdict passed={trial.passed} />{' '}
        {isPlain(trial.status) ? null : <span className="quiet">({trial.status})</span>}
      </dd>
      <dt>Took</dt>
      <dd>{duration(trial.duration_ms)}</dd>
    </dl>
    <VerdictTable trial={trial} />
  </Inspector>
)
