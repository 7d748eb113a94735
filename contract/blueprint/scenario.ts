import { installed } from '@diorama/twins/installed'
import { z } from 'zod'
import { durationPattern } from '../durations.ts'
import { TwinKind } from '../kinds.ts'
import { ScorerDefinition, ScorerWeight } from '../scorers.ts'
import { CoworkerBlueprint } from './coworkers.ts'
import { TimeBlueprint, WorldEventBlueprint } from './moving.ts'

const kebab = '^[a-z0-9]+(-[a-z0-9]+)*$'

export const Touchpoint = z.object({
  service: TwinKind,
  key: z.string().meta({
    description: `The record's key in that service's section: ${installed.map(({ kind, keyNames }) => `${kind} ${keyNames}`).join(', ')}.`,
  }),
  role: z.string().meta({ description: 'One sentence.' }),
})

export const ScenarioThreadBlueprint = z
  .object({ title: z.string(), summary: z.string(), touchpoints: z.array(Touchpoint) })
  .meta({ id: 'ScenarioThreadBlueprint' })

export const WorldTaskScorerBlueprint = z
  .object({
    key: z.string().meta({ pattern: kebab, maxLength: 80 }),
    scorer: ScorerDefinition,
    passThreshold: z
      .number()
      .nullable()
      .default(null)
      .meta({ description: 'Overrides the scorer for this task.' }),
    weight: ScorerWeight.default('med'),
  })
  .meta({ id: 'WorldTaskScorerBlueprint' })
export type WorldTaskScorerBlueprint = z.infer<typeof WorldTaskScorerBlueprint>

export const WorldTaskCheck = z
  .object({
    key: z.string().meta({ pattern: kebab, maxLength: 80 }),
    description: z.string(),
    service: TwinKind,
    resource: z.enum(installed.flatMap(({ legacyResources }) => legacyResources ?? [])),
    recordKey: z.string(),
    operation: z.enum(['create', 'update', 'delete']),
    field: z.string(),
    operator: z.enum(['equals', 'contains', 'exists']),
    expected: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  })
  .meta({ id: 'WorldTaskCheck', description: 'Legacy; write a code scorer instead.' })
export type WorldTaskCheck = z.infer<typeof WorldTaskCheck>

export const WorldTaskBlueprint = z
  .object({
    key: z.string().meta({ pattern: kebab, maxLength: 80 }),
    title: z.string().meta({ minLength: 1, maxLength: 200 }),
    instruction: z.string().meta({ minLength: 1 }),
    expectedOutcome: z.string().meta({ minLength: 1 }),
    steps: z.array(z.string()),
    scorers: z.array(WorldTaskScorerBlueprint).default([]),
    turns: z
      .object({
        limit: z.int().meta({ minimum: 1, maximum: 100 }),
        idle: z.string().meta({ pattern: durationPattern }).default('24h'),
      })
      .nullable()
      .default(null)
      .meta({
        description:
          'How often the command of an agent is started: again when something concerns it within `idle` of the story.',
      }),
    crowding: z.int().min(0).max(12).default(0).meta({
      description: 'How many decoy MCP servers are beside those of the services.',
    }),
    checks: z.array(WorldTaskCheck).default([]).meta({ description: 'Legacy; leave empty.' }),
  })
  .meta({ id: 'WorldTaskBlueprint' })
export type WorldTaskBlueprint = z.infer<typeof WorldTaskBlueprint>

export const ScenarioBlueprint = z
  .object({
    title: z.string().meta({ minLength: 1 }),
    narrative: z.string().meta({ description: 'One to three paragraphs.' }),
    threads: z.array(ScenarioThreadBlueprint),
    tasks: z.array(WorldTaskBlueprint).default([]).meta({
      maxItems: 5,
      description: 'Two to five evaluation tasks, or none.',
    }),
    time: TimeBlueprint.nullable().default(null),
    events: z
      .array(WorldEventBlueprint)
      .meta({ maxItems: 10_000 })
      .default([])
      .meta({ description: 'What happens while somebody works in the world.' }),
    coworkers: z.array(CoworkerBlueprint).meta({ maxItems: 8 }).default([]).meta({
      description: 'People who answer when they are written to, mentioned or given something to do.',
    }),
    suggestedTasks: z.array(z.string()).default([]).meta({
      maxItems: 5,
      description: 'Legacy; leave empty.',
    }),
  })
  .meta({ id: 'ScenarioBlueprint' })
export type ScenarioBlueprint = z.infer<typeof ScenarioBlueprint>
