import type { FrozenTask, SuiteVersion, Task } from '@diorama/contract'
import { useAsk } from '../ask.ts'
import { FieldDiff } from '../parts/differences/field-diff.tsx'
import { Answered } from '../parts/states.tsx'
import { plural } from '../words.ts'
import { changesSince, type TaskChange } from './working-changes.ts'

/** What an address asks for is shown, wherever on the page it stands. */
const intoSight = (place: HTMLElement | null) => place?.scrollIntoView({ block: 'nearest' })

/** What an evaluation would freeze now, against the newest version. */
export const Unpublished = ({
  suiteId,
  newest,
  tasks,
}: {
  suiteId: string
  newest: SuiteVersion
  tasks: readonly Task[]
}) => {
  const version = useAsk('readSuiteVersion', { params: { suiteId, versionId: newest.id } }, { forever: true })
  if (!version.data) return null
  const changes = changesSince(version.data.tasks, tasks)
  if (changes.length === 0)
    return <p className="quiet">The working copy is the same as version {newest.number}.</p>
  return (
    <details className="change">
      <summary>
        {plural(changes.length, 'task')} differ{changes.length === 1 ? 's' : ''} from version {newest.number}{' '}
        and {changes.length === 1 ? 'is' : 'are'} not published
      </summary>
      <Changes changes={changes} />
    </details>
  )
}

const verb = ({ before, after }: TaskChange) =>
  before === null ? 'added' : after === null ? 'removed' : 'changed'
const operations = { added: 'create', removed: 'delete', changed: 'update' } as const

const Changes = ({ changes }: { changes: readonly TaskChange[] }) => (
  <div className="version-changes">
    {changes.map((change) => (
      <div key={change.id}>
        <p className={`operation-${operations[verb(change)]}`}>
          {verb(change)} {change.title}
        </p>
        {change.before && change.after ? <FieldDiff before={change.before} after={change.after} /> : null}
      </div>
    ))}
  </div>
)

const side = (fields: Readonly<Record<string, readonly [unknown, unknown]>>, at: 0 | 1) =>
  Object.fromEntries(Object.entries(fields).map(([name, pair]) => [name, pair[at]]))

/** What changed between two published versions. */
export const VersionComparison = ({ suiteId, a, b }: { suiteId: string; a: string; b: string }) => {
  const found = useAsk('compareSuiteVersions', { params: { suiteId, a, b } }, { forever: true })
  return (
    <Answered asked={found} rows={3}>
      {({ a: from, b: to, added, removed, changed }) => {
        const changes: TaskChange[] = [
          ...added.map(({ task_id, title }) => ({ id: task_id, title, before: null, after: {} })),
          ...removed.map(({ task_id, title }) => ({ id: task_id, title, before: {}, after: null })),
          ...changed.map(({ task_id, title, fields }) => ({
            id: task_id,
            title,
            before: side(fields, 0),
            after: side(fields, 1),
          })),
        ]
        return (
          <div aria-live="polite" ref={intoSight}>
            <h3>
              From version {from.number} to version {to.number}
            </h3>
            {changes.length === 0 ? <p className="quiet">No differences.</p> : <Changes changes={changes} />}
          </div>
        )
      }}
    </Answered>
  )
}

/** A version as it was frozen. */
export const FrozenVersion = ({ suiteId, versionId }: { suiteId: string; versionId: string }) => {
  const version = useAsk('readSuiteVersion', { params: { suiteId, versionId } }, { forever: true })
  return (
    <Answered asked={version} rows={4}>
      {({ number, tasks }) => (
        <div ref={intoSight}>
          <h3>Version {number}</h3>
          <ul className="task-cards">
            {tasks.map((task) => (
              <li key={task.id} className="task-card">
                <FrozenTaskText task={task} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Answered>
  )
}

const FrozenTaskText = ({ task }: { task: FrozenTask }) => (
  <>
    <h3>{task.title}</h3>
    <p className="prose">{task.instruction}</p>
    {task.expected_outcome ? <p className="prose quiet">{task.expected_outcome}</p> : null}
    <p className="chips">
      <span className="hint">Scorers</span>
      {task.scorers.map(({ scorer_id, scorer_version, weight, definition }) => (
        <span key={scorer_id} className="tag">
          {definition.name}, version {scorer_version}, weight {weight}
        </span>
      ))}
    </p>
  </>
)
