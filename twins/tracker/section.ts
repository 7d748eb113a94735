import { z } from 'zod'

export const trackerStates = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'canceled'] as const
export const projectStates = ['planned', 'started', 'paused', 'completed', 'canceled'] as const

export const TrackerTeamBlueprint = z
  .object({
    key: z.string().meta({ pattern: '^[A-Z]{2,5}$' }),
    name: z.string().meta({ minLength: 1 }),
    description: z.string(),
    members: z.array(z.string()),
    labels: z.array(z.string()).default([]).meta({ description: 'Beside Bug, Feature and Improvement.' }),
  })
  .meta({ id: 'TrackerTeamBlueprint' })

export const TrackerProjectBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    name: z.string().meta({ minLength: 1 }),
    description: z.string(),
    state: z.enum(projectStates),
  })
  .meta({ id: 'TrackerProjectBlueprint' })

export const TrackerCommentBlueprint = z.object({
  at: z.string().meta({ format: 'date-time' }),
  author: z.string(),
  body: z.string().meta({ minLength: 1 }),
})

export const TrackerIssueBlueprint = z
  .object({
    key: z.string().meta({ minLength: 1 }),
    team: z.string(),
    title: z.string().meta({ minLength: 1 }),
    description: z.string(),
    priority: z
      .int()
      .min(0)
      .max(255)
      .meta({ maximum: 4, description: '0 none, 1 urgent, 2 high, 3 medium, 4 low.' }),
    state: z.enum(trackerStates),
    createdAt: z.string().meta({ format: 'date-time' }),
    updatedAt: z.string().meta({ format: 'date-time' }).nullable().default(null),
    assignee: z.string().nullable().default(null),
    creator: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'Handle; the API owner when left out.' }),
    labels: z.array(z.string()).default([]),
    project: z.string().nullable().default(null),
    comments: z.array(TrackerCommentBlueprint).default([]),
  })
  .meta({ id: 'TrackerIssueBlueprint' })

/** What an application can be granted. `read` comes with every grant. */
export const knownScopes = [
  'read',
  'write',
  'issues:create',
  'comments:create',
  'timeSchedule:write',
  'admin',
  'app:assignable',
  'app:mentionable',
  'customer:read',
  'customer:write',
  'initiative:read',
  'initiative:write',
] as const

export const TrackerAppBlueprint = z
  .object({
    key: z.string().meta({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }),
    name: z.string().meta({ minLength: 1, description: 'The name of the application and of its account.' }),
    description: z.string().default(''),
    scopes: z
      .array(z.enum(knownScopes))
      .default(['read', 'write', 'app:assignable', 'app:mentionable'])
      .meta({ description: 'What the workspace has granted the application.' }),
    redirectUris: z.array(z.string()).default([]),
    grantTypes: z
      .array(z.enum(['authorization_code', 'client_credentials']))
      .default(['authorization_code', 'client_credentials']),
    webhookUrl: z.string().nullable().default(null).meta({ description: 'Where its events are delivered.' }),
    webhookResourceTypes: z
      .array(z.string())
      .default(['AgentSessionEvent', 'AppUserNotification', 'PermissionChange', 'OAuthAuthorization'])
      .meta({ description: 'Which events it is sent.' }),
  })
  .meta({ id: 'TrackerAppBlueprint' })

export const section = z
  .object({
    teams: z.array(TrackerTeamBlueprint).meta({ minItems: 1, maxItems: 4 }),
    projects: z.array(TrackerProjectBlueprint).default([]),
    issues: z.array(TrackerIssueBlueprint),
    apps: z.array(TrackerAppBlueprint).max(20).optional().meta({
      description: 'Applications that are installed in the workspace and act as themselves: agents.',
    }),
  })
  .meta({ id: 'TrackerSection' })
export type TrackerSection = z.infer<typeof section>
