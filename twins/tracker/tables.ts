import { type IndexSpec, type Row, type TableSpec, table } from '@diorama/twin-kit/kernel/table'
import type { z } from 'zod'
import {
  AgentActivityRow,
  AgentSessionRow,
  CommentRow,
  CounterRow,
  CycleRow,
  DueMarkRow,
  EntityRow,
  FollowerRow,
  IssueLabelRow,
  IssueRow,
  OAuthApplicationRow,
  OAuthCodeRow,
  OAuthTokenRow,
  OrganizationRow,
  ProjectRow,
  SlaMarkRow,
  TeamRow,
  UploadRow,
  UserRow,
  WebhookFailureRow,
  WorkflowStateRow,
} from './rows.ts'

/** Newest first is the API's default; the id decides between records of one moment, and makes a place unique. */
export const createdPlace = (row: Row): string => `${row.createdAt} ${row.id}`
export const updatedPlace = (row: Row): string => `${row.updatedAt} ${row.id}`
const numberPlace = (row: Row): number => Number(row.number)

/** The one value under which `all` and `updated` hold every row. */
export const every = ''

const column = (name: string): IndexSpec => ({
  by: (row: Row) => {
    const value = row[name]
    if (Array.isArray(value)) return value
    return typeof value === 'string' ? value : undefined
  },
  order: createdPlace,
})

/** A record of the API: found by any of the columns that refer to others, and by its place in time. */
const entity = <S extends z.ZodType<Row>>(
  row: S,
  columns: readonly string[],
  extra: { internal?: boolean; sparse?: boolean; indexes?: Record<string, IndexSpec> } = {},
): TableSpec<z.infer<S>> =>
  table<z.infer<S>>({
    key: 'id',
    row,
    ...(extra.internal ? { internal: true } : {}),
    ...(extra.sparse ? { sparse: true } : {}),
    indexes: {
      all: { by: () => every, order: createdPlace },
      updated: { by: () => every, order: updatedPlace },
      ...Object.fromEntries(columns.map((name) => [name, column(name)])),
      ...extra.indexes,
    },
  })

const identifiers: IndexSpec = {
  by: (row: IssueRow) => [row.identifier, ...row.previousIdentifiers],
  order: createdPlace,
}

const isOpen = (row: IssueRow): boolean => !row.completedAt && !row.canceledAt && !row.archivedAt

/**
 * Collections carry the names of the API's types. What the service records automatically (histories, notifications,
 * settings that nobody set) is internal: it is served like the rest, but is no change that a caller made.
 */
export const tables = {
  Organization: entity(OrganizationRow, []),
  User: entity(UserRow, ['handle', 'email']),
  Team: entity(TeamRow, ['key', 'parentId']),
  TeamMembership: entity(EntityRow, ['teamId', 'userId']),
  WorkflowState: entity(WorkflowStateRow, ['teamId']),
  IssueLabel: entity(IssueLabelRow, ['teamId', 'parentId']),
  Issue: entity(
    IssueRow,
    [
      'teamId',
      'stateId',
      'assigneeId',
      'delegateId',
      'creatorId',
      'projectId',
      'projectMilestoneId',
      'cycleId',
      'parentId',
      'labelIds',
      'subscriberIds',
      'sourceCommentId',
    ],
    {
      indexes: {
        identifier: identifiers,
        number: { by: (row: IssueRow) => row.teamId, order: numberPlace },
        sla: {
          by: (row: IssueRow) => (typeof row.slaBreachesAt === 'string' && isOpen(row) ? every : undefined),
        },
        dueDate: {
          by: (row: IssueRow) => (row.dueDate !== null && isOpen(row) ? every : undefined),
          order: (row: IssueRow) => String(row.dueDate),
        },
        liveTeamId: { by: (row: IssueRow) => (row.archivedAt === null ? row.teamId : undefined) },
        reminder: {
          by: (row: IssueRow) => (typeof row.reminderAt === 'string' ? every : undefined),
          order: (row: IssueRow) => String(row.reminderAt),
        },
      },
    },
  ),
  Comment: entity(CommentRow, [
    'issueId',
    'userId',
    'parentId',
    'projectId',
    'projectUpdateId',
    'initiativeId',
    'initiativeUpdateId',
    'documentContentId',
  ]),
  IssueHistory: entity(EntityRow, ['issueId'], { internal: true }),
  IssueRelation: entity(EntityRow, ['issueId', 'relatedIssueId']),
  Attachment: entity(EntityRow, ['issueId', 'url']),
  Reaction: entity(EntityRow, ['issueId', 'commentId', 'projectUpdateId', 'initiativeUpdateId']),
  Project: entity(ProjectRow, ['slugId', 'statusId', 'leadId', 'teamIds', 'memberIds', 'labelIds']),
  ProjectStatus: entity(EntityRow, []),
  ProjectMilestone: entity(EntityRow, ['projectId']),
  ProjectUpdate: entity(EntityRow, ['projectId', 'userId']),
  ProjectLabel: entity(EntityRow, ['parentId']),
  ProjectRelation: entity(EntityRow, ['projectId', 'relatedProjectId']),
  Cycle: entity(CycleRow, ['teamId'], {
    indexes: { number: { by: (row: CycleRow) => row.teamId, order: numberPlace } },
  }),
  Document: entity(EntityRow, [
    'slugId',
    'projectId',
    'initiativeId',
    'issueId',
    'cycleId',
    'teamId',
    'parentDocumentId',
    'documentContentId',
  ]),
  Initiative: entity(EntityRow, ['slugId', 'ownerId', 'labelIds', 'leadTeamId']),
  InitiativeToProject: entity(EntityRow, ['initiativeId', 'projectId']),
  InitiativeUpdate: entity(EntityRow, ['initiativeId', 'userId']),
  InitiativeRelation: entity(EntityRow, ['initiativeId', 'relatedInitiativeId']),
  InitiativeLabel: entity(EntityRow, ['parentId']),
  Notification: entity(EntityRow, ['userId', 'issueId'], { internal: true }),
  NotificationSubscription: entity(EntityRow, ['subscriberId']),
  Favorite: entity(EntityRow, ['ownerId', 'parentId']),
  Webhook: entity(EntityRow, ['teamId']),
  CustomView: entity(EntityRow, ['slugId', 'teamId']),
  Template: entity(EntityRow, ['teamId']),
  Customer: entity(EntityRow, ['slugId', 'statusId', 'tierId', 'externalIds']),
  CustomerNeed: entity(EntityRow, ['customerId', 'issueId', 'projectId', 'attachmentId']),
  CustomerStatus: entity(EntityRow, []),
  CustomerTier: entity(EntityRow, []),
  EntityExternalLink: entity(EntityRow, ['projectId', 'initiativeId']),
  Emoji: entity(EntityRow, ['name']),
  OrganizationInvite: entity(EntityRow, ['email']),
  Roadmap: entity(EntityRow, ['slugId']),
  RoadmapToProject: entity(EntityRow, ['roadmapId', 'projectId']),
  TimeSchedule: entity(EntityRow, ['externalId']),
  TriageResponsibility: entity(EntityRow, ['teamId']),
  ViewPreferences: entity(EntityRow, ['userId']),
  UserSettings: entity(EntityRow, ['userId'], { internal: true }),
  AgentSession: entity(AgentSessionRow, ['issueId', 'commentId', 'sourceCommentId', 'appUserId'], {
    sparse: true,
    indexes: {
      deadline: {
        by: (row: AgentSessionRow) => (row.staleAt === null ? undefined : every),
        order: (row: AgentSessionRow) => row.staleAt ?? '',
      },
    },
  }),
  AgentActivity: entity(AgentActivityRow, ['agentSessionId', 'sourceCommentId'], { sparse: true }),
  OAuthApplication: entity(OAuthApplicationRow, ['clientId', 'managerId'], { sparse: true }),
  oauthToken: table<OAuthTokenRow>({
    key: 'id',
    row: OAuthTokenRow,
    internal: true,
    sparse: true,
    indexes: {
      clientId: { by: (row: OAuthTokenRow) => row.clientId },
      refreshId: { by: (row: OAuthTokenRow) => row.refreshId ?? undefined },
    },
  }),
  webhookFailure: table<WebhookFailureRow>({
    key: 'id',
    row: WebhookFailureRow,
    internal: true,
    sparse: true,
    indexes: {
      webhookId: {
        by: (row: WebhookFailureRow) => row.webhookId,
        order: (row: WebhookFailureRow) => row.createdAt,
      },
    },
  }),
  dueMark: table<DueMarkRow>({ key: 'id', row: DueMarkRow, internal: true, sparse: true }),
  slaMark: table<SlaMarkRow>({ key: 'id', row: SlaMarkRow, internal: true, sparse: true }),
  oauthCode: table<OAuthCodeRow>({ key: 'id', row: OAuthCodeRow, internal: true, sparse: true }),
  follower: table<FollowerRow>({
    key: 'id',
    row: FollowerRow,
    internal: true,
    indexes: { issueId: { by: (row: FollowerRow) => row.issueId } },
  }),
  counter: table<CounterRow>({ key: 'id', row: CounterRow, internal: true }),
  upload: table<UploadRow>({ key: 'id', row: UploadRow, internal: true }),
}
export type TrackerTables = typeof tables
/** Tables that hold no records of the API. */
const ownTables = [
  'counter',
  'upload',
  'follower',
  'oauthToken',
  'oauthCode',
  'webhookFailure',
  'slaMark',
  'dueMark',
] as const
export type EntityType = Exclude<keyof TrackerTables, (typeof ownTables)[number]>

export const isEntityType = (name: string): name is EntityType =>
  name in tables && !ownTables.some((own) => own === name)
