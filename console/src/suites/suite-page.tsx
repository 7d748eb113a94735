import type { Task } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAsk, useChange } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Answered, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { plural } from '../words.ts'
import { SuiteVersions } from './suite-versions.tsx'

/** A suite: its tasks with their scorers, the proof that it can tell agents apart, and its frozen versions. */
export const SuitePage = () => {
  const { suiteId } = useParams({ from: '/suites/$suiteId' })
  const params = { suiteId }
  const suite = useAsk('readSuite', { params })
  const tasks = useAsk('listTasks', { params, query: { limit: 200 } })
  return (
    <Answered asked={suite}>
      {(data) => (
        <>
          <PageHead
            title={data.name}
            crumbs={<Link to="/suites">Suites</Link>}
            facts={
              <>
                <span>{plural(data.task_count, 'task')}</span>
                {data.world_id ? (
                  <Link to="/worlds/$worldId/$tab" params={{ worldId: data.world_id, tab: 'story' }}>
                    World
                  </Link>
                ) : null}
              </>
            }
          >
            <Link to="/evaluations/new" search={{ suite: suiteId }} className="button is-primary">
              Evaluate agents
            </Link>
          </PageHead>
          <div className="page-body">
            {data.description ? <p className="quiet">{data.description}</p> : null}
            <section className="section">
              <h2>Tasks</h2>
              <Answered asked={tasks}>
                {({ items }) => (
                  <ul className="task-cards">
                    {items.map((task) => (
                      <li key={task.id}>
                        <TaskCard task={task} />
                      </li>
                    ))}
                  </ul>
                )}
              </Answered>
            </section>
            <Proof suiteId={suiteId} />
            <SuiteVersions suiteId={suiteId} />
          </div>
        </>
      )}
    </Answered>
  )
}

const TaskCard = ({ task }: { task: Task }) => {
  const [editing, setEditing] = useState(false)
  return (
    <article className="task-card">
      <div className="section-head">
        <h3>{task.title}</h3>
        <button type="button" className="link" onClick={() => setEditing(!editing)}>
          {editing ? 'Cancel' : 'Edit'}
          <span className="unseen"> {task.title}</span>
        </button>
      </div>
      {editing ? <TaskForm task={task} done={() => setEditing(false)} /> : <TaskText task={task} />}
      <p className="chips">
        <span className="hint">Scorers</span>
        {task.scorers.map(({ scorer_id, name, weight, pass_threshold }) => (
          <Link
            key={scorer_id}
            to="/scorers/$scorerId"
            params={{ scorerId: scorer_id }}
            className="touchpoint"
          >
            {name}{' '}
            <span className="hint">
              {weight}
              {pass_threshold === null ? '' : `, needs ${pass_threshold}`}
            </span>
          </Link>
        ))}
        {task.scorers.length === 0 ? (
          <span className="status-warning">none: nothing decides whether it passed</span>
        ) : null}
      </p>
    </article>
  )
}

const TaskText = ({ task }: { task: Task }) => (
  <>
    <p className="prose">{task.instruction}</p>
    <p className="prose quiet">{task.expected_outcome}</p>
  </>
)

const TaskForm = ({ task, done }: { task: Task; done: () => void }) => {
  const update = useChange('updateTask')
  const [instruction, setInstruction] = useState(task.instruction)
  const [expected, setExpected] = useState(task.expected_outcome)
  const params = { suiteId: task.suite_id, taskId: task.id }
  return (
    <div className="form">
      <label>
        Instruction
        <textarea rows={5} value={instruction} onChange={(event) => setInstruction(event.target.value)} />
      </label>
      <label>
        Expected outcome
        <textarea rows={3} value={expected} onChange={(event) => setExpected(event.target.value)} />
      </label>
      {update.error ? <Failure error={update.error} /> : null}
      <div>
        <button
          type="button"
          className="button is-primary"
          disabled={update.isPending}
          onClick={() =>
            update.mutate({ params, body: { instruction, expected_outcome: expected } }, { onSuccess: done })
          }
        >
          Save the task
        </button>
      </div>
    </div>
  )
}

/** A suite is worth something when doing nothing fails it and its scorers agree with themselves. */
const Proof = ({ suiteId }: { suiteId: string }) => {
  const check = useChange('checkSuite')
  return (
    <section className="section">
      <div className="section-head">
        <h2>Proof</h2>
        <button
          type="button"
          className="button"
          disabled={check.isPending}
          onClick={() => check.mutate({ params: { suiteId } })}
        >
          {check.isPending ? 'Checking…' : 'Check the suite'}
        </button>
      </div>
      <p className="quiet">
        An agent that does nothing must fail each task, and each scorer must repeat itself.
      </p>
      {check.error ? <Failure error={check.error} /> : null}
      <ul aria-live="polite">
        {check.data?.tasks.map(({ task_id, title, ok, problems }) => (
          <li key={task_id}>
            <Status value={ok ? 'passed' : 'failed'} label={title} />{' '}
            <span className="quiet">{problems.join(' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
