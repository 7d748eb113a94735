import { Icon, type IconName } from './icon.tsx'

type Meaning = 'pass' | 'fail' | 'running' | 'warning' | 'quiet'

const meanings: Readonly<Record<string, readonly [Meaning, IconName]>> = {
  ready: ['pass', 'check'],
  running: ['running', 'running'],
  succeeded: ['pass', 'check'],
  passed: ['pass', 'check'],
  current: ['pass', 'check'],
  ok: ['pass', 'check'],
  failed: ['fail', 'cross'],
  error: ['fail', 'cross'],
  errored: ['warning', 'warning'],
  degraded: ['warning', 'warning'],
  flaky: ['warning', 'warning'],
  forging: ['running', 'running'],
  provisioning: ['running', 'running'],
  materializing: ['running', 'running'],
  queued: ['quiet', 'clock'],
  scoring: ['running', 'running'],
  crashed: ['fail', 'crash'],
  timed_out: ['fail', 'clock'],
  over_budget: ['fail', 'budget'],
}

/** A state, by icon, word and colour together. */
export const Status = ({ value, label }: { value: string; label?: string }) => {
  const [meaning, icon] = meanings[value] ?? (['quiet', 'dash'] as const)
  return (
    <span className={`status status-${meaning}`}>
      <Icon name={icon} size={14} />
      {label ?? value}
    </span>
  )
}

/** A twin that runs is well; a run that is running is under way. */
export const TwinStatus = ({ value }: { value: string }) =>
  value === 'running' ? <Status value="ok" label="running" /> : <Status value={value} />

export const Verdict = ({ passed }: { passed: boolean | null }) =>
  passed === null ? <Status value="unscored" /> : <Status value={passed ? 'passed' : 'failed'} />

const verdicts = {
  pass: ['passed', 'Passed'],
  fail: ['failed', 'Failed'],
  inconclusive: ['errored', 'Inconclusive'],
} as const

/** What the gate decided about a run or an agent. */
export const GateVerdict = ({ verdict }: { verdict: keyof typeof verdicts }) => {
  const [value, label] = verdicts[verdict]
  return <Status value={value} label={label} />
}
