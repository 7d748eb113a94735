import { z } from 'zod'
import { pageOf, pageQuery, queryBoolean, Timestamp } from './pages.ts'
import { routes } from './route.ts'

export const scorerKinds = ['llm-judge', 'code'] as const
export const scorerLanguages = ['python', 'typescript'] as const
export const scorerWeights = ['low', 'med', 'high'] as const

export const ScorerKind = z.enum(scorerKinds)
export const ScorerLanguage = z.enum(scorerLanguages)
export const ScorerWeight = z.enum(scorerWeights)
export type ScorerWeight = z.infer<typeof ScorerWeight>

export const ChoiceScore = z.object({ label: z.string(), score: z.number() })

/** The definition of a scorer, as sent to the library and as written inside a blueprint's task. */
export const ScorerDefinition = z.object({
  name: z.string().meta({ minLength: 1, maxLength: 200 }),
  slug: z.string().nullable().default(null),
  description: z.string().nullable().default(null),
  kind: ScorerKind.default('llm-judge'),
  prompt: z.string().nullable().default(null),
  choiceScores: z.array(ChoiceScore).default([]),
  useCot: z.boolean().default(false),
  allowSkip: z.boolean().default(false),
  model: z.string().nullable().default(null),
  code: z.string().nullable().default(null),
  language: ScorerLanguage.nullable().default(null),
  passThreshold: z.number().nullable().default(null),
})
export type ScorerDefinition = z.infer<typeof ScorerDefinition>

/** A scorer of the library: its definition, and which version of it this is. */
export const Scorer = ScorerDefinition.extend({
  id: z.string(),
  slug: z.string(),
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  archivedAt: Timestamp.nullable(),
}).meta({ id: 'Scorer' })
export type Scorer = z.infer<typeof Scorer>

/** A scorer and a sample to run it on; nothing of it is kept. */
export const ScorerTest = ScorerDefinition.extend({
  name: z.string().max(200).default('test'),
  input: z.string().max(1_000_000).optional().meta({ description: 'The instruction of the task.' }),
  output: z.string().max(1_000_000).optional().meta({ description: "The agent's answer." }),
  expected: z.unknown().optional().meta({ description: 'The expected outcome: a text, or any JSON.' }),
  metadata: z.record(z.string(), z.unknown()).optional(),
  trial_id: z.string().max(100).optional().meta({
    description:
      'A finished trial: the scorer sees the world as it was left there, and of the fields above what is not sent.',
  }),
  world_id: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'A world that the scorer sees as it is now. Instead of a trial.' }),
}).meta({ id: 'ScorerTest' })
export type ScorerTest = z.infer<typeof ScorerTest>

export const ScorerTestResult = z
  .object({
    score: z.number().nullable(),
    error: z.string().nullable().meta({ description: 'Why there is no score.' }),
    reason: z.string().nullable(),
    printed: z.string().meta({ description: 'What the code printed.' }),
    duration_ms: z.number(),
    isolation: z
      .string()
      .nullable()
      .meta({ description: 'How the code was kept apart, such as bubblewrap or process; null for a judge.' }),
  })
  .meta({ id: 'ScorerTestResult' })
export type ScorerTestResult = z.infer<typeof ScorerTestResult>

const scorerParams = z.object({ scorerId: z.string() })

export const scorerRoutes = routes({
  listScorers: {
    method: 'GET',
    path: '/v1/scorers',
    tag: 'Scorers',
    summary: 'List the scorer library, newest first.',
    scope: 'suites:read',
    query: z.object({ ...pageQuery, kind: ScorerKind.optional(), include_archived: queryBoolean.optional() }),
    reply: pageOf(Scorer),
    errors: ['invalid_cursor'],
  },
  createScorer: {
    method: 'POST',
    path: '/v1/scorers',
    tag: 'Scorers',
    summary: 'Create a scorer.',
    scope: 'suites:write',
    body: ScorerDefinition,
    status: 201,
    reply: Scorer,
    errors: ['conflict'],
    creates: true,
  },
  readScorer: {
    method: 'GET',
    path: '/v1/scorers/{scorerId}',
    tag: 'Scorers',
    summary: 'Read one scorer.',
    scope: 'suites:read',
    params: scorerParams,
    reply: Scorer,
    errors: ['not_found'],
  },
  updateScorer: {
    method: 'PUT',
    path: '/v1/scorers/{scorerId}',
    tag: 'Scorers',
    summary: 'Replace the definition of a scorer. Tasks keep the version they were bound to.',
    scope: 'suites:write',
    params: scorerParams,
    body: ScorerDefinition,
    reply: Scorer,
    errors: ['not_found', 'conflict'],
  },
  archiveScorer: {
    method: 'DELETE',
    path: '/v1/scorers/{scorerId}',
    tag: 'Scorers',
    summary: 'Archive a scorer. Tasks and versions that use it go on doing so.',
    scope: 'suites:write',
    params: scorerParams,
    reply: Scorer,
    errors: ['not_found'],
  },
})

export const scorerTestRoutes = routes({
  testScorer: {
    method: 'POST',
    path: '/v1/scorers/test',
    tag: 'Scorers',
    summary: 'Run a scorer on sample data, on a finished trial or on a world as it is now.',
    scope: 'suites:write',
    body: ScorerTest,
    reply: ScorerTestResult,
    errors: ['invalid_reference', 'limit_exceeded', 'sandbox_denied', 'sandbox_unavailable', 'unavailable'],
  },
})
