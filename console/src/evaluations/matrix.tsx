import type { Job, Results, Trial } from '@diorama/contract'
import { Tooltip } from 'radix-ui'
import { Icon, type IconName } from '../parts/icon.tsx'
import { useListKeys } from '../parts/lists/list-keys.ts'
import { TableScroll } from '../parts/lists/table-scroll.tsx'
import { Status } from '../parts/status.tsx'
import { useAddress } from '../search.ts'
import { brief } from '../words.ts'

interface MatrixProps {
  readonly job: Job
  readonly results: Results
  readonly trials: readonly Trial[]
}

/** Tasks down, agents across, each cell the repeats as small marks. */
export const Matrix = ({ job, results, trials }: MatrixProps) => {
  const { search, change } = useAddress()
  useListKeys({
    items: trials,
    keyOf: ({ id }) => id,
    open: search.open,
    onOpen: ({ id }) => change({ open: id }),
    onEnter: undefined,
    show: () => {},
  })
  const tasks = new Map(trials.map(({ task_id, task_title }) => [task_id, task_title]))
  const flaky = new Set(
    results.agents.flatMap((agent) =>
      agent.tasks.filter((task) => task.flaky).map((task) => `${agent.agent}:${task.task_id}`),
    ),
  )
  return (
    <section className="section">
      <h2>Tasks and trials</h2>
      <TableScroll label="Tasks and trials">
        <table className="table matrix">
          <thead>
            <tr>
              <th scope="col">Task</th>
              {job.agents.map((agent) => (
                <th key={agent} scope="col">
                  {agent}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...tasks].map(([taskId, title]) => (
              <tr key={taskId}>
                <th scope="row">{title}</th>
                {job.agents.map((agent) => (
                  <td key={agent}>
                    <span className="marks">
                      {trials
                        .filter((trial) => trial.task_id === taskId && trial.agent === agent)
                        .map((trial) => (
                          <Mark
                            key={trial.id}
                            trial={trial}
                            open={search.open === trial.id}
                            onOpen={() => change({ open: trial.id })}
                          />
                        ))}
                      {flaky.has(`${agent}:${taskId}`) ? <Status value="flaky" /> : null}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  )
}

const looks: Readonly<Record<string, readonly [string, IconName]>> = {
  passed: ['pass', 'check'],
  failed: ['fail', 'cross'],
  errored: ['warning', 'warning'],
  running: ['running', 'running'],
  scoring: ['running', 'running'],
}

export const stateOf = ({ status, passed }: Trial): string =>
  status === 'errored' ? 'errored' : passed === true ? 'passed' : passed === false ? 'failed' : status

/** Why a trial stands as it does, in one line. */
export const whyOf = (trial: Trial): string => {
  if (trial.error) return trial.error
  const missed = trial.scores.find(({ passed }) => passed === false)
  if (missed) return `${missed.name}: ${missed.error ?? missed.reason ?? `scored ${missed.score}`}`
  return trial.passed ? 'Every scorer passed.' : trial.status
}

const Mark = ({ trial, open, onOpen }: { trial: Trial; open: boolean; onOpen: () => void }) => {
  const state = stateOf(trial)
  const [meaning, icon] = looks[state] ?? (['quiet', 'clock'] as const)
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>
        <button
          type="button"
          className={`mark mark-${meaning} ${open ? 'is-open' : ''}`}
          aria-label={`${trial.agent}, ${trial.task_title}, repeat ${trial.repetition}: ${state}`}
          onClick={onOpen}
        >
          <Icon name={icon} size={14} />
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tooltip" sideOffset={4}>
          {brief(whyOf(trial), 200)}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
