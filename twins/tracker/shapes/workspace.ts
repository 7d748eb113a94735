import { sha256 } from '@diorama/twin-kit/kernel/canonical'
import { actorId, type Context, find, organizationOf } from '../context.ts'
import type { EntityRow } from '../rows.ts'
import { initials } from '../values/text.ts'
import { always, type Field, type Fields, text, unless } from './field.ts'
import { userColor } from './issue.ts'
import { cycleCalendarUrl, documentUrl, initiativeUrl, issueUrl, projectUrl, userUrl } from './links.ts'
import { currentProgress } from './progress.ts'
import { isRunning } from './project.ts'

const organization: Field = (_row, _args, context) => organizationOf(context)

/** A status is gone once its time has passed. */
const status =
  (name: string): Field =>
  (row, _args, { now }) =>
    typeof row.statusUntilAt === 'string' && Date.parse(row.statusUntilAt) <= now ? null : (row[name] ?? null)

export const userFields: Fields = {
  ...unless({
    app: false,
    canAccessAnyPublicTeam: true,
    isAssignable: true,
    isMentionable: true,
    supportsAgentSessions: false,
    hasGitHubCodeAccess: false,
  }),
  organization,
  isMe: (row, _, { actor }) => row.id === actor?.id,
  url: (row, _, context) => userUrl(row, context),
  initials: (row) => initials(text(row.name)),
  avatarBackgroundColor: (row) => userColor(row.id),
  inviteHash: (row) => sha256(`invite ${row.id}`).slice(0, 16),
  createdIssueCount: (row, _, { tables }) => tables.Issue.count('creatorId', row.id),
  lastSeen: (row) => row.updatedAt,
  statusEmoji: status('statusEmoji'),
  statusLabel: status('statusLabel'),
  statusUntilAt: status('statusUntilAt'),
  /** Names that only filters use. */
  invited: always(false),
  isInvited: always(false),
}

const membershipOf = (row: EntityRow, { tables }: Context, userId: unknown): EntityRow | undefined =>
  [...tables.TeamMembership.find('teamId', row.id)].find((member) => member.userId === userId)

const stateOfType = (row: EntityRow, { tables }: Context, type: string): EntityRow | undefined =>
  [...tables.WorkflowState.find('teamId', row.id)]
    .filter((state) => state.type === type && state.archivedAt === null)
    .sort((a, b) => a.position - b.position)[0]

export const teamFields: Fields = {
  ...unless({
    agentAutomationEnabled: false,
    aiDiscussionSummariesEnabled: false,
    aiThreadSummariesEnabled: false,
    allMembersCanJoin: true,
    autoArchivePeriod: 6,
    codingAgentEnabled: false,
    cycleCooldownTime: 0,
    cycleDuration: 2,
    cycleIssueAutoAssignCompleted: true,
    cycleIssueAutoAssignStarted: true,
    cycleLockToActive: false,
    cycleStartDay: 1,
    defaultIssueEstimate: 1,
    groupIssueHistory: true,
    inheritIssueEstimation: false,
    inheritProjectStatuses: false,
    inheritSlackAutoCreateProjectChannel: false,
    inheritWorkflowStatuses: false,
    initiativesEnabled: true,
    issueEstimationAllowZero: false,
    issueEstimationExtended: false,
    issueEstimationType: 'notUsed',
    issueOrderingNoPriorityFirst: false,
    issueSortOrderDefaultToBottom: false,
    private: false,
    requirePriorityToLeaveTriage: false,
    scimManaged: false,
    securitySettings: {},
    setIssueSortOrderOnStateChange: 'first',
    slackIssueComments: true,
    slackIssueStatuses: true,
    slackNewIssue: true,
    timezone: 'America/Los_Angeles',
    upcomingCycleCount: 2,
  }),
  organization,
  displayName: (row, _, context) => {
    const parent = find(context, 'Team', row.parentId)
    return parent ? `${text(parent.name)} / ${text(row.name)}` : row.name
  },
  visibility: (row) => (row.private === true ? 'private' : 'public'),
  inviteHash: (row) => sha256(`invite ${row.id}`).slice(0, 16),
  cycleCalenderUrl: (row, _, context) => cycleCalendarUrl(row, context),
  issueCount: (row, { includeArchived }, { tables }) =>
    tables.Issue.count(includeArchived === true ? 'teamId' : 'liveTeamId', row.id),
  ledInitiativeCount: (row, _, { tables }) => tables.Initiative.count('leadTeamId', row.id),
  currentProgress: (row, _, context) =>
    currentProgress([...context.tables.Issue.find('teamId', row.id)], context),
  progressHistory: always({}),
  ancestors: (row, _, context) => {
    const parent = find(context, 'Team', row.parentId)
    return parent ? [parent] : []
  },
  children: (row, _, { tables }) => [...tables.Team.find('parentId', row.id)],
  activeCycle: (row, _, { tables, now }) =>
    [...tables.Cycle.find('number', row.id)].find((cycle) => !cycle.archivedAt && isRunning(cycle, now)),
  membership: (row, { userId }, context) => membershipOf(row, context, userId),
  viewerMembership: (row, _, context) => membershipOf(row, context, actorId(context)),
  viewerCanJoin: (row, _, context) =>
    membershipOf(row, context, actorId(context)) === undefined &&
    row.archivedAt === null &&
    !row.retiredAt &&
    row.scimManaged !== true &&
    row.allMembersCanJoin !== false,
  viewerCanLeave: (row, _, context) => membershipOf(row, context, actorId(context)) !== undefined,
  startWorkflowState: (row, _, context) => stateOfType(row, context, 'started'),
  draftWorkflowState: (row, _, context) => stateOfType(row, context, 'started'),
  reviewWorkflowState: (row, _, context) => stateOfType(row, context, 'started'),
  mergeWorkflowState: (row, _, context) => stateOfType(row, context, 'completed'),
  markedAsDuplicateWorkflowState: (row, _, context) =>
    stateOfType(row, context, 'duplicate') ?? stateOfType(row, context, 'canceled'),
  triageResponsibility: (row, _, { tables }) => tables.TriageResponsibility.first('teamId', row.id),
}

export const organizationFields: Fields = {
  ...unless({
    agentAutomationEnabled: false,
    aiAddonEnabled: false,
    aiDiscussionSummariesEnabled: false,
    aiTelemetryEnabled: false,
    aiThreadSummariesEnabled: false,
    allowedAiProviders: [],
    allowedAuthServices: [],
    authSettings: {},
    codeIntelligenceEnabled: false,
    codingAgentEnabled: false,
    codingAgentSettings: {},
    customersConfiguration: {},
    customersEnabled: true,
    feedEnabled: true,
    fiscalYearStartMonth: 0,
    generatedUpdatesEnabled: false,
    gitLinkbackDescriptionsEnabled: false,
    gitLinkbackMessagesEnabled: true,
    gitPublicLinkbackMessagesEnabled: false,
    hideNonPrimaryOrganizations: false,
    hipaaComplianceEnabled: false,
    initiativeUpdateRemindersDay: 'Friday',
    initiativeUpdateRemindersHour: 14,
    linearAgentEnabled: false,
    linearAgentSettings: {},
    periodUploadVolume: 0,
    previousUrlKeys: [],
    projectUpdateRemindersDay: 'Friday',
    projectUpdateRemindersHour: 14,
    projectUpdatesReminderFrequency: 'never',
    pullRequestIssueMode: 'all',
    pullRequestTourEnabled: false,
    releaseChannel: 'public',
    releasesEnabled: false,
    roadmapEnabled: true,
    samlEnabled: false,
    scimEnabled: false,
    securitySettings: {},
    slaDayCount: 'all',
    slackAutoCreateProjectChannel: false,
    slackProjectChannelPrefix: '',
    slackProjectChannelsEnabled: false,
    suggestedBranchNameEnabled: true,
    teamSecuritySettings: {},
    workingDays: [1, 2, 3, 4, 5],
  }),
  createdIssueCount: (_row, _, { tables }) => tables.Issue.size(),
  customerCount: (_row, _, { tables }) => tables.Customer.size(),
  userCount: (_row, _, { tables }) => tables.User.size(),
  projectStatuses: (_row, _, { tables }) =>
    [...tables.ProjectStatus.all()]
      .filter(({ archivedAt }) => archivedAt === null)
      .sort((a, b) => Number(a.position) - Number(b.position)),
}

/** When the label last went onto one of the issues that carry it. */
const lastAppliedAt: Field = (row, _args, { tables }) => {
  let last: string | null = null
  for (const issue of tables.Issue.find('labelIds', row.id)) {
    let at = issue.createdAt
    for (const { addedLabelIds, createdAt } of tables.IssueHistory.find('issueId', issue.id))
      if (Array.isArray(addedLabelIds) && addedLabelIds.includes(row.id)) at = createdAt
    if (last === null || at > last) last = at
  }
  return last
}

export const labelFields: Fields = {
  ...unless({ isGroup: false, color: '#bec2c8' }),
  organization,
  lastAppliedAt,
}
export const owned: Fields = { organization }

export const customViewFields: Fields = {
  ...unless({ filterData: {}, shared: false, modelName: 'Issue' }),
  organization,
  filters: (row) => row.filterData ?? {},
}
export const templateFields: Fields = { ...unless({ sortOrder: 0, hasFormFields: false }), organization }
export const webhookFields: Fields = {
  ...unless({ enabled: true, allPublicTeams: false }),
  failures: (row, _, { tables }) =>
    [...tables.webhookFailure.find('webhookId', row.id, { reverse: true })].map((failure) => ({
      ...failure,
      webhook: row,
    })),
}

/** A favourite is shown under the name of what it points to. */
const favored: readonly [string, string, string][] = [
  ['issueId', 'Issue', 'title'],
  ['projectId', 'Project', 'name'],
  ['documentId', 'Document', 'title'],
  ['initiativeId', 'Initiative', 'name'],
  ['customViewId', 'CustomView', 'name'],
  ['cycleId', 'Cycle', 'name'],
  ['labelId', 'IssueLabel', 'name'],
  ['projectLabelId', 'ProjectLabel', 'name'],
  ['customerId', 'Customer', 'name'],
  ['userId', 'User', 'name'],
  ['teamId', 'Team', 'name'],
  ['predefinedViewTeamId', 'Team', 'name'],
]
const target = (
  row: EntityRow,
  context: Context,
): { row: EntityRow; type: string; name: string } | undefined => {
  for (const [column, type, field] of favored) {
    const found = find(context, type, row[column])
    if (found) return { row: found, type, name: text(found[field]) }
  }
  return undefined
}
export const favoriteFields: Fields = {
  ...unless({ sortOrder: 0 }),
  title: (row, _, context) =>
    target(row, context)?.name ?? (text(row.folderName) || text(row.predefinedViewType)),
  url: (row, _, context) => {
    const pointed = target(row, context)
    if (pointed?.type === 'Issue') return issueUrl(pointed.row, context)
    if (pointed?.type === 'Project') return projectUrl(pointed.row, context)
    if (pointed?.type === 'Document') return documentUrl(pointed.row, context)
    return pointed?.type === 'Initiative' ? initiativeUrl(pointed.row, context) : null
  },
}

const channels = { desktop: true, email: true, mobile: true, slack: false }

export const userSettingsFields: Fields = {
  ...unless({
    autoAssignToSelf: false,
    showCodeBlockLineNumbers: true,
    showFullUserNames: false,
    subscribedToChangelog: true,
    subscribedToDPA: false,
    subscribedToInviteAccepted: true,
    subscribedToPrivacyLegalUpdates: false,
    unsubscribedFrom: [],
  }),
  notificationCategoryPreferences: (row) => row.notificationCategoryPreferences ?? {},
  notificationChannelPreferences: (row) => row.notificationChannelPreferences ?? channels,
  notificationDeliveryPreferences: (row) => row.notificationDeliveryPreferences ?? { mobile: null },
  theme: (row) => row.theme ?? { preset: 'system', custom: null },
}

/** What a category of notifications goes out on until its owner says otherwise. */
export const channelFields: Fields = unless(channels)
