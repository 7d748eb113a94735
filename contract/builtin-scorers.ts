import { z } from 'zod'
import { routes } from './route.ts'
import { Scorer, ScorerLanguage } from './scorers.ts'

/** A scorer that comes with the service: parameters make a definition of it. */
export const BuiltinScorer = z
  .object({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    language: ScorerLanguage,
    needs_world: z.boolean().meta({ description: 'It reads the world, so its task needs an environment.' }),
    parameters: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema of the parameters it takes.' }),
    example: z.record(z.string(), z.unknown()).meta({ description: 'Parameters to start from.' }),
  })
  .meta({ id: 'BuiltinScorer' })
export type BuiltinScorer = z.infer<typeof BuiltinScorer>

export const BuiltinScorerUse = z
  .object({
    parameters: z.record(z.string(), z.unknown()).default({}),
    name: z.string().min(1).max(200).optional(),
    slug: z.string().nullable().default(null),
    description: z.string().max(10_000).optional(),
    pass_threshold: z.number().min(0).max(1).nullable().default(1),
  })
  .meta({ id: 'BuiltinScorerUse' })
export type BuiltinScorerUse = z.infer<typeof BuiltinScorerUse>

export const builtinScorerRoutes = routes({
  listBuiltinScorers: {
    method: 'GET',
    path: '/v1/scorers/builtins',
    tag: 'Scorers',
    summary: 'List the scorers that come with the service, and the parameters that each takes.',
    scope: 'suites:read',
    reply: z.object({ items: z.array(BuiltinScorer) }),
  },
  createBuiltinScorer: {
    method: 'POST',
    path: '/v1/scorers/builtins/{slug}',
    tag: 'Scorers',
    summary: 'Put a scorer that comes with the service into the library, with these parameters.',
    scope: 'suites:write',
    params: z.object({ slug: z.string() }),
    body: BuiltinScorerUse,
    status: 201,
    reply: Scorer,
    errors: ['not_found', 'conflict'],
    creates: true,
  },
})
