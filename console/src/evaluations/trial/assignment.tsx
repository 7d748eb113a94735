import type { TrialDetail } from '@diorama/contract'
import { Icon } from '../../parts/icon.tsx'
import { stepWord } from './steps.ts'

/** What the agent was asked, and what the scorers expect. */
export const Assignment = ({ trial }: { trial: TrialDetail }) => (
  <section className="assignment" aria-label="Task">
    <div>
      <h2>Instruction</h2>
      <p className="prose">{trial.instruction}</p>
    </div>
    {trial.expected_outcome ? (
      <div>
        <h2>Expected outcome</h2>
        <p className="prose quiet">{trial.expected_outcome}</p>
      </div>
    ) : null}
  </section>
)

const tailLines = 12
/** The line in which a program says what went wrong, in the forms of common runtimes. */
const errorLine = /^(?:\w*(?:Error|Exception)\b|error:|fatal:|panic:|Traceback|thread .* panicked)/im

/** A crash by its first line of error, then the end of what the agent wrote to standard error. */
export const CrashBanner = ({ trial }: { trial: TrialDetail }) => {
  const agent = trial.steps.find(({ kind }) => kind === 'agent')
  const lines = stepWord(agent, 'stderr')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const telling = lines.filter((line) => errorLine.test(line.trim()) && !/^Traceback/.test(line.trim()))
  const first = telling[0] ?? lines[0]
  if (first === undefined) return null
  return (
    <div className="crash" role="alert">
      <p className="failure-title">
        <Icon name="crash" /> <code>{first.trim()}</code>
      </p>
      <pre>{lines.slice(-tailLines).join('\n')}</pre>
    </div>
  )
}
