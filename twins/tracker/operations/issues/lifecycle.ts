import { actorId, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { IssueRow } from '../../rows.ts'
import { hiddenTeams, needAdmin, needTeamRole } from '../../rules/access.ts'
import { forbidden, inputError, notFound } from '../../shapes/refusals.ts'
import { instantOf, iso } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { type Input, payload } from '../records.ts'
import { unfollow } from './changes.ts'
import { applyIssueChange, needIssue, updateIssue } from './issues.ts'

/** Records that exist only with their issue. */
const parts = ['Comment', 'Attachment', 'IssueHistory', 'Notification', 'CustomerNeed', 'Reaction'] as const

const deleteForGood = (call: TrackerCall, issue: IssueRow): void => {
  for (const type of parts)
    for (const { id } of [...call.tables[type].find('issueId', issue.id)]) call.tables[type].delete(id)
  for (const side of ['issueId', 'relatedIssueId'])
    for (const { id } of [...call.tables.IssueRelation.find(side, issue.id)])
      call.tables.IssueRelation.delete(id)
  for (const child of [...call.tables.Issue.find('parentId', issue.id)])
    call.tables.Issue.update(child.id, { parentId: null })
  for (const { id } of [...call.tables.follower.find('issueId', issue.id)]) call.tables.follower.delete(id)
  call.tables.Issue.delete(issue.id)
}

const archived = (call: TrackerCall, id: unknown, trash: boolean) => {
  const issue = needIssue(call, id)
  const columns = { archivedAt: issue.archivedAt ?? iso(call.now), ...(trash ? { trashed: true } : {}) }
  return payload(call, 'Issue', applyIssueChange(call, issue, columns))
}

/** The person whom a subscription is for: named by id or e-mail, and otherwise the one who asks. */
const subscriber = (call: TrackerCall, { userId, userEmail }: Input): string => {
  if (typeof userEmail === 'string') {
    const user = call.tables.User.first('email', userEmail)
    if (!user) throw notFound('User')
    return user.id
  }
  return typeof userId === 'string' ? need(call, 'User', userId).id : actorId(call)
}

/** Sharing is for those who see the issue through its team, and for issues that do not inherit it. */
const needShareable = (call: TrackerCall, id: unknown): IssueRow => {
  const issue = needIssue(call, id)
  if (hiddenTeams(call).has(issue.teamId))
    throw forbidden('You cannot share issues of a team that you are not part of.')
  needTeamRole(call, issue.teamId, 'issueSharing')
  const parent = issue.parentId === null ? undefined : call.tables.Issue.get(issue.parentId)
  const shared = Array.isArray(parent?.sharedWithIds) && parent.sharedWithIds.length > 0
  if (shared && issue.inheritsSharedAccess !== false)
    throw inputError(
      'Issue inherits sharing',
      'Issues that inherit sharing from a parent cannot be shared directly.',
    )
  return issue
}

const changeList = (
  call: TrackerCall,
  id: unknown,
  column: 'subscriberIds' | 'sharedWithIds',
  change: (ids: string[]) => string[],
) => {
  const issue = needIssue(call, id)
  const held = issue[column]
  const ids = Array.isArray(held) ? held.map(String) : []
  return payload(call, 'Issue', applyIssueChange(call, issue, { [column]: change(ids) }))
}

export const issueLifecycle: Operations = {
  ...mutation('issueArchive', (call, { id, trash }) => archived(call, id, trash === true)),
  ...mutation('issueDelete', (call, { id, permanentlyDelete }) => {
    if (permanentlyDelete !== true) return archived(call, id, true)
    needAdmin(call)
    const issue = needIssue(call, id)
    deleteForGood(call, issue)
    return payload(call, 'Issue', undefined, { entity: null })
  }),
  ...mutation('issueUnarchive', (call, { id }) =>
    payload(call, 'Issue', applyIssueChange(call, needIssue(call, id), { archivedAt: null, trashed: null })),
  ),
  ...mutation('issueAddLabel', (call, { id, labelId }) =>
    payload(call, 'Issue', updateIssue(call, id, { addedLabelIds: [labelId] })),
  ),
  ...mutation('issueRemoveLabel', (call, { id, labelId }) => {
    if (!needIssue(call, id).labelIds.includes(need(call, 'IssueLabel', labelId).id))
      throw inputError('Label not on issue', 'The label is not assigned to the issue.')
    return payload(call, 'Issue', updateIssue(call, id, { removedLabelIds: [labelId] }))
  }),
  ...mutation('issueSubscribe', (call, args) => {
    const user = subscriber(call, args)
    return changeList(call, args.id, 'subscriberIds', (ids) => [...new Set([...ids, user])])
  }),
  ...mutation('issueUnsubscribe', (call, args) => {
    const user = subscriber(call, args)
    unfollow(call, needIssue(call, args.id), user)
    return changeList(call, args.id, 'subscriberIds', (ids) => ids.filter((id) => id !== user))
  }),
  ...mutation('issueShare', (call, args) => {
    const user = need(call, 'User', args.userId).id
    needShareable(call, args.id)
    return changeList(call, args.id, 'sharedWithIds', (ids) => [...new Set([...ids, user])])
  }),
  ...mutation('issueUnshare', (call, args) => {
    const user = need(call, 'User', args.userId).id
    needShareable(call, args.id)
    return changeList(call, args.id, 'sharedWithIds', (ids) => ids.filter((id) => id !== user))
  }),
  ...mutation('issueReminder', (call, { id, reminderAt }) => {
    const issue = needIssue(call, id)
    const at = iso(instantOf(String(reminderAt), call.now))
    const columns = { reminderAt: at, remindedUserId: actorId(call) }
    return payload(call, 'Issue', applyIssueChange(call, issue, columns))
  }),
}
