import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { ProjectRow } from '../../rows.ts'
import { checkLabels } from '../../rules/labels.ts'
import { checkBetween, checkLengths, checkPriority } from '../../rules/lengths.ts'
import { inputError, invalidArgument, notFound } from '../../shapes/refusals.ts'
import { iso } from '../../values/times.ts'
import { mutation, type Operations, query } from '../crud.ts'
import { applyIssueChange, updateIssue } from '../issues/issues.ts'
import { chosenTemplate, withTemplate } from '../issues/templates.ts'
import {
  addRecord,
  changeRecord,
  type Input,
  needText,
  newSlugId,
  payload,
  readInput,
  recordInput,
} from '../records.ts'

const needProject = (call: TrackerCall, id: unknown): ProjectRow => {
  const row = call.tables.Project.get(need(call, 'Project', id).id)
  if (!row) throw notFound('Project')
  return row
}

const statusOf = (call: TrackerCall, type: string): string => {
  const status = [...call.tables.ProjectStatus.all()].find(
    (row) => row.type === type && row.archivedAt === null,
  )
  if (!status) throw notFound('ProjectStatus')
  return status.id
}

/** What entering a status stamps on a project. */
const statusTimes = (call: TrackerCall, statusId: unknown, before?: ProjectRow): Row => {
  const type = call.tables.ProjectStatus.get(String(statusId))?.type
  const now = iso(call.now)
  const startedAt = before?.startedAt ?? null
  if (type === 'started') return { startedAt: startedAt ?? now, completedAt: null, canceledAt: null }
  if (type === 'completed') return { startedAt: startedAt ?? now, completedAt: now, canceledAt: null }
  if (type === 'canceled') return { startedAt, completedAt: null, canceledAt: now }
  return { startedAt, completedAt: null, canceledAt: null }
}

const createProject = (call: TrackerCall, given: Input) => {
  const first = Array.isArray(given.teamIds) ? call.tables.Team.get(String(given.teamIds[0])) : undefined
  const template = chosenTemplate(call, {
    input: given,
    kind: 'project',
    fallback: first?.defaultProjectTemplateId,
  })
  const input = withTemplate(call, given, template)
  checkLengths('Project', input)
  checkPriority(input)
  const columns = readInput(call, 'Project', 'ProjectCreateInput', input)
  checkProject(call, columns)
  if (!Array.isArray(columns.teamIds) || columns.teamIds.length === 0)
    throw invalidArgument({
      target: { ...input },
      property: 'teamIds',
      value: input.teamIds,
      constraints: { arrayNotEmpty: 'teamIds should not be empty' },
    })
  const statusId = columns.statusId ?? statusOf(call, 'backlog')
  return addRecord(
    call,
    'Project',
    {
      description: '',
      content: null,
      leadId: null,
      memberIds: [],
      labelIds: [],
      priority: 0,
      startDate: null,
      targetDate: null,
      trashed: null,
      sortOrder: call.tables.Project.size() * 100,
      prioritySortOrder: call.tables.Project.size() * 100,
      ...statusTimes(call, statusId),
      ...columns,
      name: needText(input, 'name'),
      statusId,
      slugId: newSlugId(call),
      creatorId: actorId(call),
    },
    input,
  )
}

/** A project has a team, is led by one of its teams, and carries labels that can be applied. */
const checkProject = (call: TrackerCall, columns: Row, before?: ProjectRow): void => {
  if (Array.isArray(columns.teamIds) && columns.teamIds.length === 0 && before)
    throw invalidArgument({
      target: columns,
      property: 'teamIds',
      value: columns.teamIds,
      constraints: { arrayNotEmpty: 'teamIds should not be empty' },
    })
  const teamIds = Array.isArray(columns.teamIds) ? columns.teamIds : (before?.teamIds ?? [])
  if (typeof columns.leadTeamId === 'string' && !teamIds.includes(columns.leadTeamId))
    throw inputError('Invalid lead team', 'The lead team must be one of the teams of the project.')
  if (Array.isArray(columns.labelIds))
    checkLabels(call, 'ProjectLabel', {
      labelIds: columns.labelIds,
      before: before?.labelIds ?? [],
      what: 'project',
    })
}

const updateProject = (call: TrackerCall, id: unknown, input: Input) => {
  const project = needProject(call, id)
  checkLengths('Project', input)
  checkPriority(input)
  checkBetween(input, 'updateRemindersHour', { min: 0, max: 23 })
  const columns: Record<string, unknown> = { ...readInput(call, 'Project', 'ProjectUpdateInput', input) }
  checkProject(call, columns, project)
  if (typeof input.name === 'string') needText(input, 'name')
  if (typeof columns.statusId === 'string' && columns.statusId !== project.statusId)
    Object.assign(columns, { ...statusTimes(call, columns.statusId, project), ...columns })
  if (input.trashed !== undefined)
    Object.assign(columns, {
      trashed: input.trashed === true ? true : null,
      archivedAt: input.trashed === true ? iso(call.now) : null,
    })
  return payload(call, 'Project', changeRecord(call, 'Project', project, columns))
}

const labelled =
  (type: 'Project' | 'Initiative', labelType: 'ProjectLabel' | 'InitiativeLabel', change: 'add' | 'remove') =>
  (call: TrackerCall, { id, labelId }: Input) => {
    const row = need(call, type, id)
    const label = need(call, labelType, labelId).id
    const held = Array.isArray(row.labelIds) ? row.labelIds.map(String) : []
    const labelIds = change === 'add' ? [...new Set([...held, label])] : held.filter((one) => one !== label)
    checkLabels(call, labelType, { labelIds, before: held, what: type.toLowerCase() })
    return payload(call, type, changeRecord(call, type, row, { labelIds }))
  }

const setArchived = (call: TrackerCall, id: unknown, columns: Row) =>
  payload(call, 'Project', changeRecord(call, 'Project', needProject(call, id), columns))

export const projectOperations: Operations = {
  ...mutation('projectCreate', (call, { input }) =>
    payload(call, 'Project', createProject(call, recordInput(input))),
  ),
  ...mutation('projectUpdate', (call, { id, input }) => updateProject(call, id, recordInput(input))),
  ...mutation('projectArchive', (call, { id, trash }) =>
    setArchived(call, id, { archivedAt: iso(call.now), ...(trash === true ? { trashed: true } : {}) }),
  ),
  ...mutation('projectDelete', (call, { id }) =>
    setArchived(call, id, { archivedAt: iso(call.now), trashed: true }),
  ),
  ...mutation('projectUnarchive', (call, { id }) =>
    setArchived(call, id, { archivedAt: null, trashed: null }),
  ),
  ...mutation('projectAddLabel', labelled('Project', 'ProjectLabel', 'add')),
  ...mutation('projectRemoveLabel', labelled('Project', 'ProjectLabel', 'remove')),
  ...mutation('initiativeAddLabel', labelled('Initiative', 'InitiativeLabel', 'add')),
  ...mutation('initiativeRemoveLabel', labelled('Initiative', 'InitiativeLabel', 'remove')),
  ...mutation('projectMilestoneMove', (call, { id, input }) => {
    const row = need(call, 'ProjectMilestone', id)
    const { projectId, newIssueTeamId, addIssueTeamToProject } = recordInput(input)
    const project = needProject(call, projectId)
    const issues = [...call.tables.Issue.find('projectMilestoneId', row.id)]
    const foreign = new Set(issues.map(({ teamId }) => teamId).filter((id) => !project.teamIds.includes(id)))
    if (foreign.size > 0 && addIssueTeamToProject !== true && typeof newIssueTeamId !== 'string')
      throw inputError(
        'Discrepancy between issue teams and project teams',
        'Either newIssueTeamId or addIssueTeamToProject is required to move the milestone.',
      )
    if (addIssueTeamToProject === true)
      changeRecord(call, 'Project', project, { teamIds: [...project.teamIds, ...foreign] })
    for (const issue of issues) {
      const moves = foreign.has(issue.teamId) && typeof newIssueTeamId === 'string'
      const after = moves ? updateIssue(call, issue.id, { teamId: newIssueTeamId }) : issue
      applyIssueChange(call, after, { projectId: project.id, projectMilestoneId: row.id })
    }
    const moved = changeRecord(call, 'ProjectMilestone', row, { projectId: project.id })
    return payload(call, 'ProjectMilestone', moved)
  }),
  ...mutation('projectReassignStatus', (call, { originalProjectStatusId, newProjectStatusId }) => {
    const from = need(call, 'ProjectStatus', originalProjectStatusId)
    const to = need(call, 'ProjectStatus', newProjectStatusId)
    for (const project of [...call.tables.Project.find('statusId', from.id)])
      changeRecord(call, 'Project', project, { statusId: to.id })
    return payload(call, 'ProjectStatus', to)
  }),
  ...query('projectStatusProjectCount', (call, { id }) => ({
    count: call.tables.Project.count('statusId', need(call, 'ProjectStatus', id).id),
    privateCount: 0,
    archivedTeamCount: 0,
  })),
}
