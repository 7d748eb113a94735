import type { Row } from '@diorama/twin-kit/kernel/table'
import { find, type TrackerCall } from '../context.ts'
import type { IssueRow, WorkflowStateRow } from '../rows.ts'
import { discrepancy, forbidden, inputError, invalidArgument } from '../shapes/refusals.ts'
import { hiddenTeams } from './access.ts'

type Input = Readonly<Record<string, unknown>>
const maxDepth = 10

/** An issue has one line of ancestors, at most ten levels with itself, and is none of them. */
export const checkParent = (call: TrackerCall, parentId: unknown, issue?: IssueRow): void => {
  if (typeof parentId !== 'string') return
  let level = 1
  for (let above = find(call, 'Issue', parentId); above; above = find(call, 'Issue', above.parentId)) {
    if (above.id === issue?.id)
      throw inputError(
        'Invalid parent issue',
        parentId === issue?.id
          ? 'An issue cannot be its own parent.'
          : 'An issue cannot be a sub-issue of one of its own sub-issues.',
      )
    level++
    if (level > maxDepth) throw tooDeep()
  }
  if (issue && level + heightOf(call, issue, maxDepth) > maxDepth + 1) throw tooDeep()
}
const tooDeep = () =>
  inputError('Sub-issue hierarchy too deep', `Sub-issues can be nested at most ${maxDepth} levels deep.`)

const heightOf = (call: TrackerCall, { id }: { id: string }, limit: number): number => {
  if (limit === 0) return 1
  let height = 0
  for (const child of call.tables.Issue.find('parentId', id))
    height = Math.max(height, heightOf(call, child, limit - 1))
  return height + 1
}

/** State, cycle and project must be the issue's team's, and a milestone its project's. */
export const checkTeamParts = (
  call: TrackerCall,
  { teamId, stateId, cycleId, projectId, projectMilestoneId }: Row,
): void => {
  const state = find(call, 'WorkflowState', stateId)
  const cycle = find(call, 'Cycle', cycleId)
  const project = find(call, 'Project', projectId)
  const inProject = !project || (Array.isArray(project.teamIds) && project.teamIds.includes(teamId))
  if ((state && state.teamId !== teamId) || (cycle && cycle.teamId !== teamId) || !inProject)
    throw discrepancy()
  const milestone = find(call, 'ProjectMilestone', projectMilestoneId)
  if (milestone && milestone.projectId !== projectId)
    throw inputError(
      'Discrepancy between issue project and project milestone',
      'The project milestone does not belong to the project of the issue.',
    )
}

/** Work is delegated to agents, which are application users, and assigned to people who are active. */
export const checkPeople = (call: TrackerCall, { delegateId, assigneeId }: Row): void => {
  const delegate = find(call, 'User', delegateId)
  if (delegate && delegate.app !== true)
    throw inputError('Invalid delegate', 'Issues can only be delegated to agents.')
  if (delegate && (delegate.isAssignable === false || delegate.active === false))
    throw inputError('Invalid delegate', 'The agent cannot be delegated issues in this workspace.')
  const assignee = find(call, 'User', assigneeId)
  if (assignee && assignee.active === false)
    throw inputError('Invalid assignee', 'Issues cannot be assigned to a deactivated user.')
}

/** An agent that an issue is assigned to becomes its delegate: work is delegated to agents and stays with a person. */
export const delegated = (call: TrackerCall, columns: Record<string, unknown>): void => {
  const { assigneeId, ...rest } = columns
  if (find(call, 'User', assigneeId)?.app !== true) return
  delete columns.assigneeId
  Object.assign(columns, { ...rest, delegateId: rest.delegateId ?? assigneeId })
}

/** Times of imported issues lie in the past, in order, and fit the state. */
export const checkTimes = (
  input: Input,
  { createdAt, completedAt }: Row,
  { state, now }: { state: WorkflowStateRow; now: number },
): void => {
  const fault = (property: string, message: string) =>
    invalidArgument({
      target: { ...input },
      property,
      value: input[property],
      constraints: { isValid: message },
    })
  if (typeof createdAt === 'string' && Date.parse(createdAt) > now)
    throw fault('createdAt', 'createdAt must be a time in the past')
  if (typeof completedAt !== 'string') return
  if (Date.parse(completedAt) > now) throw fault('completedAt', 'completedAt must be a time in the past')
  if (typeof createdAt === 'string' && completedAt < createdAt)
    throw fault('completedAt', 'completedAt must be after createdAt')
  if (state.type !== 'completed')
    throw fault('completedAt', 'completedAt cannot be provided with an incompatible workflow state')
}

/** A team may demand that what leaves triage has a priority. */
export const checkLeavingTriage = (
  call: TrackerCall,
  before: IssueRow,
  { stateId, priority, teamId }: Row,
): void => {
  const from = find(call, 'WorkflowState', before.stateId)
  const to = find(call, 'WorkflowState', stateId)
  if (from?.type !== 'triage' || !to || to.type === 'triage') return
  if (to.type === 'canceled' || to.type === 'duplicate') return
  if (find(call, 'Team', teamId)?.requirePriorityToLeaveTriage !== true) return
  if ((priority ?? before.priority) === 0)
    throw inputError('Priority required', 'A priority must be set before the issue can leave triage.')
}

/** A team that was archived or retired takes no new issues or members. */
export const checkTeamOpen = (call: TrackerCall, teamId: unknown, what: 'issues' | 'members'): void => {
  const team = find(call, 'Team', teamId)
  if (team?.archivedAt)
    throw inputError('Team is archived', `The team '${team.name}' is archived and accepts no new ${what}.`)
  if (team?.retiredAt)
    throw inputError('Team is retired', `The team '${team.name}' is retired and accepts no new ${what}.`)
}

/** Who sees an issue only because it is shared leaves it in its team, project, milestone and cycle. */
export const checkSharedAccess = (call: TrackerCall, before: IssueRow, input: Input): void => {
  if (!hiddenTeams(call).has(before.teamId)) return
  const field = ['cycleId', 'projectId', 'projectMilestoneId', 'teamId'].find((name) => name in input)
  if (field !== undefined)
    throw forbidden(`You cannot change ${field} of an issue that is only shared with you.`)
}
