import type { Row } from '@diorama/twin-kit/kernel/table'
import { isRecord } from '@diorama/twin-kit/records'
import { actorId, organizationOf, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { EntityRow, TeamRow, WorkflowStateRow } from '../../rows.ts'
import {
  isMember,
  membershipOf,
  needAdmin,
  needRole,
  needTeamManager,
  needTeamRole,
  needTeamSettings,
} from '../../rules/access.ts'
import { checkTeamOpen } from '../../rules/issues.ts'
import { lineOf } from '../../rules/labels.ts'
import { checkLengths, checkOneOf } from '../../rules/lengths.ts'
import { forbidden, inputError, invalidArgument, notFound } from '../../shapes/refusals.ts'
import { newTeamStates, palette, standardLabels } from '../../standard.ts'
import { iso } from '../../values/times.ts'
import { crud, mutation, type Operations } from '../crud.ts'
import { endCycles, scheduleCycles } from '../planning/cycles.ts'
import { hasInheritedCycles } from '../planning/inherited-cycles.ts'
import { addRecord, changeRecord, type Input, needText, payload, readInput, recordInput } from '../records.ts'
import { disinheritStates, handDownState, inheritStates } from './inherited-states.ts'

const needTeam = (call: TrackerCall, id: unknown): TeamRow => {
  const row = call.tables.Team.get(need(call, 'Team', id).id)
  if (!row) throw notFound('Team')
  return row
}

/** The key that identifiers begin with: given, or the first letters of the name that is not used yet. */
const teamKey = (call: TrackerCall, input: Input): string => {
  if (typeof input.key === 'string') return checkKey(call, input, input.key.toUpperCase())
  const letters =
    needText(input, 'name')
      .toUpperCase()
      .replace(/[^A-Z]/g, '') || 'TEAM'
  for (let length = 3; length <= letters.length; length++) {
    const key = letters.slice(0, length)
    if (!call.tables.Team.first('key', key)) return key
  }
  for (let n = 2; n < 1000; n++)
    if (!call.tables.Team.first('key', `${letters.slice(0, 3)}${n}`)) return `${letters.slice(0, 3)}${n}`
  throw inputError('duplicate key', 'Team key already exists.')
}

const checkKey = (call: TrackerCall, input: Input, key: string): string => {
  if (!/^[A-Z][A-Z0-9]{0,6}$/.test(key))
    throw invalidArgument({
      target: { ...input },
      property: 'key',
      value: input.key,
      constraints: { matches: 'key must be 1 to 7 letters or digits and begin with a letter' },
    })
  if (call.tables.Team.first('key', key)) throw inputError('duplicate key', 'Team key already exists.')
  return key
}

const createTeam = (call: TrackerCall, input: Input): TeamRow => {
  if (call.tables.User.get(actorId(call))?.guest === true) throw forbidden('Guests cannot create teams.')
  needRole(call, 'teamCreationRole')
  const columns = readInput(call, 'Team', 'TeamCreateInput', input)
  checkLengths('Team', input)
  checkOneOf(input, 'issueEstimationType', estimationTypes)
  const key = teamKey(call, input)
  const row = addRecord(
    call,
    'Team',
    {
      parentId: null,
      triageIssueStateId: null,
      defaultIssueStateId: null,
      triageEnabled: false,
      cyclesEnabled: false,
      description: null,
      icon: null,
      color: palette[call.tables.Team.size() % palette.length],
      timezone: 'America/Los_Angeles',
      ...columns,
      name: needText(input, 'name'),
      key,
    },
    input,
  )
  const states = newTeamStates.map((state, position) =>
    addRecord(call, 'WorkflowState', { ...state, description: null, position, teamId: row.id }),
  )
  const made = call.tables.Team.get(row.id)
  if (made?.inheritWorkflowStatuses === true) inheritStates(call, made)
  addStandardLabels(call, row.id)
  addRecord(call, 'TeamMembership', { teamId: row.id, userId: actorId(call), owner: true, sortOrder: 0 })
  const triage = columns.triageEnabled === true ? triageState(call, row.id) : undefined
  const team = call.tables.Team.update(row.id, {
    defaultIssueStateId: states[0]?.id ?? null,
    triageIssueStateId: triage?.id ?? null,
  })
  if (team.cyclesEnabled || hasInheritedCycles(call, team)) scheduleCycles(call, team)
  return needTeam(call, team.id)
}

/** Every team begins with the standard labels, as far as the workspace has none of the name. */
const addStandardLabels = (call: TrackerCall, teamId: string): void => {
  const shared = new Set(
    [...call.tables.IssueLabel.all()].flatMap(({ teamId: owner, name }) =>
      owner === null ? [name.toLowerCase()] : [],
    ),
  )
  for (const standard of standardLabels)
    if (!shared.has(standard.name.toLowerCase()))
      addRecord(call, 'IssueLabel', {
        ...standard,
        description: null,
        isGroup: false,
        groupType: null,
        teamId,
        parentId: null,
        creatorId: actorId(call),
      })
}

const estimationTypes = ['notUsed', 'exponential', 'fibonacci', 'linear', 'tShirt']

const triageState = (call: TrackerCall, teamId: string): { id: string } =>
  [...call.tables.WorkflowState.find('teamId', teamId)].find(({ type }) => type === 'triage') ??
  addRecord(call, 'WorkflowState', {
    name: 'Triage',
    type: 'triage',
    color: '#fc7840',
    description: null,
    position: -1,
    teamId,
  })

const updateTeam = (call: TrackerCall, id: unknown, input: Input) => {
  const team = needTeam(call, id)
  needTeamSettings(call, team)
  checkTeamUpdate(call, team, input)
  const columns: Record<string, unknown> = { ...readInput(call, 'Team', 'TeamUpdateInput', input) }
  mergeSettings(columns, team)
  checkTeamParent(call, team, columns.parentId)
  checkTeamStates(call, team, columns)
  if (typeof input.key === 'string' && input.key.toUpperCase() !== team.key) {
    columns.key = checkKey(call, input, input.key.toUpperCase())
    for (const issue of [...call.tables.Issue.find('teamId', team.id)])
      call.tables.Issue.update(issue.id, {
        identifier: `${columns.key}-${issue.number}`,
        previousIdentifiers: [...issue.previousIdentifiers, issue.identifier],
      })
  }
  if (columns.triageEnabled === true) columns.triageIssueStateId = triageState(call, team.id).id
  retireSubTeams(call, team, input)
  changeRecord(call, 'Team', team, columns)
  const after = needTeam(call, team.id)
  if (after.inheritWorkflowStatuses === true) inheritStates(call, after)
  else if (team.inheritWorkflowStatuses === true) disinheritStates(call, after)
  const turnsOn = after.cyclesEnabled && !team.cyclesEnabled
  if (turnsOn || (after.parentId !== team.parentId && hasInheritedCycles(call, after)))
    scheduleCycles(call, after)
  if (!after.cyclesEnabled && team.cyclesEnabled) endCycles(call, after)
  return payload(call, 'Team', needTeam(call, team.id))
}

/** Security settings are changed one by one; those that are not named stay. */
const mergeSettings = (columns: Record<string, unknown>, row: EntityRow): void => {
  if (isRecord(columns.securitySettings))
    columns.securitySettings = { ...recordInput(row.securitySettings), ...columns.securitySettings }
}

const checkTeamUpdate = (call: TrackerCall, team: TeamRow, input: Input): void => {
  checkLengths('Team', input)
  checkOneOf(input, 'issueEstimationType', estimationTypes)
  if (typeof input.name === 'string') needText(input, 'name')
  if (input.joinByDefault !== undefined || input.scimManaged !== undefined) needAdmin(call)
  if (input.scimManaged === true && team.scimManaged !== true)
    throw inputError('Invalid scimManaged', 'scimManaged can only be unset.')
}

/** A team is not its own ancestor. */
const checkTeamParent = (call: TrackerCall, team: TeamRow, parentId: unknown): void => {
  if (typeof parentId === 'string' && lineOf(call, parentId).has(team.id))
    throw inputError('Invalid parent team', 'A team cannot be a sub-team of itself or of its own sub-teams.')
}

/** The states that a team's settings name are its own, and issues are closed into a canceled one. */
const checkTeamStates = (call: TrackerCall, team: TeamRow, columns: Record<string, unknown>): void => {
  for (const column of ['defaultIssueStateId', 'autoCloseStateId']) {
    const state = call.tables.WorkflowState.get(String(columns[column]))
    if (!state) continue
    if (state.teamId !== team.id)
      throw inputError('Invalid workflow state', 'The workflow state belongs to another team.')
    if (column === 'autoCloseStateId' && state.type !== 'canceled')
      throw inputError('Invalid workflow state', 'Issues can only be closed into a canceled workflow state.')
  }
}

/** Who retires a team with active sub-teams says what becomes of them. */
const retireSubTeams = (call: TrackerCall, team: TeamRow, input: Input): void => {
  if (!input.retiredAt) return
  const children = [...call.tables.Team.find('parentId', team.id)].filter(
    (child) => !child.archivedAt && !child.retiredAt,
  )
  if (children.length > 0 && !input.handleSubTeamsOnRetirement)
    throw inputError(
      'Team has sub-teams',
      'handleSubTeamsOnRetirement is required because the team has active sub-teams.',
    )
  for (const child of children)
    changeRecord(
      call,
      'Team',
      child,
      input.handleSubTeamsOnRetirement === 'retire' ? { retiredAt: iso(call.now) } : { parentId: null },
    )
}

/** A team that is deleted goes out of sight with its issues, and can be brought back. */
const setTeamArchived = (call: TrackerCall, team: TeamRow, archivedAt: string | null) => {
  for (const issue of [...call.tables.Issue.find('teamId', team.id)])
    if (archivedAt === null ? issue.archivedAt === team.archivedAt : issue.archivedAt === null)
      call.tables.Issue.update(issue.id, { archivedAt })
  return changeRecord(call, 'Team', team, { archivedAt })
}

const members: Operations = {
  ...mutation('teamMembershipCreate', (call, { input }) => {
    const given = recordInput(input)
    const columns = readInput(call, 'TeamMembership', 'TeamMembershipCreateInput', given)
    const teamId = String(columns.teamId)
    if (membershipOf(call, teamId, columns.userId))
      throw inputError('duplicate membership', 'The user is already a member of the team.')
    checkTeamOpen(call, teamId, 'members')
    if (columns.userId !== actorId(call)) needTeamRole(call, teamId, 'memberManagement')
    const joins =
      columns.userId === actorId(call) && call.tables.Team.get(teamId)?.allMembersCanJoin !== false
    const member = isMember(call, teamId) && given.owner !== true
    if (!joins && !member) needTeamManager(call, teamId)
    return payload(
      call,
      'TeamMembership',
      addRecord(call, 'TeamMembership', { owner: false, sortOrder: 0, ...columns }, given),
    )
  }),
  ...crud({
    type: 'TeamMembership',
    has: ['Update', 'Delete'],
    guard: (call, row, verb) => {
      if (verb === 'Delete' && row.userId === actorId(call)) return
      needTeamManager(call, String(row.teamId))
    },
  }),
}

const checkState = (call: TrackerCall, input: Input, columns: Row): Row => {
  checkLengths('WorkflowState', input)
  checkOneOf(input, 'type', creatableStates)
  const { type } = input
  checkStateName(call, String(columns.teamId), input.name)
  const states = [...call.tables.WorkflowState.find('teamId', String(columns.teamId))]
  return {
    type,
    description: input.description ?? null,
    name: needText(input, 'name'),
    position: input.position ?? Math.max(-1, ...states.map(({ position }) => position)) + 1,
  }
}

/** Triage and duplicate states come and go with the settings of the team. */
const creatableStates = ['backlog', 'unstarted', 'started', 'completed', 'canceled']

const renamedState = (call: TrackerCall, row: EntityRow, input: Input): Row => {
  checkLengths('WorkflowState', input)
  if (typeof input.name !== 'string' || input.name === row.name) return {}
  needText(input, 'name')
  checkStateName(call, String(row.teamId), input.name)
  return {}
}

/** Names of states differ within a team. */
const checkStateName = (call: TrackerCall, teamId: string, name: unknown): void => {
  const taken = [...call.tables.WorkflowState.find('teamId', teamId)].some(
    (state) => state.archivedAt === null && state.name === name,
  )
  if (taken) throw inputError('duplicate workflow state', 'A workflow state with this name already exists.')
}

const states: Operations = {
  ...crud({
    type: 'WorkflowState',
    has: ['Create', 'Update'],
    start: checkState,
    revise: renamedState,
    settled: handDownState,
  }),
  ...mutation('workflowStateArchive', (call, { id }) => {
    const state: WorkflowStateRow | undefined = call.tables.WorkflowState.get(
      need(call, 'WorkflowState', id).id,
    )
    if (!state) throw notFound('WorkflowState')
    const used = [...call.tables.Issue.find('stateId', state.id)].some(
      ({ archivedAt }) => archivedAt === null,
    )
    if (used)
      throw inputError('Workflow state has issues', 'Cannot archive a workflow state that has issues in it.')
    const archived = changeRecord(call, 'WorkflowState', state, { archivedAt: iso(call.now) })
    handDownState(call, archived)
    return payload(call, 'WorkflowState', archived)
  }),
}

export const teamOperations: Operations = {
  ...mutation('teamCreate', (call, { input }) => payload(call, 'Team', createTeam(call, recordInput(input)))),
  ...mutation('teamUpdate', (call, { id, input }) => updateTeam(call, id, recordInput(input))),
  ...mutation('teamDelete', (call, { id }) => {
    const team = needTeam(call, id)
    needTeamManager(call, team.id)
    setTeamArchived(call, team, iso(call.now))
    return payload(call, 'Team', team)
  }),
  ...mutation('teamUnarchive', (call, { id }) => {
    const team = needTeam(call, id)
    needTeamManager(call, team.id)
    return payload(call, 'Team', setTeamArchived(call, team, null))
  }),
  ...mutation('teamCyclesDelete', (call, { id }) => {
    const team = needTeam(call, id)
    needTeamManager(call, team.id)
    for (const cycle of [...call.tables.Cycle.find('teamId', team.id)]) {
      for (const issue of [...call.tables.Issue.find('cycleId', cycle.id)])
        call.tables.Issue.update(issue.id, { cycleId: null })
      call.tables.Cycle.delete(cycle.id)
    }
    return payload(call, 'Team', changeRecord(call, 'Team', team, { cyclesEnabled: false }))
  }),
  ...members,
  ...states,
  ...mutation('organizationUpdate', (call, { input }) => {
    needAdmin(call)
    const row = organizationOf(call)
    const columns = { ...readInput(call, 'Organization', 'OrganizationUpdateInput', recordInput(input)) }
    mergeSettings(columns, row)
    return payload(call, 'Organization', changeRecord(call, 'Organization', row, columns))
  }),
}
