import { actorId, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { inputError } from '../../refusals.ts'
import { palette } from '../../standard.ts'
import { iso } from '../../values/times.ts'
import { crud, type Kind, mutation, type Operations } from '../crud.ts'
import { changeRecord, needText, payload } from '../records.ts'
import { withoutNull } from '../workspace/kinds.ts'

const label = (type: 'ProjectLabel' | 'InitiativeLabel'): Kind => ({
  type,
  has: ['Create', 'Update', 'Delete'],
  start: (call, input) => ({
    parentId: null,
    description: null,
    color: palette[call.tables[type].size() % palette.length],
    isGroup: false,
    ...withoutNull({ color: input.color, isGroup: input.isGroup }),
    name: needText(input, 'name'),
    creatorId: actorId(call),
  }),
})

/** Retiring keeps a label on what carries it and takes it off the menu. */
const retirement = (type: 'IssueLabel' | 'ProjectLabel' | 'InitiativeLabel', name: string): Operations => ({
  ...mutation(`${name}Retire`, (call, { id }) =>
    payload(
      call,
      type,
      changeRecord(call, type, need(call, type, id), {
        retiredAt: iso(call.now),
        retiredById: actorId(call),
      }),
    ),
  ),
  ...mutation(`${name}Restore`, (call, { id }) =>
    payload(
      call,
      type,
      changeRecord(call, type, need(call, type, id), { retiredAt: null, retiredById: null }),
    ),
  ),
})

const issueLabel: Kind = {
  type: 'IssueLabel',
  has: ['Create', 'Update', 'Delete'],
  start: (call, input, columns) => {
    const name = needText(input, 'name')
    const teamId = columns.teamId ?? null
    checkLabelName(call, name, teamId)
    return {
      teamId,
      parentId: columns.parentId ?? null,
      description: input.description ?? null,
      color: input.color ?? palette[call.tables.IssueLabel.size() % palette.length],
      isGroup: input.isGroup ?? false,
      name,
      creatorId: actorId(call),
    }
  },
  revise: (call, row, input) => {
    if (typeof input.name === 'string' && input.name !== row.name)
      checkLabelName(call, needText(input, 'name'), row.teamId)
    return {}
  },
  gone: (call, row) => {
    for (const issue of [...call.tables.Issue.find('labelIds', row.id)])
      call.tables.Issue.update(issue.id, { labelIds: issue.labelIds.filter((id) => id !== row.id) })
    for (const child of [...call.tables.IssueLabel.find('parentId', row.id)])
      call.tables.IssueLabel.update(child.id, { parentId: null })
  },
}

/** A name stands once among the labels of a team, and once among the workspace's. */
const checkLabelName = (call: TrackerCall, name: string, teamId: unknown): void => {
  const taken = [...call.tables.IssueLabel.all()].some(
    (row) =>
      row.archivedAt === null &&
      row.name.toLowerCase() === name.toLowerCase() &&
      (row.teamId === teamId || row.teamId === null),
  )
  if (taken) throw inputError('duplicate label name', 'Label name already exists.')
}

/** Labels of issues belong to a team or to the workspace; those of projects and initiatives to the workspace. */
export const labelOperations: Operations = {
  ...crud(issueLabel),
  ...crud(label('ProjectLabel')),
  ...crud(label('InitiativeLabel')),
  ...retirement('IssueLabel', 'issueLabel'),
  ...retirement('ProjectLabel', 'projectLabel'),
  ...retirement('InitiativeLabel', 'initiativeLabel'),
}
