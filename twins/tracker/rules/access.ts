import { isRecord } from '@diorama/twin-kit/records'
import { isWithheld, withholdsAny } from '@diorama/twin-kit/variations/withhold'
import { type Context, find, organizationOf, type TrackerCall } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { forbidden } from '../shapes/refusals.ts'

type Reach = Pick<Context, 'tables' | 'actor' | 'hidden'>

const actorRow = ({ tables, actor }: Reach) => (actor ? tables.User.get(actor.id) : undefined)

export const isAdmin = (context: Reach): boolean => {
  const user = actorRow(context)
  return user?.admin === true || user?.owner === true
}

export const membershipOf = (
  { tables }: Pick<Context, 'tables'>,
  teamId: string,
  userId: unknown,
): EntityRow | undefined =>
  [...tables.TeamMembership.find('teamId', teamId)].find(
    (row) => row.userId === userId && row.archivedAt === null,
  )

export const isMember = (context: Reach, teamId: string): boolean =>
  membershipOf(context, teamId, context.actor?.id) !== undefined

const isTeamOwner = (context: Reach, teamId: string): boolean =>
  membershipOf(context, teamId, context.actor?.id)?.owner === true

/** Settings of the whole workspace are for its administrators. */
export const needAdmin = (call: TrackerCall): void => {
  if (!isAdmin(call)) throw forbidden('You need to be an administrator to do this.')
}

/** Settings of a team are for its owners and for administrators. */
export const needTeamManager = (call: TrackerCall, teamId: string): void => {
  if (!isAdmin(call) && !isTeamOwner(call, teamId))
    throw forbidden('You need to be a team owner or a workspace admin to do this.')
}

/** The settings of a team are for its owners, unless it leaves them to its members. */
export const needTeamSettings = (call: TrackerCall, team: EntityRow): void => {
  const open = settingOf(team, 'teamManagement') === 'member' && isMember(call, team.id)
  if (!open) needTeamManager(call, team.id)
}

/**
 * The default of each security setting of the workspace: the least role that may do what it is about.
 */
const leastRoles = {
  adminManagementRole: 'admin',
  apiSettingsRole: 'admin',
  invitationsRole: 'user',
  labelManagementRole: 'user',
  teamCreationRole: 'user',
  templateManagementRole: 'user',
  workspaceInitiativesRole: 'user',
} as const

/** Refuses those whose role is below the one that the workspace's security settings ask for. Agents count as members. */
export const needRole = (call: TrackerCall, setting: keyof typeof leastRoles): void => {
  const least = settingOf(organizationOf(call), setting) ?? leastRoles[setting]
  const own = roleOf(actorRow(call))
  if (rankOf(own === 'app' ? 'user' : own) < rankOf(least))
    throw forbidden('Your role does not allow you to do this.')
}

/** What members may do in a team, unless its security settings leave it to the owners. */
type TeamSetting = 'issueSharing' | 'labelManagement' | 'memberManagement' | 'templateManagement'
export const needTeamRole = (call: TrackerCall, teamId: unknown, setting: TeamSetting): void => {
  const team = find(call, 'Team', teamId)
  if (team && settingOf(team, setting) === 'owner') needTeamManager(call, team.id)
}

/** Labels and templates belong to a team, or else to the workspace. */
export const needManager = (
  call: TrackerCall,
  { teamId, what }: { teamId: unknown; what: 'label' | 'template' },
): void => {
  if (typeof teamId === 'string') needTeamRole(call, teamId, `${what}Management`)
  else needRole(call, `${what}ManagementRole`)
}

const settingOf = ({ securitySettings }: EntityRow, setting: string): unknown =>
  isRecord(securitySettings) ? securitySettings[setting] : undefined

/** What belongs to one person can be changed by that person alone. */
export const needOwner = (call: TrackerCall, ownerId: unknown, what: string): void => {
  if (ownerId !== call.actor?.id) throw forbidden(`Only the ${what} can do this.`)
}

/** The roles, each of which may do what those before it may. */
const roles = ['app', 'guest', 'user', 'admin', 'owner'] as const
export const rankOf = (role: unknown): number => roles.findIndex((known) => known === role)
export const roleOf = (user: EntityRow | undefined): (typeof roles)[number] =>
  user?.owner === true
    ? 'owner'
    : user?.admin === true
      ? 'admin'
      : user?.guest === true
        ? 'guest'
        : user?.app === true
          ? 'app'
          : 'user'

const nothing: ReadonlySet<string> = new Set()

/** The permission without which a team is as a private one of others, by its id. */
export const membershipIn = (teamId: string): string => `membership of team ${teamId}`

/** Teams that the caller cannot see into: private ones for those who are not members, and for guests all but their own. */
export const hiddenTeams = ({ tables, actor }: Reach): ReadonlySet<string> => {
  const userId = actor?.id
  const withholds = withholdsAny(tables)
  const guest = userId !== undefined && tables.User.get(userId)?.guest === true
  let hidden: Set<string> | undefined
  for (const team of tables.Team.all()) {
    const isWithout = withholds && isWithheld(tables, actor?.subject ?? '', membershipIn(team.id))
    if (!isWithout && !guest && team.private !== true) continue
    if (!isWithout && membershipOf({ tables }, team.id, userId)) continue
    hidden ??= new Set()
    hidden.add(team.id)
  }
  return hidden ?? nothing
}

/** Whether the caller may see a record; what hangs on a record is as visible as that. */
export const isVisible = (
  type: string,
  row: EntityRow,
  context: Reach,
  hidden = context.hidden ?? hiddenTeams(context),
): boolean => {
  if (type === 'CustomView' && row.shared !== true && row.ownerId !== context.actor?.id) return false
  if (hidden.size === 0) return true
  const sees = (part: string, id: unknown): boolean => {
    const found = find(context, part, id)
    return found === undefined || isVisible(part, found, context, hidden)
  }
  if (type === 'Team') return !hidden.has(row.id)
  if (type === 'Issue' && Array.isArray(row.sharedWithIds) && row.sharedWithIds.includes(context.actor?.id))
    return true
  if (typeof row.teamId === 'string' && hidden.has(row.teamId)) return false
  if (type === 'Project' && Array.isArray(row.teamIds) && row.teamIds.length > 0)
    return row.teamIds.some((id) => !hidden.has(String(id)))
  if (type === 'Issue') return true
  if (type === 'AgentActivity') return sees('AgentSession', row.agentSessionId)
  return sees('Issue', row.issueId) && sees('Issue', row.relatedIssueId) && sees('Project', row.projectId)
}
