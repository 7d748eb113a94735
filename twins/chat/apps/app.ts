import { operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import { botOf, type Seen, teamOf } from '../access.ts'
import { webhookSecret } from '../actor.ts'
import type { AppRow } from '../tables/apps.ts'
import type { Chat, ChatTables } from '../tables.ts'
import { workspaceUrl } from '../wire/urls.ts'
import { credentialsOf } from './credentials.ts'
import { eventNames, unsentEvents } from './event-names.ts'
import { AppManifest } from './manifest-schema.ts'

export const appOf = (call: Seen): AppRow | undefined => call.tables.app.get(botOf(call).app_id)

/** The same messages as `message.im`: an app that has both is called twice. */
const repeated = 'message.app_home'

/** The app of somebody who connects without having configured it: Socket Mode, with every event that bots can have. */
export const openManifest: AppManifest = AppManifest.parse({
  settings: {
    event_subscriptions: {
      bot_events: eventNames.filter((name) => !unsentEvents.has(name) && name !== repeated),
    },
    interactivity: { is_enabled: true },
    socket_mode_enabled: true,
  },
})

/** Puts the app's configuration in place. */
export const installApp = (call: Chat, given: Partial<Omit<AppRow, 'id'>>): AppRow => {
  const known = appOf(call)
  const base = { base_url: call.baseUrl }
  if (known) return call.tables.app.update(known.id, { ...base, ...given })
  const row = { manifest: openManifest, is_verified: false, challenge: '', ...base, ...given }
  return call.tables.app.insert({ id: botOf(call).app_id, ...row })
}

const Settings = z.strictObject({
  manifest: AppManifest.optional(),
  signing_secret: z
    .string()
    .regex(/^[\x21-\x7e]{8,100}$/, 'must be 8 to 100 visible characters')
    .optional(),
})

const shown = (call: Chat) => {
  const bot = botOf(call)
  const app = appOf(call)
  const { request_url } = app?.manifest.settings.event_subscriptions ?? {}
  return {
    app_id: bot.app_id,
    team_id: teamOf(call).id,
    bot_user_id: bot.user_id,
    is_configured: app !== undefined,
    manifest: app?.manifest ?? null,
    credentials: credentialsOf(bot.app_id, call.principals, app?.signing_secret),
    request_url_status:
      request_url === undefined
        ? null
        : app?.is_verified
          ? 'verified'
          : app?.challenge
            ? 'pending'
            : 'failed',
    incoming_webhook_url: webhookUrl(call),
    oauth_url: `${workspaceUrl(call)}/oauth/v2/authorize`,
    not_emulated: subscribed(app?.manifest).filter((name) => unsentEvents.has(name)),
  }
}

/** The workspace's incoming webhook. */
export const webhookUrl = (call: Chat): string => {
  const host = /\.?slack\.com$/.test(URL.parse(call.baseUrl)?.hostname ?? '')
    ? 'https://hooks.slack.com'
    : call.baseUrl
  return `${host}/services/${teamOf(call).id}/${botOf(call).id}/${webhookSecret(call.principals) ?? ''}`
}

const subscribed = (manifest: AppManifest | undefined): readonly string[] => {
  const events = manifest?.settings.event_subscriptions
  return [...(events?.bot_events ?? []), ...(events?.user_events ?? [])]
}

const requireKnownEvents = (manifest: AppManifest): void => {
  for (const list of ['bot_events', 'user_events'] as const)
    manifest.settings.event_subscriptions[list].forEach((name, n) => {
      if (!eventNames.includes(name))
        throw new VendorError('invalid_event', `${name} is no event of the service`, {
          data: { pointer: `/manifest/settings/event_subscriptions/${list}/${n}` },
        })
    })
}

export const readSettings = operation<ChatTables, unknown>({ effect: 'read', run: shown })

/** A new request URL has to answer a challenge before anything is sent to it. */
export const writeSettings = operation<ChatTables, z.infer<typeof Settings>>({
  effect: 'write',
  input: Settings,
  run: (call, { manifest, signing_secret }) => {
    if (manifest) requireKnownEvents(manifest)
    const before = appOf(call)
    const app = installApp(call, { ...(manifest && { manifest }), ...(signing_secret && { signing_secret }) })
    const { request_url } = app.manifest.settings.event_subscriptions
    const isSame = before?.manifest.settings.event_subscriptions.request_url === request_url
    if (request_url !== undefined && !(isSame && before?.is_verified)) verify(call, app, request_url)
    return shown(call)
  },
})

const verify = (call: Chat, app: AppRow, url: string): void => {
  const challenge = call.draw('url challenge').slice(0, 48)
  call.tables.app.update(app.id, { challenge, is_verified: false })
  const credentials = credentialsOf(app.id, call.principals, app.signing_secret)
  call.emit({
    id: `Ch${challenge.slice(0, 10).toUpperCase()}`,
    channel: 'url_verification',
    kind: 'url_verification',
    receiver: app.id,
    url,
    payload: { token: credentials.verification_token, challenge, type: 'url_verification' },
    secret: credentials.signing_secret,
  })
}
