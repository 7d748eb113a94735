import { operation, VendorError } from '@diorama/twin-kit/kernel/twin'
import { z } from 'zod'
import type { TrackerCall } from '../context.ts'
import { clientSecret, webhookSecret } from '../oauth/applications.ts'
import { changeRecord } from '../operations/records.ts'
import type { OAuthApplicationRow } from '../rows.ts'
import type { TrackerTables } from '../tables.ts'

const shown = (call: TrackerCall, app: OAuthApplicationRow) => ({
  id: app.id,
  key: app.key ?? null,
  name: app.name,
  clientId: app.clientId,
  clientSecret: clientSecret(call, app),
  redirectUris: app.redirectUris,
  grantTypes: app.grantTypes,
  scopes: app.scopes,
  appUserId: app.appUserId,
  webhookUrl: app.webhookUrl,
  webhookEnabled: app.webhookEnabled,
  webhookResourceTypes: app.webhookResourceTypes,
  webhookSecret: webhookSecret(call, app),
})

const read = (call: TrackerCall) => ({
  applications: [...call.tables.OAuthApplication.all()]
    .filter((app) => !app.archivedAt)
    .map((app) => shown(call, app)),
  webhooks: [...call.tables.Webhook.all()].map(
    ({ id, url, label, enabled, resourceTypes, teamId, secret }) => ({
      id,
      url,
      label,
      enabled,
      resourceTypes,
      teamId,
      secret,
    }),
  ),
})

const address = z.url().max(2_000)
const Settings = z.strictObject({
  applications: z
    .array(
      z.strictObject({
        /** The id, the client id, or the key of the blueprint. */
        id: z.string(),
        webhookUrl: address.nullable().optional(),
        webhookEnabled: z.boolean().optional(),
        webhookResourceTypes: z.array(z.string()).max(50).optional(),
        redirectUris: z.array(address).max(50).optional(),
      }),
    )
    .max(50),
})

/** What the settings page of the workspace is for: the addresses and secrets of its applications. */
export const trackerControls = {
  readSettings: operation<TrackerTables, unknown>({ effect: 'read', run: read }),
  writeSettings: operation<TrackerTables, z.infer<typeof Settings>>({
    effect: 'write',
    input: Settings,
    run: (call, { applications }) => {
      applications.forEach(({ id, ...columns }, n) => {
        const app = [...call.tables.OAuthApplication.all()].find(
          (one) => one.id === id || one.clientId === id || one.key === id,
        )
        if (!app)
          throw new VendorError('not_found', 'No application has this id, client id or key.', {
            data: { pointer: `/applications/${n}/id` },
          })
        const enabled = typeof columns.webhookUrl === 'string' ? { webhookEnabled: true } : {}
        changeRecord(call, 'OAuthApplication', app, { ...enabled, ...columns })
      })
      return read(call)
    },
  }),
}
