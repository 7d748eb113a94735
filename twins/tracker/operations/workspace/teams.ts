import type { Row } from '../../../kernel/table.ts'
import { actorId, organizationOf, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import { forbidden, inputError, invalidArgument, notFound } from '../../refusals.ts'
import { stateTypes, type TeamRow, type WorkflowStateRow } from '../../rows.ts'
import { palette, standardStates } from '../../standard.ts'
import { iso } from '../../values/times.ts'
import { crud, mutation, type Operations } from '../crud.ts'
import { addRecord, changeRecord, type Input, needText, payload, readInput, recordInput } from '../records.ts'

const needTeam = (call: TrackerCall, id: unknown): TeamRow => {
  const row = call.tables.Team.get(need(call, 'Team', id).id)
  if (!row) throw notFound('Team')
  return row
}

/** The key that identifiers begin with: given, or the first letters of the name that nobody uses yet. */
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
  const columns = readInput(call, 'Team', 'TeamCreateInput', input)
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
      timezone: call.tables.User.get(actorId(call))?.timezone ?? 'Etc/GMT',
      ...columns,
      name: needText(input, 'name'),
      key,
    },
    input,
  )
  const states = standardStates.map(({ key: _key, ...state }, position) =>
    addRecord(call, 'WorkflowState', { ...state, description: null, position, teamId: row.id }),
  )
  addRecord(call, 'TeamMembership', { teamId: row.id, userId: actorId(call), owner: true, sortOrder: 0 })
  const triage = columns.triageEnabled === true ? triageState(call, row.id) : undefined
  return call.tables.Team.update(row.id, {
    defaultIssueStateId: states[0]?.id ?? null,
    triageIssueStateId: triage?.id ?? null,
  })
}

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
  const columns: Record<string, unknown> = { ...readInput(call, 'Team', 'TeamUpdateInput', input) }
  if (typeof input.key === 'string' && input.key.toUpperCase() !== team.key) {
    columns.key = checkKey(call, input, input.key.toUpperCase())
    for (const issue of [...call.tables.Issue.find('teamId', team.id)])
      call.tables.Issue.update(issue.id, {
        identifier: `${columns.key}-${issue.number}`,
        previousIdentifiers: [...issue.previousIdentifiers, issue.identifier],
      })
  }
  if (columns.triageEnabled === true) columns.triageIssueStateId = triageState(call, team.id).id
  return payload(call, 'Team', changeRecord(call, 'Team', team, columns))
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
    const there = [...call.tables.TeamMembership.find('teamId', String(columns.teamId))].some(
      ({ userId }) => userId === columns.userId,
    )
    if (there) throw inputError('duplicate membership', 'The user is already a member of the team.')
    return payload(
      call,
      'TeamMembership',
      addRecord(call, 'TeamMembership', { owner: false, sortOrder: 0, ...columns }, given),
    )
  }),
  ...crud({ type: 'TeamMembership', has: ['Update', 'Delete'] }),
}

const checkState = (call: TrackerCall, input: Input, columns: Row): Row => {
  const type = stateTypes.find((known) => known === input.type)
  if (!type)
    throw invalidArgument({
      target: { ...input },
      property: 'type',
      value: input.type,
      constraints: { isIn: `type must be one of the following values: ${stateTypes.join(', ')}` },
    })
  const states = [...call.tables.WorkflowState.find('teamId', String(columns.teamId))]
  if (states.some((state) => state.archivedAt === null && state.name === input.name))
    throw inputError('duplicate workflow state', 'A workflow state with this name already exists.')
  return {
    type,
    description: input.description ?? null,
    name: needText(input, 'name'),
    position: input.position ?? Math.max(-1, ...states.map(({ position }) => position)) + 1,
  }
}

const states: Operations = {
  ...crud({ type: 'WorkflowState', has: ['Create', 'Update'], start: checkState }),
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
    return payload(
      call,
      'WorkflowState',
      changeRecord(call, 'WorkflowState', state, { archivedAt: iso(call.now) }),
    )
  }),
}

/** Settings of the whole workspace are for its administrators. */
export const needAdmin = (call: TrackerCall): void => {
  if (call.tables.User.get(actorId(call))?.admin !== true)
    throw forbidden('You need to be an administrator to do this.')
}

export const teamOperations: Operations = {
  ...mutation('teamCreate', (call, { input }) => payload(call, 'Team', createTeam(call, recordInput(input)))),
  ...mutation('teamUpdate', (call, { id, input }) => updateTeam(call, id, recordInput(input))),
  ...mutation('teamDelete', (call, { id }) => {
    needAdmin(call)
    const team = needTeam(call, id)
    setTeamArchived(call, team, iso(call.now))
    return payload(call, 'Team', team)
  }),
  ...mutation('teamUnarchive', (call, { id }) =>
    payload(call, 'Team', setTeamArchived(call, needTeam(call, id), null)),
  ),
  ...mutation('teamCyclesDelete', (call, { id }) => {
    const team = needTeam(call, id)
    for (const cycle of [...call.tables.Cycle.find('teamId', team.id)]) {
      for (const issue of [...call.tables.Issue.find('cycleId', cycle.id)])
        call.tables.Issue.update(issue.id, { cycleId: null })
      call.tables.Cycle.delete(cycle.id)
    }
    return payload(call, 'Team', team)
  }),
  ...members,
  ...states,
  ...mutation('organizationUpdate', (call, { input }) => {
    needAdmin(call)
    const row = organizationOf(call)
    const columns = readInput(call, 'Organization', 'OrganizationUpdateInput', recordInput(input))
    return payload(call, 'Organization', changeRecord(call, 'Organization', row, columns))
  }),
}
