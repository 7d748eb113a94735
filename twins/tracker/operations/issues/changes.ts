import type { Row } from '@diorama/twin-kit/kernel/table'
import { find, organizationOf, type TrackerCall } from '../../context.ts'
import { followersOf } from '../../lists/relations.ts'
import type { EntityRow, IssueRow } from '../../rows.ts'
import { sessionOnDelegation } from '../agents/sessions.ts'
import { addRecord } from '../records.ts'

/** Columns of an issue that its history follows, and the names it follows them under. */
const followed: Readonly<Record<string, string>> = {
  assigneeId: 'AssigneeId',
  cycleId: 'CycleId',
  delegateId: 'DelegateId',
  dueDate: 'DueDate',
  estimate: 'Estimate',
  parentId: 'ParentId',
  priority: 'Priority',
  projectId: 'ProjectId',
  projectMilestoneId: 'ProjectMilestoneId',
  stateId: 'StateId',
  teamId: 'TeamId',
  title: 'Title',
}

/** Records what a change did to an issue, and notifies the people concerned. */
export const recordIssueChange = (call: TrackerCall, before: IssueRow, after: IssueRow): void => {
  const entry = entryOf(before, after)
  if (Object.keys(entry).length === 0) return
  addRecord(call, 'IssueHistory', { ...entry, issueId: after.id, actorId: call.actor?.id ?? null })
  if (before.assigneeId !== after.assigneeId) {
    notify(call, after, after.assigneeId, 'issueAssignedToYou')
    notify(call, after, before.assigneeId, 'issueUnassignedFromYou')
  }
  if (before.delegateId !== after.delegateId) sessionOnDelegation(call, after)
  if (before.stateId !== after.stateId)
    for (const user of audience(call, after)) notify(call, after, user, 'issueStatusChangedAll')
}

const entryOf = (before: IssueRow, after: IssueRow): Row => {
  const entry: Record<string, unknown> = {}
  for (const [column, name] of Object.entries(followed)) {
    if (before[column] === after[column]) continue
    entry[`from${name}`] = before[column] ?? null
    entry[`to${name}`] = after[column] ?? null
  }
  const added = after.labelIds.filter((id) => !before.labelIds.includes(id))
  const removed = before.labelIds.filter((id) => !after.labelIds.includes(id))
  if (added.length > 0) entry.addedLabelIds = added
  if (removed.length > 0) entry.removedLabelIds = removed
  if (before.description !== after.description) entry.updatedDescription = true
  if (before.archivedAt !== after.archivedAt) entry.archived = after.archivedAt !== null
  if (before.trashed !== after.trashed) entry.trashed = after.trashed === true
  return entry
}

/** The creator, the assignee and the followers of an issue. */
export const audience = (call: TrackerCall, issue: IssueRow): Set<string> =>
  new Set(
    [issue.creatorId, issue.assigneeId, ...issue.subscriberIds, ...followersOf(issue, call)].filter(
      (id) => id !== null,
    ),
  )

/** Lets somebody follow an issue without changing it. */
export const follow = (call: TrackerCall, issue: IssueRow, userId: string): void => {
  const id = `${issue.id} ${userId}`
  if (!issue.subscriberIds.includes(userId) && !call.tables.follower.has(id))
    call.tables.follower.insert({ id, issueId: issue.id, userId })
}
export const unfollow = (call: TrackerCall, issue: IssueRow, userId: string): void => {
  const id = `${issue.id} ${userId}`
  if (call.tables.follower.has(id)) call.tables.follower.delete(id)
}

/** No one is notified of their own changes. */
export const notify = (
  call: TrackerCall,
  issue: IssueRow,
  userId: string | null,
  type: string,
  extra: Row = {},
): void => {
  if (userId === null || userId === call.actor?.id || !find(call, 'User', userId)) return
  addRecord(call, 'Notification', {
    __typename: 'IssueNotification',
    type,
    issueId: issue.id,
    actorId: call.actor?.id ?? null,
    userId,
    readAt: null,
    snoozedUntilAt: null,
    ...extra,
  })
}

/** The people whom a text mentions: by a link to their profile. A bare `@name` is plain text. */
export const mentioned = (call: TrackerCall, text: string): EntityRow[] => {
  const { urlKey } = organizationOf(call)
  const names = new Set(
    [...text.matchAll(/https:\/\/linear\.app\/([\w-]+)\/profiles\/([\w.-]*\w)/g)].flatMap(([, key, name]) =>
      key === urlKey && name !== undefined ? [name] : [],
    ),
  )
  if (names.size === 0) return []
  return [...call.tables.User.all()].filter(({ displayName }) => names.has(displayName))
}
