import type { TrackerSection } from '../section.ts'
import { palette } from '../standard.ts'
import { iso } from '../values/times.ts'
import { type SeedContext, stamps } from './context.ts'
import { seedLabel } from './labels.ts'

export interface SeededTeam {
  readonly id: string
  readonly key: string
  readonly stateIds: ReadonlyMap<string, string>
  readonly labels: Map<string, string>
  readonly members: readonly string[]
}
type Issue = TrackerSection['issues'][number]

/** Issues are numbered per team in the order of the blueprint. */
export const seedIssues = (
  context: SeedContext,
  teams: ReadonlyMap<string, SeededTeam>,
  projects: ReadonlyMap<string, string>,
): void => {
  const numbers = new Map<string, number>()
  context.section.issues.forEach((issue, n) => {
    const team = teams.get(issue.team)
    if (!team) {
      context.seeding.warn(`/issues/${n}/team`, `no team ${issue.team}; the issue is left out`)
      return
    }
    const number = (numbers.get(team.key) ?? 0) + 1
    numbers.set(team.key, number)
    seedIssue(context, { issue, n, team, number, projectId: projects.get(issue.project ?? '') ?? null })
  })
  for (const { id, key } of teams.values())
    context.seeding.insert('counter', { id: `issue ${id}`, value: numbers.get(key) ?? 0 })
}

interface Placed {
  readonly issue: Issue
  readonly n: number
  readonly team: SeededTeam
  readonly number: number
  readonly projectId: string | null
}

const seedIssue = (context: SeedContext, placed: Placed): void => {
  const { seeding, id, userId, company } = context
  const { issue, team, number, projectId } = placed
  const issueId = id('Issue', issue.key)
  const creatorId = userId(issue.creator ?? company.apiOwner.handle)
  const assigneeId = issue.assignee === null ? null : userId(issue.assignee)
  const times = timesOf(issue)
  seeding.insert('Issue', {
    id: issueId,
    ...stamps(times.created, times.updated),
    identifier: `${team.key}-${number}`,
    number,
    title: issue.title,
    description: issue.description === '' ? null : issue.description,
    priority: issue.priority,
    estimate: null,
    dueDate: null,
    sortOrder: -100 * number,
    prioritySortOrder: -100 * number,
    subIssueSortOrder: null,
    teamId: team.id,
    stateId: team.stateIds.get(issue.state) ?? '',
    assigneeId,
    delegateId: null,
    creatorId,
    projectId,
    projectMilestoneId: null,
    cycleId: null,
    parentId: null,
    labelIds: labelIds(context, placed),
    subscriberIds: [...new Set([creatorId, assigneeId].filter((user) => user !== null))],
    previousIdentifiers: [],
    startedAt: times.started,
    completedAt: times.completed,
    canceledAt: times.canceled,
    trashed: null,
  })
  seeding.key('Issue', issue.key, issueId)
  seedHistory(context, placed, issueId, times)
  seedComments(context, placed, issueId)
}

const labelIds = (context: SeedContext, { issue, team, n }: Placed): string[] =>
  [...new Set(issue.labels)].map((name, at) => {
    const known = team.labels.get(name)
    if (known) return known
    context.seeding.warn(
      `/issues/${n}/labels/${at}`,
      `team ${team.key} has no label ${name}; it was given one`,
    )
    const color = palette[at % palette.length] ?? palette[0]
    const made = seedLabel(context, { team: team.key, teamId: team.id, name, color, at: context.start })
    team.labels.set(name, made)
    return made
  })

const started = new Set(['in_progress', 'in_review', 'done'])

/** The blueprint gives the state of an issue; when it entered that state lies between its first and its last moment. */
const timesOf = ({ createdAt, updatedAt, comments, state }: Issue) => {
  const created = Date.parse(createdAt)
  const last = comments.map(({ at }) => Date.parse(at))
  const updated = Math.max(created, updatedAt === null ? Math.max(created, ...last) : Date.parse(updatedAt))
  const middle = created + Math.floor((updated - created) / 2)
  return {
    created,
    updated,
    started: started.has(state) ? iso(state === 'done' ? middle : updated) : null,
    completed: state === 'done' ? iso(updated) : null,
    canceled: state === 'canceled' ? iso(updated) : null,
  }
}

/** An issue that has left the backlog has a history entry for it, and its assignee a notification. */
const seedHistory = (
  { seeding, id, userId, company }: SeedContext,
  { issue, team }: Placed,
  issueId: string,
  times: ReturnType<typeof timesOf>,
): void => {
  const actor = userId(issue.creator ?? company.apiOwner.handle)
  const toStateId = team.stateIds.get(issue.state)
  if (issue.state !== 'backlog')
    seeding.insert('IssueHistory', {
      id: id('IssueHistory', issue.key),
      ...stamps(times.updated),
      issueId,
      actorId: issue.assignee === null ? actor : userId(issue.assignee),
      fromStateId: team.stateIds.get('backlog') ?? null,
      toStateId: toStateId ?? null,
    })
  if (issue.assignee !== null && userId(issue.assignee) !== actor)
    seeding.insert('Notification', {
      id: id('Notification', issue.key),
      ...stamps(times.created),
      __typename: 'IssueNotification',
      type: 'issueAssignedToYou',
      issueId,
      actorId: actor,
      userId: userId(issue.assignee),
      readAt: null,
      snoozedUntilAt: null,
    })
}

const seedComments = ({ seeding, id, userId }: SeedContext, { issue }: Placed, issueId: string): void => {
  issue.comments.forEach((comment, n) => {
    const commentId = id('Comment', issue.key, String(n))
    const at = Date.parse(comment.at)
    const userOf = userId(comment.author)
    seeding.insert('Comment', {
      id: commentId,
      ...stamps(at),
      body: comment.body,
      userId: userOf,
      issueId,
      projectId: null,
      projectUpdateId: null,
      initiativeId: null,
      initiativeUpdateId: null,
      documentContentId: null,
      parentId: null,
      resolvedAt: null,
      resolvingUserId: null,
      resolvingCommentId: null,
      editedAt: null,
    })
    if (issue.assignee === null || issue.assignee === comment.author) return
    seeding.insert('Notification', {
      id: id('Notification', issue.key, String(n)),
      ...stamps(at),
      __typename: 'IssueNotification',
      type: 'issueNewComment',
      issueId,
      commentId,
      actorId: userOf,
      userId: userId(issue.assignee),
      readAt: null,
      snoozedUntilAt: null,
    })
  })
}
