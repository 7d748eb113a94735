import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, type TrackerCall, viewOf } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { EntityRow } from '../../rows.ts'
import { needManager } from '../../rules/access.ts'
import { checkGroup, checkLabelName, type LabelType } from '../../rules/labels.ts'
import { checkLengths } from '../../rules/lengths.ts'
import { inputError } from '../../shapes/refusals.ts'
import { palette } from '../../standard.ts'
import { iso } from '../../values/times.ts'
import { crud, type Kind, mutation, type Operations } from '../crud.ts'
import { changeRecord, type Input, needText, payload } from '../records.ts'

/** The records that carry labels of a kind. */
const carriers = { IssueLabel: 'Issue', ProjectLabel: 'Project', InitiativeLabel: 'Initiative' } as const

const label = (type: LabelType): Kind => ({
  type,
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => {
    const name = needText(input, 'name')
    const teamId = columns.teamId ?? null
    needManager(call, { teamId, what: 'label' })
    checkLengths(type, input)
    checkLabelName(call, type, { name, teamId })
    checkGroup(call, type, { parentId: columns.parentId, isGroup: input.isGroup })
    const isGroup = input.isGroup === true
    return {
      teamId,
      parentId: columns.parentId ?? null,
      description: input.description ?? null,
      color: input.color ?? palette[viewOf(call.tables, type).size() % palette.length],
      isGroup,
      groupType: isGroup ? (input.groupType ?? 'singleSelect') : null,
      name,
      creatorId: actorId(call),
    }
  },
  guard: (call, { teamId }) => needManager(call, { teamId, what: 'label' }),
  revise: (call, row, input, columns) => revised(call, type, { row, input, columns }),
  gone: (call, row) => {
    takeOff(call, type, row)
    for (const child of [...viewOf(call.tables, type).find('parentId', row.id)])
      changeRecord(call, type, child, { parentId: null })
  },
})

const revised = (
  call: TrackerCall,
  type: LabelType,
  { row, input, columns }: { row: EntityRow; input: Input; columns: Row },
): Row => {
  checkLengths(type, input)
  if (typeof input.name === 'string' && input.name !== row.name)
    checkLabelName(call, type, { name: needText(input, 'name'), teamId: row.teamId, id: row.id })
  const isGroup = input.isGroup ?? row.isGroup
  checkGroup(call, type, { parentId: columns.parentId ?? row.parentId, isGroup, id: row.id })
  const hasChildren = [...viewOf(call.tables, type).find('parentId', row.id)].length > 0
  if (isGroup !== true && hasChildren)
    throw inputError('Label group has labels', 'A label group that contains labels cannot become a label.')
  if (isGroup === true && row.isGroup !== true && carriersOf(call, type, row).length > 0)
    throw inputError('Label is in use', 'A label that is applied cannot become a label group.')
  return isGroup === true
    ? { groupType: input.groupType ?? row.groupType ?? 'singleSelect' }
    : { groupType: null }
}

const carriersOf = (call: TrackerCall, type: LabelType, { id }: EntityRow): EntityRow[] => [
  ...viewOf(call.tables, carriers[type]).find('labelIds', id),
]

const takeOff = (call: TrackerCall, type: LabelType, row: EntityRow): void => {
  for (const carrier of carriersOf(call, type, row))
    changeRecord(call, carriers[type], carrier, {
      labelIds: Array.isArray(carrier.labelIds) ? carrier.labelIds.filter((id) => id !== row.id) : [],
    })
}

/** A retired label stays where it is applied and cannot be applied anew. */
const retirement = (type: LabelType, name: string): Operations => ({
  ...mutation(`${name}Retire`, (call, { id }) =>
    retire(call, type, { id, columns: { retiredAt: iso(call.now), retiredById: actorId(call) } }),
  ),
  ...mutation(`${name}Restore`, (call, { id }) =>
    retire(call, type, { id, columns: { retiredAt: null, retiredById: null } }),
  ),
})

const retire = (call: TrackerCall, type: LabelType, { id, columns }: { id: unknown; columns: Row }) => {
  const row = need(call, type, id)
  needManager(call, { teamId: row.teamId, what: 'label' })
  return payload(call, type, changeRecord(call, type, row, columns))
}

/** Labels of issues and projects belong to a team or to the workspace; those of initiatives to the workspace. */
export const labelOperations: Operations = {
  ...crud(label('IssueLabel')),
  ...crud(label('ProjectLabel')),
  ...crud(label('InitiativeLabel')),
  ...retirement('IssueLabel', 'issueLabel'),
  ...retirement('ProjectLabel', 'projectLabel'),
  ...retirement('InitiativeLabel', 'initiativeLabel'),
}
