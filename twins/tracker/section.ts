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

export const TrackerSection = z
  .object({
    teams: z.array(TrackerTeamBlueprint).meta({ minItems: 1, maxItems: 4 }),
    projects: z.array(TrackerProjectBlueprint).default([]),
    issues: z.array(TrackerIssueBlueprint),
  })
  .meta({ id: 'TrackerSection' })
export type TrackerSection = z.infer<typeof TrackerSection>
