import { z } from 'zod'

/** What every record has. Times are ISO 8601 in UTC with milliseconds, so that they sort as text. */
const time = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const id = z.string().min(1)
const ids = z.array(id)
const base = { id, createdAt: time, updatedAt: time, archivedAt: time.nullable() }

export const EntityRow = z.looseObject(base)
export type EntityRow = z.infer<typeof EntityRow>

export const OrganizationRow = z.looseObject({ ...base, name: z.string(), urlKey: z.string() })
export type OrganizationRow = z.infer<typeof OrganizationRow>

export const UserRow = z.looseObject({
  ...base,
  name: z.string(),
  displayName: z.string(),
  email: z.string(),
  handle: z.string(),
  active: z.boolean(),
  admin: z.boolean(),
  owner: z.boolean(),
  guest: z.boolean(),
  timezone: z.string().nullable(),
})
export type UserRow = z.infer<typeof UserRow>

export const TeamRow = z.looseObject({
  ...base,
  name: z.string().min(1),
  key: z.string().min(1),
  parentId: id.nullable(),
  defaultIssueStateId: id.nullable(),
  triageIssueStateId: id.nullable(),
  triageEnabled: z.boolean(),
  cyclesEnabled: z.boolean(),
})
export type TeamRow = z.infer<typeof TeamRow>

export const stateTypes = [
  'triage',
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
  'duplicate',
] as const
export const WorkflowStateRow = z.looseObject({
  ...base,
  name: z.string(),
  type: z.enum(stateTypes),
  color: z.string(),
  position: z.number(),
  teamId: id,
})
export type WorkflowStateRow = z.infer<typeof WorkflowStateRow>

export const IssueLabelRow = z.looseObject({
  ...base,
  name: z.string(),
  color: z.string(),
  isGroup: z.boolean(),
  teamId: id.nullable(),
  parentId: id.nullable(),
})
export type IssueLabelRow = z.infer<typeof IssueLabelRow>

export const IssueRow = z.looseObject({
  ...base,
  identifier: z.string(),
  number: z.number(),
  title: z.string(),
  description: z.string().nullable(),
  priority: z.number(),
  estimate: z.number().nullable(),
  dueDate: day.nullable(),
  sortOrder: z.number(),
  prioritySortOrder: z.number(),
  subIssueSortOrder: z.number().nullable(),
  teamId: id,
  stateId: id,
  assigneeId: id.nullable(),
  delegateId: id.nullable(),
  creatorId: id.nullable(),
  projectId: id.nullable(),
  projectMilestoneId: id.nullable(),
  cycleId: id.nullable(),
  parentId: id.nullable(),
  labelIds: ids,
  subscriberIds: ids,
  previousIdentifiers: z.array(z.string()),
  startedAt: time.nullable(),
  completedAt: time.nullable(),
  canceledAt: time.nullable(),
  trashed: z.boolean().nullable(),
})
export type IssueRow = z.infer<typeof IssueRow>

export const CommentRow = z.looseObject({
  ...base,
  body: z.string(),
  userId: id.nullable(),
  issueId: id.nullable(),
  projectId: id.nullable(),
  projectUpdateId: id.nullable(),
  initiativeId: id.nullable(),
  initiativeUpdateId: id.nullable(),
  documentContentId: id.nullable(),
  parentId: id.nullable(),
  resolvedAt: time.nullable(),
  resolvingUserId: id.nullable(),
  resolvingCommentId: id.nullable(),
  editedAt: time.nullable(),
})
export type CommentRow = z.infer<typeof CommentRow>

export const ProjectRow = z.looseObject({
  ...base,
  name: z.string(),
  description: z.string(),
  content: z.string().nullable(),
  slugId: z.string(),
  statusId: id,
  leadId: id.nullable(),
  teamIds: ids,
  memberIds: ids,
  labelIds: ids,
  priority: z.number(),
  startDate: day.nullable(),
  targetDate: day.nullable(),
  startedAt: time.nullable(),
  completedAt: time.nullable(),
  canceledAt: time.nullable(),
})
export type ProjectRow = z.infer<typeof ProjectRow>

export const CycleRow = z.looseObject({
  ...base,
  number: z.number(),
  name: z.string().nullable(),
  startsAt: time,
  endsAt: time,
  completedAt: time.nullable(),
  teamId: id,
})
export type CycleRow = z.infer<typeof CycleRow>

export const CounterRow = z.object({ id, value: z.number() })
export type CounterRow = z.infer<typeof CounterRow>

/** Somebody who follows an issue because they commented on it: no change of the issue that a caller made. */
export const FollowerRow = z.object({ id, issueId: id, userId: id })
export type FollowerRow = z.infer<typeof FollowerRow>

export const UploadRow = z.object({
  id,
  contentType: z.string(),
  filename: z.string(),
  size: z.number(),
  content: z.string().nullable(),
})
export type UploadRow = z.infer<typeof UploadRow>

export const agentStatuses = [
  'pending',
  'active',
  'awaitingInput',
  'complete',
  'error',
  'stale',
  'stopping',
] as const
const externalUrl = z.object({ label: z.string(), url: z.string() })

export const AgentSessionRow = z.looseObject({
  ...base,
  slugId: z.string(),
  appUserId: id,
  creatorId: id.nullable(),
  issueId: id.nullable(),
  commentId: id.nullable(),
  sourceCommentId: id.nullable(),
  status: z.enum(agentStatuses),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  /** When the session goes stale unless the agent is heard of before. */
  staleAt: time.nullable(),
  summary: z.string().nullable(),
  plan: z.array(z.looseObject({ content: z.string(), status: z.string() })).nullable(),
  externalUrls: z.array(externalUrl),
})
export type AgentSessionRow = z.infer<typeof AgentSessionRow>

export const activityTypes = ['thought', 'action', 'elicitation', 'response', 'error', 'prompt'] as const
export const AgentActivityRow = z.looseObject({
  ...base,
  agentSessionId: id,
  userId: id,
  content: z.looseObject({ type: z.enum(activityTypes) }),
  ephemeral: z.boolean(),
  signal: z.enum(['auth', 'continue', 'select', 'stop']).nullable(),
  signalMetadata: z.looseObject({}).nullable(),
  sourceCommentId: id.nullable(),
})
export type AgentActivityRow = z.infer<typeof AgentActivityRow>

export const OAuthApplicationRow = z.looseObject({
  ...base,
  clientId: id,
  name: z.string(),
  developer: z.string(),
  redirectUris: z.array(z.string()),
  grantTypes: z.array(z.enum(['authorization_code', 'client_credentials'])),
  webhookEnabled: z.boolean(),
  webhookUrl: z.string().nullable(),
  webhookResourceTypes: z.array(z.string()),
  /** What the workspace has granted the application when it acts as itself. */
  scopes: z.array(z.string()),
  /** The account that the application acts as; none until it is installed with `actor=app`. */
  appUserId: id.nullable(),
  /** How often each secret was rotated. */
  secretVersion: z.number(),
  webhookSecretVersion: z.number(),
})
export type OAuthApplicationRow = z.infer<typeof OAuthApplicationRow>

/** Tokens are known by their SHA-256. */
export const OAuthTokenRow = z.object({
  id,
  refreshId: id.nullable(),
  clientId: id,
  userId: id,
  actor: z.enum(['user', 'app']),
  scopes: z.array(z.string()),
  expiresAt: time,
  /** Set when the refresh token was used; for half an hour after that, using it again gives the same tokens. */
  refreshedAt: time.nullable(),
  /** Which of the tokens of this authorization comes next. */
  grantId: id,
  generation: z.number(),
  /** Whether its client has proved itself with PKCE, and so needs no secret to refresh it. */
  isPkce: z.boolean().optional(),
})
export type OAuthTokenRow = z.infer<typeof OAuthTokenRow>

export const OAuthCodeRow = z.object({
  id,
  clientId: id,
  userId: id,
  actor: z.enum(['user', 'app']),
  scopes: z.array(z.string()),
  redirectUri: z.string(),
  codeChallenge: z.string().nullable(),
  codeChallengeMethod: z.enum(['S256', 'plain']),
  expiresAt: time,
  grantId: id.nullable(),
})
export type OAuthCodeRow = z.infer<typeof OAuthCodeRow>

/** A delivery to a webhook that failed for good. */
export const WebhookFailureRow = z.object({
  id,
  webhookId: id,
  executionId: id,
  url: z.string(),
  httpStatus: z.number().nullable(),
  responseOrError: z.string(),
  createdAt: time,
})
export type WebhookFailureRow = z.infer<typeof WebhookFailureRow>

/** The due date of an issue of which its assignee was last notified. */
export const DueMarkRow = z.object({ id, dueDate: z.string() })
export type DueMarkRow = z.infer<typeof DueMarkRow>

/** The level of risk that was last reported of an issue with a promised time. */
export const SlaMarkRow = z.object({ id, level: z.string(), breachesAt: z.string() })
export type SlaMarkRow = z.infer<typeof SlaMarkRow>
