import { find, type TrackerCall } from '../context.ts'
import { webhookSecret } from '../oauth/applications.ts'
import type { EntityRow, OAuthApplicationRow } from '../rows.ts'

/** Somebody whom events are sent to: a webhook of the workspace, or the one of an installed application. */
export interface Receiver {
  /** Known to its receiver as `webhookId`. */
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly resourceTypes: readonly string[]
  /** The only team it hears of; null for all public ones. */
  readonly teamId: string | null
  readonly teamIds: readonly string[]
  /** The application behind it, where there is one. */
  readonly app: OAuthApplicationRow | undefined
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

export const receiversOf = (call: TrackerCall): Receiver[] => {
  const webhooks = [...call.tables.Webhook.all()].filter(
    (row) => row.enabled !== false && row.archivedAt === null && typeof row.url === 'string',
  )
  const apps = [...call.tables.OAuthApplication.all()].filter(
    (app) => app.webhookEnabled && app.webhookUrl !== null && app.appUserId !== null,
  )
  return [...webhooks.map(ofWebhook), ...apps.map((app) => ofApplication(call, app))]
}

const ofWebhook = (row: EntityRow): Receiver => ({
  id: row.id,
  url: String(row.url),
  secret: String(row.secret ?? ''),
  resourceTypes: texts(row.resourceTypes),
  teamId: row.allPublicTeams === true ? null : (row.teamId as string | null),
  teamIds: texts(row.teamIds),
  app: undefined,
})

const ofApplication = (call: TrackerCall, app: OAuthApplicationRow): Receiver => ({
  id: app.id,
  url: app.webhookUrl ?? '',
  secret: webhookSecret(call, app),
  resourceTypes: app.webhookResourceTypes,
  teamId: null,
  teamIds: [],
  app,
})

/** Which teams a record belongs to; none where it belongs to the whole workspace. */
export const teamsOf = (call: TrackerCall, type: string, row: EntityRow): readonly string[] => {
  if (typeof row.teamId === 'string') return [row.teamId]
  if (Array.isArray(row.teamIds) && row.teamIds.length > 0) return row.teamIds.map(String)
  for (const [parent, column] of parents) {
    const above = type === parent ? undefined : find(call, parent, row[column])
    if (above) return teamsOf(call, parent, above)
  }
  return []
}
const parents = [
  ['Issue', 'issueId'],
  ['Comment', 'commentId'],
  ['ProjectUpdate', 'projectUpdateId'],
  ['Project', 'projectId'],
] as const

/** Whether a receiver hears of a record: webhooks of public teams never hear of a private one. */
export const hears = (call: TrackerCall, receiver: Receiver, teams: readonly string[]): boolean => {
  if (teams.length === 0) return receiver.teamId === null
  if (receiver.teamId !== null) return teams.includes(receiver.teamId)
  return teams.some((id) => receiver.teamIds.includes(id) || find(call, 'Team', id)?.private !== true)
}
