import { z } from 'zod'

export const ChatChannelBlueprint = z
  .object({
    name: z.string().meta({ pattern: '^[a-z0-9-]+$', minLength: 1, maxLength: 80 }),
    topic: z.string(),
    purpose: z.string(),
    isArchived: z.boolean().default(false),
    isPrivate: z.boolean().default(false),
    members: z.array(z.string()).default([]).meta({ description: 'Handles; empty means everyone.' }),
    createdBy: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'Handle; the first member when left out.' }),
    createdAt: z.string().meta({ format: 'date-time' }).nullable().default(null),
    posting: z.enum(['everyone', 'admins', 'nobody', 'replies', 'roots']).default('everyone').meta({
      description:
        'Who may post: everyone, admins alone, nobody, everyone but only in threads (`replies`), or everyone but not in threads (`roots`).',
    }),
    sharedWith: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'Name of another organization that shares the channel.' }),
  })
  .meta({ id: 'ChatChannelBlueprint' })

export const ChatGuestBlueprint = z
  .object({
    handle: z.string(),
    isSingleChannel: z.boolean().default(false).meta({ description: 'May be in one channel alone.' }),
  })
  .meta({ id: 'ChatGuestBlueprint' })

export const ChatReactionBlueprint = z.object({
  name: z.string().meta({
    pattern: "^[a-z0-9_+'-]+(::skin-tone-[2-6])?$",
    description: 'Emoji short name without colons.',
  }),
  by: z.array(z.string()),
})

export const ChatMessageBlueprint = z
  .object({
    at: z.string().meta({ format: 'date-time' }),
    author: z.string().meta({ description: 'A handle, or `bot` for the integration bot.' }),
    channel: z.string().meta({ description: 'Channel name without #.' }),
    text: z.string().meta({ minLength: 1 }),
    key: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'Unique, so that later messages can reply.' }),
    replyTo: z.string().nullable().default(null).meta({ description: 'Key of the message replied to.' }),
    reactions: z.array(ChatReactionBlueprint).default([]),
  })
  .meta({ id: 'ChatMessageBlueprint' })

export const section = z
  .object({
    channels: z.array(ChatChannelBlueprint).meta({ minItems: 3, maxItems: 8 }),
    messages: z.array(ChatMessageBlueprint).meta({ minItems: 10, maxItems: 40 }),
    guests: z
      .array(ChatGuestBlueprint)
      .default([])
      .meta({ description: 'People who see only the channels that name them as members.' }),
  })
  .meta({ id: 'ChatSection' })
export type ChatSection = z.infer<typeof section>
