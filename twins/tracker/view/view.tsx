import {
  Answered,
  Avatar,
  ChangeInspector,
  ChangeMark,
  Chip,
  changeClass,
  Empty,
  Failure,
  type LiveWorld,
  plural,
  RecordInspector,
  type StateItem,
  Table,
  type TwinInstanceRecord,
  text,
  Unread,
  useActing,
  useAddress,
  useCollection,
  useDoing,
  useListKeys,
  useNear,
  Value,
} from '@diorama/console/view-kit'

import { moveIssue } from './acts.ts'
import { Issue } from './issue.tsx'
import { labelsOf, priorities } from './words.ts'

const states = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'canceled']
const stateNames: Readonly<Record<string, string>> = {
  backlog: 'Backlog',
  todo: 'Todo',
  in_progress: 'In Progress',
  in_review: 'In Review',
  done: 'Done',
  canceled: 'Canceled',
}

interface ViewProps {
  readonly live: LiveWorld
  readonly issues: readonly StateItem[]
  readonly names: ReadonlyMap<string, string>
}

/** The company's issues, as a board or a list. */
export const View = ({ live, twin }: { live: LiveWorld; twin: TwinInstanceRecord }) => {
  const issues = useCollection(twin.id, 'Issue')
  const users = useCollection(twin.id, 'User')
  const comments = useCollection(twin.id, 'Comment')
  const workflow = useCollection(twin.id, 'WorkflowState')
  const { search, change } = useAddress()
  const names = new Map(users.data?.map(({ record }) => [text(record, 'handle'), text(record, 'name')]))
  const teams = [...new Set(issues.data?.map(({ record }) => text(record, 'team')))].sort()
  return (
    <Answered asked={issues}>
      {(all) => {
        const team = teams.find((one) => one === search.collection)
        const shown = all
          .filter(({ record }) => team === undefined || text(record, 'team') === team)
          .toSorted((a, b) =>
            text(a.record, 'identifier').localeCompare(text(b.record, 'identifier'), 'en', { numeric: true }),
          )
        const open = all.find(
          ({ id, key }) => search.record !== undefined && (id === search.record || key === search.record),
        )
        return (
          <div className="split">
            <div className="split-main">
              <div className="filters">
                <div className="chips">
                  <Chip on={search.view !== 'list'} onClick={() => change({ view: undefined })}>
                    Board
                  </Chip>
                  <Chip on={search.view === 'list'} onClick={() => change({ view: 'list' })}>
                    List
                  </Chip>
                </div>
                <div className="chips">
                  {teams.map((team) => (
                    <Chip
                      key={team}
                      on={search.collection === team}
                      onClick={() => change({ collection: search.collection === team ? undefined : team })}
                    >
                      {team}
                    </Chip>
                  ))}
                </div>
                <span className="quiet">{plural(shown.length, 'issue')}</span>
              </div>
              <Unread list={issues} of="issues" />
              {search.view === 'list' ? (
                <IssueList live={live} issues={shown} names={names} />
              ) : (
                <Board live={live} twin={twin} issues={shown} names={names} workflow={workflow.data ?? []} />
              )}
            </div>
            {open && !search.open ? (
              <Issue
                key={open.id}
                live={live}
                twin={twin}
                issue={open}
                names={names}
                users={users.data ?? []}
                workflow={workflow.data ?? []}
                comments={comments.data ?? []}
              />
            ) : null}
            <RecordInspector live={live} twin={twin} collections={['User', 'Project', 'Team']} />
            <ChangeInspector live={live} />
          </div>
        )
      }}
    </Answered>
  )
}

interface BoardProps extends ViewProps {
  readonly twin: TwinInstanceRecord
  readonly workflow: readonly StateItem[]
}

/** A column for each state. A reader who acts as a person moves cards between them. */
const Board = ({ live, twin, issues, names, workflow }: BoardProps) => {
  const acting = useActing(twin)
  const { error, run } = useDoing()
  const byState = Map.groupBy(issues, ({ record }) => text(record, 'state'))
  const others = [...byState.keys()].filter((state) => !states.includes(state))
  const move = (issueId: string, state: string) => {
    const issue = issues.find(({ id }) => id === issueId)
    if (issue && text(issue.record, 'state') !== state)
      void run(() => moveIssue(acting, issue, state, workflow))
  }
  return (
    <>
      {error ? <Failure error={error} /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section className="board" tabIndex={0} aria-label="Board">
        {[...states, ...others].map((state) => {
          const items = byState.get(state) ?? []
          return (
            // Dropping is for the mouse; by keyboard the state is changed in the issue's form.
            <section
              key={state}
              className="board-column"
              aria-label={stateNames[state] ?? state}
              onDragOver={acting.person ? (event) => event.preventDefault() : undefined}
              onDrop={(event) => move(event.dataTransfer.getData('text/plain'), state)}
            >
              <h3>
                {stateNames[state] ?? state} <span className="hint">{items.length}</span>
              </h3>
              {items.map((issue) => (
                <Card
                  key={issue.id}
                  live={live}
                  issue={issue}
                  names={names}
                  canMove={acting.person !== undefined}
                />
              ))}
            </section>
          )
        })}
      </section>
    </>
  )
}

interface CardProps extends Omit<ViewProps, 'issues'> {
  readonly issue: StateItem
  readonly canMove: boolean
}

const Card = ({ live, issue, names, canMove }: CardProps) => {
  const { search, change } = useAddress()
  const { id, key, record } = issue
  const isOpen = search.record === id || (key !== null && search.record === key)
  const marked = changeClass({ live, service: 'tracker', collection: 'Issue', id })
  return (
    <div className={`board-card ${marked} ${isOpen ? 'is-open' : ''}`}>
      <button
        type="button"
        className="board-open"
        draggable={canMove}
        onDragStart={(event) => event.dataTransfer.setData('text/plain', id)}
        onClick={() => change({ record: id, open: undefined })}
      >
        <span className="mono hint">{text(record, 'identifier')}</span>
        <span className="board-title">{text(record, 'title')}</span>
        <CardFoot record={record} names={names} />
      </button>
      <ChangeMark live={live} service="tracker" collection="Issue" id={id} />
    </div>
  )
}

const CardFoot = ({ record, names }: { record: StateItem['record']; names: ReadonlyMap<string, string> }) => {
  const assignee = text(record, 'assignee')
  return (
    <span className="board-foot">
      <span className="hint">{priorities[Number(record['priority'] ?? 0)]}</span>
      {labelsOf(record).map((label) => (
        <span key={label} className="tag">
          {label}
        </span>
      ))}
      {assignee ? (
        <span className="board-assignee" title={names.get(assignee) ?? assignee}>
          <Avatar name={names.get(assignee) ?? assignee} />
          <span className="unseen">{names.get(assignee) ?? assignee}</span>
        </span>
      ) : null}
    </span>
  )
}

const IssueList = ({ live, issues, names }: ViewProps) => {
  const { search, change } = useAddress()
  useListKeys({
    items: issues,
    keyOf: ({ id }) => id,
    open: search.record,
    onOpen: ({ id }) => change({ record: id }),
    onEnter: undefined,
    show: () => {},
  })
  const { near, end } = useNear(issues)
  if (issues.length === 0) return <Empty title="No issue fits." />
  return (
    <div className="page-body scrolls">
      <Table
        label="Issues"
        rows={near}
        keyOf={({ id }) => id}
        rowClass={({ id }) => changeClass({ live, service: 'tracker', collection: 'Issue', id })}
        columns={[
          {
            name: 'Title',
            cell: ({ id, record }) => (
              <button type="button" className="plain" onClick={() => change({ record: id, open: undefined })}>
                <span className="mono hint issue-name">{text(record, 'identifier')}</span>{' '}
                {text(record, 'title')}
              </button>
            ),
          },
          { name: 'State', cell: ({ record }) => text(record, 'stateName') },
          { name: 'Priority', cell: ({ record }) => priorities[Number(record['priority'] ?? 0)] },
          {
            name: 'Assignee',
            cell: ({ record }) => (
              <Value text={text(record, 'assigneeId')} known={names.get(text(record, 'assignee')) ?? '–'} />
            ),
          },
          {
            name: 'Change',
            unnamed: true,
            look: 'number',
            cell: ({ id }) =>
              live.changes.has(`tracker:Issue:${id}`) ? (
                <ChangeMark live={live} service="tracker" collection="Issue" id={id} />
              ) : null,
          },
        ]}
      />
      {end}
    </div>
  )
}
