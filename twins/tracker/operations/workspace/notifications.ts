import type { Row } from '@diorama/twin-kit/kernel/table'
import { actorId, type TrackerCall } from '../../context.ts'
import { need } from '../../lists/lookup.ts'
import type { EntityRow } from '../../rows.ts'
import { checkExclusive } from '../../rules/lengths.ts'
import { inputError, notFound } from '../../shapes/refusals.ts'
import { instantOf, iso } from '../../values/times.ts'
import { mutation, type Operations, query } from '../crud.ts'
import { rootPage } from '../queries.ts'
import { addRecord, changeRecord, type Input, payload, plain, readInput, recordInput } from '../records.ts'

const own = (call: TrackerCall): EntityRow[] => [...call.tables.Notification.find('userId', actorId(call))]

const needOwn = (call: TrackerCall, id: unknown): EntityRow => {
  const row = need(call, 'Notification', id)
  if (row.userId !== actorId(call)) throw notFound('Notification')
  return row
}

const time = (call: TrackerCall, value: unknown): string | null =>
  typeof value === 'string' ? iso(instantOf(value, call.now)) : null

const changeOne = (call: TrackerCall, id: unknown, columns: Row) =>
  payload(call, 'Notification', changeRecord(call, 'Notification', needOwn(call, id), columns), {
    updatedNotifications: [],
  })

/** All notifications of the one who asks that are about the same thing. */
const changeAll = (call: TrackerCall, input: unknown, columns: Row) => {
  const { id, issueId } = recordInput(input)
  const issue = typeof id === 'string' ? needOwn(call, id).issueId : issueId
  const changed = own(call)
    .filter((row) => row.issueId === issue)
    .map((row) => changeRecord(call, 'Notification', row, columns))
  return { ...payload(call, 'Notification', undefined), notifications: changed }
}

/** What can be subscribed to, and the type of a subscription to it. */
const subscribable: readonly [column: string, type: string][] = [
  ['projectId', 'ProjectNotificationSubscription'],
  ['initiativeId', 'InitiativeNotificationSubscription'],
  ['cycleId', 'CycleNotificationSubscription'],
  ['labelId', 'LabelNotificationSubscription'],
  ['customViewId', 'CustomViewNotificationSubscription'],
  ['customerId', 'CustomerNotificationSubscription'],
  ['userId', 'UserNotificationSubscription'],
  ['teamId', 'TeamNotificationSubscription'],
]
const targets: Readonly<Record<string, Parameters<typeof need>[1]>> = {
  projectId: 'Project',
  initiativeId: 'Initiative',
  cycleId: 'Cycle',
  labelId: 'IssueLabel',
  customViewId: 'CustomView',
  customerId: 'Customer',
  userId: 'User',
  teamId: 'Team',
}

const needSubscription = (call: TrackerCall, id: unknown): EntityRow => {
  const row = need(call, 'NotificationSubscription', id)
  if (row.subscriberId !== actorId(call)) throw notFound('NotificationSubscription')
  return row
}

const subscribe = (call: TrackerCall, input: Input) => {
  checkExclusive(input, Object.keys(targets))
  const [column, type] = subscribable.find(([name]) => typeof input[name] === 'string') ?? []
  const target = column === undefined ? undefined : targets[column]
  if (column === undefined || target === undefined)
    throw inputError('Subscription has no target', `One of ${Object.keys(targets).join(', ')} must be set.`)
  return addRecord(
    call,
    'NotificationSubscription',
    {
      __typename: type,
      [column]: need(call, target, input[column]).id,
      subscriberId: actorId(call),
      active: input.active ?? true,
      includeSubInitiativeUpdates: input.includeSubInitiativeUpdates ?? false,
      notificationSubscriptionTypes: plain(input.notificationSubscriptionTypes) ?? [],
      contextViewType: input.contextViewType ?? null,
      userContextViewType: input.userContextViewType ?? null,
    },
    input,
  )
}

export const notificationOperations: Operations = {
  ...query('inboxNotifications', (call, args) =>
    rootPage(
      call,
      'inboxNotifications',
      args,
      { type: 'Notification', index: 'userId', value: actorId(call) },
      args.unreadOnly === true ? (row) => row.readAt === null : undefined,
    ),
  ),
  ...query(
    'notificationsUnreadCount',
    (call) => own(call).filter(({ readAt, archivedAt }) => readAt === null && archivedAt === null).length,
  ),
  ...mutation('notificationUpdate', (call, { id, input }) =>
    changeOne(call, id, updateColumns(call, recordInput(input))),
  ),
  ...mutation('inboxNotificationUpdate', (call, { id, input }) =>
    changeOne(call, id, updateColumns(call, recordInput(input))),
  ),
  ...mutation('notificationArchive', (call, { id }) => changeOne(call, id, { archivedAt: iso(call.now) })),
  ...mutation('notificationUnarchive', (call, { id }) => changeOne(call, id, { archivedAt: null })),
  ...mutation('notificationArchiveAll', (call, { input }) =>
    changeAll(call, input, { archivedAt: iso(call.now) }),
  ),
  ...mutation('notificationMarkReadAll', (call, { input, readAt }) =>
    changeAll(call, input, { readAt: time(call, readAt) }),
  ),
  ...mutation('notificationMarkUnreadAll', (call, { input }) => changeAll(call, input, { readAt: null })),
  ...mutation('notificationSnoozeAll', (call, { input, snoozedUntilAt }) =>
    changeAll(call, input, { snoozedUntilAt: time(call, snoozedUntilAt) }),
  ),
  ...mutation('notificationUnsnoozeAll', (call, { input, unsnoozedAt }) =>
    changeAll(call, input, { snoozedUntilAt: null, unsnoozedAt: time(call, unsnoozedAt) }),
  ),
  ...mutation('notificationSubscriptionCreate', (call, { input }) =>
    payload(call, 'NotificationSubscription', subscribe(call, recordInput(input))),
  ),
  ...mutation('notificationSubscriptionUpdate', (call, { id, input }) => {
    const row = needSubscription(call, id)
    const columns = readInput(
      call,
      'NotificationSubscription',
      'NotificationSubscriptionUpdateInput',
      recordInput(input),
    )
    return payload(
      call,
      'NotificationSubscription',
      changeRecord(call, 'NotificationSubscription', row, columns),
    )
  }),
  ...mutation('notificationSubscriptionDelete', (call, { id }) => {
    const row = needSubscription(call, id)
    call.tables.NotificationSubscription.delete(row.id)
    return payload(call, 'NotificationSubscription', undefined, { entityId: row.id })
  }),
}

const updateColumns = (call: TrackerCall, input: Input): Row => ({
  ...('readAt' in input ? { readAt: time(call, input.readAt) } : {}),
  ...('snoozedUntilAt' in input ? { snoozedUntilAt: time(call, input.snoozedUntilAt) } : {}),
})
