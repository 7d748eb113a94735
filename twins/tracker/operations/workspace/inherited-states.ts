import type { Row } from '@diorama/twin-kit/kernel/table'
import type { TrackerCall } from '../../context.ts'
import type { EntityRow, TeamRow, WorkflowStateRow } from '../../rows.ts'
import { addRecord, changeRecord } from '../records.ts'

/** What a state hands down; the rest belongs to each team. */
const handedDown = ({ name, color, description, position, type }: WorkflowStateRow): Row => ({
  name,
  color,
  description,
  position,
  type,
})

const liveStates = (call: TrackerCall, teamId: string): WorkflowStateRow[] =>
  [...call.tables.WorkflowState.find('teamId', teamId)].filter(({ archivedAt }) => archivedAt === null)

/** Gives a sub-team the states of its parent: those of the same name and type become the inherited ones. */
export const inheritStates = (call: TrackerCall, team: TeamRow): void => {
  if (typeof team.parentId !== 'string') return
  const own = liveStates(call, team.id)
  for (const above of liveStates(call, team.parentId)) {
    const same = own.find(({ name, type }) => name === above.name && type === above.type)
    const columns = { ...handedDown(above), inheritedFromId: above.id }
    if (same) changeRecord(call, 'WorkflowState', same, columns)
    else addRecord(call, 'WorkflowState', { ...columns, teamId: team.id })
  }
}

/** Ends the inheritance: the states stay as the team's own. */
export const disinheritStates = (call: TrackerCall, team: TeamRow): void => {
  for (const state of liveStates(call, team.id))
    if (state.inheritedFromId) changeRecord(call, 'WorkflowState', state, { inheritedFromId: null })
}

/** Hands a state that was added or changed down to the sub-teams that inherit, and on to theirs. */
export const handDownState = (call: TrackerCall, { id, teamId }: EntityRow): void => {
  const state = call.tables.WorkflowState.get(id)
  if (!state) return
  for (const team of call.tables.Team.find('parentId', String(teamId))) {
    if (team.inheritWorkflowStatuses !== true || team.archivedAt) continue
    const there = [...call.tables.WorkflowState.find('teamId', team.id)].find(
      ({ inheritedFromId }) => inheritedFromId === id,
    )
    const columns = { ...handedDown(state), archivedAt: state.archivedAt, inheritedFromId: id }
    const copy = there
      ? changeRecord(call, 'WorkflowState', there, columns)
      : addRecord(call, 'WorkflowState', { ...columns, teamId: team.id })
    handDownState(call, copy)
  }
}
