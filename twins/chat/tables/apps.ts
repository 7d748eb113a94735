import { table } from '@diorama/twin-kit/kernel/table'
import { z } from 'zod'
import { AppManifest } from '../apps/manifest-schema.ts'

export const App = z.strictObject({
  id: z.string(),
  manifest: AppManifest,
  /** Where it was configured from; links in what the clock causes begin with it. */
  base_url: z.string(),
  /** Whether the request URL has answered its challenge. */
  is_verified: z.boolean(),
  /** The challenge that is under way. */
  challenge: z.string(),
  /** Set where the developer has chosen one. */
  signing_secret: z.string().optional(),
})
export type AppRow = z.infer<typeof App>

/** What apps are: their configuration, and what they have been handed. */
export const appTables = {
  app: table({ key: 'id', row: App, internal: true }),
  /** Tickets for Socket Mode that nobody has used yet. */
  socket_ticket: table({
    key: 'id',
    row: z.strictObject({ id: z.string(), app: z.string(), expires: z.number() }),
    internal: true,
  }),
  /** What lets an app open a view: good once, for three seconds. */
  trigger: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      user: z.string(),
      expires: z.number(),
      is_used: z.boolean(),
      /** The view in which somebody acted. */
      view_id: z.string().optional(),
    }),
    internal: true,
  }),
  /** Addresses at which an app may answer what somebody did. */
  response_url: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      channel: z.string(),
      user: z.string(),
      ts: z.string(),
      is_ephemeral: z.boolean(),
      uses: z.number(),
      expires: z.number(),
    }),
    internal: true,
  }),
}
