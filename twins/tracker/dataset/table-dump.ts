import type { DatasetReader, Reading } from '@diorama/twin-kit/datasets/dataset'
import { requireTexts, type Tables, tablesIn } from '@diorama/twin-kit/datasets/table-dump'
import type { Row } from '@diorama/twin-kit/kernel/table'
import { dayOf, momentOf } from './times.ts'

type Json = Readonly<Record<string, unknown>>

/** Tables as replicas of the service keep them: one JSON object of organizations, users, teams, issues and so on. */
export const tableDump: DatasetReader = {
  format: 'tracker-tables',
  label: 'Tables of a replica: users, teams, states, issues (JSON)',
  takes: 'files',
  read: async ({ files: [file] }, reading) => {
    if (file) await readTables(await tablesIn(file), reading)
  },
}

/** What a row cannot be without. */
const required = {
  users: ['id'],
  teams: ['id', 'name', 'key'],
  workflow_states: ['id', 'name', 'type', 'teamId'],
  issue_labels: ['id', 'name'],
  team_memberships: ['id', 'teamId', 'userId'],
  issues: ['id', 'identifier', 'title', 'teamId', 'stateId'],
  issue_label_issue_association: ['issue_id', 'issue_label_id'],
  comments: ['id', 'body'],
  issue_relations: ['id', 'type', 'issueId', 'relatedIssueId'],
}

const early = '2020-01-01T00:00:00.000Z'

const stampsOf = (row: Json) => ({
  createdAt: momentOf(row.createdAt) ?? early,
  updatedAt: momentOf(row.updatedAt) ?? momentOf(row.createdAt) ?? early,
  archivedAt: momentOf(row.archivedAt) ?? null,
})

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const readTables = async (rows: Tables, reading: Reading): Promise<void> => {
  requireTexts(rows, required, reading.fault)
  const put = async (collection: string, table: string, made: readonly Row[]) => {
    for (const [n, row] of made.entries()) await reading.insert(collection, row, { file: table, row: n + 1 })
  }
  const users = usersOf(rows('users'))
  const acting =
    reading.actsAs === undefined
      ? users[0]
      : users.find(({ id, handle, email }) => [id, handle, email].includes(reading.actsAs ?? ''))
  if (!acting) reading.fault({ file: 'users' }, `nobody is ${reading.actsAs}, whom the token is to act as`)
  const [organization] = rows('organizations')
  const name = String(organization?.name ?? 'Workspace')
  const urlKey = String(organization?.urlKey ?? 'workspace')
  await put('Organization', 'organizations', [
    {
      ...{ id: String(organization?.id ?? 'organization'), ...stampsOf(organization ?? {}), name, urlKey },
      ...{ apiOwner: acting?.handle ?? '', logoUrl: null, gitBranchFormat: null },
      allowedAuthServices: ['google', 'email'],
    },
  ])
  await put('User', 'users', users)
  await put(
    'Team',
    'teams',
    rows('teams').map((team) => teamOf(team, rows('workflow_states'))),
  )
  await put('WorkflowState', 'workflow_states', rows('workflow_states').map(stateOf))
  await put('IssueLabel', 'issue_labels', rows('issue_labels').map(labelOf))
  await put('TeamMembership', 'team_memberships', rows('team_memberships').map(membershipOf))
  await put('Issue', 'issues', rows('issues').map(issueOf(rows('issue_label_issue_association'))))
  await put('Comment', 'comments', rows('comments').map(commentOf))
  await put('IssueRelation', 'issue_relations', rows('issue_relations').map(relationOf))
  const times = [...rows('issues'), ...rows('comments')].flatMap(({ updatedAt }) => momentOf(updatedAt) ?? [])
  const latest = times.toSorted().at(-1)
  reading.company({ name, slug: urlKey.slice(0, 20), ...(latest && { latest: Date.parse(latest) }) })
}

const usersOf = (rows: readonly Json[]) => {
  const taken = new Set<string>()
  return rows.map((user) => {
    const wanted = String(user.displayName ?? user.name ?? user.id)
    const handle = taken.has(wanted) ? String(user.id) : wanted
    taken.add(handle)
    return {
      ...{
        id: String(user.id),
        ...stampsOf(user),
        name: String(user.name ?? wanted),
        displayName: wanted,
        handle,
      },
      ...{ email: String(user.email ?? ''), title: null, description: text(user.description) },
      timezone: text(user.timezone),
      ...{
        active: user.active !== false,
        admin: user.admin === true,
        owner: false,
        guest: user.guest === true,
      },
      avatarUrl: null,
    }
  })
}

const teamOf = (team: Json, states: readonly Json[]): Row => {
  const own = states
    .filter(({ teamId }) => teamId === team.id)
    .toSorted((a, b) => Number(a.position) - Number(b.position))
  const first =
    own.find(({ type }) => type === 'backlog') ?? own.find(({ type }) => type === 'unstarted') ?? own[0]
  return {
    ...{ id: String(team.id), ...stampsOf(team), name: String(team.name), key: String(team.key) },
    ...{
      description: text(team.description),
      icon: text(team.icon),
      color: text(team.color),
      parentId: null,
    },
    defaultIssueStateId: text(first?.id),
    triageIssueStateId: text(own.find(({ type }) => type === 'triage')?.id),
    triageEnabled: team.triageEnabled === true,
    cyclesEnabled: team.cyclesEnabled === true,
    timezone: text(team.timezone) ?? 'Etc/UTC',
  }
}

const stateOf = (state: Json): Row => ({
  ...{ id: String(state.id), ...stampsOf(state), name: String(state.name), type: String(state.type) },
  ...{ color: text(state.color) ?? '#95a2b3', position: number(state.position) ?? 0 },
  ...{ description: text(state.description), teamId: String(state.teamId) },
})

const labelOf = (label: Json): Row => ({
  ...{
    id: String(label.id),
    ...stampsOf(label),
    name: String(label.name),
    color: text(label.color) ?? '#95a2b3',
  },
  ...{ description: text(label.description), isGroup: label.isGroup === true, teamId: text(label.teamId) },
  ...{ parentId: text(label.parentId), creatorId: text(label.creatorId) },
})

const membershipOf = (row: Json): Row => ({
  ...{ id: String(row.id), ...stampsOf(row), teamId: String(row.teamId), userId: String(row.userId) },
  ...{ owner: row.owner === true, sortOrder: number(row.sortOrder) ?? 0 },
})

const issueOf = (links: readonly Json[]) => {
  const labels = Map.groupBy(links, ({ issue_id }) => String(issue_id))
  return (issue: Json): Row => {
    const id = String(issue.id)
    const own = (labels.get(id) ?? []).map(({ issue_label_id }) => String(issue_label_id))
    const listed = Array.isArray(issue.labelIds) ? issue.labelIds.map(String) : []
    const people = [text(issue.creatorId), text(issue.assigneeId)].filter((one) => one !== null)
    return {
      ...{ id, ...stampsOf(issue), identifier: String(issue.identifier), number: number(issue.number) ?? 0 },
      ...{
        title: String(issue.title),
        description: text(issue.description),
        priority: number(issue.priority) ?? 0,
      },
      ...{ estimate: number(issue.estimate), dueDate: dayOf(issue.dueDate), subIssueSortOrder: null },
      ...{ sortOrder: number(issue.sortOrder) ?? 0, prioritySortOrder: number(issue.prioritySortOrder) ?? 0 },
      ...{ teamId: String(issue.teamId), stateId: String(issue.stateId), assigneeId: text(issue.assigneeId) },
      ...{ delegateId: null, creatorId: text(issue.creatorId), projectId: text(issue.projectId) },
      ...{ projectMilestoneId: text(issue.projectMilestoneId), cycleId: text(issue.cycleId) },
      ...{ parentId: text(issue.parentId), labelIds: [...new Set([...listed, ...own])] },
      subscriberIds: [...new Set(people)],
      previousIdentifiers: Array.isArray(issue.previousIdentifiers)
        ? issue.previousIdentifiers.map(String)
        : [],
      startedAt: momentOf(issue.startedAt) ?? null,
      completedAt: momentOf(issue.completedAt) ?? null,
      canceledAt: momentOf(issue.canceledAt) ?? null,
      trashed: null,
    }
  }
}

const commentOf = (comment: Json): Row => ({
  ...{
    id: String(comment.id),
    ...stampsOf(comment),
    body: String(comment.body),
    userId: text(comment.userId),
  },
  ...{ issueId: text(comment.issueId), projectId: null, projectUpdateId: null, initiativeId: null },
  ...{
    initiativeUpdateId: null,
    documentContentId: null,
    parentId: text(comment.parentId),
    resolvedAt: null,
  },
  ...{ resolvingUserId: null, resolvingCommentId: null, editedAt: momentOf(comment.editedAt) ?? null },
})

const relationOf = (row: Json): Row => ({
  ...{ id: String(row.id), ...stampsOf(row), type: String(row.type) },
  ...{ issueId: String(row.issueId), relatedIssueId: String(row.relatedIssueId) },
})
