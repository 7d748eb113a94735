import type { Change, Changes } from '@diorama/twin-kit/kernel/diff'
import { find, organizationOf, type TrackerCall } from '../context.ts'
import type { AgentSessionRow, EntityRow } from '../rows.ts'
import { shapes } from '../shapes/index.ts'
import { userUrl } from '../shapes/links.ts'
import { iso } from '../values/times.ts'
import { uuidFrom } from '../values/uuid.ts'
import { type Body, payloadOf, updatedFrom } from './payload.ts'
import { promptContext } from './prompt-context.ts'
import { hears, type Receiver, receiversOf, teamsOf } from './receivers.ts'
import { dataTypes } from './resources.ts'

interface Event {
  readonly type: string
  readonly action: string
  readonly body: Body
  readonly to: (receiver: Receiver) => boolean
}

/** Sends what follows from a step to everybody who listens. */
export const emitEvents = (call: TrackerCall, changes: () => Changes): void => {
  const receivers = receiversOf(call)
  if (receivers.length === 0) return
  for (const change of changes())
    for (const { type, action, body, to } of eventsOf(call, change))
      for (const receiver of receivers) if (to(receiver)) emit(call, receiver, { type, action, body })
}

const emit = (
  call: TrackerCall,
  { id, url, secret }: Receiver,
  { type, action, body }: { type: string; action: string; body: Body },
): void =>
  call.emit({
    id: uuidFrom(call.draw('delivery')),
    channel: 'webhooks',
    kind: `${type} ${action}`,
    receiver: id,
    url,
    secret,
    payload: {
      type,
      action,
      createdAt: iso(call.now),
      ...body,
      organizationId: organizationOf(call).id,
      webhookId: id,
    },
  })

const eventsOf = (call: TrackerCall, change: Change): readonly Event[] => {
  const row = (change.after ?? change.before) as EntityRow
  switch (change.collection) {
    case 'Notification':
      return change.operation === 'create' ? notified(call, row) : []
    case 'AgentSession':
      return change.operation === 'create' ? started(call, row as AgentSessionRow) : []
    case 'AgentActivity':
      return change.operation === 'create' ? prompted(call, row) : []
    case 'slaMark':
      return breached(call, row)
    default:
      return dataTypes.has(change.collection) ? changed(call, change, row) : []
  }
}

/** A record was created, changed or removed; what goes to the trash is removed. */
const changed = (call: TrackerCall, change: Change, row: EntityRow): Event[] => {
  const { collection: type, before, after } = change
  const trashed = after?.trashed === true && before?.trashed !== true
  const action = change.operation === 'delete' || trashed ? 'remove' : change.operation
  const from = before && after ? updatedFrom(type, before as EntityRow, after as EntityRow) : {}
  if (action === 'update' && Object.keys(from).length === 0) return []
  const url = shapes[type]?.url?.(row, {}, call)
  const teams = teamsOf(call, type, row)
  const body = {
    actor: actorOf(call),
    data: payloadOf(type, row, call),
    ...(typeof url === 'string' ? { url } : {}),
    ...(action === 'update' ? { updatedFrom: from } : {}),
  }
  const to = (receiver: Receiver) => receiver.resourceTypes.includes(type) && hears(call, receiver, teams)
  return [{ type, action, body, to }, ...revoked(change, row), ...promised(call, change, row)]
}

const actorOf = (call: TrackerCall): Body | null => {
  const user = find(call, 'User', call.actor?.id)
  if (!user) return null
  const { id, name, email, avatarUrl } = user
  if (user.app === true) return { id: user.oauthClientId, type: 'OauthClient', name }
  return { id, type: 'user', name, email, url: userUrl(user, call), ...(avatarUrl ? { avatarUrl } : {}) }
}

/** An application that was taken out of the workspace hears of it last. */
const revoked = ({ collection, before, after }: Change, row: EntityRow): Event[] => {
  const gone = collection === 'User' && before?.active === true && after?.active === false
  if (!gone || row.app !== true) return []
  const { oauthClientId } = row
  return [
    {
      type: 'OAuthApp',
      action: 'revoked',
      body: { oauthClientId },
      to: ({ app }) => app?.id === oauthClientId,
    },
  ]
}

const slaEvent = (call: TrackerCall, action: string, issue: EntityRow): Event => {
  const teams = teamsOf(call, 'Issue', issue)
  return {
    type: 'IssueSLA',
    action,
    body: { issueData: payloadOf('Issue', issue, call), url: shapes.Issue?.url?.(issue, {}, call) },
    to: (receiver) => receiver.resourceTypes.includes('IssueSLA') && hears(call, receiver, teams),
  }
}

/** An issue that gets a time by which it must be done. */
const promised = (call: TrackerCall, { collection, before, after }: Change, row: EntityRow): Event[] => {
  if (collection !== 'Issue' || typeof after?.slaBreachesAt !== 'string') return []
  return after.slaBreachesAt === before?.slaBreachesAt ? [] : [slaEvent(call, 'set', row)]
}

const breached = (call: TrackerCall, { id, level }: EntityRow): Event[] => {
  const issue = find(call, 'Issue', id)
  return issue ? [slaEvent(call, String(level), issue)] : []
}

/** Events for one application alone. */
const own = (user: EntityRow | undefined, type: string, event: Omit<Event, 'type' | 'to'>): Event[] => {
  if (user?.app !== true || user.active === false) return []
  const { oauthClientId } = user
  return [
    {
      ...event,
      type,
      body: { oauthClientId, appUserId: user.id, ...event.body },
      to: ({ app, resourceTypes }) => app?.id === oauthClientId && resourceTypes.includes(type),
    },
  ]
}

const notified = (call: TrackerCall, row: EntityRow): Event[] => {
  const user = find(call, 'User', row.userId)
  if (user?.app !== true) return []
  const type = String(row.type)
  const notification = { ...payloadOf('Notification', row, call, notificationPayload(type)), type }
  return own(user, 'AppUserNotification', { action: type, body: { notification } })
}

/** Some kinds of notifications have their own payload. */
const notificationPayload = (type: string): string => {
  const name = `${type.charAt(0).toUpperCase()}${type.slice(1)}`.replace(/All$/, '')
  return known.has(name) ? `${name}NotificationWebhookPayload` : 'OtherNotificationWebhookPayload'
}
const known: ReadonlySet<string> = new Set([
  'IssueAssignedToYou',
  'IssueUnassignedFromYou',
  'IssueCommentMention',
  'IssueCommentReaction',
  'IssueEmojiReaction',
  'IssueMention',
  'IssueNewComment',
  'IssueStatusChanged',
])

const sessionBody = (call: TrackerCall, session: AgentSessionRow): Body => ({
  ...payloadOf('AgentSession', session, call),
  organizationId: organizationOf(call).id,
  type: session.type ?? 'commentThread',
})

const started = (call: TrackerCall, session: AgentSessionRow): Event[] => {
  const thread = session.sourceCommentId === null ? [] : earlier(call, session)
  return own(find(call, 'User', session.appUserId), 'AgentSessionEvent', {
    action: 'created',
    body: {
      agentSession: sessionBody(call, session),
      previousComments: thread.map((comment) =>
        payloadOf('Comment', comment, call, 'CommentChildWebhookPayload'),
      ),
      promptContext: promptContext(call, session, thread),
      guidance: null,
    },
  })
}

/** What was written in the thread before the agent was called upon. */
const earlier = (call: TrackerCall, { commentId, sourceCommentId }: AgentSessionRow): EntityRow[] => {
  const root = find(call, 'Comment', commentId)
  if (!root) return []
  const replies = [...call.tables.Comment.find('parentId', root.id)].filter(
    ({ id }) => id !== sourceCommentId,
  )
  return [root, ...replies]
}

const prompted = (call: TrackerCall, activity: EntityRow): Event[] => {
  const { content } = activity as { content?: { type?: string } }
  const session = call.tables.AgentSession.get(String(activity.agentSessionId))
  if (content?.type !== 'prompt' || !session) return []
  return own(find(call, 'User', session.appUserId), 'AgentSessionEvent', {
    action: 'prompted',
    body: {
      agentSession: sessionBody(call, session),
      agentActivity: { ...payloadOf('AgentActivity', activity, call), content },
    },
  })
}
