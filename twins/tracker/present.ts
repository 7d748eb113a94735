import { shapeOf } from '@diorama/twin-kit/kernel/record-fields'
import type { Row, TableSpec } from '@diorama/twin-kit/kernel/table'
import type { Views } from '@diorama/twin-kit/kernel/twin'
import { find } from './context.ts'
import { trackerSchema } from './graphql/engine.ts'
import { stateWord } from './standard.ts'
import { type TrackerTables, tables } from './tables.ts'

/** A record as graders and people read it: with names beside the ids. */
export const present = (collection: string, row: Row, views: Views<TrackerTables>): Row => {
  const context = { tables: views }
  const name = (type: string, id: unknown, field: string): unknown => find(context, type, id)?.[field] ?? null
  if (collection === 'Issue')
    return {
      ...row,
      state: stateWord(find(context, 'WorkflowState', row.stateId)),
      stateName: name('WorkflowState', row.stateId, 'name'),
      assignee: name('User', row.assigneeId, 'handle'),
      creator: name('User', row.creatorId, 'handle'),
      team: name('Team', row.teamId, 'key'),
      project: name('Project', row.projectId, 'name'),
      parent: name('Issue', row.parentId, 'identifier'),
      labels: Array.isArray(row.labelIds)
        ? row.labelIds.map((id: unknown) => name('IssueLabel', id, 'name')).sort()
        : [],
    }
  if (collection === 'Comment')
    return {
      ...row,
      issue: name('Issue', row.issueId, 'identifier'),
      author: name('User', row.userId, 'handle'),
    }
  if (collection === 'Project')
    return {
      ...row,
      state: name('ProjectStatus', row.statusId, 'type'),
      lead: name('User', row.leadId, 'handle'),
    }
  if (collection === 'IssueRelation')
    return {
      ...row,
      issue: name('Issue', row.issueId, 'identifier'),
      relatedIssue: name('Issue', row.relatedIssueId, 'identifier'),
    }
  return row
}

const shown: Readonly<Record<string, readonly string[]>> = {
  Issue: ['state', 'stateName', 'assignee', 'creator', 'team', 'project', 'parent', 'labels'],
  Comment: ['issue', 'author'],
  Project: ['state', 'lead'],
  IssueRelation: ['issue', 'relatedIssue'],
}

/** What the service itself sets, beyond the inputs of mutations. */
const kept: Readonly<Record<string, readonly string[]>> = {
  Organization: ['allowedAuthServices', 'apiOwner'],
  IssueLabel: ['creatorId', 'retiredById'],
  Project: ['creatorId'],
  User: ['app', 'isAssignable', 'isMentionable', 'oauthClientId', 'supportsAgentSessions'],
  OAuthApplication: ['distribution', 'key'],
  Issue: ['sharedWithIds'],
  Favorite: ['type'],
  NotificationSubscription: ['__typename', 'notificationSubscriptionTypes'],
  CustomView: ['modelName', 'creatorId', 'updatedById'],
  Webhook: ['creatorId'],
  Emoji: ['source', 'creatorId'],
  OrganizationInvite: ['external', 'acceptedAt', 'expiresAt', 'inviterId', 'inviteeId'],
  ProjectLabel: ['creatorId', 'retiredById'],
  Template: ['creatorId', 'lastUpdatedById', 'lastAppliedAt'],
  ProjectRelation: ['userId'],
  ProjectUpdate: ['editedAt', 'slugId'],
  Cycle: ['uncompletedIssueIds'],
  Initiative: ['creatorId'],
  InitiativeRelation: ['userId'],
  InitiativeLabel: ['teamId', 'creatorId'],
  Document: ['creatorId', 'updatedById'],
  Attachment: ['sourceType', 'creatorId'],
}

/** Rows keep what the inputs of mutations set, beside what every one of them has. */
export const fields = (collection: string): readonly string[] => {
  const { types } = trackerSchema.get()
  const spec: TableSpec | undefined = Object.entries<TableSpec>(
    tables as unknown as Record<string, TableSpec>,
  ).find(([name]) => name === collection)?.[1]
  const known = new Set((types.get(collection)?.fields ?? []).map(({ name }) => name))
  const set = ['Create', 'Update'].flatMap((verb) =>
    (types.get(`${collection}${verb}Input`)?.fields ?? [])
      .map(({ name }) => name)
      .filter(
        (name) =>
          known.has(name) || known.has(name.replace(/Ids$/, 's')) || known.has(name.replace(/Id$/, '')),
      ),
  )
  const indexed = Object.keys(spec?.indexes ?? {}).filter(
    (name) => /Ids?$/.test(name) && name !== 'liveTeamId',
  )
  return [
    ...(spec ? shapeOf(spec) : []),
    ...indexed,
    ...set,
    ...(kept[collection] ?? []),
    ...(shown[collection] ?? []),
  ]
}

/** An issue is called by its identifier, also by those it had in other teams; a team by its key. */
export const names = (collection: string, row: Row): readonly string[] => {
  const previous = Array.isArray(row.previousIdentifiers) ? row.previousIdentifiers : []
  if (collection === 'Issue') return [row.identifier, ...previous].map(String)
  return collection === 'Team' ? [String(row.key)] : []
}
