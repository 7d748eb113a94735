import { find, type TrackerCall } from '../../context.ts'
import type { IssueRow, WorkflowStateRow } from '../../rows.ts'

const closed = new Set(['completed', 'canceled', 'duplicate'])
const isClosed = (call: TrackerCall, { stateId }: IssueRow): boolean =>
  closed.has(String(find(call, 'WorkflowState', stateId)?.type))

/** The state of the same type in a team, for what is closed together with another issue. */
const stateLike = (call: TrackerCall, teamId: string, type: string): WorkflowStateRow | undefined =>
  [...call.tables.WorkflowState.find('teamId', teamId)]
    .filter((state) => state.type === type && state.archivedAt === null)
    .sort((a, b) => a.position - b.position)[0]

/**
 * Issues that a team has set to close together: sub-issues with their parent, and a parent with the last of its
 * sub-issues. Each closes in its own team's first state of the same type.
 */
export const closedWith = (
  call: TrackerCall,
  issue: IssueRow,
): { issue: IssueRow; state: WorkflowStateRow }[] => {
  const type = find(call, 'WorkflowState', issue.stateId)?.type
  if (typeof type !== 'string' || !closed.has(type)) return []
  const children = [...call.tables.Issue.find('parentId', issue.id)].filter(
    (child) =>
      child.archivedAt === null &&
      !isClosed(call, child) &&
      call.tables.Team.get(issue.teamId)?.autoCloseChildIssues === true,
  )
  const parent = issue.parentId === null ? undefined : call.tables.Issue.get(issue.parentId)
  const parentCloses =
    parent &&
    !isClosed(call, parent) &&
    call.tables.Team.get(parent.teamId)?.autoCloseParentIssues === true &&
    [...call.tables.Issue.find('parentId', parent.id)].every((child) => isClosed(call, child))
  return [...children, ...(parentCloses ? [parent] : [])].flatMap((other) => {
    const state = stateLike(call, other.teamId, type)
    return state ? [{ issue: other, state }] : []
  })
}
