import type { Task, TaskSuite } from '@diorama/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useAll, useAsk } from '../ask.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Icon } from '../parts/icon.tsx'
import { Answered, AnsweredPage, Empty } from '../parts/states.tsx'
import { useAddress } from '../search.ts'
import { plural } from '../words.ts'
import { SuiteNaming } from './suite-naming.tsx'
import { SuiteProof } from './suite-proof.tsx'
import { SuiteVersions } from './suite-versions.tsx'
import { TaskCard } from './task-card.tsx'
import { TaskForm } from './task-form.tsx'
import { TraceTask } from './trace-task.tsx'

/** A suite: its tasks with their scorers, the proof that it can tell agents apart, and its frozen versions. */
export const SuitePage = () => {
  const { suiteId } = useParams({ from: '/suites/$suiteId' })
  const params = { suiteId }
  const suite = useAsk('readSuite', { params })
  const tasks = useAll('listTasks', { params })
  const { search, change } = useAddress()
  return (
    <AnsweredPage asked={suite}>
      {(data) => (
        <>
          <SuiteHead suite={data} />
          <div className="page-body">
            {data.description ? <p className="quiet measure">{data.description}</p> : null}
            <section className="section">
              <div className="section-head">
                <h2>Tasks</h2>
                <span className="chips">
                  <button type="button" className="button" onClick={() => change({ edit: 'trace' })}>
                    From a trace
                  </button>
                  <button type="button" className="button" onClick={() => change({ edit: 'new' })}>
                    <Icon name="plus" size={14} /> Add a task
                  </button>
                </span>
              </div>
              {search.edit === 'new' ? (
                <TaskForm suiteId={suiteId} onDone={() => change({ edit: undefined })} />
              ) : null}
              <Answered asked={tasks}>{({ items }) => <TaskList tasks={items} />}</Answered>
            </section>
            <SuiteProof suiteId={suiteId} />
            {tasks.data ? <SuiteVersions suiteId={suiteId} tasks={tasks.data.items} /> : null}
          </div>
          {search.edit === 'trace' ? (
            <TraceTask suiteId={suiteId} onClose={(made) => change({ edit: made })} />
          ) : null}
          {search.edit === 'suite' ? (
            <SuiteNaming suite={data} onClose={() => change({ edit: undefined })} />
          ) : null}
        </>
      )}
    </AnsweredPage>
  )
}

const SuiteHead = ({ suite }: { suite: TaskSuite }) => {
  const { change } = useAddress()
  return (
    <PageHead
      title={suite.name}
      crumbs={<Link to="/suites">Suites</Link>}
      facts={
        <>
          <span>{plural(suite.task_count, 'task')}</span>
          {suite.world_id ? (
            <Link to="/worlds/$worldId/$tab" params={{ worldId: suite.world_id, tab: 'story' }}>
              World
            </Link>
          ) : null}
        </>
      }
    >
      <button type="button" className="button" onClick={() => change({ edit: 'suite' })}>
        Rename
      </button>
      <Link to="/evaluations/new" search={{ suite: suite.id }} className="button is-primary">
        Evaluate agents
      </Link>
    </PageHead>
  )
}

const TaskList = ({ tasks }: { tasks: readonly Task[] }) => {
  const { search } = useAddress()
  if (tasks.length === 0 && search.edit !== 'new')
    return (
      <Empty title="No tasks yet.">
        <p className="quiet">
          A task is an instruction, a world to carry it out in, and scorers that judge the result.
        </p>
      </Empty>
    )
  return (
    <ul className="task-cards">
      {tasks.map((task) => (
        <li key={task.id} data-list-row="">
          <TaskCard task={task} />
        </li>
      ))}
    </ul>
  )
}
