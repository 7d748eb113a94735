import { type Context, find } from '../context.ts'
import { newestFirst } from '../lists/relations.ts'
import type { EntityRow } from '../rows.ts'
import { editorDocument, priorityLabel } from '../values/text.ts'
import { day, instantOf, iso, isoDay } from '../values/times.ts'
import { always, type Fields, text, unless } from './field.ts'
import { contentOf, reactable } from './issue.ts'
import {
  customerUrl,
  documentUrl,
  initiativeUpdateUrl,
  initiativeUrl,
  projectUpdateUrl,
  projectUrl,
  roadmapUrl,
} from './links.ts'
import { currentProgress, type History, historyOf, progressOf, scopeOf } from './progress.ts'

const issuesBy =
  (column: string) =>
  (row: EntityRow, { tables }: Context): EntityRow[] =>
    [...tables.Issue.find(column, row.id)].filter(({ trashed }) => trashed !== true)

/** The counts that the schema demands of whatever holds issues. */
const measured = (
  issuesOf: (row: EntityRow, context: Context) => EntityRow[],
  span: (row: EntityRow, context: Context) => Parameters<typeof historyOf>[1],
): Fields => {
  const history =
    (name: keyof History): Fields[string] =>
    (row, _, context) =>
      historyOf(issuesOf(row, context), span(row, context))[name]
  return {
    progress: (row, _, context) => progressOf(issuesOf(row, context)),
    scope: (row, _, context) => scopeOf(issuesOf(row, context)),
    currentProgress: (row, _, context) => currentProgress(issuesOf(row, context), context),
    progressHistory: (row, _, context) => ({
      ...historyOf(issuesOf(row, context), span(row, context)),
    }),
    issueCountHistory: history('issueCountHistory'),
    completedIssueCountHistory: history('completedIssueCountHistory'),
    scopeHistory: history('scopeHistory'),
    completedScopeHistory: history('completedScopeHistory'),
    inProgressScopeHistory: history('inProgressScopeHistory'),
  }
}

const endOf = (row: EntityRow, { now }: Context): number =>
  Date.parse(text(row.completedAt) || text(row.canceledAt) || iso(now))

/** The newest of the updates, by which a project or an initiative says how it is doing. */
const lastUpdate = (
  row: EntityRow,
  context: Context,
  of: 'Project' | 'Initiative',
): EntityRow | undefined => {
  const updates =
    of === 'Project'
      ? context.tables.ProjectUpdate.find('projectId', row.id)
      : context.tables.InitiativeUpdate.find('initiativeId', row.id)
  return newestFirst([...updates].filter(({ archivedAt }) => archivedAt === null))[0]
}
const updated = (of: 'Project' | 'Initiative'): Fields => ({
  lastUpdate: (row, _, context) => lastUpdate(row, context, of),
  health: (row, _, context) => lastUpdate(row, context, of)?.health ?? null,
  healthUpdatedAt: (row, _, context) => lastUpdate(row, context, of)?.createdAt ?? null,
})

export const projectFields: Fields = {
  ...measured(issuesBy('projectId'), (row, context) => ({
    from: Date.parse(row.createdAt),
    to: endOf(row, context),
    resolution: row.frequencyResolution === 'daily' ? 'daily' : 'weekly',
  })),
  ...updated('Project'),
  ...unless({
    color: '#bec2c8',
    frequencyResolution: 'weekly',
    labelIds: [],
    priority: 0,
    prioritySortOrder: 0,
    sortOrder: 0,
    slackIssueComments: true,
    slackIssueStatuses: true,
    slackNewIssue: true,
    previousIdentifiers: [],
  }),
  url: (row, _, context) => projectUrl(row, context),
  priorityLabel: (row) => priorityLabel(row.priority),
  state: (row, _, context) => find(context, 'ProjectStatus', row.statusId)?.type,
  resourceCount: (row, _, { tables }) =>
    tables.Document.count('projectId', row.id) + tables.EntityExternalLink.count('projectId', row.id),
  documentContent: (row) => contentOf(row, 'project', row.content),
  leadTeamId: (row) => row.leadTeamId ?? (Array.isArray(row.teamIds) ? row.teamIds[0] : undefined),
  leadTeam: (row, _, context) =>
    find(context, 'Team', row.leadTeamId ?? (Array.isArray(row.teamIds) ? row.teamIds[0] : undefined)),
  favorite: (row, _, { tables, actor }) =>
    [...tables.Favorite.find('ownerId', actor?.id ?? '')].find(({ projectId }) => projectId === row.id),
  metadata: always({}),
}

export const milestoneFields: Fields = {
  ...measured(issuesBy('projectMilestoneId'), (row, { now }) => ({
    from: Date.parse(row.createdAt),
    to: now,
    resolution: 'weekly',
  })),
  /** In percent, unlike the progress of projects and cycles. */
  progress: (row, _, context) =>
    Math.round(progressOf(issuesBy('projectMilestoneId')(row, context)) * 10_000) / 100,
  documentContent: (row) => contentOf(row, 'projectMilestone', row.description),
  status: (row, _, context) => {
    const issues = issuesBy('projectMilestoneId')(row, context)
    if (issues.length > 0 && issues.every(({ completedAt, canceledAt }) => completedAt ?? canceledAt))
      return 'done'
    if (typeof row.targetDate === 'string' && row.targetDate < isoDay(context.now)) return 'overdue'
    return nextMilestone(row, context)?.id === row.id ? 'next' : 'unstarted'
  },
}
/** The first open milestone of the project, in the order that people gave them. */
const nextMilestone = (row: EntityRow, context: Context): EntityRow | undefined =>
  [...context.tables.ProjectMilestone.find('projectId', text(row.projectId))]
    .filter(({ archivedAt }) => archivedAt === null)
    .filter((milestone) => progressOf(issuesBy('projectMilestoneId')(milestone, context)) < 1)
    .sort((a, b) => Number(a.sortOrder) - Number(b.sortOrder))[0]

const stale = 30 * day
const posted = (column: string): Fields => ({
  ...unless({ isDiffHidden: false, health: 'onTrack' }),
  ...reactable(column),
  bodyData: (row) => editorDocument(text(row.body)),
  isStale: (row, _, { now }) => now - Date.parse(row.createdAt) > stale,
  commentCount: (row, _, { tables }) => tables.Comment.count(column, row.id),
})
export const projectUpdateFields: Fields = {
  ...posted('projectUpdateId'),
  url: (row, _, context) => projectUpdateUrl(row, context),
}
export const initiativeUpdateFields: Fields = {
  ...posted('initiativeUpdateId'),
  url: (row, _, context) => initiativeUpdateUrl(row, context),
}

export const initiativeFields: Fields = {
  ...updated('Initiative'),
  ...unless({
    frequencyResolution: 'weekly',
    labelIds: [],
    priority: 0,
    prioritySortOrder: 0,
    sortOrder: 0,
    visibility: 'public',
    previousIdentifiers: [],
  }),
  url: (row, _, context) => initiativeUrl(row, context),
  documentContent: (row) => contentOf(row, 'initiative', row.content),
  parentInitiative: (row, _, context) =>
    find(
      context,
      'Initiative',
      context.tables.InitiativeRelation.first('relatedInitiativeId', row.id)?.initiativeId,
    ),
}

export const cycleFields: Fields = {
  ...measured(issuesBy('cycleId'), (row, { now }) => ({
    from: Date.parse(text(row.startsAt)),
    to: Math.min(now, Date.parse(text(row.endsAt))),
    resolution: 'daily',
  })),
  isActive: (row, _, { now }) => isRunning(row, now),
  isFuture: (row, _, { now }) => text(row.startsAt) > iso(now),
  isPast: (row, _, { now }) => text(row.endsAt) <= iso(now),
  isNext: (row, _, context) => neighbour(row, context, 'next') === row.id,
  isPrevious: (row, _, context) => neighbour(row, context, 'previous') === row.id,
}
export const isRunning = (row: EntityRow, now: number): boolean =>
  !row.completedAt && instantOf(text(row.startsAt), now) <= now && now < instantOf(text(row.endsAt), now)

const neighbour = (
  row: EntityRow,
  { tables, now }: Context,
  side: 'next' | 'previous',
): string | undefined => {
  const cycles = [...tables.Cycle.find('number', text(row.teamId))].filter(({ archivedAt }) => !archivedAt)
  const found =
    side === 'next'
      ? cycles.filter(({ startsAt }) => startsAt > iso(now))[0]
      : cycles.filter(({ endsAt }) => endsAt <= iso(now)).at(-1)
  return found?.id
}

export const documentFields: Fields = {
  ...unless({ sortOrder: 0 }),
  url: (row, _, context) => documentUrl(row, context),
  metadata: always({}),
}
export const roadmapFields: Fields = {
  ...unless({ sortOrder: 0 }),
  url: (row, _, context) => roadmapUrl(row, context),
}
export const customerFields: Fields = {
  ...unless({ domains: [], externalIds: [] }),
  url: (row, _, context) => customerUrl(row, context),
  approximateNeedCount: (row, _, { tables }) => tables.CustomerNeed.count('customerId', row.id),
  needs: (row, _, { tables }) => [...tables.CustomerNeed.find('customerId', row.id)],
}
export const customerNeedFields: Fields = {
  ...unless({ priority: 0 }),
  bodyData: (row) => (typeof row.body === 'string' ? editorDocument(row.body) : null),
  content: (row) => row.body ?? null,
}
