import { type Context, find } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { day } from '../values/times.ts'

type Read = (row: EntityRow, args: object, context: Context) => unknown

const nothing: Read = () => null
const never: Read = () => false

/** Health as people read it: what was reported last, unless that was long ago or never. */
const healthWithAge =
  (table: 'ProjectUpdate' | 'InitiativeUpdate', column: string): Read =>
  (row, _, { tables, now }) => {
    const updates = [...tables[table].find(column, row.id)].filter(({ archivedAt }) => archivedAt === null)
    const last = updates.at(-1)
    if (!last) return 'noUpdate'
    return Date.parse(last.createdAt) < now - 30 * day ? 'outdated' : last.health
  }

const needsOf = (row: EntityRow, { tables }: Context): EntityRow[] =>
  [...tables.CustomerNeed.find('projectId', row.id)].filter(({ archivedAt }) => archivedAt === null)
const customers = (needs: readonly EntityRow[]): number =>
  new Set(needs.map(({ customerId }) => customerId)).size

const dependency =
  (column: 'projectId' | 'relatedProjectId'): Read =>
  (row, _, { tables }) =>
    [...tables.ProjectRelation.find(column, row.id)].some(({ archivedAt }) => archivedAt === null)

const sessions =
  (keep: (session: EntityRow) => boolean): Read =>
  (row, _, { tables }) =>
    [...tables.AgentSession.find('issueId', row.id)].some(keep)

const nextMilestone: Read = (row, _, { tables }) => {
  const open = [...tables.ProjectMilestone.find('projectId', row.id)].filter((milestone) => {
    const issues = [...tables.Issue.find('projectMilestoneId', milestone.id)]
    const done = issues.length > 0 && issues.every(({ completedAt, canceledAt }) => completedAt ?? canceledAt)
    return milestone.archivedAt === null && !done
  })
  return open.sort((a, b) => Number(a.sortOrder) - Number(b.sortOrder))[0]
}

/** The SLA status of an issue: the worst level that it has reached. */
export const slaStatusOf = (row: EntityRow, now: number): string | null => {
  const passed = (time: unknown) => typeof time === 'string' && Date.parse(time) <= now
  if (typeof row.slaBreachesAt !== 'string') return null
  if (row.completedAt ?? row.canceledAt) {
    const closed = String(row.completedAt ?? row.canceledAt)
    return closed > row.slaBreachesAt ? 'Failed' : 'Completed'
  }
  if (passed(row.slaBreachesAt)) return 'Breached'
  if (passed(row.slaHighRiskAt)) return 'HighRisk'
  return passed(row.slaMediumRiskAt) ? 'MediumRisk' : 'LowRisk'
}

/**
 * What filters can ask about and records do not show. A twin has no suggestions, releases or facets, so that asking whether there are any has a true answer: no.
 */
export const derivedValues: Readonly<Record<string, Read>> = {
  'CustomView.hasFacet': never,
  'Cycle.inheritedFromId': (row) => row.inheritedFromId ?? null,
  'Cycle.isInCooldown': never,
  'Document.release': nothing,
  'Document.searchableContent': (row) => [row.title, row.content].join('\n'),
  'Initiative.customIdentifier': nothing,
  'Initiative.healthWithAge': healthWithAge('InitiativeUpdate', 'initiativeId'),
  'AgentActivity.type': ({ content }) => (content as { type?: unknown } | undefined)?.type,
  'Issue.hasActiveAgentSessions': sessions(({ status }) => status === 'active' || status === 'pending'),
  'Issue.hasDismissedAgentSessions': sessions(({ dismissedAt }) => typeof dismissedAt === 'string'),
  'Issue.hasErroredAgentSessions': sessions(({ status }) => status === 'error'),
  'Issue.hasMergedAgentPullRequests': never,
  'Issue.hasSuggestedAssignees': never,
  'Issue.hasSuggestedLabels': never,
  'Issue.hasSuggestedProjects': never,
  'Issue.hasSuggestedRelatedIssues': never,
  'Issue.hasSuggestedSimilarIssues': never,
  'Issue.hasSuggestedTeams': never,
  'Issue.slaStatus': (row, _, { now }) => slaStatusOf(row, now),
  'Project.customIdentifier': nothing,
  'Project.customerCount': (row, _, context) => customers(needsOf(row, context)),
  'Project.customerImportantCount': (row, _, context) =>
    customers(needsOf(row, context).filter(({ priority }) => priority === 1)),
  'Project.hasBlockedByRelations': dependency('relatedProjectId'),
  'Project.hasBlockingRelations': dependency('projectId'),
  'Project.hasDependedOnByRelations': dependency('projectId'),
  'Project.hasDependsOnRelations': dependency('relatedProjectId'),
  'Project.hasRelatedRelations': (row, args, context) =>
    dependency('projectId')(row, args, context) === true ||
    dependency('relatedProjectId')(row, args, context) === true,
  'Project.healthWithAge': healthWithAge('ProjectUpdate', 'projectId'),
  'Project.nextProjectMilestone': nextMilestone,
  'Project.searchableContent': (row) => [row.name, row.description, row.content].join('\n'),
  'Reaction.customEmojiId': nothing,
  'Template.inheritedFromId': nothing,
}

type List = (row: EntityRow, context: Context) => EntityRow[]

const none: List = () => []
const members =
  (owners: boolean): List =>
  (row, context) =>
    [...context.tables.TeamMembership.find('teamId', row.id)].flatMap(({ archivedAt, owner, userId }) =>
      archivedAt === null && (!owners || owner === true) ? (find(context, 'User', userId) ?? []) : [],
    )

const ancestors: List = (row, context) => {
  const found: EntityRow[] = []
  const maxDepth = 20
  for (let team = find(context, 'Team', row.parentId); team && found.length < maxDepth; ) {
    found.push(team)
    team = find(context, 'Team', team.parentId)
  }
  return found
}

/** Lists that filters can ask about and records do not show. */
export const derivedLists: Readonly<Record<string, List>> = {
  'Comment.needs': (row, { tables }) =>
    [...tables.CustomerNeed.all()].filter(({ commentId }) => commentId === row.id),
  'Issue.releases': none,
  'Issue.suggestions': none,
  'ProjectStatus.projects': (row, { tables }) => [...tables.Project.find('statusId', row.id)],
  'Team.ancestors': ancestors,
  'Team.owners': members(true),
  'Team.releasePipelines': none,
  'Team.users': members(false),
}
