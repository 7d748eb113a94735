import { type Context, find, type TrackerCall, viewOf } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { inputError, notFound } from '../shapes/refusals.ts'

export type LabelType = 'IssueLabel' | 'ProjectLabel' | 'InitiativeLabel'

/** A team and those above it, whose labels and states it inherits. */
export const lineOf = (context: Pick<Context, 'tables'>, teamId: string): Set<string> => {
  const line = new Set<string>()
  for (let team = find(context, 'Team', teamId); team && !line.has(team.id); ) {
    line.add(team.id)
    team = find(context, 'Team', team.parentId)
  }
  return line
}

/**
 * Labels that are to be on a record. Groups are containers and cannot be applied; a retired label stays where it is
 * and cannot be added; of a single-select group one label holds; a team's label is for that team and its sub-teams.
 */
export const checkLabels = (
  call: TrackerCall,
  type: LabelType,
  {
    labelIds,
    before = [],
    teamId,
    what,
  }: { labelIds: readonly string[]; before?: readonly string[]; teamId?: string; what: string },
): void => {
  const chosen = new Map<string, EntityRow>()
  const line = teamId === undefined ? undefined : lineOf(call, teamId)
  for (const id of labelIds) {
    const label = viewOf(call.tables, type).get(id)
    if (!label) throw notFound(type)
    if (line && typeof label.teamId === 'string' && !line.has(label.teamId))
      throw inputError(
        'LabelIds for incorrect team',
        `The label '${label.name}' is not associated with the same team as the issue.`,
      )
    if (label.isGroup === true)
      throw inputError(
        'labelIds is a group',
        `The label '${label.name}' is a group and cannot be assigned to ${what}s.`,
      )
    if (typeof label.retiredAt === 'string' && !before.includes(id))
      throw inputError(
        'Label is retired',
        `The label '${label.name}' is retired and cannot be applied to ${what}s.`,
      )
    checkExclusiveGroup(call, type, { label, chosen, what })
  }
}

const checkExclusiveGroup = (
  call: TrackerCall,
  type: LabelType,
  { label, chosen, what }: { label: EntityRow; chosen: Map<string, EntityRow>; what: string },
): void => {
  const group = find(call, type, label.parentId)
  if (!group || group.groupType === 'multiSelect') return
  const other = chosen.get(group.id)
  if (other)
    throw inputError(
      'labelIds not exclusive child labels',
      `The label '${label.name}' is in the same group as '${other.name}'. Only one label in a group can be applied to an ${what}.`,
    )
  chosen.set(group.id, label)
}

/** The group that a label is put under must be one, and groups do not nest. */
export const checkGroup = (
  call: TrackerCall,
  type: LabelType,
  { parentId, isGroup, id }: { parentId: unknown; isGroup: unknown; id?: string },
): void => {
  if (typeof parentId !== 'string') return
  const parent = find(call, type, parentId)
  if (!parent) throw notFound(type)
  if (parent.id === id) throw inputError('Invalid parent label', 'A label cannot be its own parent.')
  if (parent.isGroup !== true)
    throw inputError('Parent label is not a group', `The label '${parent.name}' is not a label group.`)
  if (isGroup === true)
    throw inputError('Label groups cannot be nested', 'A label group cannot be part of another group.')
}

/** Names differ, whatever their case, among the labels that can meet on one record: those of a team and the workspace's. */
export const checkLabelName = (
  call: TrackerCall,
  type: LabelType,
  { name, teamId, id }: { name: string; teamId: unknown; id?: string },
): void => {
  const wanted = name.toLowerCase()
  for (const label of viewOf(call.tables, type).all()) {
    if (label.id === id || label.archivedAt !== null || String(label.name).toLowerCase() !== wanted) continue
    const [own, other] = [teamId ?? null, label.teamId ?? null]
    if (own !== null && other !== null && own !== other) continue
    const team = find(call, 'Team', other)
    throw inputError(
      'Duplicate label name',
      team
        ? `Label "${label.name}" already exists in team ${team.name}.`
        : `Label "${label.name}" already exists in the workspace.`,
    )
  }
}
