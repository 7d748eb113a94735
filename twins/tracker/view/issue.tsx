import {
  Avatar,
  ChangeMark,
  changeClass,
  EditFields,
  Inspector,
  type LiveWorld,
  Markdown,
  plural,
  type StateItem,
  StoryMoment,
  type TwinInstanceRecord,
  text,
  useActing,
  useAddress,
  Value,
  WriteBox,
} from '@diorama/console/view-kit'
import { statesFor, updateIssue, writeComment } from './acts.ts'
import { labelsOf, priorities } from './words.ts'

interface IssueProps {
  readonly live: LiveWorld
  readonly twin: TwinInstanceRecord
  readonly issue: StateItem
  readonly names: ReadonlyMap<string, string>
  readonly users: readonly StateItem[]
  readonly workflow: readonly StateItem[]
  readonly comments: readonly StateItem[]
}

/** One issue with its comments. A reader who acts as a person edits it and writes comments. */
export const Issue = (props: IssueProps) => {
  const { twin, issue, live, names, comments } = props
  const { change } = useAddress()
  const acting = useActing(twin)
  const { record, id } = issue
  const mine = comments
    .filter((comment) => text(comment.record, 'issueId') === id)
    .toSorted((a, b) => text(a.record, 'createdAt').localeCompare(text(b.record, 'createdAt')))
  return (
    <Inspector
      title={`${text(record, 'identifier')} ${text(record, 'title')}`}
      onClose={() => change({ record: undefined })}
    >
      <Facts live={live} issue={issue} names={names} />
      {text(record, 'description') ? (
        <Markdown text={text(record, 'description')} />
      ) : (
        <p className="quiet">No description.</p>
      )}
      {acting.person ? <Edit {...props} /> : null}
      <section className="section">
        <h3>{plural(mine.length, 'comment')}</h3>
        {mine.map((comment) => (
          <Comment key={comment.id} live={live} comment={comment} names={names} />
        ))}
        {acting.person ? (
          <WriteBox
            label={`Comment as ${acting.person.name}`}
            action="Comment"
            onSend={(body) => writeComment(acting, id, body)}
          />
        ) : null}
      </section>
    </Inspector>
  )
}

const Facts = ({ live, issue, names }: Pick<IssueProps, 'live' | 'issue' | 'names'>) => {
  const { record, id } = issue
  return (
    <dl className="pairs">
      <dt>State</dt>
      <dd>
        {text(record, 'stateName')} <ChangeMark live={live} service="tracker" collection="Issue" id={id} />
      </dd>
      <dt>Priority</dt>
      <dd>{priorities[Number(record['priority'] ?? 0)]}</dd>
      <dt>Assignee</dt>
      <dd>
        <Value
          text={text(record, 'assigneeId')}
          known={names.get(text(record, 'assignee')) ?? 'No assignee'}
        />
      </dd>
      <dt>Labels</dt>
      <dd>{labelsOf(record).join(', ') || '–'}</dd>
      <dt>Project</dt>
      <dd>
        <Value text={text(record, 'projectId')} known={text(record, 'project') || '–'} />
      </dd>
      <dt>Created</dt>
      <dd>
        <StoryMoment at={text(record, 'createdAt')} /> by{' '}
        <Value
          text={text(record, 'creatorId')}
          known={names.get(text(record, 'creator')) ?? text(record, 'creator')}
        />
      </dd>
    </dl>
  )
}

const Comment = ({ live, comment, names }: Pick<IssueProps, 'live' | 'names'> & { comment: StateItem }) => {
  const author = names.get(text(comment.record, 'author'))
  return (
    <div
      className={`comment ${changeClass({ live, service: 'tracker', collection: 'Comment', id: comment.id })}`}
    >
      <Avatar name={author ?? '?'} />
      <div>
        <p className="message-head">
          <strong>
            <Value text={text(comment.record, 'userId')} known={author ?? 'Somebody'} />
          </strong>{' '}
          <span className="hint">
            <StoryMoment at={text(comment.record, 'createdAt')} />
          </span>{' '}
          <ChangeMark live={live} service="tracker" collection="Comment" id={comment.id} />
        </p>
        <Markdown text={text(comment.record, 'body')} />
      </div>
    </div>
  )
}

/** What the fields of the form are called by the service. */
const inputOf = (changed: Readonly<Record<string, string>>) => ({
  ...changed,
  ...(changed['priority'] === undefined ? {} : { priority: Number(changed['priority']) }),
  ...(changed['assigneeId'] === '' ? { assigneeId: null } : {}),
})

const Edit = ({ twin, issue, users, workflow }: IssueProps) => {
  const acting = useActing(twin)
  const { record, id } = issue
  return (
    <section className="section">
      <h3>Edit as {acting.person?.name}</h3>
      <EditFields
        label={`Edit ${text(record, 'identifier')}`}
        fields={[
          { name: 'title', label: 'Title', value: text(record, 'title') },
          {
            name: 'stateId',
            label: 'State',
            value: text(record, 'stateId'),
            options: statesFor(issue, workflow).map((state) => [state.id, text(state.record, 'name')]),
          },
          {
            name: 'priority',
            label: 'Priority',
            value: String(record['priority'] ?? 0),
            options: priorities.map((name, index) => [String(index), name]),
          },
          {
            name: 'assigneeId',
            label: 'Assignee',
            value: text(record, 'assigneeId'),
            options: [
              ['', 'No assignee'],
              ...users.map((user) => [user.id, text(user.record, 'name')] as const),
            ],
          },
          {
            name: 'description',
            label: 'Description',
            value: text(record, 'description'),
            kind: 'long',
          },
        ]}
        onSave={(changed) => updateIssue(acting, id, inputOf(changed))}
      />
    </section>
  )
}
