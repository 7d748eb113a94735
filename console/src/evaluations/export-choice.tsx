import type { Job } from '@diorama/contract'
import { addressOf } from '../api.ts'
import { saveFrom } from '../save-file.ts'

interface ExportFile {
  readonly label: string
  readonly address: string
  readonly file: string
}

/** Everything a finished evaluation can be downloaded as; an Inspect log is of one agent. */
const filesOf = ({ id, agents }: Job): readonly ExportFile[] => {
  const result = (label: string, name: string): ExportFile => ({
    label,
    address: addressOf(`/v1/backtests/jobs/{jobId}/${name}`, { jobId: id }),
    file: `${id}.${name.replace('results.', '')}`,
  })
  return [
    result('JUnit', 'results.junit.xml'),
    result('CSV', 'results.csv'),
    result('JSON Lines', 'results.jsonl'),
    result('Markdown', 'results.md'),
    ...agents.map((agent) => ({
      label: agents.length === 1 ? 'Inspect log' : `Inspect log of ${agent}`,
      address: addressOf('/v1/backtests/jobs/{jobId}/inspect.eval', { jobId: id }, { agent }),
      file: `${id}-${agent.replaceAll(/[^\w.@-]/g, '_')}.eval`,
    })),
  ]
}

interface ExportChoiceProps {
  readonly job: Job
  readonly onFailure: (error: Error | undefined) => void
}

/** Downloads an evaluation in the format of another tool. */
export const ExportChoice = ({ job, onFailure }: ExportChoiceProps) => {
  const files = filesOf(job)
  const save = (label: string) => {
    onFailure(undefined)
    const chosen = files.find((one) => one.label === label)
    if (chosen) saveFrom(chosen.address, chosen.file).catch(onFailure)
  }
  return (
    <select aria-label="Download" className="button" value="" onChange={(event) => save(event.target.value)}>
      <option value="">Download…</option>
      {files.map(({ label }) => (
        <option key={label} value={label}>
          {label}
        </option>
      ))}
    </select>
  )
}
