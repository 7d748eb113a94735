import type { Row } from '../../../kernel/table.ts'
import { actorId, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { inputError, invalidArgument, notFound } from '../../refusals.ts'
import type { CycleRow, ProjectRow } from '../../rows.ts'
import { day, instantOf, iso } from '../../values/times.ts'
import { mutation, type Operations, query } from '../crud.ts'
import { applyIssueChange, needIssue } from '../issues/issues.ts'
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

const createProject = (call: TrackerCall, input: Input) => {
  const columns = readInput(call, 'Project', 'ProjectCreateInput', input)
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

const updateProject = (call: TrackerCall, id: unknown, input: Input) => {
  const project = needProject(call, id)
  const columns: Record<string, unknown> = { ...readInput(call, 'Project', 'ProjectUpdateInput', input) }
  if (typeof input.name === 'string') needText(input, 'name')
  if (typeof columns.statusId === 'string' && columns.statusId !== project.statusId)
    Object.assign(columns, { ...statusTimes(call, columns.statusId, project), ...columns })
  if (typeof input.trashed === 'boolean')
    Object.assign(columns, {
      trashed: input.trashed || null,
      archivedAt: input.trashed ? iso(call.now) : null,
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
    return payload(call, type, changeRecord(call, type, row, { labelIds }))
  }

const cycles: Operations = {
  ...mutation('cycleCreate', (call, { input }) => {
    const given = recordInput(input)
    const columns = readInput(call, 'Cycle', 'CycleCreateInput', given)
    checkSpan(given, String(columns.startsAt), String(columns.endsAt))
    const last = call.tables.Cycle.first('number', String(columns.teamId), { reverse: true })
    const start = { number: (last?.number ?? 0) + 1, name: null, description: null, completedAt: null }
    return payload(call, 'Cycle', addRecord(call, 'Cycle', { ...start, ...columns }, given))
  }),
  ...mutation('cycleUpdate', (call, { id, input }) => {
    const cycle = needCycle(call, id)
    const given = recordInput(input)
    const columns = readInput(call, 'Cycle', 'CycleUpdateInput', given)
    checkSpan(given, String(columns.startsAt ?? cycle.startsAt), String(columns.endsAt ?? cycle.endsAt))
    return payload(call, 'Cycle', changeRecord(call, 'Cycle', cycle, columns))
  }),
  ...mutation('cycleArchive', (call, { id }) => {
    const cycle = needCycle(call, id)
    for (const issue of [...call.tables.Issue.find('cycleId', cycle.id)])
      applyIssueChange(call, issue, { cycleId: null })
    return payload(call, 'Cycle', changeRecord(call, 'Cycle', cycle, { archivedAt: iso(call.now) }))
  }),
  ...mutation('cycleShiftAll', (call, { input }) => {
    const given = recordInput(input)
    const first = needCycle(call, given.id)
    const by = Number(given.daysToShift) * day
    for (const cycle of [...call.tables.Cycle.find('number', first.teamId)])
      if (cycle.startsAt >= first.startsAt) shift(call, cycle, by)
    return payload(call, 'Cycle', needCycle(call, first.id))
  }),
  ...mutation('cycleStartUpcomingCycleToday', (call, { id }) => {
    const cycle = needCycle(call, id)
    const midnight = Date.parse(`${iso(call.now).slice(0, 10)}T00:00:00.000Z`)
    return payload(call, 'Cycle', shift(call, cycle, midnight - Date.parse(cycle.startsAt)))
  }),
}

const needCycle = (call: TrackerCall, id: unknown): CycleRow => {
  const row = call.tables.Cycle.get(need(call, 'Cycle', id).id)
  if (!row) throw notFound('Cycle')
  return row
}
const shift = (call: TrackerCall, cycle: CycleRow, by: number) =>
  changeRecord(call, 'Cycle', cycle, {
    startsAt: iso(Date.parse(cycle.startsAt) + by),
    endsAt: iso(Date.parse(cycle.endsAt) + by),
  })
const checkSpan = (input: Input, startsAt: string, endsAt: string): void => {
  if (startsAt < endsAt) return
  throw invalidArgument({
    target: { ...input },
    property: 'endsAt',
    value: endsAt,
    constraints: { minDate: 'endsAt must be after startsAt' },
  })
}

/** A duplicate is closed; relations hold once in each direction. */
const relations: Operations = {
  ...mutation('issueRelationCreate', (call, { input, overrideCreatedAt }) => {
    const given = recordInput(input)
    const issue = needIssue(call, given.issueId)
    const related = needIssue(call, given.relatedIssueId)
    if (issue.id === related.id) throw inputError('Invalid relation', 'An issue cannot be related to itself.')
    const there = [...call.tables.IssueRelation.find('issueId', issue.id)].find(
      (row) => row.relatedIssueId === related.id && row.archivedAt === null,
    )
    const at =
      typeof overrideCreatedAt === 'string' ? { createdAt: iso(instantOf(overrideCreatedAt, call.now)) } : {}
    const columns = { type: given.type, issueId: issue.id, relatedIssueId: related.id, ...at }
    const row = there
      ? changeRecord(call, 'IssueRelation', there, columns)
      : addRecord(call, 'IssueRelation', columns, given)
    if (given.type === 'duplicate') closeDuplicate(call, issue.id)
    return payload(call, 'IssueRelation', row)
  }),
  ...mutation('issueRelationUpdate', (call, { id, input }) => {
    const row = need(call, 'IssueRelation', id)
    const given = recordInput(input)
    const columns: Record<string, unknown> = typeof given.type === 'string' ? { type: given.type } : {}
    for (const side of ['issueId', 'relatedIssueId'])
      if (typeof given[side] === 'string') columns[side] = needIssue(call, given[side]).id
    return payload(call, 'IssueRelation', changeRecord(call, 'IssueRelation', row, columns))
  }),
  ...mutation('issueRelationDelete', (call, { id }) => {
    const row = need(call, 'IssueRelation', id)
    call.tables.IssueRelation.delete(row.id)
    return payload(call, 'IssueRelation', undefined, { entityId: row.id })
  }),
}
const closeDuplicate = (call: TrackerCall, issueId: string): void => {
  const issue = needIssue(call, issueId)
  const states = [...call.tables.WorkflowState.find('teamId', issue.teamId)].filter((row) => !row.archivedAt)
  const state =
    states.find(({ type }) => type === 'duplicate') ?? states.find(({ type }) => type === 'canceled')
  if (!state || issue.canceledAt !== null) return
  applyIssueChange(call, issue, { stateId: state.id, canceledAt: iso(call.now), completedAt: null })
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
    const project = needProject(call, recordInput(input).projectId)
    for (const issue of [...call.tables.Issue.find('projectMilestoneId', row.id)])
      applyIssueChange(call, issue, { projectId: project.id })
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
  ...cycles,
  ...relations,
}
