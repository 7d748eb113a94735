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
