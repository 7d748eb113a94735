import { z } from 'zod'

const address = z.url({ protocol: /^https?$/ }).max(3_000)
const name = z.string().min(1).max(100)

const SlashCommand = z.object({
  command: z.string().regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash and at most 31 small letters or digits'),
  url: address.optional(),
  description: z.string().max(2_000).default(''),
  usage_hint: z.string().max(1_000).default(''),
  should_escape: z.boolean().default(false),
})

const Shortcut = z.object({
  name,
  type: z.enum(['message', 'global']),
  callback_id: z.string().min(1).max(255),
  description: z.string().max(150).default(''),
})

const EventSubscriptions = z.object({
  request_url: address.optional(),
  bot_events: z.array(z.string().max(100)).max(100).default([]),
  user_events: z.array(z.string().max(100)).max(100).default([]),
  metadata_subscriptions: z
    .array(z.object({ app_id: z.string().max(100), event_type: z.string().max(255) }))
    .max(100)
    .default([]),
})

const Interactivity = z.object({
  is_enabled: z.boolean().default(true),
  request_url: address.optional(),
  message_menu_options_url: address.optional(),
})

/** The parts of an app's manifest that decide what is sent where. Its other parts are kept as they are. */
export const AppManifest = z.looseObject({
  display_information: z.looseObject({ name: z.string().max(35) }).optional(),
  features: z
    .looseObject({
      slash_commands: z.array(SlashCommand).max(50).default([]),
      shortcuts: z.array(Shortcut).max(10).default([]),
      unfurl_domains: z.array(z.string().max(200)).max(5).default([]),
    })
    .prefault({}),
  oauth_config: z
    .looseObject({
      redirect_urls: z.array(address).max(1_000).default([]),
      scopes: z
        .object({
          bot: z.array(z.string().max(100)).max(255).optional(),
          user: z.array(z.string().max(100)).max(255).optional(),
        })
        .default({}),
    })
    .prefault({}),
  settings: z
    .looseObject({
      event_subscriptions: EventSubscriptions.prefault({}),
      interactivity: Interactivity.prefault({ is_enabled: false }),
      socket_mode_enabled: z.boolean().default(false),
      token_rotation_enabled: z.boolean().default(false),
    })
    .prefault({}),
})
export type AppManifest = z.infer<typeof AppManifest>
