import {
  Answered,
  Avatar,
  ChangeInspector,
  ChangeMark,
  Chip,
  changeClass,
  Empty,
  Inspector,
  type LiveWorld,
  Markdown,
  plural,
  type StateItem,
  StoryMoment,
  Table,
  type TwinInstanceRecord,
  text,
  Unread,
  useAddress,
  useCollection,
  useListKeys,
  useNear,
} from '@diorama/console/view-kit'

const states = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'canceled']
const stateNames: Readonly<Record<string, string>> = {
  backlog: 'Backlog',
  todo: 'Todo',
  in_progress: 'In Progress',
  in_review: 'In Review',
  done: 'Done',
  canceled: 'Canceled',
}
const priorities = ['No priority', 'Urgent', 'High', 'Medium', 'Low']

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
  const { search, change } = useAddress()
  const names = new Map(users.data?.map(({ record }) => [text(record, 'handle'), text(record, 'name')]))
  const teams = [...new Set(issues.data?.map(({ record }) => text(record, 'team')))].sort()
  return (
    <Answered asked={issues}>
      {(all) => {
        const shown = all
          .filter(
            ({ record }) => search.collection === undefined || text(record, 'team') === search.collection,
          )
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
                <Board live={live} issues={shown} names={names} />
              )}
            </div>
            {open && !search.open ? (
              <Issue live={live} issue={open} names={names} comments={comments.data ?? []} />
            ) : null}
            <ChangeInspector live={live} />
          </div>
        )
      }}
    </Answered>
  )
}

const Board = ({ live, issues, names }: ViewProps) => {
  const { search, change } = useAddress()
  const byState = Map.groupBy(issues, ({ record }) => text(record, 'state'))
  const others = [...byState.keys()].filter((state) => !states.includes(state))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="board" tabIndex={0} aria-label="Board">
      {[...states, ...others].map((state) => {
        const items = byState.get(state) ?? []
        return (
          <section key={state} className="board-column" aria-label={stateNames[state] ?? state}>
            <h3>
              {stateNames[state] ?? state} <span className="hint">{items.length}</span>
            </h3>
            {items.map((issue) => (
              <div
                key={issue.id}
                className={`board-card ${changeClass({ live, service: 'tracker', collection: 'Issue', id: issue.id })} ${search.record === issue.id || (issue.key !== null && search.record === issue.key) ? 'is-open' : ''}`}
              >
                <button
                  type="button"
                  className="board-open"
                  onClick={() => change({ record: issue.id, open: undefined })}
                >
                  <span className="mono hint">{text(issue.record, 'identifier')}</span>
                  <span className="board-title">{text(issue.record, 'title')}</span>
                  <CardFoot record={issue.record} names={names} />
                </button>
                <ChangeMark live={live} service="tracker" collection="Issue" id={issue.id} />
              </div>
            ))}
          </section>
        )
      })}
    </section>
  )
}

const labelsOf = (record: StateItem['record']): string[] =>
  Array.isArray(record['labels']) ? record['labels'].map(String) : []

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
          { name: 'Assignee', cell: ({ record }) => names.get(text(record, 'assignee')) ?? '–' },
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

interface IssueProps {
  readonly live: LiveWorld
  readonly issue: StateItem
  readonly names: ReadonlyMap<string, string>
  readonly comments: readonly StateItem[]
}

const Issue = ({ live, issue, names, comments }: IssueProps) => {
  const { change } = useAddress()
  const { record, id } = issue
  const mine = comments
    .filter((comment) => text(comment.record, 'issueId') === id)
    .toSorted((a, b) => text(a.record, 'createdAt').localeCompare(text(b.record, 'createdAt')))
  return (
    <Inspector
      title={`${text(record, 'identifier')} ${text(record, 'title')}`}
      onClose={() => change({ record: undefined })}
    >
      <dl className="pairs">
        <dt>State</dt>
        <dd>
          {text(record, 'stateName')} <ChangeMark live={live} service="tracker" collection="Issue" id={id} />
        </dd>
        <dt>Priority</dt>
        <dd>{priorities[Number(record['priority'] ?? 0)]}</dd>
        <dt>Assignee</dt>
        <dd>{names.get(text(record, 'assignee')) ?? 'Nobody'}</dd>
        <dt>Labels</dt>
        <dd>{labelsOf(record).join(', ') || '–'}</dd>
        <dt>Project</dt>
        <dd>{text(record, 'project') || '–'}</dd>
        <dt>Created</dt>
        <dd>
          <StoryMoment at={text(record, 'createdAt')} /> by{' '}
          {names.get(text(record, 'creator')) ?? text(record, 'creator')}
        </dd>
      </dl>
      {text(record, 'description') ? (
        <Markdown text={text(record, 'description')} />
      ) : (
        <p className="quiet">No description.</p>
      )}
      <section className="section">
        <h3>{plural(mine.length, 'comment')}</h3>
        {mine.map((comment) => (
          <div
            key={comment.id}
            className={`comment ${changeClass({ live, service: 'tracker', collection: 'Comment', id: comment.id })}`}
          >
            <Avatar name={names.get(text(comment.record, 'author')) ?? '?'} />
            <div>
              <p className="message-head">
                <strong>{names.get(text(comment.record, 'author')) ?? 'Somebody'}</strong>{' '}
                <span className="hint">
                  <StoryMoment at={text(comment.record, 'createdAt')} />
                </span>{' '}
                <ChangeMark live={live} service="tracker" collection="Comment" id={comment.id} />
              </p>
              <Markdown text={text(comment.record, 'body')} />
            </div>
          </div>
        ))}
      </section>
    </Inspector>
  )
}
