import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import type { TrackerSection } from './section.ts'
import { seedApps } from './seed/apps.ts'
import { type SeedContext, stamps } from './seed/context.ts'
import { type SeededTeam, seedIssues } from './seed/issues.ts'
import { seedLabel } from './seed/labels.ts'
import {
  palette,
  standardCustomerStatuses,
  standardLabels,
  standardProjectStatuses,
  standardStates,
} from './standard.ts'
import { day, iso, minute } from './values/times.ts'
import { uuidFrom } from './values/uuid.ts'

export const seed = (section: TrackerSection, company: Company, seeding: Seeding): void => {
  const id: SeedContext['id'] = (type, ...parts) => uuidFrom(seeding.digest(type, ...parts))
  const context: SeedContext = {
    seeding,
    section,
    company,
    start: startOf(section, company),
    id,
    userId: (handle) => id('User', handle),
  }
  seedWorkspace(context)
  seedApps(context)
  const teams = new Map(section.teams.map((team, n) => [team.key, seedTeam(context, team, n)]))
  const projects = seedProjects(context, teams)
  seedIssues(context, teams, projects)
}

const startOf = ({ issues }: TrackerSection, { clock }: Company): number =>
  Math.min(clock, ...issues.map(({ createdAt }) => Date.parse(createdAt))) - 180 * day

const seedWorkspace = ({ seeding, company, start, id, userId }: SeedContext): void => {
  const { organization, people, apiOwner } = company
  seeding.insert('Organization', {
    id: id('Organization', organization.slug),
    ...stamps(start),
    name: organization.name,
    urlKey: organization.slug,
    apiOwner: apiOwner.handle,
    logoUrl: null,
    gitBranchFormat: null,
    allowedAuthServices: ['google', 'email'],
  })
  people.forEach((person, n) => {
    const at = start + (n + 1) * minute
    const owner = person.handle === apiOwner.handle
    seeding.insert('User', {
      id: userId(person.handle),
      ...stamps(at),
      name: person.name,
      displayName: person.handle,
      handle: person.handle,
      email: person.email,
      title: person.title,
      description: null,
      timezone: person.timezone,
      active: true,
      admin: owner,
      owner,
      guest: false,
      avatarUrl: null,
    })
    seeding.insert('UserSettings', {
      id: id('UserSettings', person.handle),
      ...stamps(at),
      userId: userId(person.handle),
    })
  })
  standardProjectStatuses.forEach((status, n) => {
    seeding.insert('ProjectStatus', {
      id: id('ProjectStatus', status.type),
      ...stamps(start),
      ...status,
      description: null,
      indefinite: false,
      position: n,
    })
  })
  standardCustomerStatuses.forEach((status, n) => {
    seeding.insert('CustomerStatus', {
      id: id('CustomerStatus', status.name),
      ...stamps(start),
      ...status,
      description: null,
      position: n,
    })
  })
}

const seedTeam = (context: SeedContext, team: TrackerSection['teams'][number], n: number): SeededTeam => {
  const { seeding, company, start, id, userId } = context
  const teamId = id('Team', team.key)
  const at = start + (n + 1) * 60 * minute
  const stateIds = new Map(standardStates.map(({ key }) => [key as string, id('State', team.key, key)]))
  seeding.insert('Team', {
    id: teamId,
    ...stamps(at),
    name: team.name,
    key: team.key,
    description: team.description,
    icon: null,
    color: palette[n % palette.length] ?? palette[0],
    parentId: null,
    defaultIssueStateId: stateIds.get('backlog') ?? null,
    triageIssueStateId: null,
    triageEnabled: false,
    cyclesEnabled: false,
    timezone: company.apiOwner.timezone,
  })
  seeding.key('Team', team.key, teamId)
  standardStates.forEach(({ key, ...state }, position) => {
    const stateId = stateIds.get(key) ?? ''
    seeding.insert('WorkflowState', {
      id: stateId,
      ...stamps(at + position),
      ...state,
      description: null,
      position,
      teamId,
    })
  })
  for (const handle of new Set(team.members))
    seeding.insert('TeamMembership', {
      id: id('TeamMembership', team.key, handle),
      ...stamps(at + minute),
      teamId,
      userId: userId(handle),
      owner: handle === company.apiOwner.handle,
      sortOrder: n,
    })
  const labels = new Map<string, string>()
  const extra = team.labels.map((name, at) => ({ name, color: palette[at % palette.length] ?? palette[0] }))
  for (const label of [...standardLabels, ...extra]) {
    if (labels.has(label.name)) continue
    labels.set(label.name, seedLabel(context, { team: team.key, teamId, ...label, at: at + labels.size }))
  }
  return { id: teamId, key: team.key, stateIds, labels, members: team.members }
}

const seedProjects = (context: SeedContext, teams: ReadonlyMap<string, SeededTeam>): Map<string, string> => {
  const { seeding, section, company, start, id, userId } = context
  const ids = new Map<string, string>()
  section.projects.forEach((project, n) => {
    const issues = section.issues.filter((issue) => issue.project === project.key)
    const keys = [...new Set(issues.map(({ team }) => team))]
    const teamKeys = keys.length > 0 ? keys : section.teams.slice(0, 1).map(({ key }) => key)
    const times = issues.map(({ createdAt }) => Date.parse(createdAt))
    const at = Math.max(start + 2 * day, Math.min(company.clock, ...times) - 7 * day + n)
    const changed = Math.max(at, ...times)
    const people = [...new Set(issues.flatMap(({ assignee }) => assignee ?? []))]
    const projectId = id('Project', project.key)
    ids.set(project.key, projectId)
    seeding.insert('Project', {
      id: projectId,
      ...stamps(at, changed),
      name: project.name,
      description: project.description,
      content: null,
      slugId: seeding.digest('slug', 'Project', project.key).slice(0, 12),
      statusId: id('ProjectStatus', project.state),
      leadId: userId(people[0] ?? company.apiOwner.handle),
      creatorId: userId(company.apiOwner.handle),
      teamIds: teamKeys.flatMap((key) => teams.get(key)?.id ?? []),
      memberIds: people.map(userId),
      labelIds: [],
      priority: 0,
      sortOrder: n * 100,
      prioritySortOrder: n * 100,
      startDate: null,
      targetDate: null,
      startedAt: project.state === 'planned' ? null : iso(at + day),
      completedAt: project.state === 'completed' ? iso(changed) : null,
      canceledAt: project.state === 'canceled' ? iso(changed) : null,
    })
    seeding.key('Project', project.key, projectId)
  })
  return ids
}
