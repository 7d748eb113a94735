import type { Row } from '@diorama/twin-kit/kernel/table'
import type { Views } from '@diorama/twin-kit/kernel/twin'
import { find } from './context.ts'
import { stateWord } from './standard.ts'
import type { TrackerTables } from './tables.ts'

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

/** An issue is called by its identifier, also by those it had in other teams; a team by its key. */
export const names = (collection: string, row: Row): readonly string[] => {
  const previous = Array.isArray(row.previousIdentifiers) ? row.previousIdentifiers : []
  if (collection === 'Issue') return [row.identifier, ...previous].map(String)
  return collection === 'Team' ? [String(row.key)] : []
}
