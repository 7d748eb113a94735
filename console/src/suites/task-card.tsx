import type { Task } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../ask.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { useAddress } from '../search.ts'
import { plural, weightName } from '../words.ts'
import { EnvironmentName } from './environment-choice.tsx'
import { TaskForm } from './task-form.tsx'

/** A task as it will be run; its form takes its place while it is changed. */
export const TaskCard = ({ task }: { task: Task }) => {
  const { search, change } = useAddress()
  const place = useRef<HTMLElement>(null)
  const [deleting, setDeleting] = useState(false)
  const editing = search.edit === task.id
  useEffect(() => {
    if (editing) place.current?.scrollIntoView({ block: 'nearest' })
  }, [editing])
  if (editing)
    return (
      <article ref={place} className="task-card is-edited">
        <TaskForm suiteId={task.suite_id} task={task} onDone={() => change({ edit: undefined })} />
      </article>
    )
  return (
    <article className="task-card">
      <div className="section-head">
        <h3>{task.title}</h3>
        <span className="chips">
          <button type="button" className="link" onClick={() => change({ edit: task.id })}>
            Edit<span className="unseen"> {task.title}</span>
          </button>
          <button type="button" className="link is-danger" onClick={() => setDeleting(true)}>
            Delete<span className="unseen"> {task.title}</span>
          </button>
        </span>
      </div>
      <p className="prose">{task.instruction}</p>
      {task.expected_outcome ? (
        <p className="prose quiet">
          <span className="hint">Expected </span>
          {task.expected_outcome}
        </p>
      ) : null}
      <p className="chips">
        <span className="hint">World</span>
        <EnvironmentName versionId={task.environment_version_id} />
        {task.trace_id ? (
          <Link to="/telemetry/traces/$traceId" params={{ traceId: task.trace_id }} className="touchpoint">
            from a trace with {plural(task.events.length, 'event')}
          </Link>
        ) : null}
      </p>
      <Scorers task={task} />
      {deleting ? <Deletion task={task} onClose={() => setDeleting(false)} /> : null}
    </article>
  )
}

const Scorers = ({ task }: { task: Task }) => (
  <p className="chips">
    <span className="hint">Scorers</span>
    {task.scorers.map(({ scorer_id, name, weight, pass_threshold, scorer_version }) => (
      <Link key={scorer_id} to="/scorers/$scorerId" params={{ scorerId: scorer_id }} className="touchpoint">
        {name}{' '}
        <span className="hint">
          version {scorer_version}, weight {weightName(weight)}
          {pass_threshold === null ? '' : `, threshold ${pass_threshold}`}
        </span>
      </Link>
    ))}
    {task.scorers.length === 0 ? <span className="status-warning">none</span> : null}
  </p>
)

const Deletion = ({ task, onClose }: { task: Task; onClose: () => void }) => {
  const remove = useChange('deleteTask')
  const params = { suiteId: task.suite_id, taskId: task.id }
  return (
    <Confirmation
      title={`Delete “${task.title}”?`}
      about="The task is removed from the draft. Published versions and their results keep it."
      yes="Delete the task"
      doing={remove}
      onYes={() => remove.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
