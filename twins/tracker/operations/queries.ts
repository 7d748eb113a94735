import { type TrackerCall, viewOf } from '../context.ts'
import { trackerSchema } from '../graphql/engine.ts'
import { filterTypeOf, isActive } from '../graphql/resolvers.ts'
import { need } from '../lists/lookup.ts'
import { everything, pageOf, type Source } from '../lists/page.ts'
import { lowerFirst } from '../lists/relations.ts'
import type { EntityRow } from '../rows.ts'
import type { EntityType } from '../tables.ts'
import { type Operations, query } from './crud.ts'
import type { Input } from './records.ts'

/** Lists and single records that are read in the same way for every kind. */
const plurals: { readonly [K in EntityType]?: string } = {
  AgentActivity: 'agentActivities',
  AgentSession: 'agentSessions',
  Attachment: 'attachments',
  Comment: 'comments',
  CustomView: 'customViews',
  Customer: 'customers',
  CustomerNeed: 'customerNeeds',
  CustomerStatus: 'customerStatuses',
  CustomerTier: 'customerTiers',
  Cycle: 'cycles',
  Document: 'documents',
  Emoji: 'emojis',
  Initiative: 'initiatives',
  InitiativeLabel: 'initiativeLabels',
  InitiativeRelation: 'initiativeRelations',
  InitiativeToProject: 'initiativeToProjects',
  InitiativeUpdate: 'initiativeUpdates',
  Issue: 'issues',
  IssueLabel: 'issueLabels',
  IssueRelation: 'issueRelations',
  OrganizationInvite: 'organizationInvites',
  Project: 'projects',
  ProjectLabel: 'projectLabels',
  ProjectMilestone: 'projectMilestones',
  ProjectRelation: 'projectRelations',
  ProjectStatus: 'projectStatuses',
  ProjectUpdate: 'projectUpdates',
  Roadmap: 'roadmaps',
  RoadmapToProject: 'roadmapToProjects',
  Team: 'teams',
  TeamMembership: 'teamMemberships',
  TimeSchedule: 'timeSchedules',
  TriageResponsibility: 'triageResponsibilities',
  User: 'users',
  Webhook: 'webhooks',
  WorkflowState: 'workflowStates',
}
const alone: readonly EntityType[] = [
  'EntityExternalLink',
  'Favorite',
  'Notification',
  'NotificationSubscription',
  'Template',
]

/** A page of a root list, under the name of its field. */
export const rootPage = (
  call: TrackerCall,
  name: string,
  args: Input,
  source: Source,
  keep?: (row: EntityRow) => boolean,
) => {
  const { types } = trackerSchema.get()
  const field = types.get('Query')?.fields?.find((one) => one.name === name)
  return pageOf({
    source,
    args,
    filterType: field && filterTypeOf(field),
    types,
    context: call,
    ...(keep ? { keep } : {}),
  })
}

const listed = (type: EntityType, name: string): Operations =>
  query(name, (call, args) =>
    rootPage(
      call,
      name,
      args,
      everything(type),
      type === 'User' && args.includeDisabled !== true ? isActive : undefined,
    ),
  )

const single = (type: EntityType): Operations =>
  query(lowerFirst(type), (call, { id, hash }) => need(call, type, id ?? byHash(call, type, hash)))

/** Links hold only the first part of a comment's or a request's id, and that is enough to find it. */
const byHash = (call: TrackerCall, type: EntityType, hash: unknown): string | undefined => {
  if (typeof hash !== 'string' || hash.length < 8) return undefined
  for (const { id } of viewOf(call.tables, type).all()) if (id.startsWith(hash)) return id
  return undefined
}

const types = Object.entries(plurals) as [EntityType, string][]

/** What belongs to the one who asks is theirs alone. */
const mine: Operations = {
  ...query('favorites', (call, args) =>
    rootPage(call, 'favorites', args, { type: 'Favorite', index: 'ownerId', value: call.actor?.id ?? '' }),
  ),
  ...query('notifications', (call, args) =>
    rootPage(call, 'notifications', args, {
      type: 'Notification',
      index: 'userId',
      value: call.actor?.id ?? '',
    }),
  ),
  ...query('notificationSubscriptions', (call, args) =>
    rootPage(call, 'notificationSubscriptions', args, {
      type: 'NotificationSubscription',
      index: 'subscriberId',
      value: call.actor?.id ?? '',
    }),
  ),
}

export const queries: Operations = Object.assign(
  {},
  ...types.flatMap(([type, name]) => [listed(type, name), single(type)]),
  ...alone.map(single),
  mine,
)
