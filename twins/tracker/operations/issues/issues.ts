import type { Row } from '../../../kernel/table.ts'
import { find, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { inputError, invalidArgument, notFound } from '../../refusals.ts'
import type { IssueRow, TeamRow, WorkflowStateRow } from '../../rows.ts'
import { editorText } from '../../values/text.ts'
import { iso } from '../../values/times.ts'
import { mutation, type Operations } from '../crud.ts'
import { addRecord, type Input, needText, payload, readInput, recordInput } from '../records.ts'
import { mentioned, notify, recordIssueChange } from './changes.ts'

export const needIssue = (call: TrackerCall, id: unknown): IssueRow => {
  const row = call.tables.Issue.get(need(call, 'Issue', id).id)
  if (!row) throw notFound('Issue')
  return row
}

/** The next number of a team; numbers of deleted issues are not used again. */
const nextNumber = (call: TrackerCall, teamId: string): number => {
  const id = `issue ${teamId}`
  const value = (call.tables.counter.get(id)?.value ?? 0) + 1
  if (value === 1) call.tables.counter.insert({ id, value })
  else call.tables.counter.update(id, { value })
  return value
}

const startState = (call: TrackerCall, team: TeamRow): string => {
  const preferred = team.triageEnabled ? team.triageIssueStateId : team.defaultIssueStateId
  const states = [...call.tables.WorkflowState.find('teamId', team.id)].filter((state) => !state.archivedAt)
  const first = states.sort((a, b) => a.position - b.position)[0]
  const id = preferred ?? team.defaultIssueStateId ?? first?.id
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
  if (state.teamId !== teamId)
    throw inputError('Discrepancy between issue team and state team', 'The state belongs to another team.')
  return state
}

/** Labels must be the workspace's or the team's own, and a group lends at most one of its labels. */
const checkLabels = (call: TrackerCall, labelIds: readonly string[], teamId: string): void => {
  const groups = new Set<string>()
  for (const id of labelIds) {
    const label = call.tables.IssueLabel.get(id)
    if (!label) throw notFound('IssueLabel')
    if (label.teamId !== null && label.teamId !== teamId)
      throw inputError(
        'Label not in team',
        `The label '${label.name}' is not associated with the same team as the issue.`,
      )
    if (label.isGroup)
      throw inputError(
        'Label is a group',
        `The label '${label.name}' is a group and cannot be assigned to issues.`,
      )
    if (label.parentId === null) continue
    if (groups.has(label.parentId))
      throw inputError('Labels not exclusive', 'Only one label of a group can be assigned to an issue.')
    groups.add(label.parentId)
  }
}

/** Texts that are empty are kept as none; the editor's own format is taken in place of Markdown. */
const described = (input: Input): Row => {
  const given = input.description ?? (input.descriptionData ? editorText(input.descriptionData) : undefined)
  if (input.description === undefined && given === undefined) return {}
  return { description: typeof given === 'string' && given !== '' ? given : null }
}

const checkPriority = (input: Input): void => {
  const { priority } = input
  if (typeof priority === 'number' && (priority < 0 || priority > 4))
    throw invalidArgument({
      target: { ...input },
      property: 'priority',
      value: priority,
      constraints: { max: 'priority must not be greater than 4' },
    })
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

export const createIssue = (call: TrackerCall, input: Input): IssueRow => {
  checkPriority(input)
  const columns = readInput(call, 'Issue', 'IssueCreateInput', input)
  const team = call.tables.Team.get(String(columns.teamId))
  if (!team) throw notFound('Team')
  const title = needText(input, 'title')
  const state = needState(call, columns.stateId ?? startState(call, team), team.id)
  const labelIds = Array.isArray(columns.labelIds) ? columns.labelIds : []
  checkLabels(call, labelIds, team.id)
  const number = nextNumber(call, team.id)
  const creatorId = call.actor?.id ?? null
  const subscribers = Array.isArray(columns.subscriberIds) ? columns.subscriberIds : []
  const created = typeof columns.createdAt === 'string' ? columns.createdAt : iso(call.now)
  const row = addRecord(
    call,
    'Issue',
    {
      ...blankIssue,
      ...stateTimes(state, created),
      sortOrder: -100 * number,
      prioritySortOrder: -100 * number,
      ...columns,
      ...described(input),
      ...milestoneProject(call, columns),
      title,
      number,
      identifier: `${team.key}-${number}`,
      stateId: state.id,
      creatorId,
      labelIds,
      subscriberIds: [
        ...new Set([creatorId, columns.assigneeId, ...subscribers].filter((id) => typeof id === 'string')),
      ],
    },
    input,
  )
  const issue = needIssue(call, row.id)
  notify(call, issue, issue.assigneeId, 'issueAssignedToYou')
  for (const user of mentioned(call, issue.description ?? '')) notify(call, issue, user.id, 'issueMention')
  return issue
}

/** A milestone brings its project along. */
const milestoneProject = (call: TrackerCall, columns: Row): Row => {
  const milestone = find(call, 'ProjectMilestone', columns.projectMilestoneId)
  return milestone && !columns.projectId ? { projectId: milestone.projectId } : {}
}

export const updateIssue = (call: TrackerCall, id: unknown, input: Input): IssueRow => {
  checkPriority(input)
  const before = needIssue(call, id)
  const columns: Record<string, unknown> = {
    ...readInput(call, 'Issue', 'IssueUpdateInput', input),
    ...described(input),
  }
  if (typeof input.title === 'string') needText(input, 'title')
  if (columns.parentId === before.id) throw inputError('Invalid parent', 'An issue cannot be its own parent.')
  const labels = changedLabels(call, before, input, columns)
  if (labels) columns.labelIds = labels
  Object.assign(columns, moved(call, before, columns))
  const teamId = typeof columns.teamId === 'string' ? columns.teamId : before.teamId
  if (typeof columns.stateId === 'string' && columns.stateId !== before.stateId)
    Object.assign(columns, stateTimes(needState(call, columns.stateId, teamId), iso(call.now), before))
  if (Array.isArray(columns.labelIds)) checkLabels(call, columns.labelIds, teamId)
  Object.assign(columns, milestoneProject(call, columns), trashedOrNot(call, input))
  if (typeof columns.assigneeId === 'string' && !Array.isArray(columns.subscriberIds))
    columns.subscriberIds = [...new Set([...before.subscriberIds, columns.assigneeId])]
  return applyIssueChange(call, before, columns)
}

const trashedOrNot = (call: TrackerCall, { trashed }: Input): Row =>
  typeof trashed === 'boolean'
    ? { trashed: trashed ? true : null, archivedAt: trashed ? iso(call.now) : null }
    : {}

/** `labelIds` replaces the labels; `addedLabelIds` and `removedLabelIds` change them. */
const changedLabels = (
  call: TrackerCall,
  before: IssueRow,
  input: Input,
  columns: Row,
): string[] | undefined => {
  const listed = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
  const replaced = Array.isArray(columns.labelIds) ? listed(columns.labelIds) : undefined
  const added = listed(input.addedLabelIds)
  const removed = listed(input.removedLabelIds)
  if (!replaced && added.length === 0 && removed.length === 0) return undefined
  for (const id of [...added, ...removed]) need(call, 'IssueLabel', id)
  const kept = (replaced ?? before.labelIds).filter((id) => !removed.includes(id))
  return [...new Set([...kept, ...added])]
}

/** An issue that moves to another team gets that team's next number and answers to its old identifier as well. */
const moved = (call: TrackerCall, before: IssueRow, columns: Row): Row => {
  const { teamId } = columns
  if (typeof teamId !== 'string' || teamId === before.teamId) return {}
  const team = call.tables.Team.get(teamId)
  if (!team) throw notFound('Team')
  const number = nextNumber(call, teamId)
  const state = call.tables.WorkflowState.get(before.stateId)
  const alike = [...call.tables.WorkflowState.find('teamId', teamId)].find(
    (other) => other.type === state?.type && other.name === state?.name,
  )
  const kept = Array.isArray(columns.labelIds) ? columns.labelIds.map(String) : before.labelIds
  return {
    number,
    identifier: `${team.key}-${number}`,
    previousIdentifiers: [...before.previousIdentifiers, before.identifier],
    stateId: columns.stateId ?? alike?.id ?? startState(call, team),
    labelIds: kept.filter((id) => {
      const owner = call.tables.IssueLabel.get(id)?.teamId
      return owner === null || owner === teamId
    }),
    cycleId: columns.cycleId ?? null,
  }
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

const mostInBatch = 50
const checkBatch = (target: Input, property: string, list: readonly unknown[]): void => {
  if (list.length > mostInBatch)
    throw invalidArgument({
      target: { ...target },
      property,
      value: list.length,
      constraints: { arrayMaxSize: `${property} must contain no more than ${mostInBatch} elements` },
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
