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
  /** Codes of the install flow, by their hash. */
  oauth_code: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      user: z.string(),
      bot_scopes: z.array(z.string()),
      user_scopes: z.array(z.string()),
      redirect_uri: z.string(),
      nonce: z.string(),
      code_challenge: z.string(),
      expires: z.number(),
    }),
    internal: true,
  }),
  /** Tokens that the install flow gave out, by their hash. */
  oauth_token: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      subject: z.string(),
      scopes: z.array(z.string()),
      /** 0 where it does not expire. */
      expires: z.number(),
      /** The hash of its refresh token; empty where there is none or it was used. */
      refresh: z.string(),
      prefix: z.enum(['xoxb', 'xoxp']),
      /** The exchanged token that it takes the place of. */
      replaces: z.string().optional(),
    }),
    indexes: {
      refresh: { by: (row: { refresh: string }) => (row.refresh === '' ? undefined : row.refresh) },
    },
    internal: true,
  }),
  /** Tokens that were exchanged for expiring ones: by their hash, or the subject that a person's own token acts as. */
  exchanged_token: table({
    key: 'id',
    row: z.strictObject({ id: z.string(), is_expired: z.boolean() }),
    internal: true,
  }),
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
  /** What a person has chosen in the elements of a message or a view, and the options that the app has loaded for them. */
  element_state: table({
    key: 'id',
    row: z.strictObject({
      id: z.string(),
      /** By block and action: what the element reports. */
      values: z.record(z.string(), z.record(z.string(), z.unknown())),
      options: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
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
