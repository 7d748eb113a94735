import type { Change, Changes } from '@diorama/twin-kit/kernel/diff'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { botOf, isMember, type Seen, teamOf } from '../access.ts'
import type { AppEvent } from '../shapes/app-event.ts'
import { eventsOf } from '../shapes/events.ts'
import type { AppRow } from '../tables/apps.ts'
import type { Chat } from '../tables.ts'
import { capitals } from '../values/ids.ts'
import { nowSeconds } from '../values/time.ts'
import { appOf } from './app.ts'
import { credentialsOf } from './credentials.ts'

/** Emits what a step's changes mean to apps. Nothing is computed while no app is configured. */
export const emitEvents = (call: Chat, changes: () => Changes): void => {
  const app = appOf(call)
  if (!app || !isReachable(app)) return
  const seen = eventView(call, app)
  for (const change of changes() as readonly Change[])
    for (const event of eventsOf(seen, change)) emitEvent(call, event)
}

/** Shapes are made as the app's own bot sees them. */
export const eventView = (call: Chat, app: AppRow): Seen & { readonly by: string } => {
  const bot = botOf(call)
  return {
    tables: call.tables,
    now: call.now,
    actor: { id: bot.user_id, name: bot.name, subject: integration },
    baseUrl: call.baseUrl === '' ? app.base_url : call.baseUrl,
    by: call.actor?.id ?? '',
  }
}

const isReachable = ({ manifest: { settings }, is_verified }: AppRow): boolean =>
  settings.socket_mode_enabled || (settings.event_subscriptions.request_url !== undefined && is_verified)

/** Sends an event to the app, where it subscribes to it and may see it. */
export const emitEvent = (
  call: Chat,
  { name, event, channel, isPublic = false, onlyFor }: AppEvent,
): void => {
  const app = appOf(call)
  if (!app || !isReachable(app)) return
  const { event_subscriptions, socket_mode_enabled } = app.manifest.settings
  const bot = botOf(call)
  const owner = [...call.tables.user.find('all', 'all')].find((user) => user.is_primary_owner)?.id ?? ''
  const sees = (user: string) =>
    (onlyFor === undefined || onlyFor === user) &&
    (channel === undefined ||
      isMember(call, channel.id, user) ||
      (isPublic && channel.kind === 'public_channel'))
  const asBot = event_subscriptions.bot_events.includes(name) && sees(bot.user_id)
  const asUser = event_subscriptions.user_events.includes(name) && sees(owner)
  if (!asBot && !asUser) return
  const team = teamOf(call).id
  const credentials = credentialsOf(app.id, call.principals, app.signing_secret)
  const id = `Ev0${capitals(call.draw('event'), 9)}`
  call.emit({
    id,
    channel: socket_mode_enabled ? 'socket_events' : 'events',
    kind: name,
    receiver: app.id,
    url: socket_mode_enabled ? null : (event_subscriptions.request_url ?? ''),
    secret: credentials.signing_secret,
    payload: {
      token: credentials.verification_token,
      team_id: team,
      context_team_id: team,
      context_enterprise_id: null,
      api_app_id: app.id,
      // Shapes hide a field by leaving it undefined, which no JSON has.
      event: JSON.parse(JSON.stringify(event)),
      type: 'event_callback',
      event_id: id,
      event_time: nowSeconds(call),
      authorizations: [
        {
          enterprise_id: null,
          team_id: team,
          user_id: asBot ? bot.user_id : owner,
          is_bot: asBot,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: (channel?.connected_teams?.length ?? 0) > 0,
      event_context: `4-${Buffer.from(JSON.stringify({ et: event.type, tid: team, aid: app.id, cid: channel?.id ?? '' })).toString('base64url')}`,
    },
  })
}
