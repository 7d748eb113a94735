import type { MatrixTrial, Trial } from '@diorama/contract'
import { type IconName, iconPath } from '../../parts/icon.tsx'
import { Status } from '../../parts/status.tsx'

type Meaning = 'pass' | 'fail' | 'crash' | 'warning' | 'running' | 'quiet'
type Ended = Pick<MatrixTrial, 'outcome'> & { readonly status: string }

const looks: Readonly<Record<string, readonly [word: string, meaning: Meaning, icon: IconName]>> = {
  passed: ['passed', 'pass', 'check'],
  failed: ['failed', 'fail', 'cross'],
  crashed: ['crashed', 'crash', 'crash'],
  timed_out: ['timed out', 'crash', 'clock'],
  over_budget: ['over budget', 'crash', 'budget'],
  errored: ['not scored', 'warning', 'warning'],
  running: ['running', 'running', 'running'],
  scoring: ['scoring', 'running', 'running'],
  queued: ['queued', 'quiet', 'dots'],
  cancelled: ['cancelled', 'quiet', 'dash'],
}

/** How a trial ended or how it stands, as a word, a colour and a drawing; each ending has its own drawing. */
export const lookOf = ({ outcome, status }: Ended) =>
  looks[outcome ?? status] ?? ([status, 'quiet', 'dash'] as const)

/** The drawing of a mark. A matrix has hundreds, so it is an icon with no attribute that style sheets can give. */
export const MarkDrawing = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={iconPath(name)} />
  </svg>
)

export const Outcome = ({ trial }: { trial: Ended }) => {
  const [word] = lookOf(trial)
  return <Status value={trial.outcome ?? trial.status} label={word} />
}

/** What each drawing of the matrix means. */
export const Legend = () => (
  <p className="matrix-legend hint">
    {(['passed', 'failed', 'crashed', 'timed_out', 'over_budget', 'errored'] as const).map((outcome) => (
      <Outcome key={outcome} trial={{ outcome, status: '' }} />
    ))}
  </p>
)

/** Why a trial ended as it did, in one line. */
export const whyOf = (trial: Trial): string => {
  if (trial.error) return trial.error
  const missed = trial.scores.find(({ passed }) => passed === false)
  if (missed) return `${missed.name}: ${missed.error ?? missed.reason ?? `scored ${missed.score}`}`
  return trial.passed ? 'Every scorer passed.' : trial.status
}
