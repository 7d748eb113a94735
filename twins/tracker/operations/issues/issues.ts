import type { Row } from '@diorama/twin-kit/kernel/table'
import { find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { IssueRow, TeamRow, WorkflowStateRow } from '../../rows.ts'
import { isMember } from '../../rules/access.ts'
import {
  checkLeavingTriage,
  checkParent,
  checkPeople,
  checkSharedAccess,
  checkTeamOpen,
  checkTeamParts,
  checkTimes,
  delegated,
} from '../../rules/issues.ts'
import { checkLabels } from '../../rules/labels.ts'
import { checkActsAsUser, checkLengths, checkPriority } from '../../rules/lengths.ts'
import { discrepancy, inputError, invalidArgument, notFound } from '../../shapes/refusals.ts'
import { editorText } from '../../values/text.ts'
import { iso } from '../../values/times.ts'
import { sessionOnDelegation } from '../agents/sessions.ts'
import { mutation, type Operations } from '../crud.ts'
import { addRecord, botActorOf, type Input, needText, payload, readInput, recordInput } from '../records.ts'
import { automatic } from './automation.ts'
import { mentioned, notify, recordIssueChange } from './changes.ts'
import { closedWith } from './closing.ts'
import { issueTemplate, withTemplate } from './templates.ts'

export const needIssue = (call: TrackerCall, id: unknown): IssueRow => {
  const row = call.tables.Issue.get(need(call, 'Issue', id).id)
  if (!row) throw notFound('Issue')
  return row
}

/** The next number of a team; numbers of deleted issues are not used again. */
const nextNumber = (call: TrackerCall, teamId: string): number => {
  const id = `issue ${teamId}`
  const counter = call.tables.counter.get(id)
  const value = (counter?.value ?? 0) + 1
  if (counter) call.tables.counter.update(id, { value })
  else call.tables.counter.insert({ id, value })
  return value
}

/** Members open issues in the team's default state; where triage is on, everybody else's go there first. */
const startState = (call: TrackerCall, team: TeamRow): string => {
  const triage = team.triageEnabled && !isMember(call, team.id) ? team.triageIssueStateId : null
  const states = [...call.tables.WorkflowState.find('teamId', team.id)].filter((state) => !state.archivedAt)
  const first = states.sort((a, b) => a.position - b.position)[0]
  const id = triage ?? team.defaultIssueStateId ?? first?.id
  if (!id) throw inputError('No workflow state', 'The team has no workflow states.')
  return id
}

/** What entering a state stamps on an issue, and what leaving one takes off. */
const stateTimes = (state: WorkflowStateRow, now: string, before?: IssueRow): Row => {
  const startedAt = before?.startedAt ?? null
  switch (state.type) {
    case 'started':
      return { startedAt: startedAt ?? now, completedAt: null, canceledAt: null }
    case 'completed':
      return { startedAt: startedAt ?? now, completedAt: now, canceledAt: null }
    case 'canceled':
    case 'duplicate':
      return { startedAt, completedAt: null, canceledAt: now }
    default:
      return { startedAt: null, completedAt: null, canceledAt: null }
  }
}

const needState = (call: TrackerCall, id: unknown, teamId: string): WorkflowStateRow => {
  const state = typeof id === 'string' ? call.tables.WorkflowState.get(id) : undefined
  if (!state) throw notFound('WorkflowState')
  if (state.teamId !== teamId) throw discrepancy()
  return state
}

/** Texts that are empty are kept as none; the editor's own format is taken in place of Markdown. */
const described = (input: Input): Row => {
  const given = input.description ?? (input.descriptionData ? editorText(input.descriptionData) : undefined)
  if (input.description === undefined && given === undefined) return {}
  return { description: typeof given === 'string' && given !== '' ? given : null }
}

const blankIssue = {
  description: null,
  priority: 0,
  estimate: null,
  dueDate: null,
  subIssueSortOrder: null,
  assigneeId: null,
  delegateId: null,
  projectId: null,
  projectMilestoneId: null,
  cycleId: null,
  parentId: null,
  labelIds: [],
  previousIdentifiers: [],
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  trashed: null,
}

export const createIssue = (call: TrackerCall, given: Input): IssueRow => {
  const team = call.tables.Team.get(String(readInput(call, 'Issue', 'IssueCreateInput', given).teamId))
  if (!team) throw notFound('Team')
  checkTeamOpen(call, team.id, 'issues')
  const input = withTemplate(call, given, issueTemplate(call, given, team))
  checkPriority(input)
  checkLengths('Issue', input)
  checkActsAsUser(call, input)
  const columns: Record<string, unknown> = { ...readInput(call, 'Issue', 'IssueCreateInput', input) }
  delegated(call, columns)
  const title = needText(input, 'title')
  const state = needState(call, columns.stateId ?? startState(call, team), team.id)
  const labelIds = listed(columns.labelIds)
  const placed = { ...columns, ...milestoneProject(call, columns), teamId: team.id, stateId: state.id }
  checkLabels(call, 'IssueLabel', { labelIds, teamId: team.id, what: 'issue' })
  checkParent(call, columns.parentId)
  checkTeamParts(call, placed)
  checkPeople(call, columns)
  checkTimes(input, columns, { state, now: call.now })
  const row = addRecord(
    call,
    'Issue',
    newIssue(call, {
      team,
      state,
      columns: { ...placed, ...automatic(call, { team, state, columns: placed }) },
      input,
      title,
      labelIds,
    }),
    input,
  )
  const issue = needIssue(call, row.id)
  notify(call, issue, issue.assigneeId, 'issueAssignedToYou')
  for (const user of mentioned(call, issue.description ?? '')) notify(call, issue, user.id, 'issueMention')
  if (state.type === 'triage') triaged(call, issue)
  sessionOnDelegation(call, issue)
  return needIssue(call, row.id)
}

const newIssue = (
  call: TrackerCall,
  {
    team,
    state,
    columns,
    input,
    title,
    labelIds,
  }: {
    team: TeamRow
    state: WorkflowStateRow
    columns: Row
    input: Input
    title: string
    labelIds: string[]
  },
): Row => {
  const number = nextNumber(call, team.id)
  const creatorId = call.actor?.id ?? null
  const created = typeof columns.createdAt === 'string' ? columns.createdAt : iso(call.now)
  const subscribers = [creatorId, columns.assigneeId, ...listed(columns.subscriberIds)]
  const times = stateTimes(state, created)
  return {
    ...blankIssue,
    ...times,
    sortOrder: -100 * number,
    prioritySortOrder: -100 * number,
    ...columns,
    completedAt: columns.completedAt ?? times.completedAt,
    ...described(input),
    subIssueSortOrder: columns.parentId ? (columns.subIssueSortOrder ?? -100 * number) : null,
    ...botActorOf(call, input),
    title,
    number,
    identifier: `${team.key}-${number}`,
    stateId: state.id,
    creatorId,
    labelIds,
    subscriberIds: [...new Set(subscribers.filter((id) => typeof id === 'string'))],
  }
}

const listed = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** A team's triage responsibility decides who is assigned or notified when an issue enters triage. */
const triaged = (call: TrackerCall, issue: IssueRow): void => {
  const duty = [...call.tables.TriageResponsibility.find('teamId', issue.teamId)].find(
    (row) => !row.archivedAt,
  )
  const userIds = listed(recordInput(duty?.manualSelection).userIds)
  if (!duty || userIds.length === 0) return
  if (duty.action === 'assign') {
    if (issue.assigneeId === null) applyIssueChange(call, issue, { assigneeId: userIds[0] })
  } else for (const userId of userIds) notify(call, issue, userId, 'triageResponsibilityIssueAdded')
}

/** A milestone brings its project along, and is left behind with it. */
const milestoneProject = (call: TrackerCall, columns: Row, before?: IssueRow): Row => {
  const milestone = find(call, 'ProjectMilestone', columns.projectMilestoneId)
  if (milestone) return columns.projectId ? {} : { projectId: milestone.projectId }
  const leaves = 'projectId' in columns && before && columns.projectId !== before.projectId
  return leaves && !('projectMilestoneId' in columns) ? { projectMilestoneId: null } : {}
}

export const updateIssue = (call: TrackerCall, id: unknown, input: Input): IssueRow => {
  checkPriority(input)
  checkLengths('Issue', input)
  const before = needIssue(call, id)
  checkSharedAccess(call, before, input)
  const columns: Record<string, unknown> = {
    ...readInput(call, 'Issue', 'IssueUpdateInput', input),
    ...described(input),
  }
  if (typeof input.title === 'string') needText(input, 'title')
  delegated(call, columns)
  checkParent(call, columns.parentId, before)
  checkPeople(call, columns)
  const labels = changedLabels(call, before, input, columns)
  if (labels) columns.labelIds = labels
  Object.assign(columns, moved(call, before, columns))
  const teamId = typeof columns.teamId === 'string' ? columns.teamId : before.teamId
  const state = needState(call, columns.stateId ?? before.stateId, teamId)
  if (state.id !== before.stateId) Object.assign(columns, stateTimes(state, iso(call.now), before))
  if (Array.isArray(columns.labelIds))
    checkLabels(call, 'IssueLabel', {
      labelIds: columns.labelIds,
      before: before.labelIds,
      teamId,
      what: 'issue',
    })
  Object.assign(columns, milestoneProject(call, columns, before), trashedOrNot(call, input))
  checkTeamParts(call, { ...changedParts(before, columns), teamId })
  checkLeavingTriage(call, before, { ...columns, teamId })
  if (columns.parentId === null) columns.subIssueSortOrder = null
  if (typeof columns.assigneeId === 'string' && !Array.isArray(columns.subscriberIds))
    columns.subscriberIds = [...new Set([...before.subscriberIds, columns.assigneeId])]
  const team = call.tables.Team.get(teamId)
  if (team) Object.assign(columns, automatic(call, { team, state, columns, before }))
  const after = applyIssueChange(call, before, columns)
  for (const { issue, state } of before.stateId === after.stateId ? [] : closedWith(call, after))
    updateIssue(call, issue.id, { stateId: state.id })
  return after
}

/** What the change makes of the parts that hang together; what it does not touch is not judged again. */
const changedParts = (before: IssueRow, columns: Row): Row => {
  const touched = ['teamId', 'stateId', 'cycleId', 'projectId', 'projectMilestoneId'].some(
    (name) => name in columns && columns[name] !== before[name],
  )
  return touched ? { ...before, ...columns } : {}
}

/** `true` puts an issue into the trash, and null or false takes it out. */
const trashedOrNot = (call: TrackerCall, { trashed }: Input): Row =>
  trashed === undefined
    ? {}
    : { trashed: trashed === true ? true : null, archivedAt: trashed === true ? iso(call.now) : null }

/** `labelIds` replaces the labels; `addedLabelIds` and `removedLabelIds` change them. */
const changedLabels = (
  call: TrackerCall,
  before: IssueRow,
  input: Input,
  columns: Row,
): string[] | undefined => {
  const replaced = Array.isArray(columns.labelIds) ? listed(columns.labelIds) : undefined
  const added = listed(input.addedLabelIds)
  const removed = listed(input.removedLabelIds)
  if (!replaced && added.length === 0 && removed.length === 0) return undefined
  for (const id of [...added, ...removed]) need(call, 'IssueLabel', id)
  const kept = (replaced ?? before.labelIds).filter((id) => !removed.includes(id))
  return [...new Set([...kept, ...added])]
}

/**
 * An issue that moves to another team gets that team's next number and answers to its old identifier as well. It keeps
 * its place in the workflow as far as the team has one like it, and loses its cycle, labels of the old team, and a
 * project that the new team has no part in.
 */
const moved = (call: TrackerCall, before: IssueRow, columns: Row): Row => {
  const { teamId } = columns
  if (typeof teamId !== 'string' || teamId === before.teamId) return {}
  const team = call.tables.Team.get(teamId)
  if (!team) throw notFound('Team')
  checkTeamOpen(call, teamId, 'issues')
  const number = nextNumber(call, teamId)
  const kept = Array.isArray(columns.labelIds) ? columns.labelIds.map(String) : before.labelIds
  const project = find(call, 'Project', before.projectId)
  const stays = project && Array.isArray(project.teamIds) && project.teamIds.includes(teamId)
  return {
    number,
    identifier: `${team.key}-${number}`,
    previousIdentifiers: [...before.previousIdentifiers, before.identifier],
    stateId: columns.stateId ?? equivalentState(call, before, teamId) ?? startState(call, team),
    labelIds: kept.filter((id) => {
      const owner = call.tables.IssueLabel.get(id)?.teamId
      return owner === null || owner === teamId
    }),
    cycleId: columns.cycleId ?? null,
    ...(stays || 'projectId' in columns ? {} : { projectId: null, projectMilestoneId: null }),
  }
}

/** A state of the same type, and if there is one, of the same name. */
const equivalentState = (call: TrackerCall, { stateId }: IssueRow, teamId: string): string | undefined => {
  const state = call.tables.WorkflowState.get(stateId)
  const alike = [...call.tables.WorkflowState.find('teamId', teamId)]
    .filter((other) => other.type === state?.type && other.archivedAt === null)
    .sort((a, b) => a.position - b.position)
  return (alike.find(({ name }) => name === state?.name) ?? alike[0])?.id
}

/** Lays the change over the issue, with its history. */
export const applyIssueChange = (call: TrackerCall, before: IssueRow, columns: Row): IssueRow => {
  const changed = Object.entries(columns).some(
    ([name, value]) => JSON.stringify(before[name] ?? null) !== JSON.stringify(value ?? null),
  )
  if (!changed) return before
  const after = call.tables.Issue.update(before.id, { ...columns, updatedAt: iso(call.now) })
  recordIssueChange(call, before, after)
  return after
}

const batch = (call: TrackerCall, issues: IssueRow[]) => ({
  success: true,
  lastSyncId: call.sequence('sync'),
  issues,
})

const maxInBatch = 50
const checkBatch = (target: Input, property: string, list: readonly unknown[]): void => {
  if (list.length > maxInBatch)
    throw invalidArgument({
      target: { ...target },
      property,
      value: list.length,
      constraints: { arrayMaxSize: `${property} must contain no more than ${maxInBatch} elements` },
    })
}

export const issueOperations: Operations = {
  ...mutation('issueCreate', (call, { input }) =>
    payload(call, 'Issue', createIssue(call, recordInput(input))),
  ),
  ...mutation('issueBatchCreate', (call, { input }) => {
    const issues = recordInput(input).issues
    const list = Array.isArray(issues) ? issues : []
    checkBatch(recordInput(input), 'issues', list)
    return batch(
      call,
      list.map((one) => createIssue(call, recordInput(one))),
    )
  }),
  ...mutation('issueUpdate', (call, { id, input }) =>
    payload(call, 'Issue', updateIssue(call, id, recordInput(input))),
  ),
  ...mutation('issueBatchUpdate', (call, { ids, input }) => {
    const list = Array.isArray(ids) ? ids : []
    checkBatch({ ids }, 'ids', list)
    return batch(
      call,
      list.map((id) => updateIssue(call, id, recordInput(input))),
    )
  }),
}
